// The page of one record: fetched, or new.
import { Monogram } from './card.js';
import { Alert, toHeading } from './dialog.js';
import { draftOf, dropDraft } from './drafts.js';
import { writeJson } from './exact.js';
import { Form } from './form.js';
import { intentOf } from './intent.js';
import { mayWrite } from './me.js';
import { Referring } from './referring.js';
import { AskToReplace, duplicate, RecordMenu } from './recordmenu.js';
import { visited } from './places.js';
import { hrefBack, last } from './route.js';
import { NEW, rebase } from './saving.js';
import { arrivalAt, fetchRecord, saved } from './seen.js';
import { freshWords, wordsOf } from './words.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./drafts.js').Seen} Seen */

/** How one came here from the record before it or after it, to go on in the same way. */
let step = '';

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string, isBeside?: boolean,
 *   onNext?: () => void, onPrevious?: () => void }} props `isBeside`: the list is on the page, too
 */
export function RecordPage({ model, collection, id, isBeside = false, onNext, onPrevious }) {
  const isNew = id === 'new';
  const name = `${collection.name}/${id}`;
  const [arrival] = useState(() => arrivalAt(name));
  const [seen, setSeen] = useState(/** @type {Seen | null} */ (isNew ? NEW : (arrival?.seen ?? null)));
  const [error, setError] = useState('');
  const [again, setAgain] = useState(0);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (step) (/** @type {HTMLElement | null} */ (document.querySelector(`.crumbs .${step}`)) ?? heading.current)?.focus();
    step = '';
  }, []);
  /** @param {string} how @param {(() => void) | undefined} move */
  const go = (how, move) => {
    step = how;
    move?.();
  };
  useEffect(() => {
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
      const move = { ArrowDown: onNext, ArrowUp: onPrevious }[event.key];
      const at = event.target instanceof Element ? event.target : null;
      const isOurs = at?.closest('.of-record') && !at.closest('input, textarea, select, details, dialog');
      if (!isBeside || !move || !isOurs || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      event.preventDefault();
      go('by-key', move);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
  useEffect(() => saved.subscribe((now) => void (now.name === name && setSeen(now.seen))), []);
  useEffect(() => {
    if (isNew) return;
    last.record = { collection: collection.name, id };
    if (arrival && !again) return;
    const abort = new AbortController();
    fetchRecord(collection, id, abort.signal).then(
      (found) => {
        freshWords();
        setError(found.error);
        setSeen(found.seen);
        // What waits for the server is compared when it is sent.
        const { base, isSaving, isWanted } = draftOf(name).peek();
        const isOther = found.seen && base && writeJson(base.record) !== writeJson(found.seen.record);
        if (found.seen && isOther && !isSaving && !isWanted) rebase(collection, name, found.seen);
      },
      (problem) => abort.signal.aborted || setError(problem.message),
    );
    return () => abort.abort();
  }, [again]);

  useEffect(() => {
    if (!isNew && seen) visited(collection.name, id, wordsOf(collection, seen.record));
  }, [seen]);
  const words = isNew ? `New in ${collection.label}` : seen ? wordsOf(collection, seen.record) : `${collection.label} ${id}`;
  const onAgain = collection.creates && mayWrite(collection) ? () => duplicate(collection, { ...draftOf(name).peek().base?.record }, draftOf(name).peek().typed, name) : undefined;
  return html`
    <nav class="crumbs" aria-label="Where you are"><a href=${hrefBack(collection.name)}>${isBeside ? 'Close' : `Back to ${collection.label}`}</a>
      <span class="grow"></span>
      ${onPrevious && html`<button type="button" class="quiet previous" onClick=${() => go('previous', onPrevious)}>Previous</button>`}
      ${onNext && html`<button type="button" class="quiet next" onClick=${() => go('next', onNext)}>Next</button>`}</nav>
    <header class="head card-head">${!isNew && html`<${Monogram} words=${words} />`}<h1 ref=${heading} tabindex="-1" dir="auto">${words}</h1>
      ${seen && !isNew && html`<${RecordMenu} collection=${collection} id=${id} seen=${seen} />`}</header>
    ${error && html`<${Alert} retry=${() => setAgain(again + 1)}>${error}<//>`}
    ${!seen && error && html`<${Leftover} collection=${collection} name=${name} onAgain=${onAgain} />`}
    ${!seen && !error && html`<p class="empty" role="status">Loading…</p>`}
    ${seen && html`<${Form} ...${{ model, collection, id, seen, arrival, onAgain }} />`}
    <${AskToReplace} />
    ${seen && !isNew && html`<${Referring} model=${model} collection=${collection} id=${id} />`}
  `;
}

/** What was typed over a record that cannot be had any more. @param {{ collection: import('./model.js').Collection, name: string, onAgain?: () => void }} props */
function Leftover({ collection, name, onAgain }) {
  const { typed } = draftOf(name).value;
  const fields = collection.fields.filter((field) => field.name in typed);
  return fields.length > 0 && html`<section aria-label="Not saved">
    <p><strong>Not saved: this is what you typed here earlier.</strong></p>
    <dl class="shortcuts">${fields.map((field) => html`<div key=${field.name}><dt>${field.label}</dt>
      <dd class="text full" dir="auto">${typed[field.name] ?? html`<span class="none">no value</span>`}</dd></div>`)}</dl>
    <div class="actions">
      ${onAgain && html`<button type="button" class="primary" onClick=${onAgain}>Make it anew with what I typed</button>`}
      <button type="button" onClick=${() => (toHeading(), intentOf(name).forget(), dropDraft(name))}>Discard</button>
    </div>
  </section>`;
}
