// Values that are really there, for those who do not know how they are written.
import { call, query } from './api.js';
import { asFilterText } from './operators.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** So long nobody types, before it is asked. */
const SUGGEST_PAUSE = 150;
const MOST_VALUES = 20;

/**
 * Values of a field that begin like the text, each once, in their order.
 * @param {import('./model.js').Collection} collection
 * @param {import('./model.js').Field} field
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
async function sampleOf(collection, field, text, signal) {
  /** @type {[string, string][]} */
  const pairs = [];
  if (text && field.operators.includes('prefix')) pairs.push([`${field.name}.prefix`, text.slice(0, 64)]);
  if (collection.sorts) pairs.push([collection.sorts, field.name]);
  if (collection.selects) pairs.push([collection.selects, field.name]);
  if (collection.pages) pairs.push([collection.pages.count, String(Math.min(MOST_VALUES, collection.pages.size))]);
  const answer = await call('GET', `${collection.name}/${query(pairs)}`, { signal, asks: false });
  if (!answer.ok) return [];
  const values = answer.data.object_list.map((/** @type {any} */ record) => asFilterText(record[field.name]));
  return [...new Set(/** @type {string[]} */ (values))].filter((one) => one && one !== text && one.length <= 200).slice(0, MOST_VALUES);
}

/**
 * The suggestions for an input that names this list. A collection without pages is not read for them.
 * @param {{ id: string, collection: import('./model.js').Collection, field: import('./model.js').Field, text: string }} props
 */
export function Suggestions({ id, collection, field, text }) {
  const [values, setValues] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    if (!collection.pages || !collection.lists) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      sampleOf(collection, field, text, abort.signal).then(setValues, () => {});
    }, SUGGEST_PAUSE);
    return () => (clearTimeout(timer), abort.abort());
  }, [collection, field, text]);
  return html`<datalist id=${id}>${values.map((value) => html`<option key=${value} value=${value} />`)}</datalist>`;
}
