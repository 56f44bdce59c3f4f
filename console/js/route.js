// Where we are, in the fragment of the URL: #/users, #/users?last_name=Doe&offset=20, #/users/7, #/users/new.
import { root, query } from './api.js';
import { signal } from '../vendor/preact-11.2.0.js';

/**
 * @typedef {object} Place
 * @property {string} collection '' for the start, '_' for pages that belong to none
 * @property {string | null} record an id, or 'new'
 * @property {[string, string][]} pairs
 * @property {boolean} isStrange whether it is none of ours, whatever it says
 */

/** The address of the console without a fragment. */
export const start = new URL('console/', root).href;

/** Whether this is the page that describes the API. */
export const isApiPage = /\/api$/.test(location.pathname);

/** What our own links look like, and nothing else: a list with its parameters, a record, a new one, the keys. */
const LIST = /^#\/([a-z][a-z0-9_]*)(?:\?(.*))?$/s;
const RECORD = /^#\/(?:([a-z][a-z0-9_]*)\/([1-9][0-9]{0,18}|new)|(_)\/(keys))$/;

/** @returns {Place} */
function read() {
  const { hash } = location;
  const list = LIST.exec(hash);
  if (list) return { collection: list[1], record: null, pairs: [...new URLSearchParams(list[2] ?? '')], isStrange: false };
  const record = RECORD.exec(hash);
  if (record) return { collection: record[1] ?? record[3], record: record[2] ?? record[4], pairs: [], isStrange: false };
  return { collection: '', record: null, pairs: [], isStrange: !/^#?\/?$/.test(hash) };
}

/**
 * What is wrong with the parameters of a list, which are its fields and its page, each once; '' for nothing.
 * @param {import('./model.js').Collection} collection
 * @param {[string, string][]} pairs
 */
export function faultIn({ name: list, fields, pages }, pairs) {
  const names = [...fields.map(({ name }) => name), 'id', ...(pages ? [pages.offset, pages.count] : [])];
  const unknown = pairs.find(([name]) => !names.includes(name));
  if (unknown) return `${list} has no parameter ${unknown[0]}. It has ${names.join(', ')}.`;
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) !== at);
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
 */
export function go(collection, record = null, pairs = []) {
  location.assign(href(collection, record, pairs));
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

/** @param {string} collection */
export function hrefBack(collection) {
  return href(collection, null, last.collection === collection ? last.pairs : []);
}
