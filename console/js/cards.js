// The rows of a page as cards of two lines: on a phone, and where a record stands beside its list.
import { Value } from './cell.js';
import { Exact } from './exact.js';
import { idOf } from './model.js';
import { href } from './route.js';
import { wordsOf } from './words.js';
import { html } from '../vendor/preact-11.2.0.js';

/** So many values stand in the second line. */
const MOST_DETAILS = 3;

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, records: any[],
 *   columns: import('./model.js').Field[], pairs: [string, string][], opened: string | null, isBusy: boolean, isFirst: boolean,
 *   body: any, onKeyDown: (event: KeyboardEvent) => void }} props
 */
export function Cards({ model, collection, records, columns, pairs, opened, isBusy, isFirst, body, onKeyDown }) {
  return html`<ul class="cards rows" ref=${body} aria-label=${collection.label} aria-busy=${isBusy} onKeyDown=${onKeyDown}>
    ${records.map((record) => {
      const id = idOf(record);
      const words = wordsOf(collection, record);
      // What the first line says already is not said again.
      const rest = columns.filter(({ name }) => {
        const value = record[name];
        const isText = typeof value === 'string' || value instanceof Exact;
        return name !== 'id' && value !== null && value !== undefined && value !== '' && !(isText && words.includes(String(value).trim()));
      });
      return html`<li key=${id}><a data-id=${id} href=${href(collection.name, id, pairs)} aria-current=${opened === id ? 'true' : undefined}>
        <strong dir="auto">${words}</strong>
        <span class="detail">${rest.slice(0, MOST_DETAILS).map((field) => html`<span key=${field.name}><span class="unseen">${field.label}: </span>
          <${Value} model=${model} field=${field} value=${record[field.name]} plain /></span>`)}</span>
      </a></li>`;
    })}
    ${isFirst && Array.from({ length: 6 }, (_none, at) => html`<li key=${`ghost ${at}`} class="ghost" aria-hidden="true"><span></span><span></span></li>`)}
  </ul>`;
}
