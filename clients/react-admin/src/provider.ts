// The data provider: what react-admin asks, in requests that carnet understands.
import { HttpError, type DataProvider, type Identifier, type RaRecord, type SortPayload } from 'react-admin';
import { describe, type Collection, type Description } from './description.js';
import { write } from './json.js';
import { list, type Page } from './list.js';
import { changes, Tags, withId, type Shown } from './record.js';
import { sender, type Settings } from './request.js';

/** How many requests of one call may be under way at once. */
const AT_ONCE = 6;

/** How many writes a batch holds at the most. */
const ITEMS_A_BATCH = 1000;

/** How many records are asked for by their ids at once: a query has 64 parameters at the most. */
const IDS_A_REQUEST = 50;

/** A data provider for the server at `url`. */
export function carnetDataProvider(url: string, settings: Settings = {}): DataProvider {
  const send = sender(url, settings);
  const tags = new Tags();
  let description: Promise<Description> | undefined;

  /** The server is asked once what it has; again where that failed. */
  async function collection(name: string): Promise<Collection> {
    description ??= send('openapi.json').then(({ body }) => describe(body));
    const known = await description.catch((error: unknown) => {
      description = undefined;
      throw error;
    });
    const found = known.get(name);
    if (!found) throw new HttpError(`The server has no collection ${name}`, 404);
    return found;
  }

  async function page(resource: string, wanted: Listed, filter: Record<string, unknown>): Promise<Page> {
    const { page: number, perPage } = wanted.pagination ?? { page: 1, perPage: Infinity };
    return list(send, await collection(resource), {
      filter,
      offset: (number - 1) * (Number.isFinite(perPage) ? perPage : 0),
      length: perPage,
      sort: order(wanted.sort),
      signal: wanted.signal,
    });
  }

  async function fetchOne(resource: string, id: Identifier, signal?: AbortSignal): Promise<RaRecord> {
    const { body, etag } = await send(`${resource}/${id}/`, { signal });
    const record = withId(body as Shown);
    tags.remember(resource, record, etag);
    return record;
  }

  async function change(resource: string, id: Identifier, data: Record<string, unknown>, headers = {}): Promise<RaRecord> {
    const { fields, update } = await collection(resource);
    const body = write(data, (field) => fields.get(field)?.isInteger ?? false);
    const answer = await send(`${resource}/${id}/`, { method: update, body, headers, fields: fields.keys() });
    const record = withId(answer.body as Shown);
    tags.remember(resource, record, answer.etag);
    return record;
  }

  /** Does the same to all of these, or to none: one batch, or several where they are too many for one. */
  async function together(resource: string, ids: Identifier[], method: string, body?: string): Promise<{ data: Identifier[] }> {
    for (const some of parts(ids, ITEMS_A_BATCH)) {
      const rest = body === undefined ? '' : `,"body":${body}`;
      const items = some.map((id) => `{"method":"${method}","path":${JSON.stringify(`/${resource}/${id}/`)}${rest}}`);
      await send('_/batch/', { method: 'POST', body: `{"requests":[${items.join()}]}` });
    }
    return { data: ids };
  }

  const provider = {
    supportAbortSignal: true,

    getList: (resource: string, params: Listed & { filter?: Record<string, unknown> }) => page(resource, params, params.filter ?? {}),

    getManyReference: (resource: string, params: Listed & { filter?: Record<string, unknown>; target: string; id: Identifier }) =>
      page(resource, params, { ...params.filter, [params.target]: params.id }),

    async getOne(resource: string, { id, signal }: { id: Identifier; signal?: AbortSignal }) {
      return { data: await fetchOne(resource, id, signal) };
    },

    /** In the order of the ids; those that are gone are left out. */
    async getMany(resource: string, { ids, signal }: { ids: Identifier[]; signal?: AbortSignal }) {
      const known = await collection(resource);
      const pages = parts(ids, Math.min(IDS_A_REQUEST, known.pages?.size ?? IDS_A_REQUEST));
      const found = await each(pages, (some) => list(send, known, { filter: { id: { in: some } }, offset: 0, length: some.length, signal }));
      const records = new Map(found.flatMap((page) => done(page).data).map((record) => [String(record.id), record]));
      return { data: ids.map((id) => records.get(String(id))).filter((record) => record !== undefined) };
    },

    async create(resource: string, { data }: { data: Record<string, unknown> }) {
      const { fields } = await collection(resource);
      const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
      const body = write(given, (field) => fields.get(field)?.isInteger ?? false);
      const answer = await send(`${resource}/`, { method: 'POST', body, headers: { Prefer: 'return=representation' }, fields: fields.keys() });
      return { data: withId(answer.body as Shown) };
    },

    async update(resource: string, { id, data, previousData }: { id: Identifier; data: Record<string, unknown>; previousData?: Record<string, unknown> }) {
      const headers = tags.match(resource, id, previousData);
      return { data: await change(resource, id, changes(data, previousData ?? {}), headers) };
    },

    async updateMany(resource: string, { ids, data }: { ids: Identifier[]; data: Record<string, unknown> }) {
      const { fields, update } = await collection(resource);
      const body = write(changes(data, {}), (field) => fields.get(field)?.isInteger ?? false);
      return together(resource, ids, update, body);
    },

    async delete(resource: string, { id, previousData }: { id: Identifier; previousData?: RaRecord }) {
      await send(`${resource}/${id}/`, { method: 'DELETE', headers: tags.match(resource, id, previousData) });
      return { data: previousData ?? { id } };
    },

    deleteMany: (resource: string, { ids }: { ids: Identifier[] }) => together(resource, ids, 'DELETE'),
  };
  // react-admin lets its caller choose the type of a record; what the server has, the server decides.
  return provider as unknown as DataProvider;
}

interface Listed {
  pagination?: { page: number; perPage: number };
  sort?: SortPayload;
  signal?: AbortSignal;
}

/** An order as the server takes it. That of the ids is its own. */
function order(sort: SortPayload | undefined): string | undefined {
  if (!sort?.field) return undefined;
  if (sort.order === 'DESC') return `-${sort.field}`;
  return sort.field === 'id' ? undefined : sort.field;
}

/** The same, a few together. */
function parts<T>(of: T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(of.length / length) }, (_, at) => of.slice(at * length, (at + 1) * length));
}

type Outcome<T> = { value: T } | { error: unknown };

/** Does it for each, a few at a time, whatever becomes of the others. */
async function each<From, To>(of: From[], act: (one: From) => Promise<To>): Promise<Outcome<To>[]> {
  const outcomes: Outcome<To>[] = new Array(of.length);
  const waiting = of.map((one, at) => ({ one, at }));
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        outcomes[next.at] = { value: await act(next.one) };
      } catch (error) {
        outcomes[next.at] = { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, of.length) }, work));
  return outcomes;
}

function done<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
