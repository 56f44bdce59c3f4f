// What this server has: collections, fields and verbs, read from its own description.
import { callOpen, root } from './api.js';
import { parseJson, writeJson } from './exact.js';

/**
 * @typedef {'string' | 'integer' | 'float' | 'boolean'} Kind
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label what people call it
 * @property {string} help a sentence about it; '' for none
 * @property {Kind} kind
 * @property {boolean} required
 * @property {string | null} references the collection whose ids it holds
 * @property {'restrict' | 'set_null' | 'cascade'} onDelete what the delete of what it refers to does to the record
 * @property {string | null} format `date`, `date-time`, `email`, `uri` and the like
 * @property {any[] | null} choices the only values that it takes
 * @property {number | null} maxLength in characters
 * @property {any} default what the server stores where nothing is given; undefined for nothing
 * @property {string | null} pattern a regular expression that the whole text matches
 * @property {string[]} operators those of its filters: `ne`, `prefix` and the like
 *
 * @typedef {object} Collection
 * @property {string} name
 * @property {string} label what people call it
 * @property {string} help a sentence about it; '' for none
 * @property {string | null} title what its records are called: `{first_name} {last_name}`
 * @property {Field[]} fields in declared order
 * @property {{ size: number, offset: string, count: string } | null} pages
 * @property {string | null} words the parameter that searches it, where it can be searched
 * @property {string | null} sorts the parameter that sorts it
 * @property {string | null} expands the parameter that shows what its records refer to
 * @property {string | null} selects the parameter that shows a part of the fields
 * @property {boolean} batches whether many of its records can be written at once
 * @property {string[]} exports the endings of the files that its records can be had as: `csv`, `jsonl`, `vcf`
 * @property {boolean} imports whether a file can be taken into it
 * @property {boolean} lists whether there is a list to look at
 * @property {boolean} creates
 * @property {boolean} fetches
 * @property {'PUT' | 'PATCH' | null} updates
 * @property {boolean} deletes
 *
 * @typedef {object} Model
 * @property {any} document the whole description
 * @property {Collection[]} collections
 * @property {Map<string, Collection>} byName
 */

const MODEL_KEPT_AS = 'carnet-model';

/**
 * What the server had at the last visit; null at the first. It is shown until the description is there, so that a list
 * does not wait for it.
 * @returns {Model | null}
 */
export function keptModel() {
  try {
    const { at, collections } = parseJson(localStorage.getItem(MODEL_KEPT_AS) ?? '{}');
    if (at !== root || !Array.isArray(collections) || collections.length === 0) return null;
    return modelOf(null, collections.map(readKeptCollection));
  } catch {
    return null;
  }
}

/** What was a number is one again. @param {any} kept @returns {Collection} */
function readKeptCollection(kept) {
  const fields = kept.fields.map((/** @type {any} */ field) => ({ ...field, maxLength: field.maxLength && Number(field.maxLength) }));
  return { ...kept, fields, exports: kept.exports ?? [], pages: kept.pages && { ...kept.pages, size: Number(kept.pages.size) } };
}

/** @param {any} document @param {Collection[]} collections @returns {Model} */
function modelOf(document, collections) {
  return { document, collections, byName: new Map(collections.map((one) => [one.name, one])) };
}

/**
 * Reads the description, which the browser keeps and asks about by its tag.
 * @param {Model | null} before what is shown until now: it stays the same where nothing has changed
 * @returns {Promise<Model>}
 */
