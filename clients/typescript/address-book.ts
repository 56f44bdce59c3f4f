// An address book by a generated client: every path, parameter and body below is checked by the compiler.
//
//     node build/address-book.js http://127.0.0.1:8080 [access key]
import createClient from 'openapi-fetch';
import type { components, paths } from './carnet.js';

type User = components['schemas']['users-record'];

declare const process: { argv: string[] };
const [, , url = 'http://127.0.0.1:8080', key] = process.argv;
const carnet = createClient<paths, 'application/json'>({ baseUrl: url, headers: key ? { Authorization: `Bearer ${key}` } : {} });

function expect(holds: boolean, about: string): asserts holds {
  if (!holds) throw new Error(about);
}

/** An address. Its id is not shown, so it is read from where the server says that the record is. */
async function createAddress(number: number): Promise<number> {
  const { response, error } = await carnet.POST('/address/', { body: { country: 'France', city: 'Paris', street: 'quai de Valmy', number } });
  if (error) throw new Error(error.error);
  return Number(response.headers.get('Location')?.split('/').at(-2));
}

/** The body of this answer is the record, because the request prefers it; otherwise it would be empty. */
async function createUser(first_name: string, last_name: string, address: number | null): Promise<User> {
  const { data, error } = await carnet.POST('/users/', {
    params: { header: { Prefer: 'return=representation' } },
    body: { first_name, last_name, address },
  });
  if (error) throw new Error(error.error);
  return data as User;
}

const address = await createAddress(45);
for (const number of [44, 46, 100]) await createAddress(number);
for (let at = 1; at <= 25; at += 1) await createUser(`First${at}`, at % 2 ? 'Odd' : 'Even', at % 5 ? address : null);

// Page by page, to the end.
const found: User[] = [];
for (let total = 1; found.length < total;) {
  const { data, error } = await carnet.GET('/users/', { params: { query: { offset: found.length, count: 10 } } });
  if (error) throw new Error(error.error);
  found.push(...data.object_list);
  total = data.meta.total_count;
}
expect(found.length === 25 && found[24]?.first_name === 'First25', `${found.length} users`);

// Filters are typed too. The empty text asks for those without a value.
const odd = await carnet.GET('/users/', { params: { query: { last_name: 'Odd', address } } });
expect(odd.data?.meta.total_count === 10, 'the odd ones with an address');
const homeless = await carnet.GET('/users/', { params: { query: { address: '' } } });
expect(homeless.data?.meta.total_count === 5, 'those without an address');

// Operators are behind a dot. `in` takes an array, and the order is a text.
const near = await carnet.GET('/address/', { params: { query: { 'number.gte': 44, 'number.lt': 47, sort: '-number' } } });
expect(near.data?.object_list.map(({ number }) => number).join() === '46,45,44', 'the numbers from 44 on and below 47');
const some = await carnet.GET('/users/', { params: { query: { 'first_name.in': ['First7', 'First3', 'Nobody, or so'], sort: 'first_name' } } });
expect(some.data?.object_list.map(({ first_name }) => first_name).join() === 'First3,First7', 'two by their names');

// Words are searched by their beginnings, in any order, case and accents aside.
const searched = await carnet.GET('/users/', { params: { query: { search: 'even first1', count: 1 } } });
expect(searched.data?.meta.total_count === 5, 'the even ones from 10 to 18');

/** A page in the order of names, and the cursor of the next one, which `Link` has while records follow. */
async function pageAfter(cursor: string): Promise<{ users: User[]; next: string | undefined }> {
  const { data, error, response } = await carnet.GET('/users/', { params: { query: { sort: '-last_name,first_name', after: cursor, count: 10 } } });
  if (error) throw new Error(error.error);
  return { users: data.object_list, next: /[?&]after=([^&>]*)[^>]*>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1] };
}

