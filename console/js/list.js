// A list: searched, filtered, sorted, page by page; everything that is chosen is in the address.
import { BulkBar } from './bulk.js';
import { Cards } from './cards.js';
import { ColumnsButton, columnsOf } from './columns.js';
import { Alert, toHeading } from './dialog.js';
import { ExportMenu } from './export.js';
import { Filters } from './filter.js';
import { Icon } from './icons.js';
import { mayImport } from './importing.js';
import { mayWrite, ReadOnly } from './me.js';
import { idOf } from './model.js';
import { listingOf, sortedBy, withParts } from './listing.js';
import { usePage } from './loading.js';
import { Order } from './order.js';
import { Pager } from './pager.js';
import { PinButton } from './places.js';
import { go, href, last } from './route.js';
import { SearchBox } from './search.js';
import { Table } from './table.js';
import { called } from './theme.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {[string, string][]} Pairs */

/** So many rows are drawn at once of a list without pages. */
const AT_ONCE = 200;

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, pairs: Pairs,
 *   opened: string | null, isNarrow: boolean }} props `opened` is the record that stands beside it
 */
export function List({ model, collection, pairs, opened, isNarrow }) {
  const { page, error, wrong, isBusy, reload } = usePage(model, collection, pairs);
  const [drawn, setDrawn] = useState(AT_ONCE);
  const [ticked, setTicked] = useState(/** @type {Set<string>} */ (new Set()));
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  /** The row that was ticked last: where a range begins. */
  const anchor = useRef('');
  /** The row that has the focus when the next page is there. */
  const wanted = useRef(/** @type {number | null} */ (null));
  const listing = listingOf(collection, pairs);
  const { search, filters, sort, offset } = listing;
  const links = () => /** @type {HTMLElement[]} */ ([...(body.current?.querySelectorAll('a[data-id]') ?? [])]);
  /** @param {Partial<import('./listing.js').Listing>} changes @param {boolean} [isStep] */
  const change = (changes, isStep = false) => go(collection.name, opened, withParts(collection, pairs, changes), { isStep });

  // From page to page by the keyboard: on its row again.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const all = links();
    const row = all[Math.min(wanted.current, all.length - 1)];
    wanted.current = null;
    // A page without rows has nothing else that hears the arrows.
    (row ?? /** @type {HTMLElement | null} */ (document.querySelector('h1')))?.focus();
  }, [page]);

  // Back from a record: on its row again.
  useLayoutEffect(() => {
    if (!page || !last.record || opened) return;
    const { collection: from, id } = last.record;
    if (from === collection.name) links().find((link) => link.dataset.id === id)?.focus();
    last.record = null;
  }, [page, opened]);

  useEffect(() => {
    // The bar goes with the ticks.
    if (document.activeElement?.closest('.bulk')) toHeading();
    setTicked(new Set());
  }, [page]);

  const records = page?.data.object_list ?? [];
  const total = Number(page?.data.meta?.total_count ?? records.length);
  const size = Number(page?.data.meta?.[collection.pages?.count ?? ''] ?? collection.pages?.size ?? (records.length || 1));
  const isFiltered = filters.length > 0 || search !== '';

  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLAnchorElement)) return;
    const all = links();
    const at = all.indexOf(event.target);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    if (at >= 0 && event.key in steps) {
      event.preventDefault();
      const to = all[steps[/** @type {keyof typeof steps} */ (event.key)]];
      to?.focus();
      if (to && opened && opened !== 'new') go(collection.name, to.dataset.id, pairs, { isStep: true });
    } else if (at >= 0 && event.key === 'ArrowRight' && collection.pages && offset + size < total) {
      wanted.current = at;
      change({ offset: offset + size });
    } else if (at >= 0 && event.key === 'ArrowLeft' && offset > 0) {
      wanted.current = at;
      change({ offset: Math.max(0, offset - size) });
    }
  };

  /** @param {string[]} which @param {boolean} isOn @param {boolean} isRange */
  const tick = (which, isOn, isRange) => {
    const all = records.map(idOf);
    const [from, to] = [all.indexOf(anchor.current), all.indexOf(which[0])].sort((one, other) => one - other);
    const next = new Set(ticked);
    for (const id of isRange && from >= 0 ? all.slice(from, to + 1) : which) isOn ? next.add(id) : next.delete(id);
    anchor.current = which[0];
    setTicked(next);
  };
  const isTicking = collection.batches && mayWrite(collection) && (collection.deletes || collection.updates !== null);

  if (!collection.lists) {
    return html`<${Head} collection=${collection} pairs=${pairs} />
      <p class="empty">The configuration of this server does not let the list of ${called(collection)} be read.</p>`;
  }
  const isFirst = !page && !error;
  const shown = records.slice(0, drawn);
  const common = { model, collection, columns: columnsOf(collection), records: shown, pairs, isBusy, isFirst, body, onKeyDown };
  return html`
    <${Head} collection=${collection} pairs=${pairs} total=${page && !error && total} isFiltered=${isFiltered}>
      <button type="button" class="quiet" title="Refresh" aria-label="Refresh" onClick=${reload}><${Icon} name="refresh" /></button>
      <${PinButton} name=${[called(collection), search].filter(Boolean).join(': ')} />
      ${!opened && !isNarrow && html`<${ColumnsButton} collection=${collection} />`}
    <//>
    <${ReadOnly} collection=${collection} />
    <div class="tools">
      ${collection.words && html`<${SearchBox}
        label=${`Search ${called(collection)}`} search=${search}
        onSearch=${(/** @type {string} */ words) => change({ search: words }, search !== '' && words !== '')}
        onDown=${() => links()[0]?.focus()}
      />`}
      <${Filters} model=${model} collection=${collection} filters=${filters} wrong=${error ? wrong : []}
        onFilter=${(/** @type {Pairs} */ next) => change({ filters: next })} />
      ${isFiltered && html`<a class="clear" href=${href(collection.name, opened, withParts(collection, pairs, { filters: [], search: '' }))}
        onClick=${toHeading}>Clear filters</a>`}
      ${isNarrow && collection.sorts && html`<${Order} columns=${common.columns} sort=${sort}
        onSort=${(/** @type {typeof sort} */ next) => change({ sort: next })} />`}
      <${ExportMenu} collection=${collection} listing=${listing} total=${page && !error ? total : null} />
    </div>
    ${error && html`<div id="list-error"><${Alert} retry=${reload}>${error}<//></div>`}
    ${ticked.size > 0 && html`<${BulkBar} model=${model} collection=${collection} ids=${[...ticked]}
      onDone=${reload} onClear=${() => (toHeading(), setTicked(new Set()))} />`}
    ${isNarrow || opened
      ? html`<${Cards} ...${common} opened=${opened} />`
      : html`<${Table} ...${common} sort=${sort} ticked=${ticked} onTick=${isTicking ? tick : null}
          onSort=${(/** @type {string} */ name, /** @type {boolean} */ isAdded) => change({ sort: sortedBy(sort, name, isAdded) })} />`}
    ${isFirst && html`<p class="unseen" role="status">Loading…</p>`}
    ${page && records.length === 0 && !error && html`<${Empty} ...${{ collection, isFiltered, search, offset, total, change }} />`}
    ${records.length > drawn && html`<button type="button" onClick=${() => setDrawn(drawn + AT_ONCE)}>
      Show ${Math.min(AT_ONCE, records.length - drawn)} more of ${records.length - drawn}
    </button>`}
    ${page && collection.pages && html`<${Pager} ...${{ offset, size, total, isKnown: !error, first: listingOf(collection, page.pairs).offset, shown: records.length, largest: collection.pages.size }}
      onMove=${(/** @type {number} */ to) => change({ offset: to })} onSize=${(/** @type {number} */ count) => change({ count })} />`}
  `;
}

/** @param {{ collection: import('./model.js').Collection, pairs: Pairs, total?: number, isFiltered?: boolean, children?: any }} props */
function Head({ collection, pairs, total, isFiltered = false, children }) {
  return html`<header class="head">
    <h1 tabindex="-1" title=${collection.help || undefined}>${called(collection)}</h1>
    <p class="total" role="status">
      ${typeof total === 'number' && `${total.toLocaleString('en')} ${isFiltered ? 'match' : total === 1 ? 'record' : 'records'}`}
    </p>
    <span class="grow"></span>
    ${children}
    ${mayImport(collection) && html`<a class="button" href=${href(collection.name, 'import', pairs)}><${Icon} name="take" />Import</a>`}
    ${collection.creates && mayWrite(collection) && html`<a class="button primary new" href=${href(collection.name, 'new', pairs)}><${Icon} name="plus" />New</a>`}
  </header>`;
}

/** @param {any} props */
function Empty({ collection, isFiltered, search, offset, total, change }) {
  if (total > 0) {
    return html`<p class="empty">Nothing is at offset ${offset.toLocaleString('en')}.
      ${' '}<button type="button" onClick=${() => (toHeading(), change({ offset: 0 }))}>First page</button></p>`;
  }
  if (isFiltered) return html`<p class="empty">No record matches${search && html` “<span dir="auto">${search}</span>”`}.</p>`;
  return html`<p class="empty">There is nothing in ${called(collection)} yet.
    ${collection.creates && mayWrite(collection) && html` <a href=${href(collection.name, 'new')}>Make the first record</a>`}
    ${collection.creates && mayImport(collection) && ' or '}
    ${mayImport(collection) && html`<a href=${href(collection.name, 'import')}>import a file</a>`}</p>`;
}
