// What is done with several rows at once: one batch, all of it or nothing, and what it does is said before.
import { call, query } from './api.js';
import { copy } from './copy.js';
import { Alert, Dialog, say } from './dialog.js';
import { writeJson } from './exact.js';
import { Icon } from './icons.js';
import { FieldRow } from './input.js';
import { intentOf } from './intent.js';
import { consequenceOf, referrersOf } from './referrers.js';
import { href } from './route.js';
import { fetchRecord } from './seen.js';
import { called } from './theme.js';
import { changesOf } from './typed.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./drafts.js').Seen} Seen */

/** A batch has at most so many items, and a filter by several ids so many ids. */
const MOST_ITEMS = 1000;
const MOST_IDS = 64;

/** @param {number} count */
const them = (count) => (count === 1 ? '1 record' : `${count.toLocaleString('en')} records`);

/** @param {{ model: Model, collection: Collection, ids: string[], onDone: () => void, onClear: () => void }} props */
export function BulkBar({ model, collection, ids, onDone, onClear }) {
  const [asks, setAsks] = useState(/** @type {'' | 'set' | 'delete'} */ (''));
  const links = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => setAsks('');
  const all = ids.map((id) => new URL(href(collection.name, id), location.href).href).join('\n');
  const common = { model, collection, ids, onClose: close, onDone: () => (close(), onDone()) };
  return html`<div class="bulk" role="group" aria-label="Selected rows">
    <strong role="status">${ids.length} selected</strong>
    ${collection.updates && html`<button type="button" onClick=${() => setAsks('set')}><${Icon} name="pen" />Set a field…</button>`}
    <button type="button" onClick=${() => copy(all, links.current)}><${Icon} name="link" />Copy links</button>
    ${collection.deletes && html`<button type="button" class="danger" onClick=${() => setAsks('delete')}><${Icon} name="trash" />Delete…</button>`}
    <span class="grow"></span>
    <button type="button" class="quiet" aria-label="Select none" title="Select none" onClick=${onClear}><${Icon} name="close" /></button>
    <pre class="unseen" ref=${links}>${all}</pre>
    ${asks === 'set' && html`<${SetField} ...${common} />`}
    ${asks === 'delete' && html`<${DeleteMany} ...${common} />`}
  </div>`;
}

/**
 * The records as they are now: what is written names what was seen.
 * @param {Collection} collection
 * @param {string[]} ids
 * @returns {Promise<Map<string, Seen>>}
 */
async function fetchAll(collection, ids) {
  const found = await Promise.all(ids.map(async (id) => /** @type {const} */ ([id, await fetchRecord(collection, id)])));
  const missing = found.find(([, { seen }]) => !seen);
  if (missing) throw new Error(missing[1].error);
  return new Map(found.map(([id, { seen }]) => [id, /** @type {Seen} */ (seen)]));
}

