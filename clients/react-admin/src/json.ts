// JSON whose integers stay what they are: beyond 2^53 a number of JavaScript would become another one.

/** An integer that a number cannot hold becomes its digits, as text. */
export function parse(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source;
    return typeof value === 'number' && !Number.isSafeInteger(value) && source && /^-?\d+$/.test(source) ? source : value;
  } as (this: unknown, key: string, value: unknown) => unknown);
}

/** An object of fields. In those of `integers`, digits that came as text go as a number again. */
export function write(fields: Record<string, unknown>, isInteger: (field: string) => boolean): string {
  const members = Object.entries(fields).map(([field, value]) => {
    const isDigits = typeof value === 'string' && /^-?(0|[1-9]\d*)$/.test(value) && isInteger(field);
    return `${JSON.stringify(field)}:${isDigits ? value : JSON.stringify(value)}`;
  });
  return `{${members.join(',')}}`;
}
