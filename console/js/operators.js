// The operators of filters, as people say them.
import { Exact } from './exact.js';

/** @typedef {import('./model.js').Field} Field */
/**
 * One way to compare. `value` is what is compared with where nothing is to be typed.
 * @typedef {{ sign: string, words: string, value?: string }} Operator
 */

/** How each kind of values is asked for, the most usual first. A sign is the part behind the name of the field. */
/** @param {Field} field @returns {Operator[]} */
export function operatorsOf(field) {
  const isText = field.kind === 'string' && !field.choices && !field.format?.startsWith('date');
  const isPoint = field.references !== null || field.kind === 'boolean' || field.choices !== null;
  const isTime = field.format?.startsWith('date');
  /** @type {Operator[]} */
  const all = [
    ...(isText ? [{ sign: 'contains', words: 'contains' }, { sign: 'prefix', words: 'begins with' }] : []),
    { sign: '', words: 'is' },
    ...(isText ? [{ sign: 'folded', words: 'is, case and accents aside' }] : []),
    { sign: 'ne', words: 'is not' },
    ...(isPoint ? [] : [
      { sign: 'gte', words: isTime ? 'is not before' : isText ? 'is this or behind' : 'is at least' },
      { sign: 'lte', words: isTime ? 'is not after' : isText ? 'is this or before' : 'is at most' },
      { sign: 'gt', words: isTime ? 'is after' : isText ? 'comes behind' : 'is more than' },
      { sign: 'lt', words: isTime ? 'is before' : isText ? 'comes before' : 'is less than' },
    ]),
    { sign: 'in', words: 'is one of' },
    { sign: 'null', words: 'has no value', value: 'true' },
    { sign: 'null', words: 'has a value', value: 'false' },
  ];
  return all.filter(({ sign }) => sign === '' || field.operators.includes(sign));
}

/** The name of the parameter. @param {Field} field @param {string} sign */
export function parameterOf(field, sign) {
  return sign ? `${field.name}.${sign}` : field.name;
}

/**
 * The field and the operator of a filter; none for a parameter that is no filter of these fields.
 * @param {Field[]} fields
 * @param {string} parameter
 * @param {string} value
 */
export function readFilter(fields, parameter, value) {
  const [name, sign = ''] = parameter.split('.');
  const field = fields.find((one) => one.name === name);
  if (!field) return null;
  const known = operatorsOf(field).filter((one) => one.sign === sign);
  const operator = known.find((one) => one.value === value) ?? known.find((one) => one.value === undefined);
  return { field, operator: operator ?? { sign, words: sign || 'is' } };
}

/** A value as a filter writes it. @param {any} value */
export function asFilterText(value) {
  return value instanceof Exact ? value.text : value === null || value === undefined ? '' : String(value);
}
