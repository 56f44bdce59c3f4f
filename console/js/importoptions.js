// What a person can say about a file that is imported, beside its columns.
import { isTable } from './importing.js';
import { targetsOf } from './importreport.js';
import { called } from './theme.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./importing.js').Wishes} Wishes */

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, file: File, wishes: Wishes,
 *   report: import('./importing.js').Report | null, isBusy: boolean, onWish: (changes: Partial<Wishes>) => void }} props
 */
export function ImportOptions({ model, collection, file, wishes, report, isBusy, onWish }) {
  const words = new Map(targetsOf(model, collection));
  // What was answered can be answered otherwise.
  const fills = [...new Set([...wishes.fills.keys(), ...(report?.unfilled ?? [])])];
  const asksIds = report?.asks_for_ids || wishes.ids;
  /** @param {string} field @param {string} value */
  const fill = (field, value) => {
    const next = new Map(wishes.fills);
    if (value) next.set(field, value);
    else next.delete(field);
    onWish({ fills: next });
  };
  return html`<fieldset class="import-options" disabled=${isBusy}><legend dir="auto">${file.name}</legend>
    ${isTable(file) && html`<label class="check"><input type="checkbox" checked=${wishes.spreadsheet}
      onChange=${(/** @type {any} */ event) => onWish({ spreadsheet: event.target.checked })} />
      From a spreadsheet: <span class="soft">takes off the ' before formulas, and takes TRUE and FALSE</span></label>`}
    <label class="check">Text is <select value=${wishes.encoding} onChange=${(/** @type {any} */ event) => onWish({ encoding: event.target.value })}>
      <option value="">UTF-8 or UTF-16</option><option value="windows-1252">Windows-1252, of older programs</option></select></label>
    ${asksIds && html`<label class="check">The ids in the file
      <select value=${wishes.ids} onChange=${(/** @type {any} */ event) => onWish({ ids: event.target.value })}>
        <option value="">choose</option>
        <option value="ours">mean the records of ${called(collection)} with these ids</option>
        <option value="others">are of another program: leave them out</option></select></label>`}
    ${fills.map((field) => html`<label key=${field} class="check">${words.get(field) ?? field} where there is none
      <input dir="auto" size="8" value=${wishes.fills.get(field) ?? ''} onInput=${(/** @type {any} */ event) => fill(field, event.target.value)} /></label>`)}
  </fieldset>`;
}
