// What the server says of a file: which column is for which field, the first records, counts and faults.
import { parseJson } from './exact.js';
import { LEFT_OUT } from './importing.js';
import { ID } from './model.js';
import { called } from './theme.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./importing.js').Report} Report */

/** So many faults are shown; the others are counted. */
const MOST_FAULTS = 100;

/** @param {number} number @param {string} one @param {string} several */
export function counted(number, one, several) {
  return `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
}

/** A fault without what would be said in a request: here it is chosen. @param {{ fault: string, remedy?: string | null }} told */
function plainFault({ fault, remedy }) {
  return remedy ? fault.slice(0, -remedy.length).trimEnd() : fault;
}

/** What a column can be for, with its words: the fields, and those of the records that they refer to. @param {Model} model @param {Collection} collection @returns {[string, string][]} */
export function targetsOf(model, collection) {
  return [ID, ...collection.fields].flatMap((field) => {
    const target = field.references ? model.byName.get(field.references) : null;
    const parts = target?.fields.map((part) => /** @type {[string, string]} */ ([`${field.name}.${part.name}`, `${called(field)}: ${called(part)}`])) ?? [];
    return [/** @type {[string, string]} */ ([field.name, called(field)]), ...parts];
  });
}

/**
 * @param {{ model: Model, collection: Collection, report: Report, columns: Map<string, string>, isTable: boolean,
 *   isBusy: boolean, onChoose: (column: string, field: string) => void }} props
 */
export function Mapping({ model, collection, report, columns, isTable, isBusy, onChoose }) {
  const targets = targetsOf(model, collection);
  const words = new Map(targets);
  const toldOf = (/** @type {string} */ field) => field.split(' and ').map((one) => words.get(one) ?? one).join(' and ');
  // That a column with `=` in its name is for a field cannot be said to the server.
  const canMap = (/** @type {string} */ column) => isTable && !column.includes('=');
  // A column may be split into several fields.
  const isOne = (/** @type {string} */ field) => field === LEFT_OUT || words.has(field);
  const mayChoose = (/** @type {string} */ column, /** @type {string} */ field) => canMap(column) || columns.has(column) || field === '' || field === LEFT_OUT;
  /** @type {{ column: string, field: string }[]} */
  const mapped = report.mapping ?? [];
  const others = [...new Set([...columns.keys(), ...(report.not_taken ?? [])])].filter((column) => !mapped.some((one) => one.column === column));
  const rows = [...mapped, ...others.map((column) => ({ column, field: '' }))];
  if (rows.length === 0) return null;
  return html`<section class="import-part"><h3>${isTable ? 'Columns' : 'Properties'}</h3>
    <div class="table mapping"><table>
      <thead><tr><th scope="col">In the file</th><th scope="col">Becomes</th></tr></thead>
      <tbody>${rows.map(({ column, field }, at) => html`<tr key=${`${at} ${column}`}>
        <th scope="row" dir="auto" class="text full">${column}</th>
        <td>${mayChoose(column, field)
          ? html`<select aria-label=${`What ${column} becomes`} disabled=${isBusy} value=${columns.get(column) ?? (isOne(field) ? field : '')}
              onChange=${(/** @type {any} */ event) => onChoose(column, event.target.value)}>
              ${(columns.has(column) || !isOne(field)) && html`<option value="">${field === '' ? 'no field: choose' : columns.has(column) ? 'as the file has it' : toldOf(field)}</option>`}
              <option value=${LEFT_OUT}>leave it out</option>
              ${canMap(column) && targets.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}
            </select>`
          : toldOf(field)}</td>
      </tr>`)}</tbody>
    </table></div>
  </section>`;
}

/** A record as the server tells it, with those that come with it: `{…} with address {…}`. @param {string} text @returns {Record<string, any> | null} */
function readFirst(text) {
  try {
    const [own, ...others] = text.split(/ with ([a-z][a-z0-9_]*) (?=\{)/);
    const record = parseJson(own);
    for (let at = 0; at < others.length; at += 2) record[others[at]] = Object.values(parseJson(others[at + 1])).filter((one) => one !== null).join(', ');
    return record;
  } catch {
    // It is shown as it came.
    return null;
  }
}

/** @param {{ collection: Collection, first: string[] }} props */
export function First({ collection, first }) {
  if (first.length === 0) return null;
  const records = first.map(readFirst);
  const fields = [ID, ...collection.fields].filter(({ name }) => records.some((record) => (record?.[name] ?? null) !== null));
  return html`<section class="import-part"><h3>${first.length === 1 ? 'The first record' : `The first ${first.length} records`}</h3>
    ${records.some((record) => !record)
      ? first.map((text) => html`<pre dir="auto" tabindex="0">${text}</pre>`)
      : html`<div class="table" tabindex="0" role="group" aria-label="The first records"><table>
          <thead><tr>${fields.map((field) => html`<th key=${field.name} scope="col">${called(field)}</th>`)}</tr></thead>
          <tbody>${records.map((record) => html`<tr>${fields.map(({ name }) => html`<td key=${name} dir="auto" class="text full">${toldOfFirst(record?.[name])}</td>`)}</tr>`)}</tbody>
        </table></div>`}
  </section>`;
}

/** @param {any} value */
function toldOfFirst(value) {
  if (value === null || value === undefined) return html`<span class="none">–</span>`;
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

/** What is done, or would be. @param {{ model: Model, report: Report }} props */
export function Counts({ model, report }) {
  const number = (/** @type {any} */ value) => Number(value ?? 0);
  const listed = (/** @type {Record<string, any>} */ of) => Object.entries(of ?? {});
  const label = (/** @type {string} */ name) => called(model.byName.get(name) ?? { name, label: name });
  return html`<dl class="counts">
    ${[['New', report.created], ['Changed', report.updated], ['As they are', report.unchanged],
      ...listed(report.related).map(([name, count]) => [`New in ${label(name)}`, count]),
      ...listed(report.ignored).map(([name, count]) => [`Left out: ${name}`, count])]
      .map(([words, count]) => html`<div key=${words}><dt dir="auto">${words}</dt><dd class="number">${number(count).toLocaleString('en')}</dd></div>`)}
  </dl>`;
}

/** @param {{ report: Report }} props */
export function Faults({ report }) {
  /** @type {{ fault: string, remedy?: string | null }[]} */
  const shown = (report.faults ?? []).slice(0, MOST_FAULTS);
  const count = Number(report.fault_count ?? 0);
  if (shown.length === 0) return null;
  return html`<section class="import-part"><h3>${counted(count, 'fault', 'faults')}</h3>
    <ul class="import-faults">${shown.map((told) => html`<li dir="auto">${plainFault(told)}</li>`)}</ul>
    ${count > shown.length && html`<p class="soft">These are the first ${shown.length} of ${count.toLocaleString('en')}.</p>`}
  </section>`;
}
