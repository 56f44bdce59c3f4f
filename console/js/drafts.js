// What somebody has typed into a form and not saved yet, with the version it was typed over. It stays while one looks
// elsewhere, over a reload and after the tab is closed, and is the same in every tab.
import { parseJson, writeJson } from './exact.js';
import { carryOver, drop, keep, kept, keptNames, onOtherOwner, onOtherTab } from './kept.js';
import { place } from './route.js';
import { signal } from '../vendor/preact-11.2.0.js';

/**
 * By field: the text as it was typed, or null for no value. Untouched fields are absent.
 * @typedef {Record<string, string | null>} Typed
 *
 * A record and its tag, as they were fetched. `record` is null for a new one.
 * @typedef {{ record: any, etag: string | null }} Seen
 *
 * What is kept: what was typed, over what, when, and whether somebody wants it saved as soon as the server is there.
 * @typedef {{ typed: Typed, base: Seen | null, at: number, isWanted: boolean }} Kept
 *
 * What became of the last save: what is wrong with it, at which fields, and the record that somebody else has saved.
 * @typedef {{ error: string, faults: Record<string, string>, rivals: string[], asked: string, conflict: Seen | null, isGone: boolean }} Outcome
 *
 * `isAway`: nobody answered the last save.
 * @typedef {Kept & Outcome & { isSaving: boolean, isAway: boolean, isKept: boolean }} Draft
 */

/** @typedef {import('../vendor/preact-11.2.0.js').Signal<Draft>} DraftSignal */

/** @type {Outcome} */
export const NO_OUTCOME = { error: '', faults: {}, rivals: [], asked: '', conflict: null, isGone: false };
/** @type {Draft} */
const NOTHING = { typed: {}, base: null, at: 0, isWanted: false, ...NO_OUTCOME, isSaving: false, isAway: false, isKept: true };

/** @type {Map<string, DraftSignal>} */
const drafts = new Map();

/** The names of all forms with something typed, `users/7` or `users/new`. */
export const unsaved = signal(readNames());

/** What is too large to be kept is lost with the page. */
addEventListener('beforeunload', (event) => {
  if ([...drafts.values()].some((draft) => isTyped(draft.peek()) && !draft.peek().isKept)) event.preventDefault();
});

/** @param {Kept} draft */
function isTyped(draft) {
  return Object.keys(draft.typed).length > 0;
}

function readNames() {
  const names = keptNames('draft ').map((name) => name.slice('draft '.length));
  const inMemory = [...drafts].filter(([, draft]) => isTyped(draft.peek())).map(([name]) => name);
  return [...new Set([...names, ...inMemory])].sort();
}

/** The draft of a form. @param {string} name @returns {DraftSignal} */
export function draftOf(name) {
  const draft = drafts.get(name) ?? signal({ ...NOTHING, ...readKept(name) });
  drafts.set(name, draft);
  return draft;
}

/** What others have put there, or an older console, is nothing. @param {string} name @returns {Kept} */
function readKept(name) {
  try {
    const { typed, base, at, isWanted } = parseJson(kept(`draft ${name}`) ?? 'null') ?? NOTHING;
    const isText = Object.values(typed).every((text) => text === null || typeof text === 'string');
    if (isText && (base === null || 'etag' in base)) return { typed, base, at: Number(at), isWanted: isWanted === true };
  } catch {
    // As above.
  }
  return { typed: {}, base: null, at: 0, isWanted: false };
}

/** Reads again what is kept: another tab may have saved it, or gone on typing. @param {string} name */
export function refreshDraft(name) {
  const draft = draftOf(name);
  if (draft.peek().isKept) draft.value = { ...draft.peek(), ...readKept(name) };
  unsaved.value = readNames();
  return draft.peek();
}

/** @param {string} name @param {Typed} typed @param {Seen | null} base */
export function keepDraft(name, typed, base) {
  changeDraft(name, { typed, base, at: Date.now() });
}

/** Takes back what was typed. @param {string} name */
export function dropDraft(name) {
  changeDraft(name, { typed: {}, ...NO_OUTCOME });
}

/** @param {string} name @param {Partial<Draft>} change */
export function changeDraft(name, change) {
  const draft = draftOf(name);
  const next = { ...draft.peek(), ...change };
  if (!isTyped(next)) {
    drop(`draft ${name}`);
    Object.assign(next, { base: null, isWanted: false, isKept: true });
  } else if ('typed' in change || 'base' in change || 'isWanted' in change) {
    const { typed, base, at, isWanted } = next;
    next.isKept = keep(`draft ${name}`, writeJson({ typed, base, at, isWanted }));
  }
  draft.value = next;
  const names = readNames();
  if (names.join() !== unsaved.peek().join()) unsaved.value = names;
}

onOtherTab((name) => {
  if (name.startsWith('draft ')) refreshDraft(name.slice('draft '.length));
});

const isOnPage = (/** @type {string} */ name) => name === `${place.peek().collection}/${place.peek().record}`;

// Whoever worked without a key and is asked for one works on, and so does whoever gives another in the middle of a form.
carryOver((isFirst) => {
  const names = [...drafts].filter(([name, draft]) => isTyped(draft.peek()) && (isFirst || isOnPage(name)));
  return names.flatMap(([name]) => [`draft ${name}`, `intent ${name}`]);
});
onOtherOwner((isForgotten) => {
  for (const [name, draft] of drafts) {
    const { isSaving, isKept } = draft.peek();
    if (isForgotten || isKept || !isOnPage(name)) draft.value = { ...NOTHING, ...readKept(name), isSaving };
  }
  unsaved.value = readNames();
});
