// Lists: filters, and react-admin's pages from the server's.
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
  isDescending: boolean;
  signal?: AbortSignal | undefined;
}

export interface Page {
  data: RaRecord[];
  total: number;
}

/** How often a list is read again that changed while it was read from its end. */
const TRIES = 5;

/** The records from `offset` on, and how many there are in all. */
export async function list(send: Send, collection: Collection, wanted: Wanted): Promise<Page> {
  const { pages } = collection;
  if (!pages) {
    const all = await read(send, collection, wanted, []);
    if (wanted.isDescending) all.data.reverse();
    return { data: all.data.slice(wanted.offset, wanted.offset + wanted.length), total: all.total };
  }
  if (!wanted.isDescending) return span(send, collection, wanted, wanted.offset, wanted.offset + wanted.length);
  // The server counts from the beginning. Where the end is, it says with every page.
  let { total } = await read(send, collection, wanted, [[pages.count, '1']]);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const end = Math.max(0, total - wanted.offset);
    const page = await span(send, collection, wanted, Math.max(0, end - wanted.length), end);
    if (page.total === total) return { data: page.data.reverse(), total };
    total = page.total;
  }
  throw new HttpError(`${collection.name} changes too fast to be read from its end`, 503);
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

async function read(send: Send, collection: Collection, { filter, signal }: Wanted, page: [string, string][]): Promise<Page> {
  const query = new URLSearchParams([...filters(filter), ...page]).toString();
  const { body } = await send(`${collection.name}/${query && `?${query}`}`, { signal, fields: collection.fields.keys() });
  const { meta, object_list } = body as Envelope;
  return { data: object_list.map(withId), total: meta.total_count ?? object_list.length };
}

/** Each value as the text that the server compares with. What it cannot compare with is said, not left out. */
function filters(filter: Record<string, unknown>): [string, string][] {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      if (typeof value === 'object' && value !== null) throw new HttpError(`The filter on ${field} must be one value`, 400);
      return [field, value === null ? '' : String(value)];
    });
}
