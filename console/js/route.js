// Where we are, in the fragment of the URL: #/users, #/users?last_name=Doe&offset=20, #/users/7, #/users/new,
// #/users/import. A record keeps the parameters of the list that it was opened from: #/users/7?last_name=Doe.
import { root, query } from './api.js';
import { ID } from './model.js';
import { signal } from '../vendor/preact-11.2.0.js';

/**
 * @typedef {object} Place
 * @property {string} collection '' for the start, '_' for pages that belong to none
 * @property {string | null} record an id, 'new' or 'import'
 * @property {[string, string][]} pairs
 * @property {boolean} isStrange whether it is none of ours, whatever it says
 */

/** The address of the console without a fragment. */
export const start = new URL('console/', root).href;

/** Whether this is the page that describes the API. */
export const isApiPage = /\/api$/.test(location.pathname);

/** What our own links look like, and nothing else: a list with its parameters, a record, a new one, an import, the keys, what is unsaved. */
const LIST = /^#\/([a-z][a-z0-9_]*)(?:\?(.*))?$/s;
const RECORD = /^#\/([a-z][a-z0-9_]*)\/([1-9][0-9]{0,18}|new|import)(?:\?(.*))?$/s;
const PAGE = /^#\/(_)\/(keys|unsaved)$/;

/** @returns {Place} */
function read() {
  const { hash } = location;
  const pairsOf = (/** @type {string | undefined} */ text) => [...new URLSearchParams(text ?? '')];
  const list = LIST.exec(hash);
  if (list) return { collection: list[1], record: null, pairs: pairsOf(list[2]), isStrange: false };
  const record = RECORD.exec(hash);
  if (record) return { collection: record[1], record: record[2], pairs: pairsOf(record[3]), isStrange: false };
  const page = PAGE.exec(hash);
  if (page) return { collection: page[1], record: page[2], pairs: [], isStrange: false };
  return { collection: '', record: null, pairs: [], isStrange: !/^#?\/?$/.test(hash) };
}

/**
 * What is wrong with the parameters of a list: filters, a search, a sort, a page, each once; '' for nothing.
 * @param {import('./model.js').Collection} collection
 * @param {[string, string][]} pairs
 */
export function faultIn({ name: list, fields, pages, words, sorts }, pairs) {
  const known = [...fields, ID].flatMap(({ name, operators }) => [name, ...operators.map((sign) => `${name}.${sign}`)]);
  const others = [pages?.offset, pages?.count, words, sorts].filter(Boolean);
  const unknown = pairs.find(([name]) => ![...known, ...others].includes(name));
  if (unknown) return `${list} has no parameter ${unknown[0]}. It has ${[...fields.map(({ name }) => name), 'id', ...others].join(', ')}, and operators such as id.in.`;
  const twice = pairs.find(([name], at) => !name.endsWith('.in') && pairs.findIndex(([other]) => other === name) !== at);
  return twice ? `${twice[0]} is there twice.` : '';
}

/** @type {import('../vendor/preact-11.2.0.js').Signal<Place>} */
export const place = signal(read());

/** Goes where the address leads, at once; the event of the browser comes later. */
export function follow() {
  place.value = read();
}
addEventListener('hashchange', follow);

/**
 * @param {string} collection
 * @param {string | null} [record]
 * @param {[string, string][]} [pairs]
 */
export function href(collection, record = null, pairs = []) {
  const fragment = `#/${collection}${record === null ? '' : `/${record}`}${query(pairs)}`;
  return isApiPage ? start + fragment : fragment;
}

/**
 * @param {string} collection
 * @param {string | null} [record]
 * @param {[string, string][]} [pairs]
 * @param {{ isStep?: boolean }} [options] a step leaves nothing to come back to
 */
export function go(collection, record = null, pairs = [], { isStep = false } = {}) {
  if (isStep) location.replace(href(collection, record, pairs));
  else location.assign(href(collection, record, pairs));
  // Nothing typed from now on may go to the old page.
  follow();
}

/** The list that was looked at last, to come back to: its page, its filters, the record that was opened. */
export const last = {
  collection: '',
  /** @type {[string, string][]} */
  pairs: [],
  /** @type {{ collection: string, id: string } | null} */
  record: null,
};

/**
 * The records of the list that was looked at last, in its order: where next and previous lead.
 * @type {import('../vendor/preact-11.2.0.js').Signal<{ collection: string, ids: string[] }>}
 */
export const neighbours = signal({ collection: '', ids: /** @type {string[]} */ ([]) });

/**
 * The record so many steps further in that list, or none.
 * @param {string} collection
 * @param {string} id
 * @param {number} step
 */
export function neighbourOf(collection, id, step) {
  const { collection: listed, ids } = neighbours.value;
  const at = listed === collection ? ids.indexOf(id) : -1;
  return at < 0 ? undefined : ids[at + step];
}

/** The list that the record on the page was opened from. @param {string} collection */
export function hrefBack(collection) {
  return href(collection, null, listPairs(collection));
}

/** The parameters of that list. @param {string} collection @returns {[string, string][]} */
export function listPairs(collection) {
  const { collection: at, pairs } = place.peek();
  if (at === collection && pairs.length > 0) return pairs;
  return last.collection === collection ? last.pairs : [];
}
