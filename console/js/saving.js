// Saves what was typed, wherever one looks meanwhile: one save at a time for each form, in whichever tab. Nothing is
// overwritten that was not seen: other fields that others have changed are merged, the same ones are asked about.
import { visit } from './access.js';
import { Unreachable } from './api.js';
import { say } from './dialog.js';
import { changeDraft, draftOf, dropDraft, NO_OUTCOME, refreshDraft } from './drafts.js';
import { writeJson } from './exact.js';
import { faultsIn } from './faults.js';
import { intentOf } from './intent.js';
import { idOf } from './model.js';
import { outcomeOf } from './refused.js';
import { arriveAt, fetchRecord, isOpen, saved } from './seen.js';
import { changesOf, clashesOf, remaining } from './typed.js';
import { freshWords, wordsOf } from './words.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./drafts.js').Seen} Seen */

/** So often others may change other fields while we save. */
const MOST_MERGES = 5;
/** What a server says that cannot answer for now, or a proxy before it. */
const LATER = [502, 503, 504];
/** What a new record is typed over. @type {Seen} */
export const NEW = { record: null, etag: null };

/**
 * Saves the draft of a form. The id of a record that was made, or null.
 * @param {Collection} collection
 * @param {string} id
 * @returns {Promise<string | null>}
 */
export async function save(collection, id) {
  const name = `${collection.name}/${id}`;
  const draft = draftOf(name).peek();
  if (draft.isSaving) return null;
  const over = draft.base ?? NEW;
  const isTyped = Object.keys(draft.typed).length > 0;
  if (id !== 'new' && Object.keys(changesOf(collection.fields, draft.typed, over.record)).length === 0) {
    say('Nothing has changed.');
    dropDraft(name);
    return null;
  }
  const found = faultsIn(collection, draft, over);
  changeDraft(name, { ...NO_OUTCOME, ...found, isWanted: false });
  if (found) return null;
  // Wanted from now on: if the page or the server goes in the middle, it is sent again, and done once.
  changeDraft(name, { isSaving: true, isWanted: true, isAway: false });
  try {
    return await alone(name, async () => {
      const isDone = isTyped && Object.keys(refreshDraft(name).typed).length === 0;
      return isDone ? null : attempt(collection, id, name);
    });
  } catch (problem) {
    if (!(problem instanceof Unreachable)) changeDraft(name, { isWanted: false, error: String(problem) });
    else changeDraft(name, isTyped ? { isAway: true } : { error: problem.message });
    if (!isOpen(name)) say(`Not saved yet: ${titleOf(collection, id)}: ${/** @type {Error} */ (problem).message}`);
    return null;
  } finally {
    changeDraft(name, { isSaving: false });
  }
}

/** What a form is called, for who looks elsewhere. @param {Collection} collection @param {string} id */
function titleOf(collection, id) {
  const stored = draftOf(`${collection.name}/${id}`).peek().base?.record;
  return stored ? wordsOf(collection, stored) : id === 'new' ? `New in ${collection.label}` : `${collection.label} ${id}`;
}

/**
 * While no other tab saves the same. Locks are there only on pages that came by TLS or from this machine.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
function alone(name, act) {
  return navigator.locks ? navigator.locks.request(`carnet ${name}`, act) : act();
}

/** @param {Collection} collection @param {string} id @param {string} name @returns {Promise<string | null>} */
async function attempt(collection, id, name) {
  const from = visit.peek();
  /** @type {Set<string>} */
  const merged = new Set();
  for (let merges = 0; merges <= MOST_MERGES; merges += 1) {
    const { typed: sent, base } = draftOf(name).peek();
    const over = base ?? NEW;
    const { answer, isLost, now } = await send(collection, id, sent, over);
    if (visit.peek() !== from) return null;
    if (answer?.ok) {
      const next = { record: answer.data, etag: answer.headers.get('ETag') };
      const rest = remaining(collection.fields, draftOf(name).peek().typed, isLost ? {} : sent, next.record);
      const goesOn = isLost && Object.keys(rest).length > 0;
      if (id === 'new') return acceptNew(collection, name, next, rest, goesOn);
      accept(name, next, rest);
      if (goesOn) continue;
      tell(collection, next, merged);
      return null;
    }
    // Nobody knows yet, or the server asks to come back.
    if (answer && (LATER.includes(answer.status) || (answer.status === 409 && answer.headers.has('Retry-After')))) throw new Unreachable();
    if (answer && answer.status !== 412) {
      changeDraft(name, { isWanted: false, ...(await outcomeOf(collection, id, answer, { ...over.record, ...changesOf(collection.fields, sent, over.record) })) });
      if (!isOpen(name)) say(`Not saved: ${titleOf(collection, id)}: ${draftOf(name).peek().error}`);
      return null;
    }
    const found = now ? { seen: now, error: '', isGone: false } : await fetchRecord(collection, id);
    if (!found.seen) {
      changeDraft(name, { isWanted: false, error: found.error, isGone: found.isGone });
      return null;
    }
    const { theirs, isClear, isDone } = rebase(collection, name, found.seen);
    if (isDone) tell(collection, found.seen, merged);
    else if (!isClear && !isOpen(name)) say(`Not saved: somebody else has changed ${wordsOf(collection, found.seen.record)}, too. Please choose.`);
    if (isDone || !isClear) return null;
    theirs.forEach(({ label }) => merged.add(label));
    changeDraft(name, { isWanted: true });
  }
  changeDraft(name, { isWanted: false, error: 'Others keep changing this record. Please save again.' });
  return null;
}

