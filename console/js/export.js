// Export: what the list shows, all of it, as a file that the browser saves.
import { visit } from './access.js';
import { call, query } from './api.js';
import { Alert, say, toHeading } from './dialog.js';
import { Icon } from './icons.js';
import { Pop } from './pop.js';
import { called } from './theme.js';
import { html, signal, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {[string, string][]} Pairs */
/** @typedef {{ ending: string, words: string, help: string, pairs: Pairs }} FileKind */

/** What a file can be, as far as the server has it for the collection. @type {FileKind[]} */
const FILE_KINDS = [
  { ending: 'csv', words: 'CSV', help: 'exact, for programs and for importing again', pairs: [] },
  { ending: 'csv', words: 'CSV for a spreadsheet', help: 'no text in it is taken for a formula', pairs: [['spreadsheet', 'true']] },
  { ending: 'jsonl', words: 'JSON lines', help: 'each line is a record as the API has it', pairs: [] },
  { ending: 'vcf', words: 'vCard', help: 'contacts for a phone or a mail program', pairs: [] },
];

/** So long the browser has to take a file over. */
const TAKEN_WITHIN = 60_000;

/** The file that is being fetched: one at a time, wherever one looks meanwhile. */
const exporting = signal(/** @type {{ collection: Collection, name: string, abort: AbortController } | null} */ (null));
/** Why the last one is not there. */
const exportFailure = signal(/** @type {{ collection: Collection, text: string } | null} */ (null));

// What a key let one read is not saved after the key is forgotten.
visit.subscribe(() => {
  exporting.peek()?.abort.abort();
  exportFailure.value = null;
});

/** @param {Collection} collection @param {FileKind} kind @param {Pairs} pairs filters and search of the list */
async function exportAs(collection, kind, pairs) {
  const abort = new AbortController();
  const name = `${collection.name}.${kind.ending}`;
  exporting.value = { collection, name, abort };
  exportFailure.value = null;
  const fail = (/** @type {string} */ text) => (exportFailure.value = { collection, text: `${text} Nothing was saved.` });
  try {
    const answer = await call('GET', `_/export/${name}${query([...pairs, ...kind.pairs])}`, { signal: abort.signal, isFile: true });
    if (abort.signal.aborted) return false;
    if (!answer.file) return fail(answer.error.replace(/[^.!?]$/, '$&.')), false;
    handOver(answer.file, name);
    say(`Saved as ${name}`);
    return true;
  } catch (problem) {
    if (abort.signal.aborted) say('The export was stopped. Nothing was saved.');
    else fail(/** @type {Error} */ (problem).message);
    return false;
  } finally {
    exporting.value = null;
  }
}

/** Gives a file to the browser, which saves it as it saves every download. @param {Blob} file @param {string} name */
function handOver(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), TAKEN_WITHIN);
}

/**
 * @param {{ collection: Collection, listing: import('./listing.js').Listing, total: number | null }} props `total` is
 *   how many records the list has on all its pages, where that is known
 */
export function ExportMenu({ collection, listing, total }) {
  const [isOpen, setOpen] = useState(false);
  const kinds = FILE_KINDS.filter(({ ending }) => collection.exports.includes(ending));
  if (kinds.length === 0) return null;
  const { search, filters } = listing;
  /** @type {Pairs} */
  const pairs = [...filters, ...(collection.words && search ? /** @type {Pairs} */ ([[collection.words, search]]) : [])];
  const now = exporting.value;
  const problem = exportFailure.value?.collection.name === collection.name ? exportFailure.value.text : '';
  const what = pairs.length > 0 ? 'What matches' : 'All records';
  return html`<span class="chip-place">
      <button type="button" class="export" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
        <${Icon} name="save" />${now ? 'Exporting…' : 'Export'}</button>
      ${isOpen && html`<${Pop} label="Export" onClose=${() => setOpen(false)}>
        <div role="status">${now
          ? html`${now.name} of ${called(now.collection)} is on its way…`
          : html`<span class="soft">${what}${total === null ? '' : ` (${total.toLocaleString('en')})`}, on every page, as a file</span>`}</div>
        <div class="export-items">${kinds.map((kind) => html`<button
          key=${kind.words} type="button" aria-disabled=${now ? 'true' : undefined}
          onClick=${async () => !exporting.peek() && (await exportAs(collection, kind, pairs)) && setOpen(false)}
        >${kind.words}<small>${kind.help}</small></button>`)}</div>
        ${now && html`<div class="actions"><button type="button" onClick=${() => (now.abort.abort(), setOpen(false))}>Stop</button></div>`}
      <//>`}
    </span>
    ${problem && html`<${Alert}>${problem} <button type="button" onClick=${() => (toHeading(), (exportFailure.value = null))}>Close</button><//>`}`;
}
