// What this tab keeps until it is closed: it survives a reload, has a bound, and belongs to the access key in use.
import { key } from './access.js';

const PREFIX = 'carnet-kept/';
/** All of it together, in bytes; a character of JavaScript takes two. Browsers give a site some 10 MB. */
const LARGEST = 4 * 1024 * 1024;

/** Tells one key from another without being it (FNV-1a); nothing for no key. @param {string} text */
function ownerOf(text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ /** @type {number} */ (character.codePointAt(0)), 0x01000193);
  return text && (hash >>> 0).toString(16);
}

let owner = ownerOf(key.peek());

/** @param {string} name */
const fullName = (name) => `${PREFIX}${owner}/${name}`;

function entries() {
  return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
}

/**
 * Keeps a text under a name. False where there is no space for it: then nothing is kept under that name.
 * @param {string} name
 * @param {string} text
 */
export function keep(name, text) {
  drop(name);
  const used = entries().reduce((sum, one) => sum + one.length + (sessionStorage.getItem(one)?.length ?? 0), 0);
  if (2 * (used + fullName(name).length + text.length) > LARGEST) return false;
  try {
    sessionStorage.setItem(fullName(name), text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name */
export function kept(name) {
  return sessionStorage.getItem(fullName(name));
}

/** @param {string} name */
export function drop(name) {
  sessionStorage.removeItem(fullName(name));
}

/** @type {((isForgotten: boolean) => void)[]} */
const listeners = [];

/** Says when another key is in use; whether everything was removed, since the key was forgotten. @param {(isForgotten: boolean) => void} listener */
export function onOtherOwner(listener) {
  listeners.push(listener);
}

key.subscribe((now) => {
  const next = ownerOf(now);
  if (next === owner) return;
  const before = fullName('');
  const isFirst = owner === '';
  owner = next;
  if (next === '') entries().forEach((name) => sessionStorage.removeItem(name));
  // Whoever worked without a key and is asked for one works on.
  if (isFirst) {
    for (const name of entries().filter((one) => one.startsWith(before))) {
      const text = sessionStorage.getItem(name) ?? '';
      sessionStorage.removeItem(name);
      keep(name.slice(before.length), text);
    }
  }
  listeners.forEach((listener) => listener(next === ''));
});
