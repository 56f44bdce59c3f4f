// Lists: columns, totals, pages, filters, references, states.
import { focusOn } from '../lib/forms.js';
import { addFilter, rows } from '../lib/lists.js';
import { equal, soon, test, that } from '../lib/suite.js';

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

test('a list has its columns in declared order, its exact total, and pages', {}, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('45 records').waitFor();
  const heads = await page.locator('thead tr').first().locator('th').allInnerTexts();
  equal(heads.map((text) => text.trim()), ['First name', 'Last name', 'Address']);
  await soon(async () => (await rows(page)).length, 20);
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('21–40 of 45').waitFor();
  await soon(() => page.url().endsWith('#/users?offset=20'), true);
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('41–45 of 45').waitFor();
  await soon(() => rows(page), ['41', '42', '43', '44', '45']);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText('21–40 of 45').waitFor();
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByText('1–20 of 45').waitFor();
  await page.getByLabel('Page', { exact: true }).fill('3');
  await page.keyboard.press('Enter');
  await page.getByText('41–45 of 45').waitFor();
  await page.reload();
  await page.getByText('41–45 of 45').waitFor();
  await page.goBack();
  await page.getByText('1–20 of 45').waitFor();
  await page.goto(`${server.url}/console/#/users?offset=43`);
  await page.getByText('44–45 of 45').waitFor();
  await page.goto(`${server.url}/console/#/users?offset=500`);
  await page.getByText('Nothing is at offset 500').waitFor();
});

test('filters are in the URL and work by type', { config: KINDS, expected: [400] }, async ({ server, page }) => {
  for (let at = 1; at <= 12; at += 1) {
    await server.post('/things/', { name: `Thing ${at}`, size: at % 4, weight: at / 2, fragile: at % 2 === 0, note: at % 3 ? 'x & y=z' : null, sold: at % 5 ? null : true });
  }
  await page.goto(`${server.url}/console/#/things`);
  await page.getByText('12 records').waitFor();
  await addFilter(page, 'Fragile', 'is', 'yes');
  await page.getByText('6 match').waitFor();
  await addFilter(page, 'Size', 'is', '2');
  await page.getByText('3 match').waitFor();
  await soon(() => page.url().endsWith('#/things?fragile=true&size=2'), true);
  await page.reload();
  await page.getByText('3 match').waitFor();
  await page.getByRole('button', { name: 'Change the filter: Size is 2' }).waitFor();
  await page.goBack();
  await page.getByText('6 match').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByText('12 records').waitFor();
  await addFilter(page, 'Note', 'is', 'x & y=z');
  await page.getByText('8 match').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('6–8 of 8').waitFor();
  await page.getByRole('button', { name: 'Change the filter: Note is x & y=z' }).click();
  await page.getByLabel('Compare').selectOption({ label: 'has no value' });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('4 match').waitFor();
  await soon(() => new URL(page.url()).hash, '#/things?note.null=true');
  await page.getByRole('button', { name: 'Remove the filter: Note has no value' }).click();
  await page.getByText('12 records').waitFor();
  await addFilter(page, 'Sold', 'has no value');
  await page.getByText('10 match').waitFor();
  await addFilter(page, 'Weight', 'is at least', '5');
  await page.getByText(/^2 match/).waitFor();
  await addFilter(page, 'Size', 'is', 'two');
  await page.getByText('size: the text is not an integer').waitFor();
  await soon(() => page.getByRole('button', { name: 'Change the filter: Size is two' }).getAttribute('aria-invalid'), 'true');
});

