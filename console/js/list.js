// A list: a page of records, filters under the columns, everything that is chosen in the URL.
import { call, query } from './api.js';
import { Value } from './cell.js';
import { Alert } from './dialog.js';
import { Filter } from './filter.js';
import { idOf } from './model.js';
import { Pager } from './pager.js';
import { go, href, last } from './route.js';
import { wordsOf } from './words.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** So many rows are drawn at once of a list without pages. */
const AT_ONCE = 200;

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection,
 *   pairs: [string, string][] }} props
 */
export function List({ model, collection, pairs }) {
  const [page, setPage] = useState(/** @type {any} */ (null));
  const [error, setError] = useState('');
  const [wrong, setWrong] = useState(/** @type {string[]} */ ([]));
  const [isBusy, setBusy] = useState(true);
  const [again, setAgain] = useState(0);
  const [drawn, setDrawn] = useState(AT_ONCE);
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const asked = query(pairs);

  useEffect(() => {
    const abort = new AbortController();
    setBusy(true);
    if (collection.lists) {
      call('GET', `${collection.name}/${asked}`, { signal: abort.signal }).then(
        (answer) => {
          setBusy(false);
          setError(answer.error);
          setWrong(answer.faults.map((fault) => fault.parameter ?? ''));
          if (answer.ok) setPage(answer.data);
        },
        (problem) => {
          if (abort.signal.aborted) return;
          setBusy(false);
          setError(problem.message);
        },
      );
    }
    last.collection = collection.name;
    last.pairs = pairs;
    return () => abort.abort();
  }, [collection, asked, again]);

  // Back from a record: on its row again.
  useLayoutEffect(() => {
    if (!page || !last.record) return;
    const { collection: opened, id } = last.record;
    if (opened === collection.name) /** @type {HTMLElement | null | undefined} */ (body.current?.querySelector(`a[data-id="${id}"]`))?.focus();
    last.record = null;
  }, [page]);

  const offsetKey = collection.pages?.offset;
  const offset = Number(pairs.find(([name]) => name === offsetKey)?.[1] ?? 0) || 0;
  const filters = pairs.filter(([name]) => name !== offsetKey && name !== collection.pages?.count);
  /** @param {string} name @param {string | undefined} value */
  const filter = (name, value) => {
    const others = filters.filter(([other]) => other !== name);
    go(collection.name, null, value === undefined ? others : [...others, [name, value]]);
  };
  /** @param {number} to */
  const move = (to) => go(collection.name, null, to && offsetKey ? [...filters, [offsetKey, String(to)]] : filters);

  const records = page?.object_list ?? [];
  const total = Number(page?.meta?.total_count ?? records.length);
  const size = Number(page?.meta?.count ?? collection.pages?.size ?? (records.length || 1));
  const columns = [{ name: 'id', kind: /** @type {const} */ ('integer'), required: true, references: null }, ...collection.fields];

  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLAnchorElement)) return;
    const links = /** @type {HTMLElement[]} */ ([...(body.current?.querySelectorAll('a[data-id]') ?? [])]);
    const at = links.indexOf(event.target);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 };
    if (at >= 0 && event.key in steps) {
      event.preventDefault();
      links[steps[/** @type {keyof typeof steps} */ (event.key)]]?.focus();
    } else if (event.key === 'ArrowRight' && collection.pages && offset + size < total) {
      move(offset + size);
    } else if (event.key === 'ArrowLeft' && offset > 0) {
      move(Math.max(0, offset - size));
    }
  };

  if (!collection.lists) {
    return html`<${Head} collection=${collection} />
      <p class="empty">The configuration of this server does not let the list of ${collection.name} be read.</p>`;
  }
  return html`
    <${Head} collection=${collection} total=${page && total} isFiltered=${filters.length > 0} />
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
                const isElsewhere = event.target instanceof Element && event.target.closest('a, button');
                if (!isElsewhere && !getSelection()?.toString()) go(collection.name, id);
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
    ${page && collection.pages && html`<${Pager} offset=${offset} size=${size} shown=${records.length} total=${total} onMove=${move} />`}
  `;
}

/** @param {{ collection: import('./model.js').Collection, total?: number, isFiltered?: boolean }} props */
function Head({ collection, total, isFiltered = false }) {
  return html`<header class="head">
    <h1 tabindex="-1">${collection.name}</h1>
    <p class="total" role="status">
      ${typeof total === 'number' && `${total.toLocaleString('en')} ${isFiltered ? 'match' : total === 1 ? 'record' : 'records'}`}
    </p>
    <span class="grow"></span>
    ${isFiltered && html`<a class="button" href=${href(collection.name)}>No filters</a>`}
    ${collection.creates && html`<a class="button primary" href=${href(collection.name, 'new')}>New</a>`}
  </header>`;
}

/** @param {any} props */
function Empty({ collection, filters, offset, total, move }) {
  if (total > 0) {
    return html`<p class="empty">Nothing is at offset ${offset.toLocaleString('en')}.
      ${' '}<button type="button" onClick=${() => move(0)}>First page</button></p>`;
  }
  if (filters.length > 0) return html`<p class="empty">No record matches. A filter compares exactly, letter by letter.</p>`;
  return html`<p class="empty">There is nothing in ${collection.name} yet.
    ${collection.creates && html` <a href=${href(collection.name, 'new')}>Make the first record</a>`}</p>`;
}
