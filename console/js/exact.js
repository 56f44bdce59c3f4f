// JSON whose numbers stay as they were written: 9223372036854775807 is no number of JavaScript.

/** A number as the text that stands for it. */
export class Exact {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }

  /** For what is surely small: counts, offsets, statuses. */
  valueOf() {
    return Number(this.text);
  }
}

/** What a number looks like in JSON. */
export const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

/** Whether this browser shows the source of a number; those since 2025 do. */
export const canParse = (() => {
  let source = '';
  // @ts-ignore: the third argument is younger than the types
  JSON.parse('1', (_key, value, context) => ((source = context?.source), value));
  return source === '1';
})();

/**
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  // @ts-ignore: as above
  return JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? new Exact(context.source) : value,
  );
}

/**
 * @param {any} value
 * @param {string} [indent] '' for one line
 * @param {string} [before]
 * @returns {string}
 */
export function writeJson(value, indent = '', before = '') {
  if (value instanceof Exact) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = before + indent;
  const parts = Array.isArray(value)
    ? value.map((one) => writeJson(one, indent, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => JSON.stringify(name) + (indent ? ': ' : ':') + writeJson(one, indent, inner));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (!indent || parts.length === 0) return open + parts.join(',') + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${before}${close}`;
}
