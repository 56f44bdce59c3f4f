// Deleting a record, after a question that names it.
import { Alert, Dialog, say } from './dialog.js';
import { keepDraft } from './drafts.js';
import { intentOf } from './intent.js';
import { go, href, last } from './route.js';
import { isOpen } from './seen.js';
import { freshWords } from './words.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string,
 *   words: string, etag: string | null, onClose: () => void }} props
 */
export function Remove({ model, collection, id, words, etag, onClose }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const users = model.collections.flatMap((other) =>
    other.fields.filter((field) => field.references === collection.name).map((field) => ({ other, field })),
  );
  const remove = async () => {
    setBusy(true);
    try {
      const headers = /** @type {Record<string, string>} */ (etag ? { 'If-Match': etag } : {});
      const answer = await intentOf(`${collection.name}/${id} delete`).send('DELETE', `${collection.name}/${id}/`, { headers });
      if (answer.ok || answer.status === 404) {
        freshWords();
        keepDraft(`${collection.name}/${id}`, {}, null);
        say(`Deleted: ${words}`);
        if (isOpen(`${collection.name}/${id}`)) go(collection.name, null, last.collection === collection.name ? last.pairs : []);
        return;
      }
      setError(answer.status === 412 ? 'Somebody else has changed it meanwhile. Close this, look at it again, then decide.' : answer.error);
    } catch (problem) {
      setError(/** @type {Error} */ (problem).message);
    }
    setBusy(false);
  };
  return html`<${Dialog} title=${`Delete “${words}”?`} onClose=${onClose}>
    <p>${collection.name} ${id} will be gone for good.</p>
    ${error && html`<${Alert}>${error}
      ${/referenced/.test(error) && users.map(({ other, field }) => html` <a href=${href(other.name, null, [[field.name, id]])} onClick=${onClose}>Show them in ${other.name}</a>`)}
    <//>`}
    <div class="actions">
      <button type="button" autofocus onClick=${onClose}>Keep it</button>
      <button type="button" class="danger" disabled=${isBusy} onClick=${remove}>Delete</button>
    </div>
  <//>`;
}
