// An import: how a file is sent to the server, and its report until it is over.
import { call, query, Unreachable } from './api.js';
import { mayWrite } from './me.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {[string, string][]} Pairs */
/** What the server tells of an import; its numbers are as they were written. @typedef {Record<string, any>} Report */
/**
 * What a person says about a file.
 * @typedef {object} Wishes
 * @property {Map<string, string>} columns for each that is not as the file has it: the field it is for, or that it is left out
 * @property {boolean} rest whether everything else that is no field is left out
 * @property {boolean} spreadsheet
 * @property {string} encoding '' where the file shows it
 * @property {Map<string, string>} fills values for fields where the file has none
 * @property {'' | 'ours' | 'others'} ids whose the ids in the file are; '' where nobody has asked
 */

/** What the server says of a column that is for no field, and what is said of it here. */
export const LEFT_OUT = 'left out';

/** What a file is sent as, by its ending. @type {Map<string, string>} */
const MEDIA_TYPES = new Map([
  ['csv', 'text/csv'],
  ['tsv', 'text/csv'],
  ['jsonl', 'application/x-ndjson'],
  ['ndjson', 'application/x-ndjson'],
  ['json', 'application/x-ndjson'],
  ['vcf', 'text/vcard'],
]);

/** Pauses between two looks at the report, in milliseconds. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1000;

/** @param {string} name */
function endingOf(name) {
  return /\.([^.]*)$/.exec(name)?.[1].toLowerCase() ?? '';
}

/** Whether it is a table, whose columns can be for any field. @param {File} file */
export function isTable({ name }) {
  return MEDIA_TYPES.get(endingOf(name)) === 'text/csv';
}

/** Why a file cannot be imported, with what to do; '' where it can. @param {File} file */
export function whyNot({ name }) {
  const ending = endingOf(name);
  if (MEDIA_TYPES.has(ending)) return '';
  if (['xlsx', 'xls', 'ods', 'numbers'].includes(ending)) return `${name} is a spreadsheet. Save it as “CSV UTF-8” there, and choose that file.`;
  if (ending === 'ldif') return `${name} is LDIF. Export it as CSV or vCard from the program it comes from.`;
  return `The name of ${name} does not say what it is. Save it as .csv, .tsv, .jsonl, .ndjson, .json or .vcf.`;
}

/** The wishes as parameters of the request. @param {File} file @param {Wishes} wishes @returns {Pairs} */
export function optionsOf(file, { columns, rest, spreadsheet, encoding, fills, ids }) {
  /** @type {Pairs} */
  const pairs = [...columns].map(([column, field]) => (field === LEFT_OUT ? ['ignore', column] : ['map', `${column}=${field}`]));
  if (rest) pairs.push(['ignore_rest', 'true']);
  if (ids) pairs.push(ids === 'ours' ? ['match', 'id'] : ['ignore', 'id']);
  for (const [field, value] of fills) pairs.push(['fill', `${field}=${value}`]);
  if (encoding) pairs.push(['encoding', encoding]);
  if (isTable(file) && spreadsheet) pairs.push(['spreadsheet', 'true']);
  if (endingOf(file.name) === 'tsv') pairs.push(['delimiter', 'tab']);
  return pairs;
}

/** Whether a file can be taken into it, as far as is known here. @param {Collection} collection */
export function mayImport(collection) {
  return collection.imports && mayWrite(collection);
}

/** @param {Report} report */
export function hasEnded(report) {
  return report.state !== 'judging' && report.state !== 'storing';
}

/**
 * Sends a file, and tells its report again and again until it is over. What runs goes on at the server, whoever listens.
 * @param {Collection} collection
 * @param {File} file
 * @param {Pairs} options
 * @param {AbortSignal} listening ends the looking
 * @param {AbortSignal} [sending] ends the sending, too
 * @returns {AsyncGenerator<Report>}
 */
export async function* importFile(collection, file, options, listening, sending) {
  await file.slice(0, 1).arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read, or has changed since. Choose it again.`);
  });
  const headers = { 'Content-Type': MEDIA_TYPES.get(endingOf(file.name)) ?? '', Prefer: 'wait=0' };
  const begun = await call('POST', `_/import/${collection.name}/${query(options)}`, { body: file, headers, signal: sending });
  // Where it was over at once, for faults, their report is named at the end.
  const id = begun.ok ? begun.data.id : /\/_\/imports\/(\d+)\/$/.exec(begun.status === 400 ? begun.error : '')?.[1];
  if (!id) throw new Error(begun.error);
  const isStoring = begun.ok && !begun.data.dry_run;
  if (isStoring) sessionStorage.setItem(keptAs(collection), JSON.stringify({ id: String(id), name: file.name }));
  const report = begun.ok ? begun.data : { state: 'judging' };
  yield report;
  yield* followImport(collection, { id, name: file.name }, report, listening);
}

/** An import that was begun: its number, and the name of the file. @typedef {{ id: string, name: string }} Begun */

/** Where the import that runs is kept, until it is over: the page may be loaded anew. @param {Collection} collection */
function keptAs({ name }) {
  return `carnet-import-${name}`;
}

/** The import that was begun in this tab and was not over when it was last looked at. @param {Collection} collection @returns {Begun | null} */
export function begunImport(collection) {
  return JSON.parse(sessionStorage.getItem(keptAs(collection)) ?? 'null');
}

/**
 * Tells the report of an import again and again until it is over.
 * @param {Collection} collection
 * @param {Begun} begun
 * @param {Report} report as it is known
 * @param {AbortSignal} listening ends the looking
 * @returns {AsyncGenerator<Report>}
 */
export async function* followImport(collection, { id }, report, listening) {
  const isKept = () => begunImport(collection)?.id === String(id);
  const forget = () => isKept() && sessionStorage.removeItem(keptAs(collection));
  for (let pause = FIRST_PAUSE; !hasEnded(report); pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (listening.aborted) return;
    try {
      const answer = await call('GET', `_/imports/${id}/`, { signal: listening });
      // It is busy, and can be asked again.
      const isLater = answer.status === 429 || answer.status >= 500;
      if (!answer.ok && !isLater) {
        forget();
        throw new Error(answer.error);
      }
      report = { ...(isLater ? report : answer.data), isAway: isLater };
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      report = { ...report, isAway: true };
    }
    if (hasEnded(report)) forget();
    yield report;
  }
  forget();
}