// Walk by cursors where others write meanwhile: nobody is left out or shown twice. The empty one is the start.
let { users: walked, next } = await pageAfter('');
await carnet.DELETE('/users/{id}/', { params: { path: { id: walked[0]!.id } } });
while (next !== undefined) {
  const page = await pageAfter(next);
  walked = walked.concat(page.users);
  next = page.next;
}
const names = found.map((user) => `${user.last_name === 'Even'} ${user.first_name}`).sort();
expect(walked.map((user) => `${user.last_name === 'Even'} ${user.first_name}`).join() === names.join(), 'everybody once, in order');

// Change what was seen, and only that.
const ada = await createUser('Ada', 'Lovelace', null);
const seen = await carnet.GET('/users/{id}/', { params: { path: { id: ada.id } } });
const tag = seen.response.headers.get('ETag');
expect(tag !== null, 'a tag');
const changed = await carnet.PUT('/users/{id}/', { params: { path: { id: ada.id }, header: { 'If-Match': tag } }, body: { last_name: 'King', address } });
expect(changed.data?.last_name === 'King' && changed.data.first_name === 'Ada', 'the changed record');
const late = await carnet.PUT('/users/{id}/', { params: { path: { id: ada.id }, header: { 'If-Match': tag } }, body: { last_name: 'Byron' } });
expect(late.response.status === 412, 'who has not seen the change is refused');

// Several writes, all or nothing. `$0` is the record of item 0.
const batch = await carnet.POST('/_/batch/', {
  body: {
    requests: [
      { method: 'POST', path: '/address/', body: { country: 'United Kingdom', city: 'London', street: 'St James Square', number: 12 } },
      { method: 'POST', path: '/users/', body: { first_name: 'Charles', last_name: 'Babbage', address: '$0' } },
      { method: 'DELETE', path: '/users/$1/' },
      { method: 'DELETE', path: '/address/$0/' },
    ],
  },
});
expect(batch.data?.results.map(({ status }) => status).join() === '201,201,200,200', String(batch.error?.error));
const half = await carnet.POST('/_/batch/', { body: { requests: [{ method: 'DELETE', path: `/users/${ada.id}/` }, { method: 'DELETE', path: '/users/999999/' }] } });
expect(half.response.status === 404 && (half.error?.error.startsWith('item 1: ') ?? false), 'one that is refused keeps the others from being done');

// An error says what is wrong, in one shape.
const refused = await carnet.POST('/users/', { body: { first_name: 'Ada', last_name: 'King' } });
expect(refused.response.status === 400 && refused.error?.error === 'first_name,last_name must be unique together', String(refused.error?.error));
const held = await carnet.DELETE('/address/{id}/', { params: { path: { id: address } } });
expect(held.error?.error.startsWith('The record is still referenced by users') ?? false, String(held.error?.error));

const gone = await carnet.DELETE('/users/{id}/', { params: { path: { id: ada.id } } });
expect(gone.response.status === 200, 'deleted');
const nowhere = await carnet.GET('/users/{id}/', { params: { path: { id: ada.id } } });
expect(nowhere.response.status === 404, 'and gone');

if (key) {
  const stranger = await createClient<paths, 'application/json'>({ baseUrl: url }).GET('/users/');
  expect(stranger.response.status === 401, 'without the key nobody is let in');
}

// What does not fit the configuration is an error of the compiler: these lines keep it so.
// @ts-expect-error a field that there is not
await carnet.GET('/users/', { params: { query: { nickname: 'x' } } });
// @ts-expect-error an operator that the field does not take
await carnet.GET('/address/', { params: { query: { 'number.prefix': '4' } } });
// @ts-expect-error an item with a body that is not of its collection
await carnet.POST('/_/batch/', { body: { requests: [{ method: 'POST', path: '/users/', body: { city: 'London' } }] } });
// @ts-expect-error a number that should be a text
await carnet.POST('/users/', { body: { first_name: 1, last_name: 'x' } });

console.log('The address book works.');
