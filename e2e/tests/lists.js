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

test('a list that fails shows no rows of another page', { expected: ['ERR_CONNECTION', 'ERR_FAILED', 400] }, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/#/users?offset=20`);
  await page.getByText('21–40 of 45').waitFor();
  await server.stop();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  equal(await rows(page), []);
  equal(await page.getByText(/–\d+ of/).count(), 0);
  equal(await page.getByText('45 records').count(), 0);
  await server.restart();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('41–45 of 45').waitFor();
  await page.goto(`${server.url}/console/#/users?offset=x`);
  await page.getByText('offset').first().waitFor();
  equal(await rows(page), []);
  await page.getByRole('button', { name: 'First page' }).waitFor();
  // While the next page is asked for, the range is the one of the rows.
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1–20 of 45').waitFor();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/users/?offset=20', async (route) => (await released, route.continue()));
  const sent = page.waitForRequest((request) => request.url().includes('offset=20'));
  await page.getByRole('button', { name: 'Next page' }).click();
  await sent;
  equal([(await page.locator('.range').innerText()).trim(), (await rows(page))[0]], ['1–20 of 45', '1']);
  release();
  await page.getByText('21–40 of 45').waitFor();
  equal((await rows(page))[0], '21');
});

test('the focus stays where one works: from page to page, after the last, and in its own collection', {}, async ({ server, page }) => {
  await fill(server, 65);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1–20 of 65').waitFor();
  await page.locator('a[data-id="3"]').focus();
  for (const [key, range, row] of [['ArrowRight', '21–40', '23'], ['ArrowRight', '41–60', '43'], ['ArrowRight', '61–65', '63'], ['ArrowRight', '61–65', '63'], ['ArrowLeft', '41–60', '43']]) {
    await page.keyboard.press(key);
    await page.getByText(`${range} of 65`).waitFor();
    equal(await focused(), row);
  }
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('61–65 of 65').waitFor();
  equal(await focused(), 'Last page');
  await page.keyboard.press('Enter');
  equal(await focused(), 'Last page');
  await page.getByRole('button', { name: 'First page' }).press('Enter');
  await page.getByText('1–20 of 65').waitFor();
  equal(await focused(), 'First page');
  // A record of users says nothing about the rows of address.
  await page.getByRole('link', { name: /^1: / }).click();
  await page.getByRole('heading', { name: 'First1 Odd' }).waitFor();
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByText('1 record').waitFor();
  equal(await page.locator('tbody tr:focus-within').count(), 0);
  await page.goto(`${server.url}/console/#/users/2`);
  await page.getByRole('heading', { name: 'First2 Even' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('65 records').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-id') === '2');
});

test('what is referred to is shown as it is now, on each page that is opened', {}, async ({ server, page }) => {
  await fill(server, 2);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  await server.put('/address/1/', { city: 'Lyon' });
  await page.getByRole('link', { name: /^1: / }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Lyon' }).waitFor();
  await server.put('/address/1/', { city: 'Nantes' });
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Nantes' }).first().waitFor();
  // Once for each page, however many rows refer to it.
  page.requests.length = 0;
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByText('1 record').waitFor();
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByText('2 records').waitFor();
  await page.getByRole('link', { name: '45 quai de Valmy, Nantes' }).first().waitFor();
  equal(page.requests.filter((one) => one === 'GET /address/1/').length, 1);
});

test('the length of a page stays with the pages and the filters', { config: KINDS }, async ({ server, page }) => {
  for (let at = 1; at <= 9; at += 1) await server.post('/things/', { name: 'Thing', size: at, weight: 1, fragile: true });
  await page.goto(`${server.url}/console/#/things?count=2`);
  await page.getByText('1–2 of 9').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('3–4 of 9').waitFor();
  equal(new URL(page.url()).hash, '#/things?count=2&offset=2');
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('9–9 of 9').waitFor();
  await page.getByLabel('Filter by name').fill('Thing');
  await page.keyboard.press('Enter');
  await page.getByText('9 match').waitFor();
  await page.getByText('1–2 of 9').waitFor();
  await page.getByRole('link', { name: 'No filters' }).click();
  await page.getByText('9 records').waitFor();
  await page.getByText('1–2 of 9').waitFor();
});

test('a click right after typing into a filter is heard', {}, async ({ server, page }) => {
  await fill(server, 25);
  const type = async () => {
    await page.goto(`${server.url}/console/#/users`);
    await page.getByText('25 records').waitFor();
    await page.getByLabel('Filter by last_name').fill('Odd');
  };
  /** As people click: some time between press and release. */
  const press = async (locator) => {
    const box = await locator.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 120)));
    await page.mouse.up();
  };
  await type();
  await press(page.getByRole('link', { name: 'New', exact: true }));
  await page.getByRole('heading', { name: 'New record of users' }).waitFor();
  await type();
  await press(page.locator('tbody tr').nth(3).locator('td').first());
  await page.getByRole('heading', { name: 'First4 Even' }).waitFor();
  await type();
  await press(page.getByRole('button', { name: 'Next page' }));
  await page.getByText('1–13 of 13').waitFor();
  await type();
  await page.keyboard.press('Escape');
  equal(await page.getByLabel('Filter by last_name').inputValue(), '');
  equal(new URL(page.url()).hash, '#/users');
  await type();
  await press(page.getByRole('button', { name: 'Only without first_name' }).or(page.getByRole('heading', { name: 'users' })));
  await page.getByText('13 match').waitFor();
});

test('Ctrl and the middle button open a row in a tab of its own', {}, async ({ server, page }) => {
  await fill(server, 2);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('2 records').waitFor();
  for (const options of [{ modifiers: ['Control'] }, { button: 'middle' }]) {
    const opened = page.context().waitForEvent('page');
    await page.getByText('First2', { exact: true }).click(/** @type {any} */ (options));
    const other = await opened;
    await other.getByRole('heading', { name: 'First2 Even' }).waitFor();
    equal(new URL(other.url()).hash, '#/users/2');
    await other.close();
    equal(new URL(page.url()).hash, '#/users');
  }
});

test('cells of any script begin at their column, and none widens it past the screen', {}, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'שרה', last_name: 'محمد' });
  await server.post('/users/', { first_name: 'Wolfeschlegelsteinhausenbergerdorff '.repeat(8), last_name: 'Sr' });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('2 records').waitFor();
  const gaps = await page.locator('tbody tr').first().locator('td .text').evaluateAll((all) => all.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect().left - one.getBoundingClientRect().left;
  }));
  equal(gaps.map((gap) => Math.abs(gap) < 4), [true, true], `the text is ${gaps} px from the edge; that it is near`);
  const wide = await page.locator('.table').evaluate((table) => table.scrollWidth - table.clientWidth);
  that(wide <= 0, `the table is ${wide} px too wide`);
});
