// What is deleted with a record, loses its reference, or keeps it: said before, and exactly.
import { accessible } from '../lib/browser.js';
import { soon, test } from '../lib/suite.js';

const BOOK = `
[[collection]]
name = "address"
[collection.fields]
city = { type = "string", required = true }

[[collection]]
name = "meetings"
[collection.fields]
title   = { type = "string", required = true }
address = { type = "integer", references = "address", on_delete = "cascade" }
[collection.pagination]
page_size  = 2
offset_key = "from"
count_key  = "size"

[[collection]]
name = "users"
[collection.fields]
name    = { type = "string", required = true }
address = { type = "integer", references = "address", on_delete = "set_null" }
office  = { type = "integer", references = "address" }

[[collection]]
name = "minutes"
[collection.fields]
text    = { type = "string", required = true }
meeting = { type = "integer", references = "meetings", on_delete = "cascade" }

[[collection]]
name = "contracts"
[collection.fields]
title   = { type = "string", required = true }
address = { type = "integer", references = "address" }
`;

const lines = (page) => page.locator('.consequences li').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));

test('a delete says what goes with it, what is cleared, and what keeps it', { config: BOOK, expected: [409] }, async ({ server, page }) => {
  await server.post('/address/', { city: 'Paris' });
  await server.post('/address/', { city: 'Lyon' });
  for (let at = 0; at < 3; at += 1) await server.post('/meetings/', { title: `Meeting ${at}`, address: 1 });
  await server.post('/meetings/', { title: 'elsewhere', address: 2 });
  await server.post('/minutes/', { text: 'all agreed', meeting: 1 });
  for (const name of ['Ada', 'Grace']) await server.post('/users/', { name, address: 1, office: name === 'Ada' ? 1 : 2 });
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.locator('.consequences li').first().waitFor();
  await soon(() => lines(page), [
    '3 meetings are deleted with it. Show them',
    'What refers to those meetings is affected, too: minutes are deleted.',
    '2 users lose their address. Show them',
    '1 record of users refers to it as office: as long as it does, this cannot be deleted. Show it',
  ]);
  await accessible(page, 'delete-consequences');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('still referenced by users').waitFor();
  await soon(() => lines(page), [
    '3 meetings are deleted with it. Show them',
    'What refers to those meetings is affected, too: minutes are deleted.',
    '2 users lose their address. Show them',
    '1 record of users refers to it as office: as long as it does, this cannot be deleted. Show it',
  ]);
  await soon(() => page.getByRole('link', { name: /contracts/ }).filter({ hasText: 'Show' }).count(), 0);
  await page.getByRole('link', { name: 'Show it' }).click();
  await page.getByText('1 match').waitFor();
  await soon(() => new URL(page.url()).hash, '#/users?office=1');

  await server.put('/users/1/', { office: null });
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('link', { name: 'Show them' }).first().waitFor();
  await soon(async () => (await lines(page)).length, 3);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Deleted: Paris').waitFor();
  await soon(async () => (await server.json('/meetings/')).meta.total_count, 1);
  await soon(async () => (await server.json('/users/')).object_list.map((one) => one.address), [null, null]);

  // Nothing refers to it: nothing is said.
  await server.put('/users/2/', { office: null });
  const alone = await server.post('/address/', { city: 'Nantes' });
  await page.goto(`${server.url}/console/#/address/${alone}`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('Nothing refers to it.').waitFor();
  await soon(() => lines(page), []);
});

test('a delete says what it cannot know', { config: `${BOOK}
[collection.access]
authentication = true
authorization = true
`.replace('name = "meetings"', 'name = "meetings"\nlist_verbs = ["POST"]'), expected: [401] }, async ({ server, page }) => {
  await server.post('/address/', { city: 'Paris' });
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.locator('.consequences li').first().waitFor();
  await soon(() => lines(page), [
    'Those of meetings that refer to it are deleted with it; how many cannot be read here.',
    'What refers to those meetings is affected, too: minutes are deleted.',
    'Those of contracts that refer to it keep it from being deleted; how many cannot be read here.',
  ]);
  await soon(async () => (await page.getByRole('dialog').count()) === 1, true, 'another question was asked');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Deleted: Paris').waitFor();
});
