// The access key of this tab: asked for when the server wants one, never in a URL, gone with the tab.
import { signal } from '../vendor/preact-11.2.0.js';

const KEPT_AS = 'carnet-key';

/** Raised when the key is forgotten: what it let one see must go from the screen. */
export const visit = signal(0);

/** The key, or nothing. */
export const key = signal(sessionStorage.getItem(KEPT_AS) ?? '');

/**
 * Set while somebody waits for a key.
 * @type {import('../vendor/preact-11.2.0.js').Signal<{ wasRefused: boolean, answer: (given: boolean) => void } | null>}
 */
export const asking = signal(/** @type {any} */ (null));

/** @type {Promise<boolean> | null} */
let question = null;

/**
 * Asks the person for a key, once for all who wait. True when there is another one now.
 * @param {string} refused the key that was not enough
 */
export function askForKey(refused) {
  if (key.value !== refused) return Promise.resolve(true);
  question ??= new Promise((resolve) => {
    asking.value = {
      wasRefused: refused !== '',
      answer(given) {
        question = null;
        asking.value = null;
        resolve(given);
      },
    };
  });
  return question;
}

/** @param {string} text */
export function keepKey(text) {
  key.value = text;
  sessionStorage.setItem(KEPT_AS, text);
}

export function forgetKey() {
  key.value = '';
  sessionStorage.removeItem(KEPT_AS);
  visit.value += 1;
}
