// The page of one record: fetched, or new.
import { Alert, toHeading } from './dialog.js';
import { draftOf, keepDraft } from './drafts.js';
import { Form } from './form.js';
import { intentOf } from './intent.js';
import { hrefBack, last } from './route.js';
import { arrivalAt, fetchRecord, stale } from './seen.js';
import { freshWords, wordsOf } from './words.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./drafts.js').Seen} Seen */

/** @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string }} props */
export function RecordPage({ model, collection, id }) {
  const isNew = id === 'new';
  const [arrival] = useState(() => arrivalAt(`${collection.name}/${id}`));
  const [seen, setSeen] = useState(/** @type {Seen | null} */ (isNew ? { record: null, etag: null } : (arrival?.seen ?? null)));
  const [error, setError] = useState('');
  const [again, setAgain] = useState(0);
  const changed = stale.value;
  const [known] = useState(changed);
  useEffect(() => {
    if (isNew) return;
    last.record = { collection: collection.name, id };
    if (arrival && !again && changed === known) return;
    const abort = new AbortController();
    fetchRecord(collection, id, abort.signal).then(
      (found) => {
        freshWords();
        setError(found.error);
        setSeen(found.seen);
      },
      (problem) => abort.signal.aborted || setError(problem.message),
    );
    return () => abort.abort();
  }, [again, changed]);

  const words = isNew ? `New record of ${collection.name}` : seen ? wordsOf(collection, seen.record) : `${collection.name} ${id}`;
  return html`
    <nav class="crumbs" aria-label="Where you are"><a href=${hrefBack(collection.name)}>${collection.name}</a> <span aria-hidden="true">/</span> ${isNew ? 'new' : id}</nav>
    <header class="head"><h1 tabindex="-1" dir="auto">${words}</h1></header>
    ${error && html`<${Alert} retry=${() => setAgain(again + 1)}>${error}<//>`}
    ${!seen && error && html`<${Leftover} collection=${collection} name=${`${collection.name}/${id}`} />`}
    ${!seen && !error && html`<p class="empty" role="status">Loading…</p>`}
    ${seen && html`<${Form} ...${{ model, collection, id, seen, setSeen, words, arrival }} />`}
  `;
}

/** What was typed over a record that cannot be had any more. @param {{ collection: import('./model.js').Collection, name: string }} props */
function Leftover({ collection, name }) {
  const { typed } = draftOf(name).value;
  const fields = collection.fields.filter((field) => field.name in typed);
  return fields.length > 0 && html`<section aria-label="Not saved">
    <p><strong>Not saved: this is what you typed here earlier.</strong></p>
    <dl class="shortcuts">${fields.map((field) => html`<div key=${field.name}><dt>${field.name}</dt>
      <dd class="text full" dir="auto">${typed[field.name] ?? html`<span class="none">no value</span>`}</dd></div>`)}</dl>
    <button type="button" onClick=${() => (toHeading(), intentOf(name).forget(), keepDraft(name, {}, null))}>Discard what I typed</button>
  </section>`;
}
