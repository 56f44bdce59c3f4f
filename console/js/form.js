// The form of a record: typed into, saved, compared with what others have saved.
import { visit } from './access.js';
import { isAlive, Unreachable } from './api.js';
import { Value } from './cell.js';
import { Conflict } from './conflict.js';
import { Alert, say } from './dialog.js';
import { draftOf, keepDraft, markSaving } from './drafts.js';
import { writeJson } from './exact.js';
import { FieldRow } from './input.js';
import { intentOf } from './intent.js';
import { idOf } from './model.js';
import { referrersOf } from './referrers.js';
import { Remove } from './remove.js';
import { href, hrefBack } from './route.js';
import { arriveAt, fetchRecord, isOpen, putCaret, stale } from './seen.js';
import { changesOf, emptied, faultsOf, remaining, textOf } from './typed.js';
import { freshWords, wordsOf } from './words.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./drafts.js').Seen} Seen */
/** @typedef {import('./drafts.js').Typed} Typed */

/** @typedef {{ words: string, atFields: Record<string, string> }} Wrong */
/** @type {Wrong} */
const NO_COMPLAINT = { words: '', atFields: {} };

/** How often a server that does not answer is asked whether it is back. */
const PATIENCE = 1500;

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string, seen: Seen,
 *   setSeen: (seen: Seen) => void, words: string, arrival: import('./seen.js').Arrival | null }} props
 */
