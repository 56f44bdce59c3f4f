// How a list of cards is sorted: they have no heads to click on.
import { called } from './theme.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./listing.js').Listing['sort']} Sort */

/** @param {{ columns: import('./model.js').Field[], sort: Sort, onSort: (sort: Sort) => void }} props */
export function Order({ columns, sort, onSort }) {
  const chosen = sort[0] ? `${sort[0].isDown ? '-' : ''}${sort[0].name}` : '';
  return html`<select class="order" aria-label="Sort by" value=${chosen} onChange=${(/** @type {any} */ { target: { value } }) =>
    onSort(value ? [{ name: value.replace(/^-/, ''), isDown: value.startsWith('-') }] : [])}>
    <option value="">Sort by…</option>
    ${columns.map((field) => html`<option key=${field.name} value=${field.name}>${called(field)}</option>
      <option key=${`-${field.name}`} value=${`-${field.name}`}>${called(field)}, the other way round</option>`)}
  </select>`;
}
