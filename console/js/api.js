// Requests to the public API, like any other client's.
import { askForKey, key } from './access.js';
import { parseJson } from './exact.js';

/** Where the API begins; the page is one step below it. */
export const root = new URL('../', document.baseURI).href;

/**
 * One fault of a body or a query, as problem details tell it.
 * @typedef {{ pointer?: string, parameter?: string, detail: string }} Fault
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {boolean} ok
 * @property {Headers} headers
 * @property {string} text the body as it came
 * @property {any} data the body as JSON, or null
 * @property {string} error what went wrong, in the server's words
 * @property {Fault[]} faults each thing that is wrong with the body or the query
 * @property {Blob | null} file the body as it came, where a file was asked for and is there whole
 */

/** Nobody answered. Whether the request arrived is unknown. */
export class Unreachable extends Error {
  constructor(text = 'The server cannot be reached.') {
    super(text);
  }
}

/**
 * Sends a request. Where a key is wanted, the person is asked, and it is sent again.
 *
 * @param {string} method
 * @param {string} path from the root of the API, with or without its first slash
 * @param {{ body?: string | Blob, headers?: Record<string, string>, signal?: AbortSignal, asks?: boolean, isFile?: boolean }} [options]
 *   `isFile` says that the answer is a file, which may be large
 * @returns {Promise<Answer>}
 */
export async function call(method, path, { body, headers = {}, signal, asks = true, isFile = false } = {}) {
  for (;;) {
    const sent = key.value;
    const all = /** @type {Record<string, string>} */ ({ Accept: 'application/problem+json', ...headers });
    if (sent && !('Authorization' in all)) all.Authorization = `Bearer ${sent}`;
    if (body !== undefined) all['Content-Type'] ??= 'application/json';
    const answer = await exchange(method, urlOf(path), { body, headers: all, signal, cache: 'no-store' }, isFile);
    if (answer.status !== 401 || !asks || !(await askForKey(sent))) return answer;
  }
}

/**
 * Reads what is open to everybody, and what the browser may keep: asked plainly, it is what the page has begun to load.
 * @param {string} path
 */
export function callOpen(path) {
  return exchange('GET', urlOf(path), {});
}

/**
 * The address of a path of the API, to the letter: one that a browser would read as another (`..`, `\\`) is none.
 * @param {string} path
 */
function urlOf(path) {
  const wanted = root + path.replace(/^\//, '');
  if (new URL(wanted).href !== wanted) throw new Error(`There is no ${path} in the API.`);
  return wanted;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {RequestInit} options
 * @param {boolean} [isFile]
 * @returns {Promise<Answer>}
 */
async function exchange(method, url, options, isFile = false) {
  let response;
  let text = '';
  let file = null;
  try {
    response = await fetch(url, { method, ...options });
    if (isFile && response.ok) file = await response.blob();
    else text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    // A part of a file never passes for the whole: its connection is cut, and there is no blob.
    throw new Unreachable(isFile && response ? 'The file broke off before its end.' : undefined);
  }
  let data = null;
  try {
    data = text ? parseJson(text) : null;
  } catch {
    // Not from our server: a proxy's page.
  }
  const { status, ok, headers } = response;
  const error = ok ? '' : (data?.detail ?? data?.error ?? `The server answered ${status} ${response.statusText}`);
  const faults = !ok && Array.isArray(data?.errors) ? data.errors : [];
  return { status, ok, headers, text, data, error: String(error), faults, file };
}

/** Whether the server answers at all. */
export async function isAlive() {
  try {
    return (await fetch(new URL('livez', root), { cache: 'no-store', signal: AbortSignal.timeout(3000) })).ok;
  } catch {
    return false;
  }
}

/** @param {[string, string][]} pairs */
export function query(pairs) {
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}
