// A value as people read it: always as text.
import { Exact } from './exact.js';
import { href } from './route.js';
import { wordsFor } from './words.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./model.js').Model} Model */

/** A list shows the beginning of a long text; the record has all of it. */
const LONGEST_IN_A_LIST = 2000;

/** @param {{ model: Model, field: Field, value: any, full?: boolean }} props */
export function Value({ model, field, value, full = false }) {
  if (value === null || value === undefined) return html`<span class="none">no value</span>`;
  if (value === '') return html`<span class="none">empty text</span>`;
  const target = field.references && model.byName.get(field.references);
  if (target) return html`<${Reference} target=${target} id=${String(value)} />`;
  if (value instanceof Exact) return html`<span class="number">${value.text}</span>`;
  if (typeof value === 'boolean') return html`<span class=${value ? 'yes' : 'no'}>${String(value)}</span>`;
  const text = String(value);
  const shown = full || text.length <= LONGEST_IN_A_LIST ? text : `${text.slice(0, LONGEST_IN_A_LIST)}…`;
  return html`<span class=${full ? 'text full' : 'text'} dir="auto">${shown}</span>`;
}

/** @param {{ target: import('./model.js').Collection, id: string }} props */
export function Reference({ target, id }) {
  const { words, isGone, refused } = wordsFor(target, id).value;
  const why = refused !== null ? (refused ? `this access key may not read ${target.name}` : `reading ${target.name} needs an access key`)
    : target.fetches ? '' : `this server does not let single records of ${target.name} be read`;
  return html`<a class="reference" dir="auto" href=${href(target.name, id)} title=${`${target.name} ${id}${why && `: ${why}`}`}>
    ${words ?? `${target.name} ${id}`}${isGone && html` <span class="none">(gone)</span>`}
  </a>`;
}
