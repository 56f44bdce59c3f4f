// One record: looked at, made, changed.
import { call, isAlive, query, Unreachable } from './api.js';
import { Value } from './cell.js';
import { Conflict } from './conflict.js';
import { Alert, say } from './dialog.js';
import { writeJson } from './exact.js';
import { FieldRow } from './input.js';
import { intentOf } from './intent.js';
import { idOf } from './model.js';
import { Remove } from './remove.js';
import { go, href, hrefBack, last } from './route.js';
import { changesOf, draftOf, fieldsIn, keepDraft, textOf } from './typed.js';
import { forgetWords, wordsOf } from './words.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {{ record: any, etag: string | null }} Seen */

/** How often a server that does not answer is asked whether it is back. */
const PATIENCE = 1500;

/**
 * Fetches a record; where single records cannot be read, from the list.
 * @param {Collection} collection
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ seen: Seen | null, error: string }>}
 */
async function fetchRecord(collection, id, signal) {
  const path = collection.fetches ? `${collection.name}/${id}/` : `${collection.name}/${query([['id', id]])}`;
  const answer = await call('GET', path, { signal });
  const record = collection.fetches ? answer.data : answer.data?.object_list?.[0];
  if (answer.ok && record) return { seen: { record, etag: answer.headers.get('ETag') }, error: '' };
  const isGone = answer.ok || answer.status === 404;
  return { seen: null, error: isGone ? `There is no ${collection.name} ${id}. It may have been deleted.` : answer.error };
}

