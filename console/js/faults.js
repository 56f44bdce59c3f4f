// What is wrong with what was typed, in people's words, before it is sent: as far as the description of the server tells.
import { NUMBER } from './exact.js';
import { emptied, valueOf } from './typed.js';

/** @typedef {import('./model.js').Field} Field */

const INTEGER = /^-?(0|[1-9][0-9]*)$/;
const [SMALLEST, LARGEST_INTEGER] = [-(2n ** 63n), 2n ** 63n - 1n];
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[-+]\d{2}:\d{2})$/;

/**
 * What is wrong with it before it is sent.
 * @param {import('./model.js').Collection} collection
 * @param {import('./drafts.js').Draft} draft
 * @param {import('./drafts.js').Seen} over
 * @returns {Partial<import('./drafts.js').Outcome> | null}
 */
export function faultsIn({ fields }, { typed, asked }, over) {
  const faults = faultsBefore(fields, typed, over.record);
  const wrong = fields.filter(({ name }) => name in faults).map(({ label }) => label);
  if (wrong.length > 0) {
    const many = wrong.length === 1 ? 'One field needs' : `${wrong.length} fields need`;
    return { faults, error: `${many} another look: ${wrong.join(', ')}.` };
  }
  const empty = emptied(fields, typed, over.record);
  const names = empty.map(({ name }) => name).join();
  if (empty.length === 0 || names === asked) return null;
  const words = 'It is empty, and required. Save again to store an empty text.';
  return {
    asked: names,
    faults: Object.fromEntries(empty.map(({ name }) => [name, words])),
    error: `${empty.map(({ label }) => label).join(', ')} ${empty.length > 1 ? 'are' : 'is'} empty, and required. Save again to store an empty text.`,
  };
}

/**
 * By field. Of a record that is stored already, only what was typed is looked at.
 * @param {Field[]} fields
 * @param {import('./drafts.js').Typed} typed
 * @param {any} stored null for a new record
 * @returns {Record<string, string>}
 */
function faultsBefore(fields, typed, stored) {
  const found = fields
    .filter(({ name }) => stored === null || name in typed)
    .map((field) => [field.name, faultOf(field, typed[field.name] ?? null, stored === null)])
    .filter(([, fault]) => fault !== '');
  return Object.fromEntries(found);
}

/** @param {Field} field @param {string | null} text @param {boolean} isNew */
function faultOf(field, text, isNew) {
  const value = valueOf(field, text, isNew);
  if (value === undefined || value === null) return field.required ? 'A value is needed here.' : '';
  if (text === null) return '';
  if (field.kind === 'integer') return integerFault(text.trim(), field.references);
  if (field.kind === 'float') return NUMBER.test(text.trim()) ? '' : 'This is not a number. Write it like 12.5.';
  return field.kind === 'string' ? textFault(field, text) : '';
}

/** @param {string} text @param {string | null} references */
function integerFault(text, references) {
  if (!INTEGER.test(text)) return references ? 'Nothing is chosen yet: pick a record from the list.' : 'This is not a whole number.';
  return BigInt(text) < SMALLEST || BigInt(text) > LARGEST_INTEGER ? 'This number is too large to be stored.' : '';
}

/** What a text should have been, by its form. */
const FORMS = {
  email: 'This is not an e-mail address. Write it like ada@example.org.',
  uri: 'This is not the address of a page. Write it like https://example.org.',
  phone: 'This is not a telephone number. Write it like +49 30 123456.',
};

/** The form that a text has to have. The description names that of telephones by its pattern alone. @param {Field} field */
export function formOf({ format, pattern }) {
  const isPhone = !format && pattern && matches(pattern, '+49 30 123456') && !matches(pattern, 'Ada');
  return isPhone ? 'phone' : (format ?? '');
}

/** @param {Field} field @param {string} text */
function textFault(field, text) {
  const { maxLength, pattern } = field;
  const form = formOf(field);
  const length = [...text].length;
  if (maxLength && length > maxLength) return `At most ${maxLength} characters fit here; these are ${length}.`;
  if (form === 'date' && !(DATE.test(text) && isDay(text))) return 'This is not a day. Write it like 2026-11-16.';
  if (form === 'date-time' && !(DATE_TIME.test(text) && isDay(text.slice(0, 10)))) return 'This is not a moment. Write it like 2026-11-16T09:30:00Z.';
  const words = FORMS[/** @type {keyof typeof FORMS} */ (form)] ?? 'This is not in the form that is wanted here.';
  return pattern && !matches(pattern, text) ? words : '';
}

/** @param {string} text */
function isDay(text) {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A pattern that this browser cannot read is left to the server. @param {string} pattern @param {string} text */
function matches(pattern, text) {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}