export async function loadModel(before = null) {
  const answer = await callOpen('openapi.json');
  if (!answer.ok || !answer.data?.paths) throw new Error(answer.error || 'openapi.json is not what it should be.');
  const document = answer.data;
  const names = Object.keys(document.paths)
    .map((path) => /^\/([a-z][a-z0-9_]*)\/\{id\}\/$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
    .filter((name) => `/${name}/` in document.paths);
  const collections = names.map((name) => readCollection(document, name));
  const kept = writeJson({ at: root, collections });
  if (before && writeJson({ at: root, collections: before.collections }) === kept) return { ...before, document };
  try {
    localStorage.setItem(MODEL_KEPT_AS, kept);
  } catch {
    // No room: the next visit waits for the description.
  }
  return modelOf(document, collections);
}

/**
 * @param {any} document
 * @param {string} name
 * @returns {Collection}
 */
function readCollection(document, name) {
  const list = document.paths[`/${name}/`];
  const record = document.paths[`/${name}/{id}/`];
  const schemas = document.components.schemas;
  const shown = schemas[`${name}-record`] ?? schemas[`${name}-create`] ?? schemas[`${name}-update`] ?? {};
  const create = schemas[`${name}-create`];
  const parameters = document.components.parameters ?? {};
  const offset = parameters[`${name}-page-offset`];
  const count = parameters[`${name}-page-count`];
  const named = (/** @type {string} */ what) => parameters[`${name}-list-${what}`]?.name ?? null;
  /** @param {string} field */
  const operators = (field) => Object.keys(parameters)
    .filter((one) => one.startsWith(`${name}-filter-${field}.`))
    .map((one) => one.slice(one.lastIndexOf('.') + 1));
  return {
    name,
    label: list.summary ?? labelOf(name),
    help: list.description ?? '',
    title: shown['x-title'] ?? null,
    words: named('search'),
    sorts: named('sort'),
    expands: named('expand'),
    selects: named('fields'),
    batches: '/_/batch/' in document.paths,
    fields: Object.entries(shown.properties ?? {})
      // No field begins with an underscore; what does is not stored, but added where it is asked for.
      .filter(([field]) => field !== 'id' && field !== 'ressource_uri' && !field.startsWith('_'))
      .map(([field, schema]) => readField(field, schema, create, operators(field))),
    pages: offset && count ? { size: Number(count.schema.maximum), offset: offset.name, count: count.name } : null,
    exports: ['csv', 'jsonl', 'vcf'].filter((ending) => 'get' in (document.paths[`/_/export/${name}.${ending}`] ?? {})),
    imports: 'post' in (document.paths[`/_/import/${name}/`] ?? {}),
    lists: 'get' in list,
    creates: 'post' in list,
    fetches: 'get' in record,
    updates: 'put' in record ? 'PUT' : 'patch' in record ? 'PATCH' : null,
    deletes: 'delete' in record,
  };
}

/**
 * @param {string} name
 * @param {any} schema
 * @param {any} create
 * @param {string[]} operators
 * @returns {Field}
 */
function readField(name, schema, create, operators) {
  const types = [schema.type].flat();
  const kind = types.find((type) => type !== 'null');
  const typed = create?.properties?.[name] ?? schema;
  return {
    name,
    label: schema.title ?? labelOf(name),
    help: GENERATED.test(schema.description ?? '') ? '' : (schema.description ?? ''),
    kind: kind === 'number' ? 'float' : kind,
    required: create?.required ? create.required.includes(name) : !types.includes('null'),
    references: schema['x-references'] ?? null,
    onDelete: schema['x-on-delete'] ?? 'restrict',
    format: typed.format ?? null,
    choices: typed.enum?.filter((/** @type {any} */ one) => one !== null) ?? null,
    maxLength: typed.maxLength === undefined ? null : Number(typed.maxLength),
    default: typed.default,
    pattern: typed.pattern ?? null,
    operators,
  };
}

/** What the server says of a field that refers to a collection, where the configuration says nothing. */
const GENERATED = /^The id of a record of `/;

/** Names that are no words. */
const ABBREVIATIONS = new Map([['id', 'ID'], ['url', 'URL']]);

/** A name as words: `last_name` is "Last name". @param {string} name */
export function labelOf(name) {
  const words = name.split('_').filter(Boolean).map((word) => ABBREVIATIONS.get(word) ?? word).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The id of a record. It may be left out of a representation; its address never is.
 * @param {any} record
 * @returns {string}
 */
export function idOf(record) {
  return String(record.ressource_uri).split('/').at(-2) ?? '';
}

/** The id as a field: for columns and filters. @type {Field} */
export const ID = readField('id', { type: 'integer' }, null, ['ne', 'in', 'lt', 'lte', 'gt', 'gte']);