/**
 * Sends a save, if somebody else has not changed the record already. One that was sent before and got no answer may have
 * been done: then its answer is the record, and what was typed since changes that.
 * @param {Collection} collection
 * @param {string} id
 * @param {import('./drafts.js').Typed} sent
 * @param {Seen} over
 * @returns {Promise<{ answer: import('./api.js').Answer | null, isLost: boolean, now?: Seen }>}
 */
async function send(collection, id, sent, over) {
  const isNew = id === 'new';
  const intent = intentOf(`${collection.name}/${id}`);
  const method = isNew ? 'POST' : (collection.updates ?? 'PUT');
  const path = isNew ? `${collection.name}/` : `${collection.name}/${id}/`;
  /** @type {Record<string, string>} */
  const headers = isNew ? { Prefer: 'return=representation' } : over.etag ? { 'If-Match': over.etag } : {};
  const wanted = { body: writeJson(changesOf(collection.fields, sent, over.record)), headers };
  const lost = intent.isOther(method, path, wanted) ? await intent.again() : null;
  if (lost?.ok || (lost && intent.isOther(method, path, wanted))) return { answer: lost, isLost: true };
  if (!isNew && !over.etag) {
    // Without a tag to compare on the server, it is compared here.
    const { seen: now } = await fetchRecord(collection, id);
    if (now && writeJson(now.record) !== writeJson(over.record)) return { answer: null, isLost: false, now };
  }
  return { answer: await intent.send(method, path, wanted), isLost: false };
}

/**
 * Puts what was typed on top of the record as it is now, unless somebody else has changed the same: then it asks.
 * @param {Collection} collection
 * @param {string} name
 * @param {Seen} now
 */
export function rebase(collection, name, now) {
  const { typed, base } = draftOf(name).peek();
  const rest = remaining(collection.fields, typed, {}, now.record);
  const { theirs, clashes } = clashesOf(collection.fields, rest, (base ?? now).record, now.record);
  if (clashes.length > 0) {
    changeDraft(name, { isWanted: false, conflict: now });
    saved.value = { name, seen: now };
  } else accept(name, now, rest);
  return { theirs, isClear: clashes.length === 0, isDone: Object.keys(rest).length === 0 };
}

/** What is stored now, and what of the typed is not yet. @param {string} name @param {Seen} next @param {import('./drafts.js').Typed} rest */
function accept(name, next, rest) {
  changeDraft(name, { typed: rest, base: next, isWanted: false, ...NO_OUTCOME });
  freshWords();
  saved.value = { name, seen: next };
}

/**
 * @param {Collection} collection
 * @param {string} name
 * @param {Seen} next
 * @param {import('./drafts.js').Typed} rest
 * @param {boolean} goesOn whether what was typed since is saved, too
 */
async function acceptNew(collection, name, next, rest, goesOn) {
  const made = idOf(next.record);
  dropDraft(name);
  changeDraft(`${collection.name}/${made}`, { typed: rest, base: next, at: Date.now() });
  freshWords();
  saved.value = { name: `${collection.name}/${made}`, seen: next };
  say(`Saved: ${wordsOf(collection, next.record)}`);
  if (isOpen(name)) arriveAt(collection, made, next);
  if (goesOn) save(collection, made);
  return made;
}

/** @param {Collection} collection @param {Seen} stored @param {Set<string>} merged */
function tell(collection, stored, merged) {
  const also = merged.size > 0 ? ` Somebody else had changed ${[...merged].join(', ')} meanwhile: both are kept.` : '';
  say(`Saved: ${wordsOf(collection, stored.record)}${also && `.${also}`}`);
}
