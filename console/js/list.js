// A list: a page of records, filters under the columns, everything that is chosen in the URL.
import { call, query } from './api.js';
import { Value } from './cell.js';
import { Alert, toHeading } from './dialog.js';
import { Filter } from './filter.js';
import { idOf } from './model.js';
import { Pager } from './pager.js';
import { go, href, last } from './route.js';
import { freshWords, wordsOf } from './words.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** So many rows are drawn at once of a list without pages. */
const AT_ONCE = 200;

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection,
 *   pairs: [string, string][] }} props
 */
export function List({ model, collection, pairs }) {
  const [page, setPage] = useState(/** @type {{ data: any, offset: number } | null} */ (null));
  const [error, setError] = useState('');
  const [wrong, setWrong] = useState(/** @type {string[]} */ ([]));
  const [isBusy, setBusy] = useState(true);
  const [again, setAgain] = useState(0);
  const [drawn, setDrawn] = useState(AT_ONCE);
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  /** The row that has the focus when the next page is there. */
  const wanted = useRef(/** @type {number | null} */ (null));
  const asked = query(pairs);
  const offsetKey = collection.pages?.offset;
  const countKey = collection.pages?.count;
  const offset = Number(pairs.find(([name]) => name === offsetKey)?.[1] ?? 0) || 0;
  const counts = pairs.filter(([name]) => name === countKey);
  const filters = pairs.filter(([name]) => name !== offsetKey && name !== countKey);

  useEffect(() => {
    const abort = new AbortController();
    setBusy(true);
    if (collection.lists) {
      call('GET', `${collection.name}/${asked}`, { signal: abort.signal }).then(
        (answer) => {
          setBusy(false);
          setError(answer.error);
          setWrong(answer.faults.map((fault) => fault.parameter ?? ''));
          freshWords();
          // Rows of another page say nothing about this one.
          setPage((before) => (answer.ok ? { data: answer.data, offset } : before && { ...before, data: { ...before.data, object_list: [] } }));
        },
        (problem) => {
          if (abort.signal.aborted) return;
          setBusy(false);
          setError(problem.message);
          setPage((before) => before && { ...before, data: { ...before.data, object_list: [] } });
        },
      );
    }
    last.collection = collection.name;
    last.pairs = pairs;
    return () => abort.abort();
  }, [collection, asked, again]);

  // From page to page by the keyboard: on its row again.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const links = /** @type {NodeListOf<HTMLElement> | undefined} */ (body.current?.querySelectorAll('a[data-id]'));
    const row = links?.[Math.min(wanted.current, links.length - 1)];
    wanted.current = null;
    // A page without rows has nothing else that hears the arrows.
    (row ?? /** @type {HTMLElement | null} */ (document.querySelector('h1')))?.focus();
  }, [page]);

  // Back from a record: on its row again.
  useLayoutEffect(() => {
    if (!page || !last.record) return;
    const { collection: opened, id } = last.record;
    if (opened === collection.name) /** @type {HTMLElement | null | undefined} */ (body.current?.querySelector(`a[data-id="${id}"]`))?.focus();
    last.record = null;
  }, [page]);

  /** @param {string} name @param {string | undefined} value */
  const filter = (name, value) => {
    const others = filters.filter(([other]) => other !== name);
    go(collection.name, null, [...others, .../** @type {[string, string][]} */ (value === undefined ? [] : [[name, value]]), ...counts]);
  };
  /** @param {number} to */
  const move = (to) => go(collection.name, null, [...filters, ...counts, .../** @type {[string, string][]} */ (to && offsetKey ? [[offsetKey, String(to)]] : [])]);

  const records = page?.data.object_list ?? [];
  const total = Number(page?.data.meta?.total_count ?? records.length);
  const size = Number(page?.data.meta?.[countKey ?? ''] ?? collection.pages?.size ?? (records.length || 1));
  const columns = [{ name: 'id', kind: /** @type {const} */ ('integer'), required: true, references: null, onDelete: /** @type {const} */ ('restrict') }, ...collection.fields];

  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLAnchorElement)) return;
    const links = /** @type {HTMLElement[]} */ ([...(body.current?.querySelectorAll('a[data-id]') ?? [])]);
    const at = links.indexOf(event.target);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 };
    if (at >= 0 && event.key in steps) {
      event.preventDefault();
      links[steps[/** @type {keyof typeof steps} */ (event.key)]]?.focus();
    } else if (at >= 0 && event.key === 'ArrowRight' && collection.pages && offset + size < total) {
      wanted.current = at;
      move(offset + size);
    } else if (at >= 0 && event.key === 'ArrowLeft' && offset > 0) {
      wanted.current = at;
      move(Math.max(0, offset - size));
    }
  };

  if (!collection.lists) {
    return html`<${Head} collection=${collection} />
      <p class="empty">The configuration of this server does not let the list of ${collection.name} be read.</p>`;
  }
  return html`
    <${Head} collection=${collection} total=${page && !error && total} isFiltered=${filters.length > 0} counts=${counts} />
    ${error && html`<div id="list-error"><${Alert} retry=${() => setAgain(again + 1)}>${error}<//></div>`}
    <div class="table" aria-busy=${isBusy}>
      <table>
        <thead>
          <tr>${columns.map((field) => html`<th key=${field.name} scope="col">
            ${field.name}${field.references && html` <span class="to">→ ${field.references}</span>`}
          </th>`)}</tr>
          <tr class="filters">${columns.map((field) => html`<td key=${field.name}>
            <${Filter}
              model=${model} field=${field} error=${error && wrong.includes(field.name) ? error : ''}
              value=${filters.find(([name]) => name === field.name)?.[1]}
              onFilter=${(/** @type {string | undefined} */ value) => filter(field.name, value)}
            />
          </td>`)}</tr>
        </thead>
        <tbody ref=${body} onKeyDown=${onKeyDown}>
          ${records.slice(0, drawn).map((/** @type {any} */ record) => {
            const id = idOf(record);
            return html`<tr
              key=${id}
              onClick=${(/** @type {MouseEvent} */ event) => {
                if (!isOfRow(event)) return;
                if (event.ctrlKey || event.metaKey) open(href(collection.name, id), '_blank', 'noopener');
                else go(collection.name, id);
              }}
              onAuxClick=${(/** @type {MouseEvent} */ event) => {
                if (event.button === 1 && isOfRow(event)) open(href(collection.name, id), '_blank', 'noopener');
              }}
            >
              <th scope="row"><a data-id=${id} href=${href(collection.name, id)} aria-label=${`${id}: ${wordsOf(collection, record)}`}>${id}</a></th>
              ${collection.fields.map((field) => html`<td key=${field.name} class=${field.kind}>
                <${Value} model=${model} field=${field} value=${record[field.name]} />
              </td>`)}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
    ${!page && !error && html`<p class="empty" role="status">Loading…</p>`}
    ${page && records.length === 0 && !error && html`<${Empty} ...${{ collection, filters, offset, total, move }} />`}
    ${records.length > drawn && html`<button type="button" onClick=${() => setDrawn(drawn + AT_ONCE)}>
      Show ${Math.min(AT_ONCE, records.length - drawn)} more of ${records.length - drawn}
    </button>`}
    ${page && collection.pages && html`<${Pager} ...${{ offset, size, total, isKnown: !error, first: page.offset, shown: records.length, onMove: move }} />`}
  `;
}

/** Whether a click is for the row as a whole. @param {MouseEvent} event */
function isOfRow(event) {
  return !(event.target instanceof Element && event.target.closest('a, button')) && !getSelection()?.toString();
}

/** @param {{ collection: import('./model.js').Collection, total?: number, isFiltered?: boolean,
 *   counts?: [string, string][] }} props */
function Head({ collection, total, isFiltered = false, counts = [] }) {
  return html`<header class="head">
    <h1 tabindex="-1">${collection.name}</h1>
    <p class="total" role="status">
      ${typeof total === 'number' && `${total.toLocaleString('en')} ${isFiltered ? 'match' : total === 1 ? 'record' : 'records'}`}
    </p>
    <span class="grow"></span>
    ${isFiltered && html`<a class="button" href=${href(collection.name, null, counts)}>No filters</a>`}
    ${collection.creates && html`<a class="button primary" href=${href(collection.name, 'new')}>New</a>`}
  </header>`;
}

/** @param {any} props */
function Empty({ collection, filters, offset, total, move }) {
  if (total > 0) {
    return html`<p class="empty">Nothing is at offset ${offset.toLocaleString('en')}.
      ${' '}<button type="button" onClick=${() => (toHeading(), move(0))}>First page</button></p>`;
  }
  if (filters.length > 0) return html`<p class="empty">No record matches. A filter compares exactly, letter by letter.</p>`;
  return html`<p class="empty">There is nothing in ${collection.name} yet.
    ${collection.creates && html` <a href=${href(collection.name, 'new')}>Make the first record</a>`}</p>`;
}
