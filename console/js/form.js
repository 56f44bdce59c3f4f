// The form of a record: reads like a card; a value that is clicked, or all of them, become inputs. What is typed is a
// draft, which saving.js saves.
import { ReadRow } from './card.js';
import { Conflict } from './conflict.js';
import { Alert } from './dialog.js';
import { changeDraft, draftOf, dropDraft, NO_OUTCOME } from './drafts.js';
import { FieldRow } from './input.js';
import { intentOf } from './intent.js';
import { mayWrite, ReadOnly } from './me.js';
import { DeleteButton } from './remove.js';
import { href } from './route.js';
import { save } from './saving.js';
import { putCaret } from './seen.js';
import { textOf } from './typed.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./drafts.js').Seen} Seen */

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string, seen: Seen,
 *   arrival: import('./seen.js').Arrival | null, onMade?: (id: string) => void, onLeave?: () => void, onAgain?: () => void }} props
 * `onMade` and `onLeave` are there where it stands inside another form; `onAgain` makes a deleted record anew.
 */
export function Form({ model, collection, id, seen, arrival, onMade, onLeave, onAgain }) {
  const isNew = id === 'new';
  const name = `${collection.name}/${id}`;
  const prefix = onMade ? 'inner-' : 'field-';
  const draft = draftOf(name).value;
  const { typed, base, isSaving, isKept, error, faults } = draft;
  const changed = collection.fields.filter((field) => field.name in typed);
  const writes = mayWrite(collection);
  // What is typed already can be sent, or discarded, whatever the key is by now.
  const editable = (writes || changed.length > 0) && (isNew || collection.updates !== null);
  const [wasFound] = useState(!arrival && changed.length > 0);
  const [opened, setOpened] = useState(/** @type {string[]} */ (arrival?.caret.id.startsWith(prefix) ? collection.fields.map((field) => field.name) : []));
  const isEditing = isNew || opened.length > 0 || changed.length > 0;
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  /** @param {string} field */
  const focus = (field) => document.getElementById(prefix + field)?.focus();
  const toSave = () => /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector('.save, .edit'))?.focus();

  useLayoutEffect(() => {
    if (arrival) putCaret(arrival.caret);
    if (isNew) focus(collection.fields[0]?.name);
  }, []);
  const wanted = useRef('');
  useLayoutEffect(() => {
    if (wanted.current) focus(wanted.current);
    wanted.current = '';
  }, [opened]);
  const wrong = collection.fields.find((field) => field.name in faults);
  useLayoutEffect(() => {
    if (error && wrong) focus(wrong.name);
  }, [error]);

  /** @param {string[]} names */
  const open = (names) => {
    wanted.current = names[0];
    setOpened([...opened, ...names]);
  };
  // Saved, and nobody types: it reads again.
  const wasSaving = useRef(false);
  useEffect(() => {
    const isDone = wasSaving.current && !isSaving && changed.length === 0 && !error;
    wasSaving.current = isSaving;
    if (!isDone || isNew || form.current?.contains(document.activeElement) && document.activeElement?.matches('input, textarea, select')) return;
    setOpened([]);
  }, [isSaving]);
  const isReading = !isEditing;
  useLayoutEffect(() => {
    // What had the focus is gone.
    if (isReading && document.activeElement === document.body) toSave();
  }, [isReading]);

  /** @param {string} field @param {string | null | undefined} text */
  const type = (field, text) => {
    const now = draftOf(name).peek();
    const next = { ...now.typed, [field]: text ?? null };
    const isAsStored = !isNew && [seen, now.base ?? seen].every(({ record }) => textOf(record?.[field]) === (text ?? null));
    if (text === undefined || isAsStored) delete next[field];
    // What is wrong elsewhere stays there until it is saved again.
    const rest = Object.fromEntries(Object.entries(now.faults).filter(([other]) => other !== field));
    const outcome = field in now.faults || Object.keys(next).length === 0 ? { error: '', faults: rest, rivals: [] } : {};
    changeDraft(name, { typed: next, base: now.base ?? seen, at: Date.now(), asked: '', ...outcome });
  };
  const submit = async () => {
    const made = await save(collection, id);
    if (made) onMade?.(made);
  };
  const discard = () => {
    dropDraft(name);
    intentOf(name).forget();
    if (onLeave) return onLeave();
    setOpened([]);
    if (isNew) focus(collection.fields[0]?.name);
  };

  const changes = changed.length === 1 ? '1 change' : `${changed.length} changes`;
  return html`
    ${draft.conflict && html`<${Conflict} model=${model} collection=${collection} id=${id} draft=${draft} now=${draft.conflict} onDone=${toSave} />`}
    <form ref=${form} class="record" noValidate
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        event.stopPropagation();
        if (editable) submit();
      }}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        // The shortcut of the page means the form of the page.
        if (!onMade || !(event.ctrlKey || event.metaKey) || !['s', 'Enter'].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        submit();
      }}>
      ${error && html`<${Alert}>${error}
        ${draft.rivals.map((other) => html` <a href=${href(collection.name, other)}>Show the other record (${other})</a>`)}
        ${draft.isGone && onAgain && html` <button type="button" onClick=${onAgain}>Make it anew with what I typed</button>`}<//>`}
      ${draft.isWanted && draft.isAway && !isSaving && html`<${Alert}>The server cannot be reached. What you typed is kept in this browser, and saved when the server is back.
        ${' '}<button type="button" onClick=${() => (changeDraft(name, { isWanted: false }), toSave())}>Do not wait</button><//>`}
      <div class=${`unsaved${isEditing ? ' room' : ''}`} role="status">
        ${changed.length > 0 && (!isNew || wasFound) && html`<strong>Not saved: ${changed.map((field) => field.label).join(', ')}</strong>`}
        ${changed.length > 0 && wasFound && html`<span>You typed this earlier.</span>`}
        ${!isKept && html`<span>This is too large to be kept: save it before you leave or reload the page.</span>`}</div>
      ${collection.fields.map((field) => isNew || opened.includes(field.name) || field.name in typed
        ? html`<${FieldRow} key=${field.name} ...${{ model, field, prefix }} form=${name} error=${faults[field.name] ?? ''}
            was=${!isNew && field.name in typed ? { value: (base ?? seen).record[field.name] } : null}
            text=${field.name in typed ? typed[field.name] : isNew ? undefined : textOf(seen.record[field.name])}
            onType=${(/** @type {string | null} */ text) => type(field.name, text)} onUndo=${() => type(field.name, undefined)} />`
        : html`<${ReadRow} key=${field.name} ...${{ model, field }} value=${seen.record[field.name]} onEdit=${editable && writes ? () => open([field.name]) : null} />`)}
      <${ReadOnly} collection=${collection} />
      <div class="actions">
        ${!editable ? '' : isEditing
          ? html`<button key="save" class="primary save" aria-disabled=${isSaving}>${isSaving ? 'Saving…' : isNew || changed.length === 0 ? 'Save' : `Save (${changes})`}</button>
            ${(changed.length > 0 || onLeave) && html`<button key="discard" type="button" onClick=${discard}>${changed.length > 0 ? 'Discard' : 'Cancel'}</button>`}
            ${changed.length === 0 && !isNew && html`<button key="done" type="button" onClick=${() => setOpened([])}>Done</button>`}`
          : html`<button key="edit" type="button" class="edit" onClick=${() => open(collection.fields.map((field) => field.name))}>Edit</button>`}
        <span class="grow"></span>
        ${!isNew && writes && collection.deletes && html`<${DeleteButton} ...${{ model, collection, id, seen }} />`}
      </div>
    </form>`;
}
