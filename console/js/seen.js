// A record as it is stored: fetched, handed on after a save, and looked at again where somebody else has saved it.
import { call, query } from './api.js';
import { go, place } from './route.js';
import { signal } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./drafts.js').Seen} Seen */
/** @typedef {{ id: string, start: number | null, end: number | null }} Caret */
/** @typedef {{ name: string, seen: Seen, caret: Caret }} Arrival */

/** What was stored last, by whichever form; it changes with a delete, too, which has no name. @type {import('../vendor/preact-11.2.0.js').Signal<{ name: string, seen: Seen }>} */
export const saved = signal({ name: '', seen: { record: null, etag: null } });

/**
 * Fetches a record; where single records cannot be read, from the list.
 * @param {import('./model.js').Collection} collection
 * @param {string} id
 * @param {AbortSignal} [abort]
 * @returns {Promise<{ seen: Seen | null, error: string, isGone: boolean }>}
 */
export async function fetchRecord(collection, id, abort) {
  const path = collection.fetches ? `${collection.name}/${id}/` : `${collection.name}/${query([['id', id]])}`;
  const answer = await call('GET', path, { signal: abort });
  const record = collection.fetches ? answer.data : answer.data?.object_list?.[0];
  if (answer.ok && record) return { seen: { record, etag: answer.headers.get('ETag') }, error: '', isGone: false };
  const isGone = answer.ok || answer.status === 404;
  return { seen: null, error: isGone ? `There is no ${collection.name} ${id}. It may have been deleted.` : answer.error, isGone };
}

/** @type {Arrival | null} */
let arrival = null;

/**
 * From the form of a new record to the page of what it has become, without a moment in which typing leads nowhere.
 * @param {import('./model.js').Collection} collection
 * @param {string} id
 * @param {Seen} seen
 */
export function arriveAt(collection, id, seen) {
  const { id: focused = '', selectionStart: start = null, selectionEnd: end = null } = /** @type {any} */ (document.activeElement ?? {});
  arrival = { name: `${collection.name}/${id}`, seen, caret: { id: focused, start, end } };
  go(collection.name, id, place.peek().pairs);
}

/** @param {string} name */
export function arrivalAt(name) {
  const found = arrival?.name === name ? arrival : null;
  arrival = null;
  return found;
}

/** @param {Caret} caret */
export function putCaret({ id, start, end }) {
  const found = id ? document.getElementById(id) : null;
  found?.focus();
  if (start !== null && (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement)) found.setSelectionRange(start, end);
}

/** Whether the form of that name is the one on the page. @param {string} name */
export function isOpen(name) {
  const { collection, record } = place.peek();
  return `${collection}/${record}` === name;
}
