// A request of the API page, from what is typed into its form: for sending and for the snippets.
import { key } from './access.js';
import { root } from './api.js';
import { NUMBER } from './exact.js';

/** @typedef {import('./apipage.js').Operation} Operation */
/** By the place and the name of a parameter: `query sort`. @typedef {Record<string, string>} Given */

/**
 * @param {Operation} operation
 * @param {Given} given
 * @param {string} body
 */
export function requestOf(operation, given, body) {
  /** @param {any} one */
  const textOfParameter = (one) => given[`${one.in} ${one.name}`] ?? '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name) => encodeURIComponent(given[`path ${name}`] || name.toUpperCase()));
  const filled = operation.parameters.filter((one) => textOfParameter(one) !== '' || one.in === 'path');
  /** @type {[string, string][]} */
  const query = filled.filter((one) => one.in === 'query').flatMap((one) => valuesOf(one, textOfParameter(one)).map((value) => /** @type {[string, string]} */ ([one.name, value])));
  /** @type {[string, string][]} */
  const typed = filled.filter((one) => one.in === 'header').map((one) => [one.name, textOfParameter(one)]);
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  const sent = operation.schema && body ? body : null;
  /** @type {[string, string][]} */
  const headers = [...typed];
  if (operation.wantsKey || key.value) headers.push(['Authorization', 'Bearer YOUR-KEY']);
  if (sent) headers.push(['Content-Type', 'application/json']);
  return {
    method: operation.method,
    base: root,
    template: operation.path,
    /** With its query, as it is sent. */
    path: path + search,
    url: root + path.slice(1) + search,
    /** What the person typed of header fields. */
    typed,
    headers,
    body: sent,
    /** Each parameter with its value as it is written in code. */
    given: filled.map((one) => ({ where: String(one.in), name: String(one.name), value: literalOf(one, textOfParameter(one)) })),
  };
}

/** @typedef {ReturnType<typeof requestOf>} Sample */

/** Of a parameter that takes several values, one stands on each line. @param {any} one @param {string} text */
function valuesOf(one, text) {
  return one.schema?.type === 'array' ? text.split('\n').filter(Boolean) : [text];
}

/** The types of a value, through alternatives. @param {any} schema @returns {string[]} */
export function typesIn(schema) {
  return (schema?.anyOf ?? schema?.oneOf ?? [schema]).flatMap((/** @type {any} */ one) => [one?.type].flat());
}

/** @param {any} one @param {string} text @returns {string} */
function literalOf(one, text) {
  if (text === '') return one.name.toUpperCase();
  if (one.schema?.type === 'array') return `[${valuesOf(one, text).map((value) => literalOf({ schema: one.schema.items }, value)).join(', ')}]`;
  const types = typesIn(one.schema);
  const isNumber = (types.includes('integer') || types.includes('number')) && NUMBER.test(text);
  const isBoolean = types.includes('boolean') && /^(true|false)$/.test(text);
  return isNumber || isBoolean ? text : JSON.stringify(text);
}
