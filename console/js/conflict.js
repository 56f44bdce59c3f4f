// Somebody else has changed the same fields meanwhile: for each, what was there, what is there, what was typed, and a choice.
import { Value } from './cell.js';
import { changeDraft, draftOf, NO_OUTCOME } from './drafts.js';
import { save } from './saving.js';
import { changesOf, clashesOf, remaining } from './typed.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string,
 *   draft: import('./drafts.js').Draft, now: import('./drafts.js').Seen, onDone: () => void }} props
 */
export function Conflict({ model, collection, id, draft, now, onDone }) {
  const name = `${collection.name}/${id}`;
  const [mine, setMine] = useState(/** @type {Record<string, boolean>} */ ({}));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  // Not away from who types.
  useEffect(() => void (document.activeElement?.matches('input, textarea, select') || box.current?.focus()), []);
  const before = (draft.base ?? now).record;
  const typed = remaining(collection.fields, draft.typed, {}, now.record);
  const { theirs, clashes } = clashesOf(collection.fields, typed, before, now.record);
  const values = changesOf(collection.fields, typed, now.record);
  const isChosen = clashes.every((field) => field.name in mine);
  const others = theirs.filter((field) => !clashes.includes(field));
  const kept = collection.fields.filter((field) => field.name in typed && !clashes.includes(field));

  /** What stays typed goes on top of what is stored now. @param {(field: Field) => boolean} stays @param {boolean} isSaved */
  const settle = (stays, isSaved) => {
    const rest = collection.fields.filter((field) => field.name in typed && (!clashes.includes(field) || stays(field)));
    changeDraft(name, { ...NO_OUTCOME, typed: Object.fromEntries(rest.map((field) => [field.name, draftOf(name).peek().typed[field.name]])), base: now });
    onDone();
    if (isSaved && rest.length > 0) save(collection, id);
  };
  /** @param {Field} field @param {boolean} isMine @param {string} words @param {any} value */
  const choice = (field, isMine, words, value) => html`<label class="version">
    <input type="radio" name=${`choice-${field.name}`} checked=${mine[field.name] === isMine} onChange=${() => setMine({ ...mine, [field.name]: isMine })} />
    <span class="whose">${words}</span>
    <${Value} model=${model} field=${field} value=${value} full />
  </label>`;

  return html`<section class="conflict" role="alert" aria-labelledby="conflict-title">
    <h2 id="conflict-title" ref=${box} tabindex="-1">Somebody else has changed this record</h2>
    <p>Nothing was overwritten. Which one do you want?</p>
    ${clashes.map((field) => html`<fieldset key=${field.name}>
      <legend>${field.label}</legend>
      <div class="versions">
        ${choice(field, true, 'Yours', values[field.name])}
        ${choice(field, false, 'Stored now', now.record[field.name])}
      </div>
      <p class="before">When you began: <${Value} model=${model} field=${field} value=${before[field.name]} full /></p>
    </fieldset>`)}
    ${others.length > 0 && html`<p>Also changed by somebody else, and kept: ${listOf(model, others, now.record)}.</p>`}
    ${kept.length > 0 && html`<p>Changed by you alone, and kept: ${listOf(model, kept, values)}.</p>`}
    <div class="actions">
      <button type="button" class="primary" aria-disabled=${!isChosen} onClick=${() => isChosen && settle((field) => mine[field.name], true)}>Save what I chose</button>
      <button type="button" onClick=${() => settle(() => true, true)}>Save all of mine</button>
      <button type="button" onClick=${() => settle(() => false, true)}>Take what is stored</button>
      <button type="button" onClick=${() => settle(() => true, false)}>Go on editing</button>
    </div>
  </section>`;
}

/** @param {import('./model.js').Model} model @param {Field[]} fields @param {any} values */
function listOf(model, fields, values) {
  return fields.map((field, at) => html`${at > 0 && ', '}${field.label}: <${Value} model=${model} field=${field} value=${values[field.name]} />`);
}
