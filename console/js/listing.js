// What a list shows, as parts: search, filters, sort, page. The address has them as the parameters of the API.

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Field} Field */
/** @typedef {[string, string][]} Pairs */
/**
 * @typedef {object} Listing
 * @property {string} search
 * @property {Pairs} filters `last_name.prefix` and its value; `in` may be there several times
 * @property {{ name: string, isDown: boolean }[]} sort
 * @property {number | null} count
 * @property {number} offset
 */

/** So many fields a list can be sorted by. */
const MOST_SORTS = 3;

/** @param {Collection} collection @param {Pairs} pairs @returns {Listing} */
export function listingOf({ words, sorts, pages }, pairs) {
  const one = (/** @type {string | null | undefined} */ wanted) => pairs.find(([name]) => name === wanted)?.[1] ?? '';
  const others = [words, sorts, pages?.offset, pages?.count];
  return {
    search: one(words),
    filters: pairs.filter(([name]) => !others.includes(name)),
    sort: one(sorts).split(',').filter(Boolean).map((text) => ({ name: text.replace(/^-/, ''), isDown: text.startsWith('-') })),
    count: Number(one(pages?.count)) || null,
    offset: Number(one(pages?.offset)) || 0,
  };
}

/** The same with other parts. What changes anything but the page begins at the first. */
/** @param {Collection} collection @param {Pairs} pairs @param {Partial<Listing>} changes @returns {Pairs} */
export function withParts(collection, pairs, changes) {
  const { words, sorts, pages } = collection;
  const { search, filters, sort, count, offset } = { ...listingOf(collection, pairs), offset: 0, ...changes };
  /** @type {[string | null | undefined, string][]} */
  const all = [
    ...filters,
    [words, search],
    [sorts, sort.map(({ name, isDown }) => (isDown ? '-' : '') + name).join(',')],
    [pages?.count, count ? String(count) : ''],
    [pages?.offset, offset ? String(offset) : ''],
  ];
  const isFilter = (/** @type {number} */ at) => at < filters.length;
  return /** @type {Pairs} */ (all.filter(([name, value], at) => name && (value !== '' || isFilter(at))));
}

/**
 * The sort after a click on the head of a column: up, down, none; with others where they are to stay.
 * @param {Listing['sort']} sort
 * @param {string} name
 * @param {boolean} isAdded
 */
export function sortedBy(sort, name, isAdded) {
  const before = sort.find((one) => one.name === name);
  const after = !before ? { name, isDown: false } : !before.isDown ? { name, isDown: true } : null;
  if (!isAdded) return after ? [after] : [];
  if (!before) return [...sort, { name, isDown: false }].slice(-MOST_SORTS);
  return sort.flatMap((one) => (one !== before ? [one] : after ? [after] : []));
}