/** One question about many records, and the batch that answers it. */
/** @param {{ title: string, verb: string, isDanger?: boolean, requests: any[] | null, fault: string, name: string, onClose: () => void, onDone: () => void, children?: any }} props */
function Question({ title, verb, isDanger = false, requests, fault, name, onClose, onDone, children }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    if (isBusy || !requests || requests.length === 0) return;
    setBusy(true);
    try {
      const answer = await intentOf(name).send('POST', '_/batch/', { body: writeJson({ requests }) });
      if (answer.ok) {
        say(`${isDanger ? 'Deleted' : 'Changed'}: ${them(requests.length)}`);
        return onDone();
      }
      setError(`Nothing was changed. ${answer.status === 412 ? 'Somebody else has changed one of them meanwhile: close this and look again.' : answer.error}`);
    } catch (problem) {
      setError(`${/** @type {Error} */ (problem).message} Try again: it is done once.`);
    }
    setBusy(false);
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), send())}>
      ${children}
      ${(error || fault) && html`<${Alert}>${error || fault}<//>`}
      <div class="actions">
        <button class=${isDanger ? 'danger' : 'primary'} aria-disabled=${isBusy || !requests || requests.length === 0}>${isBusy ? 'Sending…' : verb}</button>
        <button type="button" autofocus=${isDanger} onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`;
}

/** @param {{ model: Model, collection: Collection, ids: string[], onClose: () => void, onDone: () => void }} props */
function SetField({ model, collection, ids, onClose, onDone }) {
  const [field, setField] = useState(collection.fields[0]);
  const [text, setText] = useState(/** @type {string | null | undefined} */ (undefined));
  const [stored, setStored] = useState(/** @type {Map<string, Seen> | null} */ (null));
  const [fault, setFault] = useState(ids.length > MOST_ITEMS ? `At most ${MOST_ITEMS} at once.` : '');
  useEffect(() => {
    if (!fault) fetchAll(collection, ids).then(setStored, (problem) => setFault(problem.message));
  }, []);
  const requests = stored && text !== undefined ? [...stored].flatMap(([id, { record, etag }]) => {
    const body = changesOf([field], { [field.name]: text }, record);
    return Object.keys(body).length === 0 ? [] : [{ method: collection.updates, path: `/${collection.name}/${id}/`, body, ...(etag ? { if_match: etag } : {}) }];
  }) : null;
  return html`<${Question} title=${`Set a field of ${them(ids.length)}`} verb=${requests?.length ? `Change ${them(requests.length)}` : 'Change'}
    ...${{ requests, fault, onClose, onDone, name: `${collection.name} set ${field.name}` }}>
    <label class="block">Field
      <select value=${field.name} onChange=${(/** @type {any} */ event) => {
        setField(/** @type {any} */ (collection.fields.find((one) => one.name === event.target.value)));
        setText(undefined);
      }}>${collection.fields.map((one) => html`<option key=${one.name} value=${one.name}>${called(one)}</option>`)}</select></label>
    <${FieldRow} key=${field.name} ...${{ model, field, text, error: '', was: null, prefix: 'bulk-', onType: setText, onUndo: () => {} }} />
    <p role="status">${requests && (requests.length === 0 ? 'All of them have this value already.'
      : `${them(requests.length)} will change${requests.length < ids.length ? `, ${ids.length - requests.length} already ${ids.length - requests.length === 1 ? 'has' : 'have'} this value` : ''}: all of them, or none.`)}</p>
  <//>`;
}

/** @param {{ model: Model, collection: Collection, ids: string[], onClose: () => void, onDone: () => void }} props */
function DeleteMany({ model, collection, ids, onClose, onDone }) {
  const [stored, setStored] = useState(/** @type {Map<string, Seen> | null} */ (null));
  const [told, setTold] = useState(/** @type {string[] | null} */ (null));
  const [fault, setFault] = useState(ids.length > MOST_ITEMS ? `At most ${MOST_ITEMS} at once.` : '');
  useEffect(() => {
    if (fault) return;
    fetchAll(collection, ids).then(setStored, (problem) => setFault(problem.message));
    consequences(model, collection, ids).then(setTold);
  }, []);
  const requests = stored && told && [...stored].map(([id, { etag }]) => ({ method: 'DELETE', path: `/${collection.name}/${id}/`, ...(etag ? { if_match: etag } : {}) }));
  return html`<${Question} title=${`Delete ${them(ids.length)}?`} verb=${`Delete ${them(ids.length)}`} isDanger
    ...${{ requests, fault, onClose, onDone, name: `${collection.name} delete` }}>
    <p>${ids.length === 1 ? 'It' : 'They'} will be gone for good: all of them, or none.</p>
    <div role="status">
      ${!told && !fault && html`<p class="none">Looking who refers to them…</p>`}
      ${told?.length === 0 && html`<p>Nothing refers to them.</p>`}
      ${told && told.length > 0 && html`<ul class="consequences">${told.map((one) => html`<li key=${one}>${one}</li>`)}</ul>`}
    </div>
  <//>`;
}

/**
 * What goes along, what is cleared, what refuses it: counted over all of them.
 * @param {Model} model
 * @param {Collection} collection
 * @param {string[]} ids
 */
async function consequences(model, collection, ids) {
  const told = await Promise.all(referrersOf(model, collection).map(async ({ other, field }) => {
    let count = /** @type {number | null} */ (other.lists ? 0 : null);
    for (let at = 0; at < ids.length && count !== null; at += MOST_IDS) {
      /** @type {[string, string][]} */
      const pairs = ids.slice(at, at + MOST_IDS).map((id) => [`${field.name}.in`, id]);
      if (other.pages) pairs.push([other.pages.count, '1']);
      const answer = await call('GET', `${other.name}/${query(pairs)}`, { asks: false }).catch(() => null);
      count = answer?.ok ? count + Number(answer.data.meta?.total_count ?? answer.data.object_list.length) : null;
    }
    return count === 0 ? '' : consequenceOf({ other, field, count }).replace(/ with it\b/g, ' with them').replace(/ to it\b/g, ' to them');
  }));
  return told.filter(Boolean);
}
