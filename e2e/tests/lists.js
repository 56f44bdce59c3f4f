// Lists: columns, totals, pages, filters, references, states.
import { equal, test, that } from '../lib/suite.js';

const KINDS = `
[[collection]]
name = "things"
[collection.fields]
name    = { type = "string", required = true }
size    = { type = "integer", required = true }
weight  = { type = "float", required = true }
fragile = { type = "boolean", required = true }
note    = { type = "string" }
sold    = { type = "boolean" }
[collection.pagination]
page_size = 5
`;

async function fill(server, count) {
  const address = await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  for (let at = 1; at <= count; at += 1) {
    await server.post('/users/', { first_name: `First${at}`, last_name: at % 2 ? 'Odd' : 'Even', address: at % 3 ? Number(address) : null });
  }
}

const rows = (page) => page.locator('tbody tr').evaluateAll((all) => all.map((row) => row.querySelector('a[data-id]').dataset.id));

test('a list has its columns in declared order, its exact total, and pages', {}, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('45 records').waitFor();
  const heads = await page.locator('thead tr').first().locator('th').allInnerTexts();
  equal(heads.map((text) => text.split(' ')[0]), ['id', 'first_name', 'last_name', 'address']);
  equal((await rows(page)).length, 20);
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('21–40 of 45').waitFor();
  that(page.url().endsWith('#/users?offset=20'), page.url());
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('41–45 of 45').waitFor();
  equal(await rows(page), ['41', '42', '43', '44', '45']);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText('21–40 of 45').waitFor();
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByText('1–20 of 45').waitFor();
  await page.getByLabel('Offset').fill('43');
  await page.getByRole('button', { name: 'Go' }).click();
  await page.getByText('44–45 of 45').waitFor();
  await page.reload();
  await page.getByText('44–45 of 45').waitFor();
  await page.goBack();
  await page.getByText('1–20 of 45').waitFor();
  await page.goto(`${server.url}/console/#/users?offset=500`);
  await page.getByText('Nothing is at offset 500').waitFor();
});

test('filters are in the URL and work by type', { config: KINDS, expected: [400] }, async ({ server, page }) => {
  for (let at = 1; at <= 12; at += 1) {
    await server.post('/things/', { name: `Thing ${at}`, size: at % 4, weight: at / 2, fragile: at % 2 === 0, note: at % 3 ? 'x & y=z' : null, sold: at % 5 ? null : true });
  }
  await page.goto(`${server.url}/console/#/things`);
  await page.getByText('12 records').waitFor();
  await page.getByLabel('Filter by fragile').selectOption('true');
  await page.getByText('6 match').waitFor();
  await page.getByLabel('Filter by size').fill('2');
  await page.keyboard.press('Enter');
  await page.getByText('3 match').waitFor();
  that(page.url().endsWith('#/things?fragile=true&size=2'), page.url());
  await page.reload();
  await page.getByText('3 match').waitFor();
  equal(await page.getByLabel('Filter by size').inputValue(), '2');
  await page.goBack();
  await page.getByText('6 match').waitFor();
  await page.getByRole('link', { name: 'No filters' }).click();
  await page.getByText('12 records').waitFor();
  await page.getByLabel('Filter by note').fill('x & y=z');
  await page.keyboard.press('Enter');
  await page.getByText('8 match').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('6–8 of 8').waitFor();
  await page.getByRole('button', { name: 'Only without note' }).click();
  await page.getByText('4 match').waitFor();
  await page.getByRole('button', { name: 'Only without note' }).click();
  await page.getByLabel('Filter by sold').selectOption('');
  await page.getByText('10 match').waitFor();
  await page.getByLabel('Filter by size').fill('two');
  await page.keyboard.press('Enter');
  await page.getByText('size: the text is not an integer').waitFor();
  equal(await page.getByLabel('Filter by size').getAttribute('aria-invalid'), 'true');
});

test('a filter by a misspelt name says which names there are', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users?adress=1`);
  await page.getByText('users has no parameter adress. It has first_name, last_name, address, id, offset, count.').waitFor();
});

test('a reference is a filter too, picked by an exact value', {}, async ({ server, page }) => {
  await fill(server, 6);
  await server.post('/address/', { country: 'France', city: 'Lyon', street: 'rue Mercière', number: 3 });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByRole('button', { name: 'Filter by address' }).click();
  await page.getByLabel(/^Field/).selectOption('city');
  await page.getByLabel('Exact value').fill('Lyon');
  await page.keyboard.press('Enter');
  await page.getByText('1 in all').waitFor();
  await page.getByRole('button', { name: /rue Mercière/ }).click();
  await page.getByText('0 match').waitFor();
  that(page.url().endsWith('#/users?address=2'), page.url());
});

test('the first list is there after three requests, and nothing is fetched that is not shown', {}, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/`);
  await page.locator('tbody tr').first().waitFor();
  const [document, ...others] = page.requests;
  equal(document, 'GET /console/');
  that(others.length <= 3, others.join(', '));
  page.requests.length = 0;
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  equal(page.requests, ['GET /users/', 'GET /address/1/'], 'what a list with references asks for');
});

test('a list without pages, and one that may not be read', { config: `
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string", required = true }
[[collection]]
name = "secrets"
list_verbs = ["POST"]
[collection.fields]
title = { type = "string", required = true }
` }, async ({ server, page }) => {
  for (let at = 0; at < 3; at += 1) await server.post('/notes/', { title: `Note ${at}` });
  await page.goto(`${server.url}/console/#/notes`);
  await page.getByText('3 records').waitFor();
  equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 0);
  await page.getByRole('link', { name: 'secrets' }).click();
  await page.getByText('does not let the list of secrets be read').waitFor();
});