export function Form({ model, collection, id, seen, setSeen, words, arrival }) {
  const isNew = id === 'new';
  const name = `${collection.name}/${id}`;
  const { typed, base, isSaving, isKept } = draftOf(name).value;
  const [wasFound] = useState(!arrival && Object.keys(typed).length > 0);
  const [error, setError] = useState('');
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [asked, setAsked] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const [conflict, setConflict] = useState(/** @type {Seen | null} */ (null));
  const [asksRemoval, setAsksRemoval] = useState(false);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);

  useLayoutEffect(() => {
    if (arrival) putCaret(arrival.caret);
    if (isNew) /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector('[id^="field-"]'))?.focus();
  }, []);
  useEffect(() => void (arrival?.goesOn && save()), []);

  const wrong = Object.keys(faults);
  useLayoutEffect(() => {
    if (error && wrong.length > 0) document.getElementById(`field-${wrong[0]}`)?.focus();
  }, [error]);

  /** @param {string} words @param {Record<string, string>} [atFields] */
  const complain = (words, atFields = {}) => {
    setError(words);
    setFaults(atFields);
  };

  /** @param {string} field @param {string | null} text */
  const type = (field, text) => {
    const next = { ...draftOf(name).peek().typed, [field]: text };
    const isAsStored = [seen, base ?? seen].every(({ record }) => textOf(record?.[field]) === text);
    if (isAsStored) delete next[field];
    keepDraft(name, next, base ?? seen);
    setAsked('');
    if (!wrong.includes(field)) return;
    // What is wrong elsewhere stays there until it is saved again.
    complain('', Object.fromEntries(Object.entries(faults).filter(([other]) => other !== field)));
  };

  /** What is stored now, and what of the typed is not yet. @param {Seen} next @param {Typed} rest */
  const accept = (next, rest) => {
    keepDraft(name, rest, next);
    freshWords();
    setConflict(null);
    setSeen(next);
    if (!isHere.current) stale.value += 1;
  };

  /** @param {Seen} next @param {Typed} sent @param {boolean} goesOn */
  const acceptNew = (next, sent, goesOn) => {
    const rest = remaining(collection.fields, draftOf(name).peek().typed, sent, next.record);
    const made = idOf(next.record);
    keepDraft(name, {}, null);
    keepDraft(`${collection.name}/${made}`, rest, next);
    freshWords();
    if (isOpen(name)) arriveAt(collection, made, next, goesOn && Object.keys(rest).length > 0);
  };

  /** @param {Record<string, any>} changes @param {string | null} etag */
  const update = (changes, etag) => {
    const headers = /** @type {Record<string, string>} */ (etag ? { 'If-Match': etag } : {});
    return intentOf(name).send(collection.updates ?? 'PUT', `${collection.name}/${id}/`, { body: writeJson(changes), headers });
  };

  // One that was sent before and got no answer may be there: then it is the record, and what was typed since changes it.
  /** @param {Record<string, any>} changes */
  const create = async (changes) => {
    const intent = intentOf(name);
    const path = `${collection.name}/`;
    const wanted = { body: writeJson(changes), headers: { Prefer: 'return=representation' } };
    const lost = intent.isOther('POST', path, wanted) ? await intent.again() : null;
    if (lost?.ok || (lost && lost.status >= 500)) return { answer: lost, isLost: true };
    return { answer: await intent.send('POST', path, wanted), isLost: false };
  };

  /** Somebody else has saved it, or we have and the answer was lost. @param {Seen} now */
  const compare = (now) => {
    if (Object.keys(changesOf(collection.fields, draftOf(name).peek().typed, now.record)).length > 0) return setConflict(now);
    say(`Saved: ${wordsOf(collection, now.record)}`);
    accept(now, {});
  };

  /** @param {Seen} over @param {Typed} sent @returns {Promise<Wrong>} what went wrong */
  const send = async (over, sent) => {
    const from = visit.peek();
    const changes = changesOf(collection.fields, sent, over.record);
    // Without a tag to compare on the server, it is compared here.
    const now = isNew || over.etag ? null : (await fetchRecord(collection, id)).seen;
    if (now && writeJson(now.record) !== writeJson(over.record)) return compare(now), NO_COMPLAINT;
    const { answer, isLost } = isNew ? await create(changes) : { answer: await update(changes, over.etag), isLost: false };
    setWaiting(false);
    if (visit.peek() !== from) return NO_COMPLAINT;
    if (answer.ok) {
      const next = { record: answer.data, etag: answer.headers.get('ETag') };
      say(`Saved: ${wordsOf(collection, next.record)}`);
      if (isNew) acceptNew(next, isLost ? {} : sent, isLost);
      else accept(next, remaining(collection.fields, draftOf(name).peek().typed, sent, next.record));
      return NO_COMPLAINT;
    }
    if (answer.status === 412) {
      const found = await fetchRecord(collection, id);
      if (found.seen) compare(found.seen);
      return { ...NO_COMPLAINT, words: found.error };
    }
    if (answer.status !== 404 || isNew) return { words: answer.error, atFields: faultsOf(answer.faults, collection.fields) };
    return { ...NO_COMPLAINT, words: `There is no ${collection.name} ${id} any more: somebody has deleted it. What you typed is still here.` };
  };

  const save = async () => {
    const draft = draftOf(name).peek();
    if (draft.isSaving) return;
    const over = draft.base ?? seen;
    if (!isNew && Object.keys(changesOf(collection.fields, draft.typed, over.record)).length === 0) {
      say('Nothing has changed.');
      keepDraft(name, {}, null);
      return;
    }
    const empty = emptied(collection.fields, draft.typed, over.record);
    if (empty.length > 0 && empty.join() !== asked) {
      setAsked(empty.join());
      const words = `${empty.join(', ')} ${empty.length > 1 ? 'are' : 'is'} empty, and required. Save again to store an empty text.`;
      complain(words, Object.fromEntries(empty.map((field) => [field, 'It is empty, and required. Save again to store an empty text.'])));
      return;
    }
    markSaving(name, true);
    complain('');
    try {
      const { words: problem, atFields } = await send(over, draft.typed);
      complain(problem, atFields);
      if (problem && !isHere.current) say(`Not saved: ${name}: ${problem}`);
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      setWaiting(true);
      if (!isHere.current) say(`Not saved: ${name}: ${problem.message}`);
    } finally {
      markSaving(name, false);
    }
  };

  useEffect(() => {
    if (!isWaiting || isSaving) return;
    const timer = setInterval(async () => {
      if (!(await isAlive())) return;
      clearInterval(timer);
      // The server is back: save what is typed by now.
      save().catch(() => setWaiting(true));
    }, PATIENCE);
    return () => clearInterval(timer);
  }, [isWaiting, isSaving, typed]);

  // What had the focus is gone then.
  const focusSave = () => document.getElementById('save')?.focus();
  const editable = isNew || collection.updates;
  const unsaved = isNew && !wasFound ? [] : collection.fields.map((field) => field.name).filter((field) => field in typed);
  const users = isNew ? [] : referrersOf(model, collection).filter(({ other }) => other.lists);
  return html`
    ${conflict && html`<${Conflict}
      model=${model} collection=${collection} before=${(base ?? seen).record} now=${conflict.record}
      changes=${changesOf(collection.fields, typed, (base ?? seen).record)}
      onMine=${() => {
        keepDraft(name, typed, conflict);
        setSeen(conflict);
        setConflict(null);
        focusSave();
        save();
      }}
      onTheirs=${() => (accept(conflict, {}), focusSave())}
      onEdit=${() => {
        keepDraft(name, typed, conflict);
        setSeen(conflict);
        setConflict(null);
        focusSave();
      }}
    />`}
    <form ref=${form} class="record" noValidate onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (editable) save();
    }}>
      ${error && html`<${Alert}>${error}<//>`}
      ${isWaiting && html`<${Alert}>The server cannot be reached. What you typed is saved when the server is back, as long as this page stays open.
        ${' '}<button type="button" onClick=${() => (setWaiting(false), focusSave())}>Do not wait</button><//>`}
      <div class="unsaved" role="status">${unsaved.length > 0 && html`<strong>Not saved: ${unsaved.join(', ')}</strong>`}
        ${unsaved.length > 0 && wasFound && html`<span>You typed this earlier.</span>`}
        ${base && base.etag !== seen.etag && html`<span>The record has changed since.</span>`}
        ${!isKept && html`<span>This is too large to be kept: save it before you leave or reload the page.</span>`}</div>
      ${collection.fields.map((field) => editable
        ? html`<${FieldRow}
            key=${field.name} model=${model} field=${field} isUnsaved=${unsaved.includes(field.name)}
            text=${field.name in typed ? typed[field.name] : isNew ? undefined : textOf(seen.record[field.name])}
            error=${faults[field.name] ?? ''}
            onType=${(/** @type {string | null} */ text) => type(field.name, text)}
          />`
        : html`<div class="field" key=${field.name}><span class="name">${field.name}</span>
            <div class="input"><${Value} model=${model} field=${field} value=${seen.record[field.name]} full /></div></div>`)}
      <div class="actions">
        ${editable && html`<button id="save" class="primary" aria-disabled=${isSaving}>${isSaving ? 'Saving…' : 'Save'}</button>`}
        ${Object.keys(typed).length > 0 && html`<button type="button" onClick=${() => {
          keepDraft(name, {}, null);
          intentOf(name).forget();
          complain('');
          setWaiting(false);
          focusSave();
        }}>Discard what I typed</button>`}
        <a class="button" href=${hrefBack(collection.name)}>Back to the list</a>
        <span class="grow"></span>
        ${!isNew && collection.deletes && html`<button type="button" class="danger" onClick=${() => setAsksRemoval(true)}>Delete…</button>`}
      </div>
    </form>
    ${users.length > 0 && html`<p class="users">Referred to by
      ${users.map(({ other, field }) => html` <a href=${href(other.name, null, [[field.name, id]])}>${other.name} (${field.name})</a>`)}</p>`}
    ${asksRemoval && html`<${Remove} model=${model} collection=${collection} id=${id} words=${words} etag=${seen.etag} onClose=${() => setAsksRemoval(false)} />`}
  `;
}
