// The data provider by itself, in a page of another origin. `journeys.js` runs it, and has the server.
import { HttpError, type DataProvider } from 'react-admin';
import { carnetDataProvider } from '../src/index.js';

function equal(found: unknown, wanted: unknown, about: string): void {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${about} is\n  ${one}\nand should be\n  ${other}`);
}

async function refused(promise: Promise<unknown>): Promise<HttpError> {
  const error: unknown = await promise.then(() => null, (thrown: unknown) => thrown);
  if (!(error instanceof HttpError)) throw new Error(`no HttpError, but ${String(error)}`);
  return error;
}

const byId = { field: 'id', order: 'ASC' as const };
const backwards = { field: 'id', order: 'DESC' as const };
const ids = (data: { id: unknown }[]) => data.map(({ id }) => id);

/** Every request that was sent, as method, path and what matters of its head and body. */
const sent: { line: string; headers: Record<string, string>; body: string | undefined }[] = [];

function watching(url: string): typeof fetch {
  return (input, init) => {
    const headers = (init?.headers ?? {}) as Record<string, string>;
    sent.push({ line: `${init?.method} ${String(input).replace(url, '')}`, headers, body: init?.body as string | undefined });
    return fetch(input, init);
  };
}

const lines = () => sent.splice(0).map(({ line }) => line);

async function lists(provider: DataProvider): Promise<void> {
  for (let at = 1; at <= 12; at += 1) {
    await provider.create('address', { data: { country: 'France', city: at % 2 ? 'Paris' : 'Lyon', street: 'quai', number: at } });
  }
  sent.length = 0;
  const first = await provider.getList('address', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: {} });
  equal([ids(first.data), first.total], [[1, 2, 3, 4, 5], 12], 'a page of the length of the server');
  equal(lines(), ['GET /address/?offset=0&count=5'], 'what it asks for');
  const long = await provider.getList('address', { pagination: { page: 2, perPage: 7 }, sort: byId, filter: {} });
  equal([ids(long.data), long.total], [[8, 9, 10, 11, 12], 12], 'a page that is longer than the server’s');
  equal(lines(), ['GET /address/?offset=7&count=5'], 'no more than what is there');
  const whole = await provider.getList('address', { pagination: { page: 1, perPage: 100 }, sort: byId, filter: {} });
  equal(ids(whole.data), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 'a page of all');
  equal(lines().length, 3, 'requests for twelve records, five at a time');
  const last = await provider.getList('address', { pagination: { page: 1, perPage: 4 }, sort: backwards, filter: { city: 'Lyon' } });
  equal([ids(last.data), last.total], [[12, 10, 8, 6], 6], 'from the end, filtered');
  equal(lines(), ['GET /address/?city=Lyon&_sort=-id&offset=0&count=4'], 'in one request');
  const rest = await provider.getList('address', { pagination: { page: 2, perPage: 4 }, sort: backwards, filter: { city: 'Lyon' } });
  equal(ids(rest.data), [4, 2], 'the last page from the end');
  const beyond = await provider.getList('address', { pagination: { page: 9, perPage: 4 }, sort: backwards, filter: {} });
  equal([beyond.data, beyond.total], [[], 12], 'past the beginning');
  const unknown = await refused(provider.getList('address', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: { nick: 'x' } }));
  equal([unknown.status, unknown.message], [400, 'nick is not a field of address'], 'an unknown filter');
  const noted = await provider.getList('notes', { pagination: { page: 2, perPage: 2 }, sort: byId, filter: {} });
  equal([ids(noted.data), noted.total], [[3], 3], 'a list that comes whole');
  equal((await provider.getList('notes', { pagination: { page: 1, perPage: 2 }, sort: backwards, filter: {} })).data.map(({ id }) => id), [3, 2], 'and backwards');
}

async function orders(provider: DataProvider): Promise<void> {
  const pagination = { page: 1, perPage: 7 };
  sent.length = 0;
  const byCity = await provider.getList('address', { pagination, sort: { field: 'city', order: 'ASC' }, filter: {} });
  equal([ids(byCity.data), byCity.total], [[2, 4, 6, 8, 10, 12, 1], 12], 'by a text, over two pages of the server');
  equal(lines(), ['GET /address/?_sort=city&offset=0&count=5', 'GET /address/?_sort=city&offset=5&count=2'], 'what it asks for');
  const largest = await provider.getList('address', { pagination: { page: 2, perPage: 2 }, sort: { field: 'number', order: 'DESC' }, filter: { city: 'Paris' } });
  equal(ids(largest.data), [7, 5], 'by a number, the largest first, filtered');
  const wrong = await refused(provider.getList('address', { pagination, sort: { field: 'nick', order: 'ASC' }, filter: {} }));
  equal([wrong.status, wrong.message], [400, '_sort does not validate: nick is not a field of address'], 'an order by no field');
  const whole = await provider.getList('notes', { pagination: { page: 1, perPage: 2 }, sort: { field: 'title', order: 'DESC' }, filter: {} });
  equal([ids(whole.data), whole.total], [[3, 2], 3], 'a list that comes whole, sorted');
}

async function operators(provider: DataProvider): Promise<void> {
  const found = async (filter: Record<string, unknown>) => ids((await provider.getList('address', { pagination: { page: 1, perPage: 5 }, sort: byId, filter })).data);
  sent.length = 0;
  equal(await found({ number: { gte: 3, lt: 8 }, city: { prefix: 'par' } }), [3, 5, 7], 'what a form makes of sources with dots');
  equal(lines(), ['GET /address/?number.gte=3&number.lt=8&city.prefix=par&offset=0&count=5'], 'what it asks for');
  equal(await found({ 'number.gt': 10 }), [11, 12], 'a name with a dot');
  equal(await found({ number: { in: [9, 2, 77] } }), [2, 9], 'one of several');
  equal(await found({ number: { in: [], lte: 1, gte: undefined } }), [1], 'nothing chosen, no filter');
  for (const number of [new Date(), { gte: { of: 1 } }, { in: [{}] }]) {
    equal((await refused(found({ number }))).message.endsWith(' must be one value, or several'), true, 'what is no value');
  }
  equal((await refused(found({ number: { prefix: 1 } }))).message, 'number.prefix is not a filter of address: number takes ne, in, lt, lte, gt, gte', 'another operator');

  sent.length = 0;
  equal(await found({ q: 'pár quai', number: { gt: 8 } }), [9, 11], 'what is typed is searched for');
  equal(lines(), ['GET /address/?number.gt=8&_search=p%C3%A1r+quai&offset=0&count=5'], 'by its long name');
  equal(await found({ q: '', number: { lt: 2 } }), [1], 'nothing typed, nothing searched');
  equal((await refused(provider.getList('notes', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: { q: 'x' } }))).message, '_search is not a field of notes', 'where no field is searchable');

  sent.length = 0;
  equal(ids((await provider.getMany('address', { ids: [3, 999, '1'] })).data), [3, 1], 'many, as they were asked for, the gone left out');
  equal(lines(), ['GET /address/?id.in=3&id.in=999&id.in=1&offset=0&count=3'], 'in one request');
  await provider.getMany('address', { ids: [1, 2, 3, 4, 5, 6, 7] });
  equal(lines().length, 2, 'as many requests as the pages of the server take');
  equal(ids((await provider.getMany('notes', { ids: Array.from({ length: 120 }, (_, at) => 120 - at) })).data), [3, 2, 1], 'very many');
  equal(lines().map((line) => line.split('id.in=').length - 1), [50, 50, 20], '50 a request');
  equal((await provider.getMany('notes', { ids: [] })).data, [], 'none');
  equal(lines(), [], 'and no request');
}

async function records(provider: DataProvider): Promise<void> {
  const { data: ada } = await provider.create('users', { data: { first_name: 'Ada', last_name: 'Lovelace', address: 3 } });
  equal([ada.id, ada.address], [1, 3], 'a new record');
  await provider.create('users', { data: { first_name: 'Grace', last_name: 'Hopper', address: null } });
  const without = await provider.getList('users', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: { address: null } });
  equal(ids(without.data), [2], 'those without a value');
  const housed = await provider.getList('users', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: { address: { ne: null } } });
  equal(ids(housed.data), [1], 'those with one');
  await provider.create('users', { data: { first_name: 'Alan', last_name: 'Éluard', address: 3 } });
  const byName = { field: 'last_name', order: 'ASC' as const };
  const there = await provider.getManyReference('users', { target: 'address', id: 3, pagination: { page: 1, perPage: 5 }, sort: byName, filter: {} });
  equal([ids(there.data), there.total], [[3, 1], 2], 'who refers to it, in order');

  const { data: seen } = await provider.getOne('users', { id: 1 });
  sent.length = 0;
  const { data: changed } = await provider.update('users', { id: 1, data: { ...seen, last_name: 'King' }, previousData: seen });
  equal([changed.last_name, changed.address], ['King', 3], 'the changed record');
  equal(sent[0]?.body, '{"last_name":"King"}', 'what is sent of it');
  equal(/^"[0-9a-f]{32}"$/.test(sent[0]?.headers['If-Match'] ?? ''), true, 'with If-Match');
  const { data: now } = await provider.getOne('users', { id: 1 });
  await fetch(`${base}/users/1/`, { method: 'PUT', headers: { 'Content-Type': 'application/json', 'X-API-Key': secret }, body: '{"last_name":"Noel"}' });
  const late = await refused(provider.update('users', { id: 1, data: { ...now, first_name: 'Augusta' }, previousData: now }));
  equal(late.status, 412, 'somebody else was faster');
  sent.length = 0;
  await provider.update('users', { id: 1, data: { ...seen, first_name: 'A.' }, previousData: seen });
  equal(sent[0]?.headers['If-Match'], undefined, 'If-Match where no tag is known of what was seen');
  const gone = await refused(provider.delete('users', { id: 1, previousData: (await provider.getOne('users', { id: 1 })).data }).then(() => provider.getOne('users', { id: 1 })));
  equal(gone.status, 404, 'a deleted record');

  const missing = await refused(provider.create('users', { data: { first_name: 'Ada' } }));
  equal(missing.body.errors, { last_name: 'last_name is missing. Cannot create the ressource' }, 'an error at its field');
  const twice = await refused(provider.create('users', { data: { first_name: 'Grace', last_name: 'Hopper' } }));
  const together = 'first_name,last_name must be unique together';
  equal(twice.body.errors, { first_name: together, last_name: together }, 'an error at two fields');
  const strange = await refused(provider.create('users', { data: { first_name: 'A', last_name: 'B', nick: 'C' } }));
  equal([strange.body.errors, strange.message], [undefined, 'nick is not a field of users'], 'an error about no field');

  // 2^53 + 1 and the largest: as text, and back as they were.
  const { data: large } = await provider.create('address', { data: { country: 'x', city: 'x', street: 'x', number: '9223372036854775807' } });
  equal(large.number, '9223372036854775807', 'a large integer');
  equal((await provider.update('address', { id: large.id, data: { ...large, number: '9007199254740993' }, previousData: large })).data.number, '9007199254740993', 'another');
}

async function many(provider: DataProvider): Promise<void> {
  await provider.updateMany('address', { ids: [4, 5, 6], data: { city: 'Nice' } });
  equal((await provider.getList('address', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: { city: 'Nice' } })).total, 3, 'changed at once');
  const some = await refused(provider.deleteMany('address', { ids: [4, 777, 5] }));
  equal([some.status, some.message.startsWith('item 1: ')], [404, true], some.message);
  equal((await provider.getMany('address', { ids: [4, 5] })).data.length, 2, 'nothing is deleted where one is not there');
  equal((await provider.deleteMany('address', { ids: [4, 5, 6] })).data, [4, 5, 6], 'deleted at once');
  equal((await provider.getMany('address', { ids: [4, 5, 6] })).data, [], 'all of them');
  equal((await provider.deleteMany('address', { ids: [] })).data, [], 'none at all');
}

async function givenUp(provider: DataProvider): Promise<void> {
  const control = new AbortController();
  const asked = provider.getList('address', { pagination: { page: 1, perPage: 5 }, sort: byId, filter: {}, signal: control.signal });
  control.abort();
  const error: unknown = await asked.then(() => null, (thrown: unknown) => thrown);
  equal(error instanceof DOMException && error.name, 'AbortError', 'a request that nobody waits for');
  const stranger = await refused(carnetDataProvider(base, { key: 'ck_wrong' }).getOne('users', { id: 2 }));
  equal(stranger.status, 401, 'a wrong key');
}

let base = '';
let secret = '';

/** Called by the test with the address of the server and an access key. */
export async function run(url: string, key: string): Promise<void> {
  base = url;
  secret = key;
  const provider = carnetDataProvider(`${url}/`, { key: async () => key, fetch: watching(url) });
  await lists(provider);
  await orders(provider);
  await operators(provider);
  await records(provider);
  await many(provider);
  await givenUp(provider);
}
