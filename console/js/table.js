// The rows of a page as a table: heads that sort, a tick for each row, a link to its record.
import { Value } from './cell.js';
import { widthOf } from './columns.js';
import { Icon } from './icons.js';
import { idOf } from './model.js';
import { go, href } from './route.js';
import { called } from './theme.js';
import { drawWidths, Edge } from './widths.js';
import { wordsOf } from './words.js';
import { html, useLayoutEffect } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./model.js').Model} Model */

/** Rows that stand for those to come. */
const GHOSTS = 8;

/**
 * @param {{ model: Model, collection: Collection, columns: Field[], records: any[], pairs: [string, string][],
 *   sort: import('./listing.js').Listing['sort'], isBusy: boolean, isFirst: boolean, body: any,
 *   ticked: Set<string>, onTick: ((ids: string[], isOn: boolean, isRange: boolean) => void) | null,
 *   onSort: (name: string, isAdded: boolean) => void, onKeyDown: (event: KeyboardEvent) => void }} props
 */
export function Table({ model, collection, columns, records, pairs, sort, isBusy, isFirst, body, ticked, onTick, onSort, onKeyDown }) {
  const ids = records.map(idOf);
  const isAll = ids.length > 0 && ids.every((id) => ticked.has(id));
  /** @param {Field} [sized] @param {number} [width] one that is not kept yet */
  const draw = (sized, width) => drawWidths(columns.map((field) => (field === sized ? width : widthOf(collection, field))), onTick ? 1 : 0);
  useLayoutEffect(() => draw());
  return html`<div class="table rows" aria-busy=${isBusy}>
    <table>
      <thead><tr>
        ${onTick && html`<td class="tick"><input type="checkbox" aria-label="Select all rows of this page" checked=${isAll}
          indeterminate=${!isAll && ticked.size > 0} onChange=${() => onTick(ids, !isAll, false)} /></td>`}
        ${columns.map((field) => html`<${HeadCell} key=${field.name} ...${{ collection, field, sort, onSort }} draw=${(/** @type {number | undefined} */ width) => draw(field, width)} />`)}
      </tr></thead>
      <tbody ref=${body} onKeyDown=${onKeyDown}>
        ${records.map((record) => html`<${Row} key=${idOf(record)} ...${{ model, collection, columns, record, pairs, isTicked: ticked.has(idOf(record)), onTick }} />`)}
        ${isFirst && Array.from({ length: GHOSTS }, (_none, at) => html`<tr key=${`ghost ${at}`} class="ghost" aria-hidden="true">
          ${onTick && html`<td class="tick"></td>`}${columns.map((field) => html`<td key=${field.name}><span></span></td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

/** Whether the values of a field stand at the right. @param {Field} field */
function isNumber({ kind, references }) {
  return !references && (kind === 'integer' || kind === 'float');
}

/** @param {any} props */
function HeadCell({ collection, field, sort, onSort, draw }) {
  const at = sort.findIndex((/** @type {any} */ one) => one.name === field.name);
  const { isDown = false } = sort[at] ?? {};
  const way = at < 0 ? undefined : isDown ? 'descending' : 'ascending';
  return html`<th scope="col" class=${isNumber(field) ? 'at-end' : ''} aria-sort=${way}>
    ${collection.sorts !== null
      ? html`<button type="button" class="sort" title=${`${field.help ? `${field.help}\n` : ''}Sort by ${called(field)}; with Shift, besides the others`}
          onClick=${(/** @type {MouseEvent} */ event) => onSort(field.name, event.shiftKey)}>
          ${called(field)}${at >= 0 && html`<span class="way"><${Icon} name=${isDown ? 'down' : 'up'} />${sort.length > 1 && html`<sub>${at + 1}</sub>`}</span>`}</button>`
      : html`<span title=${field.help || undefined}>${called(field)}</span>`}
    <${Edge} ...${{ collection, field, draw }} />
  </th>`;
}

/** @param {any} props */
function Row({ model, collection, columns, record, pairs, isTicked, onTick }) {
  const id = idOf(record);
  const words = wordsOf(collection, record);
  const [first, ...others] = columns;
  /** @param {Field} field */
  const valueOf = (field) => (field.name === 'id' ? id : record[field.name]);
  return html`<tr
    class=${isTicked ? 'ticked' : ''}
    onClick=${(/** @type {MouseEvent} */ event) => {
      if (!isOfRow(event)) return;
      if (event.ctrlKey || event.metaKey) open(href(collection.name, id), '_blank', 'noopener');
      else go(collection.name, id, pairs);
    }}
    onAuxClick=${(/** @type {MouseEvent} */ event) => {
      if (event.button === 1 && isOfRow(event)) open(href(collection.name, id), '_blank', 'noopener');
    }}
  >
    ${onTick && html`<td class="tick"><input type="checkbox" aria-label=${`Select ${words}`} checked=${isTicked}
      onClick=${(/** @type {MouseEvent} */ event) => onTick([id], !isTicked, event.shiftKey)} /></td>`}
    <th scope="row" class=${isNumber(first) ? 'at-end' : ''}><a data-id=${id} href=${href(collection.name, id, pairs)} aria-label=${words}>
      <${Value} model=${model} field=${first} value=${valueOf(first)} plain /></a></th>
    ${others.map((/** @type {Field} */ field) => html`<td key=${field.name} class=${isNumber(field) ? 'at-end' : ''}>
      <${Value} model=${model} field=${field} value=${valueOf(field)} /></td>`)}
  </tr>`;
}

/** Whether a click is for the row as a whole. @param {MouseEvent} event */
function isOfRow(event) {
  return !(event.target instanceof Element && event.target.closest('a, button, .tick')) && !getSelection()?.toString();
}
