// The columns of a list: which are shown and how wide, kept in this browser for each collection.
import { Icon } from './icons.js';
import { ID } from './model.js';
import { Pop } from './pop.js';
import { isTechnical } from './theme.js';
import { html, signal, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */

const COLUMNS_KEPT_AS = 'carnet-columns';

/** What a person has chosen for a column; the width in pixels. @typedef {{ isShown?: boolean, width?: number }} Choice */

/** By collection and field. @type {import('../vendor/preact-11.2.0.js').Signal<Record<string, Record<string, Choice>>>} */
const chosen = signal(readChosen());

function readChosen() {
  try {
    const kept = JSON.parse(localStorage.getItem(COLUMNS_KEPT_AS) ?? '{}');
    return kept && typeof kept === 'object' ? kept : {};
  } catch {
    return {};
  }
}

/** @param {Collection} collection @param {import('./model.js').Field} field */
function isShown({ name }, field) {
  // Nobody knows people by their number, but who builds with it.
  return chosen.value[name]?.[field.name]?.isShown ?? (field !== ID || isTechnical.value);
}

/** The width that was chosen for a column; undefined for the one that it has by itself. @param {Collection} collection @param {import('./model.js').Field} field */
export function widthOf({ name }, field) {
  const width = chosen.value[name]?.[field.name]?.width;
  return typeof width === 'number' && width > 0 ? width : undefined;
}

/** @param {Collection} collection @param {import('./model.js').Field[]} fields @param {Choice} choice */
export function chooseColumns({ name }, fields, choice) {
  const before = chosen.value[name];
  const changed = fields.map((field) => [field.name, { ...before?.[field.name], ...choice }]);
  chosen.value = { ...chosen.value, [name]: { ...before, ...Object.fromEntries(changed) } };
  localStorage.setItem(COLUMNS_KEPT_AS, JSON.stringify(chosen.value));
}

/** The columns that are shown. The first leads to the record, so it is none that leads elsewhere. @param {Collection} collection */
export function columnsOf(collection) {
  const shown = [ID, ...collection.fields].filter((field) => isShown(collection, field));
  return shown.length === 0 || shown[0].references ? [ID, ...shown] : shown;
}

/** @param {{ collection: Collection }} props */
export function ColumnsButton({ collection }) {
  const [isOpen, setOpen] = useState(false);
  const all = [ID, ...collection.fields];
  return html`<span class="chip-place">
    <button type="button" class="quiet" title="Columns" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}><${Icon} name="columns" /><span class="on-wide">Columns</span></button>
    ${isOpen && html`<${Pop} label="Columns" onClose=${() => setOpen(false)}>
      <fieldset class="ticks"><legend>Columns of ${collection.label}</legend>
        ${all.map((field) => html`<label key=${field.name}>
          <input type="checkbox" checked=${isShown(collection, field)} onChange=${(/** @type {any} */ event) => chooseColumns(collection, [field], { isShown: event.target.checked })} />
          ${field.label}</label>`)}
      </fieldset>
      ${all.some((field) => widthOf(collection, field)) && html`<button type="button" onClick=${() => {
        setOpen(false);
        chooseColumns(collection, all, { width: undefined });
      }}>Reset the widths</button>`}
    <//>`}
  </span>`;
}
