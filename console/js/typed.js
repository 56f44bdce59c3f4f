// What somebody has typed into a form and not saved yet. It stays while one looks elsewhere.
import { Exact, INTEGER, NUMBER, writeJson } from './exact.js';

/** @typedef {import('./model.js').Field} Field */
/**
 * By field: the text as it was typed, or null for no value. Untouched fields are absent.
 * @typedef {Record<string, string | null>} Typed
 */

/** @type {Map<string, Typed>} */
const drafts = new Map();

addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/** @param {string} name @returns {Typed} */
export function draftOf(name) {
  return drafts.get(name) ?? {};
}

/** @param {string} name @param {Typed} typed */
export function keepDraft(name, typed) {
  if (Object.keys(typed).length > 0) drafts.set(name, typed);
  else drafts.delete(name);
}

/**
 * A value as text in an input; null where there is none.
 * @param {any} value
 */
export function textOf(value) {
  return value === null || value === undefined ? null : String(value);
}

/**
 * What is sent for a typed text. A number goes as it was typed, never through a number of JavaScript; what is none is
 * sent as text, and the server says what is wrong with it. Undefined: nothing to send.
 * @param {Field} field
 * @param {string | null} text
 * @param {boolean} isNew
 */
export function valueOf(field, text, isNew) {
  if (text === null || (text === '' && field.kind !== 'string')) return isNew && field.required ? undefined : null;
  if (field.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  const pattern = field.kind === 'integer' ? INTEGER : field.kind === 'float' ? NUMBER : null;
  return pattern?.test(text.trim()) ? new Exact(text.trim()) : text;
}

/**
 * The body that says what was typed, and only what differs from the stored record.
 * @param {Field[]} fields
 * @param {Typed} typed
 * @param {any} stored null for a new record
 * @returns {Record<string, any>}
 */
export function changesOf(fields, typed, stored) {
  /** @type {Record<string, any>} */
  const changes = {};
  for (const field of fields) {
    if (!(field.name in typed)) continue;
    const value = valueOf(field, typed[field.name], stored === null);
    if (value === undefined) continue;
    if (stored === null || writeJson(value) !== writeJson(stored[field.name] ?? null)) changes[field.name] = value;
  }
  return changes;
}

/**
 * The fields that an error of the server is about: `last_name does not validate`, `a,b must be unique together`.
 * @param {Field[]} fields
 * @param {string} error
 */
export function fieldsIn(error, fields) {
  const named = error.split(' ', 1)[0].split(',');
  return named.filter((name) => fields.some((field) => field.name === name));
}
