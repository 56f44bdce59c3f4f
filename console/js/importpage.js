// Import: a file is chosen or dropped, tried without storing anything, looked at, and taken into a collection.
import { totalOf } from './counts.js';
import { Alert } from './dialog.js';
import { begunImport, followImport, importFile, hasEnded, isTable, optionsOf, whyNot } from './importing.js';
import { ImportOptions } from './importoptions.js';
import { counted, Counts, Faults, First, Mapping } from './importreport.js';
import { href, hrefBack } from './route.js';
import { called } from './theme.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./importing.js').Report} Report */
/** @typedef {import('./importing.js').Wishes} Wishes */
/**
 * A run of the import, dry or not.
 * @typedef {object} Run
 * @property {boolean} isDry
 * @property {string} asked the options, to see whether others are wished for since
 * @property {Report | null} report null while the file is sent
 * @property {string} error why there is no report, or no more of it
 */

/** @type {Wishes} */
const NO_WISHES = { columns: new Map(), rest: false, spreadsheet: false, encoding: '', fills: new Map(), ids: '' };

/** @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection }} props */
export function ImportPage({ model, collection }) {
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  /** The name of the file, where it was sent before the page was loaded. */
  const [sentName, setSentName] = useState('');
  const [refusal, setRefusal] = useState('');
  const [wishes, setWishes] = useState(NO_WISHES);
  const [run, setRun] = useState(/** @type {Run | null} */ (null));
  const [isOverIt, setOverIt] = useState(false);
  /** Ended when the page is left: nobody looks any more. */
  const leaving = useRef(/** @type {AbortController} */ (/** @type {any} */ (null)));
  const isRunning = useRef(false);
  const outcome = useRef(/** @type {HTMLElement | null} */ (null));
  leaving.current ??= new AbortController();
  useEffect(() => () => leaving.current.abort(), []);

  const isBusy = run !== null && !run.error && !(run.report && hasEnded(run.report));
  const report = run?.report ?? null;

  /** @param {File} chosen @param {Wishes} wished @param {boolean} isDry */
  const start = (chosen, wished, isDry) => {
    const options = optionsOf(chosen, wished);
    const { signal } = leaving.current;
    const tell = () => importFile(collection, chosen, isDry ? [...options, ['dry_run', 'true']] : options, signal, isDry ? signal : undefined);
    return follow({ isDry, asked: JSON.stringify(options), report: null, error: '' }, tell);
  };

  /** @param {Run} now @param {() => AsyncGenerator<Report>} tell what the server says of it, again and again */
  const follow = async (now, tell) => {
    if (isRunning.current) return;
    isRunning.current = true;
    const { isDry } = now;
    const { signal } = leaving.current;
    setRun(now);
    // The button that was pressed goes.
    if (document.activeElement instanceof HTMLButtonElement) outcome.current?.focus();
    try {
      for await (const told of tell()) {
        if (signal.aborted) return;
        now.report = told;
        setRun({ ...now });
      }
    } catch (problem) {
      if (signal.aborted) return;
      setRun({ ...now, error: /** @type {Error} */ (problem).message });
    } finally {
      isRunning.current = false;
    }
    // How many there are now is asked anew.
    if (!isDry) for (const one of model.collections) totalOf(one).value = null;
  };

  useEffect(() => {
    const begun = begunImport(collection);
    if (!begun) return;
    setSentName(begun.name);
    const report = { state: 'judging' };
    follow({ isDry: false, asked: '', report, error: '' }, () => followImport(collection, begun, report, leaving.current.signal));
  }, []);

  /** @param {any} event */
  const onClickFile = (event) => {
    if (isBusy) event.preventDefault();
    // Otherwise a browser says nothing where the same file is chosen again, mended meanwhile.
    else event.target.value = '';
  };
  /** @param {FileList | undefined} files */
  const take = (files) => {
    if (!files || files.length === 0 || isBusy) return;
    const problem = files.length > 1 ? 'These are several files. Import them one after the other.' : whyNot(files[0]);
    setRefusal(problem);
    setRun(null);
    setWishes(NO_WISHES);
    setFile(problem ? null : files[0]);
    setSentName('');
    if (!problem) start(files[0], NO_WISHES, true);
  };
  const takeLatest = useRef(take);
  takeLatest.current = take;
  useEffect(() => {
    // Anywhere on the page: beside its place, the browser would open the file instead of it.
    const over = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') && (event.preventDefault(), setOverIt(true));
    const out = (/** @type {DragEvent} */ event) => event.relatedTarget === null && setOverIt(false);
    const drop = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOverIt(false);
      takeLatest.current(event.dataTransfer.files);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', out);
    addEventListener('drop', drop);
    return () => (removeEventListener('dragover', over), removeEventListener('dragleave', out), removeEventListener('drop', drop));
  }, []);

  /** @param {Partial<Wishes>} changes */
  const wish = (changes) => setWishes({ ...wishes, ...changes });
  /** @param {string} column @param {string} field */
  const choose = (column, field) => {
    const columns = new Map(wishes.columns);
    if (field) columns.set(column, field);
    else columns.delete(column);
    wish({ columns });
  };
  const name = file?.name ?? sentName;
  const isStale = file !== null && run !== null && run.asked !== JSON.stringify(optionsOf(file, wishes));
  const isTried = report?.state === 'done' && run?.isDry === true && !run.error;
  const changing = Number(report?.created ?? 0) + Number(report?.updated ?? 0);
  /** @type {string[]} */
  const others = report && !isBusy ? report.not_taken ?? [] : [];
  const columns = file && report && run?.isDry && html`<${Mapping} ...${{ model, collection, report, columns: wishes.columns, isTable: isTable(file), isBusy }} onChoose=${choose} />`;
  const isDone = report !== null && hasEnded(report) && run?.isDry === false;
  return html`<div class="import" onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
    // What was chosen here would go with the page.
    if (event.key === 'Escape' && file) event.preventDefault();
  }}>
    <nav class="crumbs" aria-label="Where you are"><a href=${hrefBack(collection.name)}>Back to ${called(collection)}</a></nav>
    <header class="head"><h1 tabindex="-1">Import into ${called(collection)}</h1></header>
    <div class=${isOverIt ? 'drop over' : 'drop'}>
      <label class="block">Choose a file, or drop it here
        <input type="file" aria-disabled=${isBusy ? 'true' : undefined} onChange=${(/** @type {any} */ event) => take(event.target.files)}
          onClick=${onClickFile} /></label>
      <p class="soft">CSV (.csv, .tsv), JSON lines (.jsonl, .ndjson, .json) or vCard (.vcf). It is checked first. Nothing is stored until you say so.</p>
    </div>
    ${refusal && html`<${Alert}>${refusal}<//>`}
    ${file && html`<${ImportOptions} ...${{ model, collection, file, wishes, report, isBusy }} onWish=${wish} />`}
    ${name && run && html`<div role="status"><h2 ref=${outcome} tabindex="-1" dir="auto">${headingOf(name, run)}</h2></div>`}
    ${run?.error && html`<${Alert}>${run.error}${!run.isDry && !report && ' Check the file again to see what is stored.'}<//>`}
    ${report?.error && html`<${Alert}>${report.error}<//>`}
    ${isBusy && html`<${Progress} run=${run} />`}
    ${name && report && !isBusy && !run?.error && html`
      ${report.state === 'done' && html`<${Counts} model=${model} report=${report} />`}
      ${others.length > 0 && columns}
      <${Faults} report=${report} />
      ${others.length === 0 && columns}
      ${run?.isDry && html`<${First} collection=${collection} first=${report.first ?? []} />`}`}
    ${name && run && !isBusy && html`<div class="actions">
      ${file && isTried && !isStale && changing > 0 && html`<button type="button" class="primary" onClick=${() => start(file, wishes, false)}>Import ${counted(changing, 'record', 'records')}</button>`}
      ${file && others.some((column) => !wishes.columns.has(column)) && html`<button type="button" onClick=${() => {
        const next = { ...wishes, rest: true };
        setWishes(next);
        start(file, next, true);
      }}>Leave out all the rest</button>`}
      ${file && (isStale || (!isTried && !(isDone && report.state === 'done'))) && html`<button type="button" class=${isStale ? 'primary' : ''} onClick=${() => start(file, wishes, true)}>Check again</button>`}
      ${isDone && html`<a class="button" href=${href(collection.name)}>To ${called(collection)}</a>`}
    </div>`}
  </div>`;
}

/** What has become of the file, in a line. @param {string} name @param {Run} run */
function headingOf(name, { isDry, report, error }) {
  if (error) return isDry ? `${name} is not checked` : `${name} is not imported`;
  if (!report) return `Sending ${name}…`;
  const faults = Number(report.fault_count ?? 0);
  if (report.state === 'judging') return `Checking ${name}…`;
  if (report.state === 'storing') return `Importing ${name}…`;
  if (report.state === 'stopped') return `The import of ${name} stopped`;
  if (report.state === 'refused') return `${name} cannot be imported like this. Nothing was stored.`;
  if (!isDry) return faults > 0 ? `${name} is imported, but for ${counted(faults, 'entry', 'entries')}` : `${name} is imported`;
  const entries = Number(report.entries ?? 0);
  if (entries === 0) return `There are no records in ${name}`;
  const changing = Number(report.created) + Number(report.updated);
  return changing === 0 ? `All of ${name} is there already: nothing would change` : `${counted(entries, 'record', 'records')} in ${name}. Nothing is stored yet.`;
}

/** @param {{ run: Run }} props */
function Progress({ run }) {
  const { report, isDry } = run;
  const [done, all] = [Number(report?.read ?? 0), Number(report?.entries ?? 0)];
  const isCounted = report?.state === 'storing' && all > 0;
  return html`<div class="progress">
    ${isCounted
      ? html`<progress aria-label="Stored" value=${done} max=${all}></progress> <span class="number">${done.toLocaleString('en')} of ${all.toLocaleString('en')}</span>`
      : html`<progress aria-label="Under way"></progress>`}
    ${report?.isAway && html`<p>The server does not answer now. It is asked again.</p>`}
    ${!isDry && html`<p class="soft">${report ? 'It goes on at the server, also when you leave this page.' : 'Stay until the file is sent: from then on it goes on at the server.'}</p>`}
  </div>`;
}
