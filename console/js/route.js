// Where we are, in the fragment of the URL: #/users, #/users?last_name=Doe&offset=20, #/users/7, #/users/new.
import { root, query } from './api.js';
import { signal } from '../vendor/preact-11.2.0.js';

/**
 * @typedef {object} Place
 * @property {string} collection '' for the start, '_' for pages that belong to none
 * @property {string | null} record an id, or 'new'
 * @property {[string, string][]} pairs
 */

/** The address of the console without a fragment. */
export const start = new URL('console/', root).href;

/** Whether this is the page that describes the API. */
export const isApiPage = /\/api$/.test(location.pathname);

/** @returns {Place} */
function read() {
  const [path, search = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [collection = '', record = null] = path.split('/').filter(Boolean);
  return { collection, record, pairs: [...new URLSearchParams(search)] };
}

/** @type {import('../vendor/preact-11.2.0.js').Signal<Place>} */
export const place = signal(read());
addEventListener('hashchange', () => (place.value = read()));

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
  // At once, not with the event that the browser sends later: nothing typed meanwhile may go to the old page.
  place.value = read();
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
