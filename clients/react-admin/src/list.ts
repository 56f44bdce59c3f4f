// Lists: filters, the order, and react-admin's pages from the server's.
import { HttpError, type RaRecord } from 'react-admin';
import type { Collection } from './description.js';
import { withId, type Shown } from './record.js';
import type { Send } from './request.js';

interface Envelope {
  meta: { total_count?: number };
  object_list: Shown[];
}

export interface Wanted {
  filter: Record<string, unknown>;
  /** From 0. */
  offset: number;
  /** How many. */
  length: number;
  /** As the server takes it; none for the order of ids. */
  sort?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Page {
  data: RaRecord[];
  total: number;
}

/** The long forms of the parameters: a short one may be the name of a field. */
const SORT = '_sort';
const SEARCH = '_search';
/** What react-admin calls what is typed into a search. */
const TYPED = 'q';

/** The records from `offset` on, and how many there are in all. */
export async function list(send: Send, collection: Collection, wanted: Wanted): Promise<Page> {
  if (collection.pages) return span(send, collection, wanted, wanted.offset, wanted.offset + wanted.length);
  const all = await read(send, collection, wanted, []);
  return { data: all.data.slice(wanted.offset, wanted.offset + wanted.length), total: all.total };
}

/** From one place to another, in as many requests as the server's pages take. */
async function span(send: Send, collection: Collection, wanted: Wanted, from: number, to: number): Promise<Page> {
  const { size, offset, count } = collection.pages ?? { size: 1, offset: '', count: '' };
  let data: RaRecord[] = [];
  let total: number;
  do {
    const start = from + data.length;
    const length = Math.max(1, Math.min(size, to - start));
    const page = await read(send, collection, wanted, [[offset, String(start)], [count, String(length)]]);
    data = data.concat(page.data);
    total = page.total;
    if (page.data.length < length) break;
  } while (from + data.length < Math.min(to, total));
  return { data: data.slice(0, Math.max(0, to - from)), total };
}

async function read(send: Send, collection: Collection, { filter, sort, signal }: Wanted, page: [string, string][]): Promise<Page> {
  const order: [string, string][] = sort ? [[SORT, sort]] : [];
  const query = new URLSearchParams([...filters(searched(collection, filter)), ...order, ...page]).toString();
  const { body } = await send(`${collection.name}/${query && `?${query}`}`, { signal, fields: collection.fields.keys() });
  const { meta, object_list } = body as Envelope;
  return { data: object_list.map(withId), total: meta.total_count ?? object_list.length };
}

/** What is typed is searched for, unless there is a field of that name; nothing typed, nothing searched. */
function searched(collection: Collection, filter: Record<string, unknown>): Record<string, unknown> {
  const { [TYPED]: typed, ...others } = filter;
  if (typed === undefined || collection.fields.has(TYPED)) return filter;
  return typed === '' ? others : { ...others, [SEARCH]: typed };
}

/**
 * Each value as the text that the server compares with. `{ number: { gte: 1 } }` is `number.gte=1`, and a list of
 * values repeats the name, as `in` takes it. What the server cannot compare with is said, not left out.
 */
function filters(filter: Record<string, unknown>, before = ''): [string, string][] {
  return Object.entries(filter).flatMap(([name, value]): [string, string][] => {
    const parameter = before + name;
    if (!before && isObject(value)) return filters(value, `${parameter}.`);
    return [value].flat().filter((one) => one !== undefined).map((one) => {
      if (typeof one === 'object' && one !== null) throw new HttpError(`The filter ${parameter} must be one value, or several`, 400);
      return [parameter, one === null ? '' : String(one)];
    });
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
