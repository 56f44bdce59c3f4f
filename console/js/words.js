// A record in a few words, for those who do not know its id by heart.
import { Exact } from './exact.js';
import { key } from './access.js';
import { call } from './api.js';
import { idOf } from './model.js';
import { signal } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */

/** Fields that are a name by themselves. */
const TITLES = ['name', 'title', 'label', 'full_name', 'display_name', 'subject', 'email', 'code'];
const LONGEST = 120;

/**
 * `45 quai de Valmy, Paris`, `Ada Lovelace`; of a record that has nothing to say, its id.
 * @param {Collection} collection
 * @param {any} record
 */
export function wordsOf(collection, record) {
  /** @param {string} name */
  const text = (name) => {
    const value = record[name];
    return typeof value === 'string' || value instanceof Exact ? String(value).trim() : '';
  };
  /** @param {string[]} names */
  const spaced = (...names) => names.map(text).filter(Boolean).join(' ');
  const fields = collection.fields.filter((field) => !field.references && field.kind !== 'boolean');
  const candidates = [
    fromTitle(collection.title ?? '', text),
    spaced('first_name', 'last_name'),
    [spaced('number', 'street'), spaced('postcode', 'city')].filter(Boolean).join(', '),
    ...TITLES.map((name) => spaced(name)),
    fields.map((field) => text(field.name)).filter(Boolean).slice(0, 3).join(', '),
  ];
  const words = [...(candidates.find(Boolean) ?? '')];
  if (words.length === 0) return `${collection.name} ${idOf(record)}`;
  return words.length > LONGEST ? `${words.slice(0, LONGEST).join('')}…` : words.join('');
}

/**
 * The title with the values in their places; of a part without a value nothing is left, nor of the signs around it.
 * @param {string} title
 * @param {(name: string) => string} text
 */
function fromTitle(title, text) {
  const filled = title.replace(/\{([a-z][a-z0-9_]*)\}/g, (_whole, name) => text(name));
  if (![...title.matchAll(/\{([a-z][a-z0-9_]*)\}/g)].some(([, name]) => text(name))) return '';
  return filled.replace(/\(\s*\)|\[\s*\]/g, '').replace(/\s+/g, ' ').replace(/^[\s,;:·–-]+|[\s,;:·–-]+$/g, '').replace(/,(\s*,)+/g, ',');
}

/**
 * What is known of records that others refer to. `words` is null while it is asked, and stays so where it cannot be;
 * `refused` is the key that was not enough to read it, empty for none.
 * @typedef {import('../vendor/preact-11.2.0.js').Signal<{ words: string | null, isGone: boolean, refused: string | null }>} Known
 * @type {Map<string, Known>}
 */
const known = new Map();
/** So many are remembered; the oldest go. */
const MOST = 2000;

/** Raised with each page that is loaded: it shows what is referred to as it is now. */
let epoch = 0;
/** When each was asked for. @type {WeakMap<Known, number>} */
const askedIn = new WeakMap();

/**
 * The words of a record that is referred to, fetched once for each page; again for another key where the last was not
 * enough.
 * @param {Collection} collection
 * @param {string} id
 */
export function wordsFor(collection, id) {
  const found = knownOf(collection, id);
  if (collection.fetches && askedIn.get(found) !== epoch) {
    askedIn.set(found, epoch);
    learn(collection, id, found);
  }
  return found;
}

/** @param {Collection} collection @param {string} id @returns {Known} */
function knownOf(collection, id) {
  const name = `${collection.name}/${id}`;
  let found = known.get(name);
  if (!found || (found.value.refused ?? key.value) !== key.value) {
    found = /** @type {Known} */ (signal({ words: null, isGone: false, refused: null }));
    known.set(name, found);
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
  }
  return found;
}

/**
 * @param {Collection} collection
 * @param {string} id
 * @param {Known} found
 */
async function learn(collection, id, found) {
  const sent = key.value;
  try {
    const answer = await call('GET', `${collection.name}/${id}/`, { asks: false });
    if (answer.ok) found.value = { words: wordsOf(collection, answer.data), isGone: false, refused: null };
    else if (answer.status === 404) found.value = { words: null, isGone: true, refused: null };
    else if (answer.status === 401 || answer.status === 403) found.value = { words: null, isGone: false, refused: sent };
    else askedIn.delete(found);
  } catch {
    askedIn.delete(found);
  }
}

/** Words of a record that came along with another. @param {Collection} collection @param {any} record */
export function teachWords(collection, record) {
  const found = knownOf(collection, idOf(record));
  askedIn.set(found, epoch);
  found.value = { words: wordsOf(collection, record), isGone: false, refused: null };
}

/** From now on the words are asked for again where they are shown; the old ones stay until the answer. */
export function freshWords() {
  epoch += 1;
}

/** Forgets the words, with the key that let one read them. */
export function forgetWords() {
  known.clear();
}