test('a filter by a misspelt name says which names there are', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users?adress=1`);
  await page.getByText('users has no parameter adress. It has first_name, last_name, address, id, offset, count, search, sort').waitFor();
});

test('a reference is a filter too, found by what is typed, as in the form', {}, async ({ server, page }) => {
  await fill(server, 6);
  await server.post('/address/', { country: 'France', city: 'Lyon', street: 'rue Mercière', number: 3 });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Filter' });
  await panel.getByLabel('Field').selectOption('address');
  const box = panel.getByRole('combobox', { name: 'Value' });
  // What is typed to find a record is no value yet.
  await box.fill('nobody lives here');
  await panel.getByText('Nothing in Address matches.').waitFor();
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.getByText('Nothing is chosen yet: pick a record from the list.').waitFor();
  await focusOn(page, 'filter-value');
  equal(new URL(page.url()).hash, '#/users');
  await box.fill('merci');
  await panel.getByRole('option', { name: '3 rue Mercière, Lyon' }).waitFor();
  // Nothing is made from here.
  equal(await panel.locator('.combobox').getByRole('option').count(), 1);
  await page.keyboard.press('Enter');
  await soon(() => box.inputValue(), '3 rue Mercière, Lyon');
  await page.keyboard.press('Enter');
  await page.getByText('0 match').waitFor();
  await page.getByRole('button', { name: 'Change the filter: Address is 3 rue Mercière, Lyon' }).waitFor();
  await soon(() => page.url().endsWith('#/users?address=2'), true);
  // Changed by the pointer, and Esc closes the list before the panel.
  await page.getByRole('button', { name: 'Change the filter: Address is 3 rue Mercière, Lyon' }).click();
  await soon(() => box.inputValue(), '3 rue Mercière, Lyon');
  await box.fill('val');
  await panel.getByRole('option', { name: /quai de Valmy/ }).click();
  await box.click();
  await panel.getByRole('option').last().waitFor();
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await soon(() => page.url().endsWith('#/users?address=1'), true);
});

test('on a phone what is found for a filter is on the screen', { viewport: { width: 390, height: 780 } }, async ({ server, page }) => {
  await fill(server, 6);
  for (let number = 1; number < 8; number += 1) await server.post('/address/', { country: 'France', city: 'Lyon', street: 'rue Mercière', number });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Filter' });
  await panel.getByLabel('Field').selectOption('address');
  await panel.getByRole('combobox', { name: 'Value' }).click();
  const found = panel.getByRole('option', { name: '7 rue Mercière, Lyon' });
  await found.waitFor();
  await found.evaluate((one) => one.scrollIntoView({ block: 'nearest' }));
  const { y, height } = await found.boundingBox();
  that(y >= 0 && y + height <= 780, `it is from ${y} to ${y + height}`);
  await found.click();
  await panel.getByRole('button', { name: 'Apply' }).click();
  await soon(() => page.url().endsWith('#/users?address=8'), true);
});

test('the first list is there after three requests, and nothing is fetched that is not shown', {}, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/`);
  await page.locator('tbody tr').first().waitFor();
  const [document, ...others] = page.requests;
  equal(document, 'GET /console/');
  that(others.indexOf('GET /address/') < 3, others.join(', '));
  // How many records each collection has is asked for when the list is there.
  await page.locator('.side .count').nth(1).waitFor();
  equal(others.slice(others.indexOf('GET /address/') + 1).filter((one) => one !== 'GET /users/?count=1'), []);
  page.requests.length = 0;
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  await soon(() => page.requests, ['GET /users/?expand=address'], 'what a list with references asks for');
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
  await soon(() => page.getByRole('navigation', { name: 'Pages' }).count(), 0);
  await page.getByRole('link', { name: 'Secrets' }).click();
  await page.getByText('does not let the list of Secrets be read').waitFor();
});

test('a list that fails shows no rows of another page', { expected: ['ERR_CONNECTION', 'ERR_FAILED', 400] }, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/#/users?offset=20`);
  await page.getByText('21–40 of 45').waitFor();
  await server.stop();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await soon(() => rows(page), []);
  await soon(() => page.getByText(/–\d+ of/).count(), 0);
  await soon(() => page.getByText('45 records').count(), 0);
  await server.restart();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('41–45 of 45').waitFor();
  await page.goto(`${server.url}/console/#/users?offset=x`);
  await page.getByText('offset').first().waitFor();
  await soon(() => rows(page), []);
  await page.getByRole('button', { name: 'First page' }).waitFor();
  // While the next page is asked for, the range is the one of the rows.
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1–20 of 45').waitFor();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/users/?offset=20*', async (route) => (await released, route.continue()));
  const sent = page.waitForRequest((request) => request.url().includes('offset=20'));
  await page.getByRole('button', { name: 'Next page' }).click();
  await sent;
  await soon(async () => [(await page.locator('.range').innerText()).trim(), (await rows(page))[0]], ['1–20 of 45', '1']);
  release();
  await page.getByText('21–40 of 45').waitFor();
  await soon(async () => (await rows(page))[0], '21');
});

