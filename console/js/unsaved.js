// All that was typed and is not saved, in whichever form: shown, saved, taken back.
import { Value } from './cell.js';
import { say, toHeading } from './dialog.js';
import { draftOf, dropDraft, unsaved } from './drafts.js';
import { intentOf } from './intent.js';
import { countOfOthers, dropOfOthers } from './kept.js';
import { href, place } from './route.js';
import { save } from './saving.js';
import { changesOf } from './typed.js';
import { saveWhenBack } from './waiting.js';
import { when } from './when.js';
import { wordsOf } from './words.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Model} Model */

/** The way to the page, as long as there is something on it. @param {{ model: Model }} props */
export function UnsavedLink({ model }) {
  useEffect(() => saveWhenBack(model), [model]);
  const count = unsaved.value.length;
  const { collection, record } = place.value;
  return count > 0 && html`<a href=${href('_', 'unsaved')} aria-current=${collection === '_' && record === 'unsaved' ? 'page' : undefined}>Unsaved (${count})</a>`;
}

/** @param {{ model: Model }} props */
export function UnsavedPage({ model }) {
  const [others, setOthers] = useState(() => countOfOthers('draft '));
  const all = unsaved.value.map((name) => ({ name, collection: model.byName.get(name.split('/')[0]), id: name.split('/')[1] }));
  return html`<header class="head"><h1 tabindex="-1">Unsaved</h1></header>
    ${all.length === 0 && html`<p class="empty">Everything that you typed is saved.</p>`}
    ${all.length > 0 && html`<p>This was typed in this browser and is not saved yet. It stays here until you save or discard it, also when the page is closed.</p>`}
    ${all.map((one) => html`<${UnsavedEntry} key=${one.name} model=${model} ...${one} />`)}
    ${others > 0 && html`<p>${others === 1 ? 'One more was' : `${others} more were`} typed with another access key, and can be read with that key alone.
      ${' '}<button type="button" onClick=${() => {
        dropOfOthers();
        setOthers(0);
        toHeading();
        say('It is removed from this browser.');
      }}>Remove</button></p>`}`;
}

/** @param {{ model: Model, name: string, collection: import('./model.js').Collection | undefined, id: string }} props */
function UnsavedEntry({ model, name, collection, id }) {
  const draft = draftOf(name).value;
  const discard = () => {
    toHeading();
    intentOf(name).forget();
    dropDraft(name);
  };
  const fields = collection?.fields.filter((field) => field.name in draft.typed) ?? [];
  const stored = draft.base?.record ?? null;
  const values = collection ? changesOf(collection.fields, draft.typed, stored) : {};
  const words = !collection ? name : id === 'new' ? `New in ${collection.label}` : stored ? wordsOf(collection, stored) : `${collection.label} ${id}`;
  const state = draft.isSaving ? 'Saving…' : draft.conflict ? 'Somebody else has changed the same: please choose.' : draft.isWanted ? 'Saved when the server is back.' : draft.error;
  return html`<section class="draft" aria-label=${words}>
    <h2 dir="auto">${collection ? html`<a href=${href(collection.name, id)}>${words}</a>` : words}</h2>
    <p class="count">${collection && id !== 'new' && `${collection.label} · `}typed ${when(draft.at)}</p>
    ${collection
      ? html`<dl>${fields.map((field) => html`<div key=${field.name}><dt>${field.label}</dt><dd>
          ${stored && html`<s><${Value} model=${model} field=${field} value=${stored[field.name]} /></s> `}
          <${Value} model=${model} field=${field} value=${values[field.name]} /></dd></div>`)}</dl>`
      : html`<p>This server has no such collection any more.</p>`}
    ${state && html`<p role="status" dir="auto">${state}</p>`}
    <div class="actions">
      ${collection && draft.conflict && html`<a class="button primary" href=${href(collection.name, id)}>Choose…</a>`}
      ${collection && !draft.conflict && html`<button type="button" class="primary" aria-disabled=${draft.isSaving} onClick=${() => (toHeading(), save(collection, id))}>Save</button>`}
      <button type="button" onClick=${discard}>Discard</button>
    </div>
  </section>`;
}
