// A record as one reads it: a line for each field, and a pencil to change it.
import { Value } from './cell.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @param {{ model: import('./model.js').Model, field: import('./model.js').Field, value: any, onEdit: (() => void) | null }} props */
export function ReadRow({ model, field, value, onEdit }) {
  const isFor = (/** @type {MouseEvent} */ event) => !(event.target instanceof Element && event.target.closest('a, button')) && !getSelection()?.toString();
  return html`<div class=${`field read${onEdit ? ' editable' : ''}`} onClick=${(/** @type {MouseEvent} */ event) => isFor(event) && onEdit?.()}>
    <span class="name">${field.label}</span>
    <div class="input"><${Value} model=${model} field=${field} value=${value} full />
      ${onEdit && html`<button type="button" class="pencil" aria-label=${`Edit ${field.label}`} title=${`Edit ${field.label}`} onClick=${onEdit}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M11.5 2 14 4.5 5.5 13 2 14l1-3.5z" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linejoin="round" /></svg>
      </button>`}
    </div>
  </div>`;
}

/** The first letters of two words, as a picture of a record that has none. @param {{ words: string }} props */
export function Monogram({ words }) {
  const letters = words.split(/\s+/).map((word) => /^\p{L}/u.exec(word)?.[0] ?? '').filter(Boolean);
  return html`<span class="monogram" aria-hidden="true">${letters.slice(0, 2).join('').toLocaleUpperCase()}</span>`;
}
