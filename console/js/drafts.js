// What somebody has typed into a form and not saved yet. It stays while one looks elsewhere, and over a reload.
import { parseJson, writeJson } from './exact.js';
import { drop, keep, kept, onOtherOwner } from './kept.js';
import { place } from './route.js';
import { signal } from '../vendor/preact-11.2.0.js';

/**
 * By field: the text as it was typed, or null for no value. Untouched fields are absent.
 * @typedef {Record<string, string | null>} Typed
 *
 * A record and its tag, as they were fetched. `record` is null for a new one.
 * @typedef {{ record: any, etag: string | null }} Seen
 *
 * @typedef {object} Draft
 * @property {Typed} typed
 * @property {Seen | null} base what it was typed over: a save must not overwrite anything else
 * @property {boolean} isSaving
 * @property {boolean} isKept whether it is there after a reload
 */

/** @typedef {import('../vendor/preact-11.2.0.js').Signal<Draft>} DraftSignal */

/** @type {Draft} */
const NOTHING = { typed: {}, base: null, isSaving: false, isKept: true };

/** @type {Map<string, DraftSignal>} */
const drafts = new Map();

addEventListener('beforeunload', (event) => {
  if ([...drafts.values()].some((draft) => isTyped(draft.peek()))) event.preventDefault();
});

/** @param {Draft} draft */
function isTyped(draft) {
  return Object.keys(draft.typed).length > 0;
}

/** The draft of a form, `users/7` or `users/new`. @param {string} name @returns {DraftSignal} */
export function draftOf(name) {
  const draft = drafts.get(name) ?? signal(readDraft(name));
  drafts.set(name, draft);
  return draft;
}

/** @param {string} name @returns {Draft} */
function readDraft(name) {
  const text = kept(`draft ${name}`);
  return text === null ? NOTHING : { ...NOTHING, ...parseJson(text) };
}

/**
 * @param {string} name
 * @param {Typed} typed
 * @param {Seen | null} base
 */
export function keepDraft(name, typed, base) {
  const draft = draftOf(name);
  const { isSaving } = draft.peek();
  const next = { ...NOTHING, typed, base, isSaving };
  if (isTyped(next)) next.isKept = keep(`draft ${name}`, writeJson({ typed, base }));
  else drop(`draft ${name}`);
  draft.value = isTyped(next) ? next : { ...NOTHING, isSaving };
}

/** @param {string} name @param {boolean} isSaving */
export function markSaving(name, isSaving) {
  const draft = draftOf(name);
  draft.value = { ...draft.peek(), isSaving };
}

onOtherOwner((isForgotten) => {
  const open = `${place.peek().collection}/${place.peek().record}`;
  for (const [name, draft] of drafts) {
    if (!isForgotten && name === open && isTyped(draft.peek())) keepDraft(name, draft.peek().typed, draft.peek().base);
    else draft.value = { ...readDraft(name), isSaving: draft.peek().isSaving };
  }
});
