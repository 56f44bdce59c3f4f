// A value as people read it: always as text, and a link only where it can be nothing else.
import { Exact } from './exact.js';
import { href } from './route.js';
import { wordsFor } from './words.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./model.js').Model} Model */

/** A list shows the beginning of a long text; the record has all of it. */
const LONGEST_IN_A_LIST = 2000;

/**
 * `full`: all of it, as on the page of the record. `plain`: without links, inside of one.
 * @param {{ model: Model, field: Field, value: any, full?: boolean, plain?: boolean }} props
 */
export function Value({ model, field, value, full = false, plain = false }) {
  if (value === null || value === undefined) return html`<${Nothing} words="no value" sign="—" />`;
  if (value === '') return html`<${Nothing} words="empty text" sign="“”" />`;
  const target = field.references && model.byName.get(field.references);
  if (target) return html`<${Reference} target=${target} id=${String(value)} plain=${plain} />`;
  if (value instanceof Exact) return html`<span class="number">${value.text}</span>`;
  if (typeof value === 'boolean') {
    return html`<span class=${value ? 'yes' : 'no'}><span aria-hidden="true">${value ? '✓' : '–'}</span><span class="unseen">${value ? 'yes' : 'no'}</span></span>`;
  }
  const text = String(value);
  const moment = momentOf(field, text);
  if (moment) return html`<time class="text" datetime=${text} title=${text}>${moment}</time>`;
  const link = plain ? null : linkOf(field, text);
  if (link) return html`<a class=${full ? 'text full' : 'text'} dir="auto" href=${link} title=${full ? undefined : text} ...${link.startsWith('https:') ? { target: '_blank', rel: 'noopener noreferrer' } : {}}>${text}</a>`;
  const shown = full || text.length <= LONGEST_IN_A_LIST ? text : `${text.slice(0, LONGEST_IN_A_LIST)}…`;
  return html`<span class=${full ? 'text full' : 'text'} dir="auto" title=${full ? undefined : shown}>${shown}</span>`;
}

/** @param {{ words: string, sign: string }} props */
function Nothing({ words, sign }) {
  return html`<span class="none" title=${words}><span aria-hidden="true">${sign}</span><span class="unseen">${words}</span></span>`;
}

/** @param {{ target: import('./model.js').Collection, id: string, plain?: boolean }} props */
export function Reference({ target, id, plain = false }) {
  const { words, isGone, refused } = wordsFor(target, id).value;
  const why = refused !== null ? (refused ? `this access key may not read ${target.label}` : `reading ${target.label} needs an access key`)
    : target.fetches ? '' : `this server does not let single records of ${target.label} be read`;
  const shown = html`${words ?? `${target.label} ${id}`}${isGone && html` <span class="none">(gone)</span>`}`;
  if (plain) return html`<span class="reference" dir="auto">${shown}</span>`;
  return html`<a class="reference" dir="auto" href=${href(target.name, id)} title=${`${words ?? `${target.label} ${id}`}${why && `: ${why}`}`}>${shown}</a>`;
}

/** A day or a moment in the words of this browser; null for any other text. @param {Field} field @param {string} text */
function momentOf({ format }, text) {
  const isDay = format === 'date' && /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDay && format !== 'date-time') return null;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return null;
  return isDay ? moment.toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
    : moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Names of fields that say what is in them, where no format does. */
const CALLED = [
  { format: 'email', name: /(^|_)e?mail(_|$)/ },
  { format: 'phone', name: /(^|_)(phone|tel|telephone|mobile|fax)(_|$)/ },
  { format: 'uri', name: /(^|_)(url|website|homepage|link)(_|$)/ },
];

/**
 * Where a text leads: a mailbox, a telephone, a page that came by TLS. Nothing else is ever a link.
 * @param {Field} field
 * @param {string} text
 */
export function linkOf(field, text) {
  const format = field.format ?? CALLED.find(({ name }) => name.test(field.name))?.format;
  if (format === 'email') return /^[\p{L}\p{N}.!#$*+/=^_{|}~-]+@[\p{L}\p{N}.-]+$/u.test(text) ? `mailto:${text}` : null;
  if (format === 'phone' || format === 'tel') return /^\+?[0-9][0-9 ()./-]{2,30}$/.test(text) ? `tel:${text.replace(/[^+0-9]/g, '')}` : null;
  if (format !== 'uri') return null;
  const url = /^https:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  return url && url.protocol === 'https:' && !url.username && !url.password ? url.href : null;
}
