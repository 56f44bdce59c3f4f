// One request and its answer, or an error that react-admin understands.
import { HttpError } from 'react-admin';
import { parse } from './json.js';

export interface Settings {
  /** The access key, or a function that has it; it goes as `Authorization: Bearer`. */
  key?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  /** What to use instead of the browser's own `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface Ask {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** The fields that an error may be about. */
  fields?: Iterable<string>;
}

export interface Answer {
  body: unknown;
  etag: string | null;
}

export type Send = (path: string, ask?: Ask) => Promise<Answer>;

/** Sends requests to the server at this address. */
export function sender(url: string, settings: Settings): Send {
  const root = url.replace(/\/+$/, '');
  const send = settings.fetch ?? ((...all: Parameters<typeof fetch>) => globalThis.fetch(...all));
  return async (path, { method = 'GET', body, headers = {}, signal, fields = [] } = {}) => {
    const key = typeof settings.key === 'function' ? await settings.key() : settings.key;
    const all: Record<string, string> = { Accept: 'application/json', ...headers };
    if (key) all.Authorization = `Bearer ${key}`;
    if (body !== undefined) all['Content-Type'] = 'application/json';
    const answer = await send(`${root}/${path}`, { method, headers: all, ...(body !== undefined && { body }), ...(signal && { signal }) });
    const text = await answer.text();
    if (!answer.ok) throw refusal(answer, text, new Set(fields));
    return { body: text ? parse(text) : null, etag: answer.headers.get('ETag') };
  };
}

/** The server's words, at the fields that they name where they name any. */
function refusal(answer: Response, text: string, fields: Set<string>): HttpError {
  let message = `The server answered ${answer.status} ${answer.statusText}`.trim();
  try {
    const said = (JSON.parse(text) as { error?: unknown }).error;
    if (typeof said === 'string') message = said;
  } catch {
    // Not from our server: a proxy's page.
  }
  return new HttpError(message, answer.status, { error: message, errors: errors(answer.status, message, fields) });
}

/** `last_name does not validate`, `first_name,last_name must be unique together`: the names come first. */
function errors(status: number, message: string, fields: Set<string>): Record<string, string> | undefined {
  const first = message.split(' ', 1)[0] ?? '';
  const names = first.split(',');
  if (status !== 400 || !names.every((name) => fields.has(name))) return undefined;
  return Object.fromEntries(names.map((name) => [name, message]));
}