/** @param {{ model: import('./model.js').Model, collection: Collection, id: string }} props */
export function RecordPage({ model, collection, id }) {
  const isNew = id === 'new';
  const [seen, setSeen] = useState(/** @type {Seen | null} */ (isNew ? { record: null, etag: null } : null));
  const [error, setError] = useState('');
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (isNew) return;
    last.record = id;
    const abort = new AbortController();
    fetchRecord(collection, id, abort.signal).then(
      (found) => {
        setError(found.error);
        setSeen(found.seen);
      },
      (problem) => abort.signal.aborted || setError(problem.message),
    );
    return () => abort.abort();
  }, [again]);

  const words = isNew ? `New record of ${collection.name}` : seen ? wordsOf(collection, seen.record) : `${collection.name} ${id}`;
  return html`
    <nav class="crumbs" aria-label="Where you are"><a href=${hrefBack(collection.name)}>${collection.name}</a> <span aria-hidden="true">/</span> ${isNew ? 'new' : id}</nav>
    <header class="head"><h1 tabindex="-1" dir="auto">${words}</h1></header>
    ${error && html`<${Alert} retry=${() => setAgain(again + 1)}>${error}<//>`}
    ${!seen && !error && html`<p class="empty" role="status">Loading…</p>`}
    ${seen && html`<${Form} model=${model} collection=${collection} id=${id} seen=${seen} setSeen=${setSeen} words=${words} />`}
  `;
}

/**
 * @param {{ model: import('./model.js').Model, collection: Collection, id: string, seen: Seen,
 *   setSeen: (seen: Seen) => void, words: string }} props
 */
function Form({ model, collection, id, seen, setSeen, words }) {
  const isNew = id === 'new';
  const draft = `${collection.name}/${id}`;
  const intent = intentOf(draft);
  const [typed, setTyped] = useState(() => draftOf(draft));
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const [conflict, setConflict] = useState(/** @type {Seen | null} */ (null));
  const [asksRemoval, setAsksRemoval] = useState(false);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => keepDraft(draft, typed), [typed]);

  useLayoutEffect(() => {
    if (isNew) /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector('[id^="field-"]'))?.focus();
  }, []);

  const wrong = fieldsIn(error, collection.fields);
  useLayoutEffect(() => {
    if (wrong.length > 0) document.getElementById(`field-${wrong[0]}`)?.focus();
  }, [error]);

  /** @param {Seen} next */
  const accept = (next) => {
    keepDraft(draft, {});
    setTyped({});
    setConflict(null);
    forgetWords();
    setSeen(next);
  };

  /** @param {string} of @param {Record<string, any>} changes @param {string | null} etag */
  const update = (of, changes, etag) => {
    const headers = /** @type {Record<string, string>} */ (etag ? { 'If-Match': etag } : {});
    return intent.send(collection.updates ?? 'PUT', `${collection.name}/${of}/`, { body: writeJson(changes), headers });
  };

  // A new record. One that was sent before and got no answer may be there: then it becomes what is typed by now.
  /** @param {Record<string, any>} changes */
  const create = async (changes) => {
    const path = `${collection.name}/`;
    const wanted = { body: writeJson(changes), headers: { Prefer: 'return=representation' } };
    const lost = intent.isOther('POST', path, wanted) ? await intent.again() : null;
    if (!lost?.ok) return lost && lost.status >= 500 ? lost : intent.send('POST', path, wanted);
    const since = changesOf(collection.fields, typed, lost.data);
    if (Object.keys(since).length === 0 || !collection.updates) return lost;
    return update(idOf(lost.data), since, null);
  };

  /** @param {Seen} stored what the changes are compared with */
  const save = async (stored) => {
    const changes = changesOf(collection.fields, typed, stored.record);
    if (!isNew && Object.keys(changes).length === 0) {
      say('Nothing has changed.');
      setTyped({});
      return;
    }
    setBusy(true);
    setError('');
    try {
      const answer = isNew ? await create(changes) : await update(id, changes, stored.etag);
      setWaiting(false);
      if (answer.ok) {
        say(`Saved: ${wordsOf(collection, answer.data)}`);
        accept({ record: answer.data, etag: answer.headers.get('ETag') });
        if (isNew) go(collection.name, idOf(answer.data));
      } else if (answer.status === 412) {
        const { seen: now, error: gone } = await fetchRecord(collection, id);
        if (!now) setError(gone);
        else if (Object.keys(changesOf(collection.fields, typed, now.record)).length === 0) {
          // Ours, whose answer was lost.
          say(`Saved: ${wordsOf(collection, now.record)}`);
          accept(now);
        } else setConflict(now);
      } else if (answer.status === 404) {
        setError(`There is no ${collection.name} ${id} any more: somebody has deleted it. What you typed is still here.`);
      } else setError(answer.error);
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      setWaiting(true);
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => {
    if (!isWaiting || isBusy) return;
    const timer = setInterval(async () => {
      if (!(await isAlive())) return;
      clearInterval(timer);
      // The server is back: save what is typed by now.
      save(seen).catch(() => setWaiting(true));
    }, PATIENCE);
    return () => clearInterval(timer);
  }, [isWaiting, isBusy, typed]);

  const editable = isNew || collection.updates;
  const isDirty = Object.keys(typed).length > 0;
  const users = isNew ? [] : model.collections.flatMap((other) =>
    other.fields.filter((field) => field.references === collection.name && other.lists).map((field) => ({ other, field })),
  );
  return html`
    ${conflict && html`<${Conflict}
      model=${model} collection=${collection} before=${seen.record} now=${conflict.record}
      changes=${changesOf(collection.fields, typed, seen.record)}
      onMine=${() => {
        setSeen(conflict);
        setConflict(null);
        save(conflict);
      }}
      onTheirs=${() => accept(conflict)}
      onEdit=${() => {
        setSeen(conflict);
        setConflict(null);
      }}
    />`}
    <form ref=${form} class="record" noValidate onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (!isBusy && editable) save(seen);
    }}>
      ${error && wrong.length === 0 && html`<${Alert}>${error}<//>`}
      ${isWaiting && html`<${Alert}>The server cannot be reached. Nothing you typed is lost: it is saved as soon as the server is back.
        ${' '}<button type="button" onClick=${() => setWaiting(false)}>Do not wait</button><//>`}
      ${collection.fields.map((field) => editable
        ? html`<${FieldRow}
            key=${field.name} model=${model} field=${field}
            text=${field.name in typed ? typed[field.name] : isNew ? undefined : textOf(seen.record[field.name])}
            error=${wrong.includes(field.name) ? error : ''}
            onType=${(/** @type {string | null} */ text) => {
              setTyped((before) => ({ ...before, [field.name]: text }));
              if (wrong.includes(field.name)) setError('');
            }}
          />`
        : html`<div class="field" key=${field.name}><span class="name">${field.name}</span>
            <div class="input"><${Value} model=${model} field=${field} value=${seen.record[field.name]} full /></div></div>`)}
      <div class="actions">
        ${editable && html`<button class="primary" disabled=${isBusy}>${isBusy ? 'Saving…' : 'Save'}</button>`}
        ${isDirty && html`<button type="button" onClick=${() => {
          setTyped({});
          setError('');
          setWaiting(false);
        }}>Undo what I typed</button>`}
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
