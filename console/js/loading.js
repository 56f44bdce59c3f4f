// A page of a list, asked for when its address changes, with the records that it refers to.
import { key } from './access.js';
import { call, query } from './api.js';
import { askTotals, totalOf } from './counts.js';
import { listingOf } from './listing.js';
import { idOf } from './model.js';
import { afterPress } from './press.js';
import { last, neighbours } from './route.js';
import { saved } from './seen.js';
import { freshWords, teachWords } from './words.js';
import { useEffect, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {[string, string][]} Pairs */
/** @typedef {{ data: any, pairs: Pairs }} Page */

/** The collections whose references a key may not read along, each with its key. @type {Set<string>} */
const refused = new Set();

/**
 * The fields whose records can be shown with the list.
 * @param {Model} model
 * @param {Collection} collection
 */
function expandable(model, collection) {
  return collection.fields.filter((field) => field.references && model.byName.get(field.references)?.fetches);
}

/**
 * Asks for a page. Where what it refers to may not be read along, it comes without.
 * @param {Model} model
 * @param {Collection} collection
 * @param {Pairs} pairs
 * @param {AbortSignal} signal
 */
async function askFor(model, collection, pairs, signal) {
  const fields = collection.expands ? expandable(model, collection) : [];
  const name = () => `${collection.name} ${key.peek()}`;
  if (collection.expands && fields.length > 0 && !refused.has(name())) {
    const expanded = /** @type {Pairs} */ ([...pairs, [collection.expands, fields.map((field) => field.name).join()]]);
    const answer = await call('GET', `${collection.name}/${query(expanded)}`, { signal, asks: false });
    if (answer.status !== 401 && answer.status !== 403) {
      freshWords();
      for (const record of answer.data?.object_list ?? []) {
        for (const field of fields) {
          const shown = record._expanded?.[field.name];
          const target = /** @type {Collection} */ (model.byName.get(/** @type {string} */ (field.references)));
          if (shown) teachWords(target, shown);
        }
      }
      return answer;
    }
    refused.add(name());
  }
  const answer = await call('GET', `${collection.name}/${query(pairs)}`, { signal });
  freshWords();
  return answer;
}

/**
 * @param {Model} model
 * @param {Collection} collection
 * @param {Pairs} pairs
 */
export function usePage(model, collection, pairs) {
  const [page, setPage] = useState(/** @type {Page | null} */ (null));
  const [error, setError] = useState('');
  const [wrong, setWrong] = useState(/** @type {string[]} */ ([]));
  const [isBusy, setBusy] = useState(true);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    last.collection = collection.name;
    last.pairs = pairs;
    if (!collection.lists) return;
    setBusy(true);
    /** Rows of another page say nothing about this one. @param {string} problem */
    const fail = (problem) => {
      setError(problem);
      neighbours.value = { collection: collection.name, ids: [] };
      setPage((before) => before && { ...before, data: { ...before.data, object_list: [] } });
    };
    askFor(model, collection, pairs, abort.signal).then(
      (answer) => afterPress(() => {
        if (abort.signal.aborted) return;
        setBusy(false);
        setWrong(answer.faults.map((fault) => fault.parameter ?? ''));
        if (!answer.ok) return fail(answer.error);
        setError('');
        neighbours.value = { collection: collection.name, ids: answer.data.object_list.map(idOf) };
        const { search, filters } = listingOf(collection, pairs);
        if (search === '' && filters.length === 0) totalOf(collection).value = Number(answer.data.meta?.total_count ?? answer.data.object_list.length);
        setPage({ data: answer.data, pairs });
        // Now that everything else is there.
        setTimeout(() => askTotals(model.collections));
      }),
      (problem) => {
        if (abort.signal.aborted) return;
        setBusy(false);
        setWrong([]);
        fail(problem.message);
      },
    );
    return () => abort.abort();
    // A save or a delete beside the list may change what is in it.
  }, [collection, query(pairs), again, saved.value]);
  return { page, error, wrong, isBusy, reload: () => setAgain((count) => count + 1) };
}
