// The records that refer to one, below it: how many, and the first of them.
import { call, query } from './api.js';
import { idOf } from './model.js';
import { referrersOf } from './referrers.js';
import { href } from './route.js';
import { wordsOf } from './words.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

const SHOWN_AT_MOST = 5;

/** @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, id: string }} props */
export function Referring({ model, collection, id }) {
  return referrersOf(model, collection)
    .filter(({ other }) => other.lists)
    .map(({ other, field }) => html`<${Referrers} key=${`${other.name} ${field.name}`} other=${other} field=${field} id=${id} />`);
}

/** @param {import('./referrers.js').Referrer & { id: string }} props */
function Referrers({ other, field, id }) {
  const [found, setFound] = useState(/** @type {{ records: any[], total: number } | null} */ (null));
  useEffect(() => {
    const abort = new AbortController();
    /** @type {[string, string][]} */
    const pairs = [[field.name, id]];
    if (other.pages) pairs.push([other.pages.count, String(Math.min(SHOWN_AT_MOST, other.pages.size))]);
    call('GET', `${other.name}/${query(pairs)}`, { signal: abort.signal, asks: false }).then(
      (answer) => {
        if (!answer.ok) return;
        const records = answer.data.object_list;
        setFound({ records: records.slice(0, SHOWN_AT_MOST), total: Number(answer.data.meta?.total_count ?? records.length) });
      },
      // It is no part of the record: without it, the record stands alone.
      () => {},
    );
    return () => abort.abort();
  }, []);
  if (!found || found.total === 0) return null;
  const all = href(other.name, null, [[field.name, id]]);
  return html`<section class="referring" aria-label=${`${other.label} (${field.label})`}>
    <h2>${other.label} <span class="count">as ${field.label.toLocaleLowerCase()} · ${found.total.toLocaleString('en')}</span></h2>
    <ul>${found.records.map((record) => html`<li key=${idOf(record)}><a href=${href(other.name, idOf(record))} dir="auto">${wordsOf(other, record)}</a></li>`)}</ul>
    ${found.total > found.records.length && html`<a href=${all}>Show all ${found.total.toLocaleString('en')}</a>`}
  </section>`;
}
