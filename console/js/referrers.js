// Who refers to a record, and what its delete does to them: asked of the collections, exactly.
import { call, query } from './api.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {{ other: Collection, field: import('./model.js').Field }} Referrer */
/** How many; null where that cannot be read. @typedef {Referrer & { count: number | null }} Counted */

/**
 * The fields that may refer to records of a collection.
 * @param {Model} model
 * @param {Collection} collection
 * @returns {Referrer[]}
 */
export function referrersOf(model, collection) {
  return model.collections.flatMap((other) =>
    other.fields.filter((field) => field.references === collection.name).map((field) => ({ other, field })),
  );
}

/**
 * Those that do refer to one record, and those of which it cannot be known.
 * @param {Model} model
 * @param {Collection} collection
 * @param {string} id
 * @returns {Promise<Counted[]>}
 */
export async function countReferrers(model, collection, id) {
  const counted = await Promise.all(referrersOf(model, collection).map(async (one) => ({ ...one, count: await countOf(one, id) })));
  return counted.filter(({ count }) => count !== 0);
}

/** @param {Referrer} referrer @param {string} id */
async function countOf({ other, field }, id) {
  if (!other.lists) return null;
  /** @type {[string, string][]} */
  const pairs = [[field.name, id]];
  if (other.pages) pairs.push([other.pages.count, '1']);
  try {
    const answer = await call('GET', `${other.name}/${query(pairs)}`, { asks: false });
    return answer.ok ? Number(answer.data.meta?.total_count ?? answer.data.object_list.length) : null;
  } catch {
    return null;
  }
}

/** A label inside a sentence: a word that is no abbreviation or name loses its capital. @param {{ label: string }} what */
function wordFor({ label }) {
  return /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLocaleLowerCase() + label.slice(1) : label;
}

/**
 * What the delete does, in a sentence.
 * @param {Counted} counted
 */
export function consequenceOf({ other, field, count }) {
  if (count === null) {
    const does = { cascade: 'are deleted with it', set_null: `lose their ${wordFor(field)}`, restrict: 'keep it from being deleted' };
    return `Those of ${wordFor(other)} that refer to it ${does[field.onDelete]}; how many cannot be read here.`;
  }
  const isOne = count === 1;
  const them = isOne ? `1 record of ${wordFor(other)}` : `${count.toLocaleString('en')} ${wordFor(other)}`;
  if (field.onDelete === 'cascade') return `${them} ${isOne ? 'is' : 'are'} deleted with it.`;
  if (field.onDelete === 'set_null') return `${them} ${isOne ? 'loses its' : 'lose their'} ${wordFor(field)}.`;
  return `${them} ${isOne ? 'refers' : 'refer'} to it as ${wordFor(field)}: as long as ${isOne ? 'it does' : 'they do'}, this cannot be deleted.`;
}

/**
 * What happens to those that refer to records that are deleted, too; '' where there can be none.
 * @param {Model} model
 * @param {Collection} collection
 */
export function furtherOf(model, collection) {
  const does = { cascade: 'are deleted', set_null: 'lose their reference', restrict: 'keep it from being deleted' };
  const parts = referrersOf(model, collection).flatMap(({ other, field }) => [
    `${wordFor(other)} ${does[field.onDelete]}`,
    ...(field.onDelete === 'cascade' && referrersOf(model, other).length > 0 ? [`and so on from ${wordFor(other)}`] : []),
  ]);
  return parts.length > 0 ? `What refers to those ${wordFor(collection)} is affected, too: ${[...new Set(parts)].join(', ')}.` : '';
}
