// A save that the server refuses: what it has against it, and who has the values already.
import { call, query } from './api.js';
import { idOf } from './model.js';
import { faultsOf } from './typed.js';

/** @typedef {import('./model.js').Collection} Collection */

/**
 * What is wrong with it, as the server says.
 * @param {Collection} collection
 * @param {string} id
 * @param {import('./api.js').Answer} answer
 * @param {any} wanted the record as it would be
 * @returns {Promise<Partial<import('./drafts.js').Outcome>>}
 */
export async function outcomeOf(collection, id, answer, wanted) {
  if (answer.status === 404 && id !== 'new') {
    return { isGone: true, error: `This record is not there any more: somebody has deleted it. What you typed is still here.` };
  }
  const isTaken = String(answer.data?.type).endsWith('/not-unique');
  const rivals = isTaken ? await rivalsOf(collection, answer.faults.map(({ pointer }) => String(pointer).slice(1)), wanted) : [];
  return { error: answer.error, faults: faultsOf(answer.faults, collection.fields), rivals };
}

/** The records that have these values already. @param {Collection} collection @param {string[]} names @param {any} wanted */
async function rivalsOf(collection, names, wanted) {
  if (!collection.lists) return [];
  /** @type {[string, string][]} */
  const pairs = names.map((name) => [name, String(wanted[name])]);
  const answer = await call('GET', `${collection.name}/${query(pairs)}`, { asks: false });
  return answer.ok ? answer.data.object_list.slice(0, 3).map(idOf) : [];
}
