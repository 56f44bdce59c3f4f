// What a person wants done: under one key until somebody has said what became of it. Sent again, also after a reload,
// it is done once.
import { call } from './api.js';
import { drop, keep, kept, onOtherOwner } from './kept.js';

/** @typedef {import('./api.js').Answer} Answer */
/** @typedef {{ body?: string, headers?: Record<string, string> }} Wanted */
/** @typedef {{ key: string, method: string, path: string, wanted: Wanted }} Open */

/** A name that nobody else gives. `randomUUID` is there only on pages that came by TLS or from this machine. */
function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether it is known what became of a request. @param {Answer} answer */
function isSettled({ status, headers }) {
  const isUnderWay = status === 409 && headers.has('Retry-After');
  return status < 500 && !isUnderWay;
}

export class Intent {
  /** What is too large to be kept is at least here. @type {Open | null} */
  #inMemory = null;
  #name;

  /** @param {string} name */
  constructor(name) {
    this.#name = `intent ${name}`;
  }

  /** What nothing is known of. Another tab may have sent it, or heard of it. @returns {Open | null} */
  get #open() {
    try {
      const open = JSON.parse(kept(this.#name) ?? 'null');
      return open && open.key && open.method && open.path && open.wanted ? open : this.#inMemory;
    } catch {
      return this.#inMemory;
    }
  }

  /**
   * Sends a request. The very same one, as long as nothing is known of it, goes under the same key.
   * @param {string} method
   * @param {string} path
   * @param {Wanted} wanted
   * @returns {Promise<Answer>}
   */
  async send(method, path, wanted) {
    if (!this.#open || this.isOther(method, path, wanted)) {
      const open = { key: newKey(), method, path, wanted };
      this.#inMemory = keep(this.#name, JSON.stringify(open)) ? null : open;
    }
    return /** @type {Promise<Answer>} */ (this.again());
  }

  /** Sends what nothing is known of once more; null where there is nothing. @returns {Promise<Answer | null>} */
  async again() {
    const open = this.#open;
    if (!open) return null;
    const { key, method, path, wanted } = open;
    const answer = await call(method, path, { ...wanted, headers: { ...wanted.headers, 'Idempotency-Key': `"${key}"` } });
    if (isSettled(answer)) this.forget();
    return answer;
  }

  /** Wants it no more: whatever became of it, it is not sent again. */
  forget() {
    this.#inMemory = null;
    drop(this.#name);
  }

  /**
   * Whether nothing is known of a request that is not this one.
   * @param {string} method
   * @param {string} path
   * @param {Wanted} wanted
   */
  isOther(method, path, wanted) {
    const open = this.#open;
    return open !== null && JSON.stringify([open.method, open.path, open.wanted]) !== JSON.stringify([method, path, wanted]);
  }
}

/** @type {Map<string, Intent>} */
const intents = new Map();
// What was wanted with one key is not done with another.
onOtherOwner(() => intents.clear());

/**
 * What is wanted of one form. It stays while one looks elsewhere.
 * @param {string} name
 */
export function intentOf(name) {
  const intent = intents.get(name) ?? new Intent(name);
  intents.set(name, intent);
  return intent;
}
