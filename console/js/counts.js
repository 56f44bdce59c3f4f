// How many records a collection has: told by its list, or asked for once everything else is there.
import { visit } from './access.js';
import { call, query } from './api.js';
import { signal } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('../vendor/preact-11.2.0.js').Signal<number | null>} Count */

/** @type {Map<string, Count>} */
const counts = new Map();

/** @param {Collection} collection @returns {Count} */
export function totalOf({ name }) {
  let count = counts.get(name);
  if (!count) counts.set(name, (count = signal(/** @type {number | null} */ (null))));
  return count;
}

/**
 * Asks for those that nobody has told yet. A list without pages would come whole, and is not asked.
 * @param {Collection[]} collections
 */
export async function askTotals(collections) {
  for (const collection of collections) {
    const count = totalOf(collection);
    if (count.peek() !== null || !collection.lists || !collection.pages) continue;
    try {
      const answer = await call('GET', `${collection.name}/${query([[collection.pages.count, '1']])}`, { asks: false });
      if (answer.ok) count.value = Number(answer.data.meta.total_count);
    } catch {
      return;
    }
  }
}

// They are forgotten with the key that let one read them.
visit.subscribe(() => {
  for (const count of counts.values()) count.value = null;
});
