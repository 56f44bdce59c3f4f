// What was typed into a form, as the values that are sent.
import { Exact, NUMBER, writeJson } from './exact.js';

/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./drafts.js').Typed} Typed */

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
  return field.kind !== 'string' && NUMBER.test(text.trim()) ? new Exact(text.trim()) : text;
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
 * The required texts that somebody has emptied. The server would store them so.
 * @param {Field[]} fields
 * @param {Typed} typed
 * @param {any} stored
 */
export function emptied(fields, typed, stored) {
  const changes = changesOf(fields, typed, stored);
  return fields.filter((field) => field.required && field.kind === 'string' && changes[field.name] === '');
}

/**
 * The fields that somebody else has changed, and which of them were typed here, too.
 * @param {Field[]} fields
 * @param {Typed} typed
 * @param {any} before
 * @param {any} now
 */
export function clashesOf(fields, typed, before, now) {
  const theirs = fields.filter(({ name }) => writeJson(before[name] ?? null) !== writeJson(now[name] ?? null));
  return { theirs, clashes: theirs.filter(({ name }) => name in typed) };
}

/**
 * What of it is not stored yet: neither what was sent, nor what the record has by now.
 * @param {Field[]} fields
 * @param {Typed} typed
 * @param {Typed} sent
 * @param {any} stored
 * @returns {Typed}
 */
export function remaining(fields, typed, sent, stored) {
  const changes = changesOf(fields, typed, stored);
  return Object.fromEntries(Object.entries(typed).filter(([name, text]) => name in changes && !(name in sent && sent[name] === text)));
}

/**
 * What the server has against each field, of a body that it refuses.
 * @param {import('./api.js').Fault[]} faults
 * @param {Field[]} fields
 * @returns {Record<string, string>}
 */
export function faultsOf(faults, fields) {
  const told = fields.map(({ name }) => [name, faults.filter((fault) => fault.pointer === `/${name}`).map(({ detail }) => detail)]);
  return Object.fromEntries(told.filter(([, details]) => details.length > 0).map(([name, details]) => [name, [...details].join('; ')]));
}