test('the focus stays where one works: from page to page, after the last, and in its own collection', {}, async ({ server, page }) => {
  await fill(server, 65);
  const focusOn = (wanted) => page.waitForFunction((wanted) => {
    const element = document.activeElement;
    return (element?.getAttribute('data-id') ?? element?.getAttribute('aria-label') ?? element?.tagName) === wanted;
  }, wanted);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1–20 of 65').waitFor();
  await page.locator('a[data-id="3"]').focus();
  for (const [key, range, row] of [['ArrowRight', '21–40', '23'], ['ArrowRight', '41–60', '43'], ['ArrowRight', '61–65', '63'], ['ArrowRight', '61–65', '63'], ['ArrowLeft', '41–60', '43']]) {
    await page.keyboard.press(key);
    await page.getByText(`${range} of 65`).waitFor();
    await focusOn(row);
  }
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('61–65 of 65').waitFor();
  await focusOn('Last page');
  await page.keyboard.press('Enter');
  await focusOn('Last page');
  await page.getByRole('button', { name: 'First page' }).press('Enter');
  await page.getByText('1–20 of 65').waitFor();
  await focusOn('First page');
  // A record of users says nothing about the rows of address.
  await page.getByRole('link', { name: 'First1 Odd' }).click();
  await page.getByRole('heading', { name: 'First1 Odd' }).waitFor();
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('1 record').waitFor();
  await soon(() => page.locator('tbody tr:focus-within').count(), 0);
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
  await page.getByRole('link', { name: 'First1 Odd' }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Lyon' }).waitFor();
  await server.put('/address/1/', { city: 'Nantes' });
  await page.getByRole('link', { name: 'Back to Users' }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Nantes' }).first().waitFor();
  // With the page, however many rows refer to it.
  page.requests.length = 0;
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('1 record').waitFor();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('2 records').waitFor();
  await page.getByRole('link', { name: '45 quai de Valmy, Nantes' }).first().waitFor();
  await soon(() => page.requests, ['GET /address/', 'GET /users/?expand=address']);
});

test('the length of a page stays with the pages and the filters', { config: KINDS }, async ({ server, page }) => {
  for (let at = 1; at <= 9; at += 1) await server.post('/things/', { name: 'Thing', size: at, weight: 1, fragile: true });
  await page.goto(`${server.url}/console/#/things?count=2`);
  await page.getByText('1–2 of 9').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('3–4 of 9').waitFor();
  await soon(() => new URL(page.url()).hash, '#/things?count=2&offset=2');
  await page.getByRole('button', { name: 'Last page' }).click();
  await page.getByText('9–9 of 9').waitFor();
  await addFilter(page, 'Name', 'is', 'Thing');
  await page.getByText('9 match').waitFor();
  await page.getByText('1–2 of 9').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByText('9 records').waitFor();
  await page.getByText('1–2 of 9').waitFor();
});

test('a click right after typing into the search is heard, also where its answer comes between press and release', {}, async ({ server, page }) => {
  await fill(server, 25);
  let release = () => {};
  await page.route('**/users/?search=*', async (route) => {
    await new Promise((resolve) => (release = () => resolve(null)));
    await route.continue();
  });
  const type = async () => {
    await page.goto(`${server.url}/console/#/users`);
    await page.getByText('25 records').waitFor();
    const sent = page.waitForRequest((request) => request.url().includes('search=Odd'));
    await page.getByLabel('Search Users').fill('Odd');
    await sent;
  };
  /** As people click: some time between press and release. */
  const press = async (locator) => {
    const { x, y, width, height } = await locator.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    const answered = page.waitForResponse((response) => response.url().includes('search=Odd'));
    release();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await page.mouse.up();
  };
  await type();
  await press(page.getByRole('link', { name: 'New', exact: true }));
  await page.getByRole('heading', { name: 'New in Users' }).waitFor();
  await type();
  await press(page.locator('tbody tr').nth(3).locator('td').last());
  await page.getByRole('heading', { name: 'First4 Even' }).waitFor();
  await type();
  await press(page.getByRole('heading', { name: 'Users' }));
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
    await soon(() => new URL(other.url()).hash, '#/users/2');
    await other.close();
    await soon(() => new URL(page.url()).hash, '#/users');
  }
});

test('cells of any script begin at their column, and none widens it past the screen', {}, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'שרה', last_name: 'محمد' });
  await server.post('/users/', { first_name: 'Wolfeschlegelsteinhausenbergerdorff '.repeat(8), last_name: 'Sr' });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('2 records').waitFor();
  const gaps = await page.locator('tbody tr').first().locator(':is(td, th) .text').evaluateAll((all) => all.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect().left - one.getBoundingClientRect().left;
  }));
  equal(gaps.map((gap) => Math.abs(gap) < 4), [true, true], `the text is ${gaps} px from the edge; that it is near`);
  const wide = await page.locator('.table').evaluate((table) => table.scrollWidth - table.clientWidth);
  that(wide <= 0, `the table is ${wide} px too wide`);
});
