// Deleting a record, after a question that names it and what goes with it.
import { Alert, Dialog, say } from './dialog.js';
import { dropDraft } from './drafts.js';
import { intentOf } from './intent.js';
import { consequenceOf, countReferrers, furtherOf } from './referrers.js';
import { go, href, listPairs } from './route.js';
import { isOpen, saved } from './seen.js';
import { freshWords, wordsOf } from './words.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string, seen: import('./drafts.js').Seen }} props */
export function DeleteButton({ model, collection, id, seen }) {
  const [isAsked, setAsked] = useState(false);
  return html`<button type="button" class="danger" onClick=${() => setAsked(true)}>Delete…</button>
    ${isAsked && html`<${Remove} ...${{ model, collection, id }} words=${wordsOf(collection, seen.record)} etag=${seen.etag} onClose=${() => setAsked(false)} />`}`;
}

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string,
 *   words: string, etag: string | null, onClose: () => void }} props
 */
function Remove({ model, collection, id, words, etag, onClose }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [counted, setCounted] = useState(/** @type {import('./referrers.js').Counted[] | null} */ (null));
  const count = () => countReferrers(model, collection, id).then(setCounted);
  useEffect(() => void count(), []);

  const remove = async () => {
    if (isBusy || !counted) return;
    setBusy(true);
    try {
      const headers = /** @type {Record<string, string>} */ (etag ? { 'If-Match': etag } : {});
      const answer = await intentOf(`${collection.name}/${id} delete`).send('DELETE', `${collection.name}/${id}/`, { headers });
      if (answer.ok || answer.status === 404) {
        freshWords();
        saved.value = { name: '', seen: { record: null, etag: null } };
        dropDraft(`${collection.name}/${id}`);
        say(`Deleted: ${words}`);
        if (isOpen(`${collection.name}/${id}`)) go(collection.name, null, listPairs(collection.name));
        return;
      }
      if (answer.status === 409) await count();
      setError(answer.status === 412 ? 'Somebody else has changed it meanwhile. Close this, look at it again, then decide.' : answer.error);
    } catch (problem) {
      setError(/** @type {Error} */ (problem).message);
    }
    setBusy(false);
  };
  return html`<${Dialog} title=${html`Delete “<bdi>${words}</bdi>”?`} onClose=${onClose}>
    <p>${counted?.some(({ field, count }) => field.onDelete === 'restrict' && count) ? 'It cannot be deleted yet: others refer to it.' : 'It will be gone for good.'}</p>
    <div role="status">
      ${!counted && html`<p class="none">Looking who refers to it…</p>`}
      ${counted?.length === 0 && html`<p>Nothing refers to it.</p>`}
      ${counted && counted.length > 0 && html`<ul class="consequences">${counted.map((one) => html`
        <li key=${`${one.other.name} ${one.field.name}`}>${consequenceOf(one)}${' '}
          ${one.count !== null && html`<a href=${href(one.other.name, null, [[one.field.name, id]])} onClick=${onClose}>${one.count === 1 ? 'Show it' : 'Show them'}</a>`}</li>
        ${one.field.onDelete === 'cascade' && furtherOf(model, one.other) && html`<li key=${`${one.other.name} ${one.field.name} further`}>${furtherOf(model, one.other)}</li>`}`)}</ul>`}
    </div>
    ${error && html`<${Alert}>${error}<//>`}
    <div class="actions">
      <button type="button" autofocus onClick=${onClose}>Keep it</button>
      <button type="button" class="danger" aria-disabled=${isBusy || !counted} onClick=${remove}>Delete</button>
    </div>
  <//>`;
}
