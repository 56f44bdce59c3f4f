// What else can be done with a record: duplicate it, copy it as JSON or as a request.
import { key } from './access.js';
import { root } from './api.js';
import { copy } from './copy.js';
import { Dialog } from './dialog.js';
import { draftOf, dropDraft, keepDraft } from './drafts.js';
import { writeJson } from './exact.js';
import { mayWrite } from './me.js';
import { go, listPairs } from './route.js';
import { NEW } from './saving.js';
import { textOf } from './typed.js';
import { html, signal, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./drafts.js').Typed} Typed */

/** What would take the place of a new record that is not saved yet. */
const pending = signal(/** @type {{ collection: Collection, typed: Typed, from: string } | null} */ (null));

/**
 * Begins a new record with the values of another, and what was typed over them. Where another has been begun, it asks.
 * @param {Collection} collection
 * @param {any} record
 * @param {Typed} typed
 * @param {string} [from] the draft that goes over to the new record
 */
export function duplicate(collection, record, typed, from = '') {
  const values = collection.fields.map(({ name }) => [name, name in typed ? typed[name] : textOf(record[name])]);
  const all = Object.fromEntries(values.filter(([, text]) => text !== null));
  const isBegun = Object.keys(draftOf(`${collection.name}/new`).peek().typed).length > 0;
  if (isBegun) pending.value = { collection, typed: all, from };
  else begin(collection, all, from);
}

/** @param {Collection} collection @param {Typed} typed @param {string} from */
function begin(collection, typed, from) {
  pending.value = null;
  keepDraft(`${collection.name}/new`, typed, NEW);
  if (from) dropDraft(from);
  go(collection.name, 'new', listPairs(collection.name));
}

export function AskToReplace() {
  const asked = pending.value;
  const close = () => (pending.value = null);
  return asked && html`<${Dialog} title="Another new record is not saved yet" onClose=${close}>
    <p>What was typed for it would be gone.</p>
    <div class="actions"><button type="button" autofocus onClick=${() => (close(), go(asked.collection.name, 'new', listPairs(asked.collection.name)))}>Show it</button>
      <button type="button" class="danger" onClick=${() => begin(asked.collection, asked.typed, asked.from)}>Replace it</button>
      <button type="button" onClick=${close}>Cancel</button></div>
  <//>`;
}

/**
 * @param {{ collection: Collection, id: string, seen: import('./drafts.js').Seen }} props
 */
export function RecordMenu({ collection, id, seen }) {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  const shown = useRef(/** @type {HTMLElement | null} */ (null));
  const [text, setText] = useState('');
  const json = writeJson(seen.record, '  ');
  const curl = `curl ${root}${collection.name}/${id}/${key.value && " -H 'Authorization: Bearer YOUR-KEY'"}`;
  /** @param {string} what */
  const take = (what) => {
    setText(what);
    // It stands on the page first, so that it can be selected where the browser gives no clipboard.
    setTimeout(() => copy(what, shown.current));
  };
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return html`<details ref=${menu} class="menu"
      onFocusOut=${(/** @type {FocusEvent} */ event) => event.relatedTarget && !menu.current?.contains(/** @type {Node} */ (event.relatedTarget)) && close()}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return;
        event.stopPropagation();
        close();
        menu.current.querySelector('summary')?.focus();
      }}>
    <summary class="button">More</summary>
    <div class="menu-items">
      ${collection.creates && mayWrite(collection) && html`<button type="button" onClick=${() => (close(), duplicate(collection, seen.record, draftOf(`${collection.name}/${id}`).peek().typed))}>Duplicate</button>`}
      <button type="button" onClick=${() => take(json)}>Copy as JSON</button>
      ${collection.fetches && html`<button type="button" onClick=${() => take(curl)}>Copy as curl</button>`}
      ${text && html`<pre ref=${shown} tabindex="0" aria-label="Copied text">${text}</pre>`}
    </div>
  </details>`;
}
