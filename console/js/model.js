// What this server has: collections, fields and verbs, read from its own description.
import { call } from './api.js';

/**
 * @typedef {'string' | 'integer' | 'float' | 'boolean'} Kind
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {Kind} kind
 * @property {boolean} required
 * @property {string | null} references the collection whose ids it holds
 * @property {'restrict' | 'set_null' | 'cascade'} onDelete what the delete of what it refers to does to the record
 *
 * @typedef {object} Collection
 * @property {string} name
 * @property {Field[]} fields in declared order
 * @property {{ size: number, offset: string, count: string } | null} pages
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

/** @returns {Promise<Model>} */
export async function loadModel() {
  const answer = await call('GET', 'openapi.json');
  if (!answer.ok || !answer.data?.paths) throw new Error(answer.error || 'openapi.json is not what it should be.');
  const document = answer.data;
  const names = Object.keys(document.paths)
    .map((path) => /^\/([a-z][a-z0-9_]*)\/\{id\}\/$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
    .filter((name) => `/${name}/` in document.paths);
  const collections = names.map((name) => readCollection(document, name));
  return { document, collections, byName: new Map(collections.map((one) => [one.name, one])) };
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
  return {
    name,
    fields: Object.entries(shown.properties ?? {})
      // No field begins with an underscore; what does is not stored, but added where it is asked for.
      .filter(([field]) => field !== 'id' && field !== 'ressource_uri' && !field.startsWith('_'))
      .map(([field, schema]) => readField(field, schema, create)),
    pages: offset && count ? { size: Number(count.schema.maximum), offset: offset.name, count: count.name } : null,
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
 * @returns {Field}
 */
function readField(name, schema, create) {
  const types = [schema.type].flat();
  const kind = types.find((type) => type !== 'null');
  return {
    name,
    kind: kind === 'number' ? 'float' : kind,
    required: create?.required ? create.required.includes(name) : !types.includes('null'),
    references: schema['x-references'] ?? null,
    onDelete: schema['x-on-delete'] ?? 'restrict',
  };
}

/**
 * The id of a record. It may be left out of a representation; its address never is.
 * @param {any} record
 * @returns {string}
 */
export function idOf(record) {
  return String(record.ressource_uri).split('/').at(-2) ?? '';
}
