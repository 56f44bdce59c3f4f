// To find somebody: by a part of a name, by sorting, by chips, from everywhere; on a phone, too.
import { focusOn } from '../lib/forms.js';
import { addFilter, rows } from '../lib/lists.js';
import { equal, soon, test, that } from '../lib/suite.js';

const PEOPLE = [['Ada', 'Lovelace', 1], ['Grace', 'Hopper', null], ['Émilie', 'du Châtelet', 2], ['Sophie', 'Germain', 1], ['Marie', 'Lovell', 2]];

async function fill(server) {
  await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  await server.post('/address/', { country: 'France', city: 'Lyon', street: 'rue Mercière', number: 3 });
  for (const [first_name, last_name, address] of PEOPLE) await server.post('/users/', { first_name, last_name, address });
}

const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true };

test('somebody is found by a part of a name, while it is typed', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  const pages = await page.evaluate(() => history.length);
  await page.keyboard.press('/');
  await page.keyboard.type('lovel');
  await page.getByText('2 match').waitFor();
  await soon(() => rows(page), ['1', '5']);
  await soon(() => new URL(page.url()).hash, '#/users?search=lovel');
  await page.keyboard.type('l');
  await page.getByText('1 match').waitFor();
  // One step back, however many letters were typed.
  await soon(() => page.evaluate(() => history.length), pages + 1);
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-id') === '5');
  await page.goBack();
  await page.getByText('5 records').waitFor();
  await soon(() => page.getByLabel('Search Users').inputValue(), '');
  await page.getByLabel('Search Users').fill('chatelet emi');
  await page.getByText('1 match').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('5 records').waitFor();
  await page.getByLabel('Search Users').fill('nobody');
  await page.getByText('No record matches “nobody”.').waitFor();
});

test('a click on a head sorts, the other way round, and no more; with Shift it is added', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  const head = (name) => page.getByRole('columnheader', { name }).getByRole('button');
  const way = (name) => page.getByRole('columnheader', { name }).getAttribute('aria-sort');
  await head('Last name').click();
  await page.waitForFunction(() => document.querySelector('.rows a[data-id]')?.getAttribute('data-id') === '3');
  await soon(async () => [await rows(page), await way('Last name')], [['3', '4', '2', '1', '5'], 'ascending']);
  await head('Last name').click();
  await page.waitForFunction(() => document.querySelector('.rows a[data-id]')?.getAttribute('data-id') === '5');
  await soon(async () => [new URL(page.url()).hash, await way('Last name')], ['#/users?sort=-last_name', 'descending']);
  await head('Last name').click();
  await page.waitForFunction(() => document.querySelector('.rows a[data-id]')?.getAttribute('data-id') === '1');
  await soon(() => new URL(page.url()).hash, '#/users');
  await head('Address').click();
  await head('First name').click({ modifiers: ['Shift'] });
  await page.waitForFunction(() => document.querySelectorAll('.rows a[data-id]')[1]?.getAttribute('data-id') === '4');
  await soon(async () => [new URL(page.url()).hash, await rows(page)], ['#/users?sort=address%2Cfirst_name', ['1', '4', '3', '5', '2']]);
  await page.reload();
  await page.getByText('5 records').waitFor();
  await soon(() => rows(page), ['1', '4', '3', '5', '2']);
});

test('a filter suggests values that are there, and stays with the others', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users?sort=last_name`);
  await page.getByText('5 records').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Filter' });
  await panel.getByLabel('Field').selectOption({ label: 'Last name' });
  await panel.getByLabel(/^Value/).fill('lo');
  const values = () => page.locator('#filter-values option').evaluateAll((all) => all.map((one) => one.value));
  await page.waitForFunction(() => document.querySelectorAll('#filter-values option').length === 2);
  await soon(() => values(), ['Lovelace', 'Lovell']);
  await panel.getByLabel('Compare').selectOption({ label: 'begins with' });
  await panel.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('2 match').waitFor();
  await soon(() => new URL(page.url()).hash, '#/users?last_name.prefix=lo&sort=last_name');
  await focusOn(page, 'add-filter');
  await addFilter(page, 'First name', 'is not', 'Ada');
  await page.getByText('1 match').waitFor();
  await page.getByRole('button', { name: 'Remove the filter: Last name begins with lo' }).click();
  await page.getByText('4 match').waitFor();
  await focusOn(page, 'add-filter');
  // A panel is left by Esc, and nothing is changed.
  await page.getByRole('button', { name: 'Change the filter: First name is not Ada' }).click();
  await page.keyboard.press('Escape');
  await soon(() => page.getByRole('dialog').count(), 0);
  await soon(() => new URL(page.url()).hash, '#/users?first_name.ne=Ada&sort=last_name');
});

test('columns are hidden and shown, and stay so', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  const heads = async () => (await page.locator('thead th').allInnerTexts()).map((text) => text.trim());
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Last name' }).uncheck();
  await page.getByRole('checkbox', { name: 'ID' }).check();
  await soon(() => heads(), ['ID', 'First name', 'Address']);
  await page.reload();
  await page.getByText('5 records').waitFor();
  await soon(() => heads(), ['ID', 'First name', 'Address']);
  // Technical names are for those who want them.
  await page.getByRole('button', { name: 'Display' }).click();
  await page.getByLabel('Names').selectOption('technical');
  await page.getByRole('button', { name: 'Done' }).click();
  await soon(() => heads(), ['id', 'first_name', 'address']);
});

test('Ctrl K finds records, lists and things to do, from everywhere', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/address`);
  await page.getByText('2 records').waitFor();
  await page.keyboard.press('Control+k');
  const options = page.locator('#found [role="option"]');
  await soon(() => options.first().innerText(), 'Address');
  await page.keyboard.type('lovel');
  await page.getByRole('option', { name: 'Marie Lovell' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await soon(() => page.locator('[role="option"][aria-selected="true"]').innerText(), 'Marie Lovell');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Marie Lovell' }).waitFor();
  await soon(() => page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new in a');
  await page.getByRole('option', { name: 'New in Address' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New in Address' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('qqqqq');
  await page.getByText('Nothing is found.').waitFor();
  await page.keyboard.press('Escape');
  await soon(() => page.getByRole('dialog').count(), 0);
});

test('a view is pinned by a name, and leads back to its filters', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users?last_name.prefix=lo&sort=-last_name`);
  await page.getByText('2 match').waitFor();
  await page.getByRole('button', { name: 'Pin this view' }).click();
  await page.getByLabel('Name', { exact: true }).fill('<b>Lo</b>');
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.goto(`${server.url}/console/#/address`);
  await page.reload();
  await page.getByText('2 records').waitFor();
  await page.getByRole('link', { name: '<b>Lo</b>' }).click();
  await page.getByText('2 match').waitFor();
  await soon(() => rows(page), ['5', '1']);
  await page.getByRole('button', { name: 'Unpin <b>Lo</b>' }).click();
  await soon(() => page.getByRole('navigation', { name: 'Pinned' }).count(), 0);
  // What somebody else has put there is no link.
  await page.evaluate(() => localStorage.setItem('carnet-pinned', JSON.stringify([{ name: 'x', hash: 'javascript:alert(1)' }, { name: 'y', hash: '#/_/keys' }, null, 7])));
  await page.reload();
  await page.getByText('2 match').waitFor();
  await soon(() => page.getByRole('navigation', { name: 'Pinned' }).count(), 0);
});

test('on a phone rows are cards, the menu is a drawer, New is under the thumb', PHONE, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').first().waitFor();
  await soon(() => page.locator('table').count(), 0);
  const card = page.getByRole('link', { name: /Ada Lovelace/ });
  await soon(async () => (await card.innerText()).includes('45 quai de Valmy, Paris'), true);
  const small = await page.locator('.of-list :is(a, button, input), .bar :is(a, button)').evaluateAll((all) => all
    .filter((one) => one.getClientRects().length > 0 && !one.matches('.chip-text, .clear, .brand'))
    .map((one) => ({ name: one.textContent || one.getAttribute('aria-label'), height: one.getBoundingClientRect().height })).filter(({ height }) => height < 40));
  equal(small, [], 'what is too small to touch');
  const box = await page.getByRole('link', { name: 'New' }).boundingBox();
  that(box.y + box.height <= 780 && box.y > 650, `New is at ${box.y}`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByRole('heading', { name: 'Address' }).waitFor();
  await soon(() => page.getByRole('link', { name: 'Users', exact: true }).isVisible(), false);
  await page.goto(`${server.url}/console/#/users`);
  await addFilter(page, 'Last name', 'begins with', 'lo');
  await page.getByText('2 match').waitFor();
  await page.getByRole('link', { name: /Marie Lovell/ }).click();
  await page.getByRole('heading', { name: 'Marie Lovell' }).waitFor();
  await page.goBack();
  await page.getByText('2 match').waitFor();
});

test('what a key may not read along is not asked for twice', { expected: [401, 403], config: `
[[collection]]
name = "address"
[collection.fields]
city = { type = "string", required = true }
[collection.access]
authentication = true
authorization = true
[[collection]]
name = "users"
[collection.fields]
name = { type = "string", required = true }
address = { type = "integer", references = "address" }
[collection.pagination]
page_size = 20
` }, async ({ server, page }) => {
  const secret = await server.command('keys', 'create', 'writer');
  const create = () => fetch(`${server.url}/address/`, { method: 'POST', body: '{"city":"Paris"}', headers: { 'Content-Type': 'application/json', 'X-API-Key': secret.split(/\s/).at(-1) } });
  // A key that was made beside the server is known in a moment.
  let { status } = await create();
  for (let attempt = 0; attempt < 400 && status !== 201; attempt += 1) ({ status } = await create());
  equal(status, 201);
  await server.post('/users/', { name: 'Ada', address: 1 });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1 record', { exact: true }).waitFor();
  // Nobody is asked for a key that the list itself does not need.
  await soon(() => page.getByRole('dialog').count(), 0);
  await page.getByRole('link', { name: 'Address 1' }).waitFor();
});

test('several rows are changed and deleted by one batch, and what happens is said before', { expected: [409, 412] }, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  const tick = (name, options = {}) => page.getByLabel(`Select ${name}`).click(options);
  await tick('Ada Lovelace');
  await tick('Sophie Germain', { modifiers: ['Shift'] });
  await page.getByText('4 selected').waitFor();
  await page.getByRole('button', { name: 'Set a field…' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Field').selectOption({ label: 'First name' });
  await dialog.getByLabel(/^First name/).fill('Ada');
  await page.getByText('3 records will change, 1 already has this value: all of them, or none.').waitFor();
  // Somebody else is faster: nothing is changed.
  await server.put('/users/2/', { first_name: 'Amazing' });
  page.requests.length = 0;
  await page.getByRole('button', { name: 'Change 3 records' }).click();
  await page.getByText('Nothing was changed. Somebody else has changed one of them').waitFor();
  await soon(async () => (await server.json('/users/')).object_list.map((one) => one.first_name), ['Ada', 'Amazing', 'Émilie', 'Sophie', 'Marie']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Set a field…' }).click();
  await dialog.getByLabel(/^First name/).fill('Ada');
  await page.getByRole('button', { name: 'Change 3 records' }).click();
  await page.getByText('Changed: 3 records').waitFor();
  await soon(async () => (await server.json('/users/')).object_list.map((one) => one.first_name), ['Ada', 'Ada', 'Ada', 'Ada', 'Marie']);
  await soon(() => page.requests.filter((one) => /^(POST|PUT|PATCH|DELETE)/.test(one)), ['POST /_/batch/', 'POST /_/batch/']);
  await page.getByRole('link', { name: 'Ada Hopper' }).waitFor();
  // What refers to them is counted, and keeps them.
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('2 records').waitFor();
  await page.getByLabel('Select all rows of this page').click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('4 users refer to them as').waitFor();
  await page.getByRole('button', { name: 'Delete 2 records' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  await soon(async () => (await server.json('/address/')).meta.total_count, 2);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await tick('Ada Hopper');
  await tick('Marie Lovell');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('Nothing refers to them.').waitFor();
  await page.getByRole('button', { name: 'Delete 2 records' }).click();
  await page.getByText('3 records', { exact: true }).waitFor();
  await soon(() => rows(page), ['1', '3', '4']);
  await soon(() => page.evaluate(() => document.activeElement?.tagName), 'H1');
});

test('a second visit shows the list before the description is there, and follows it when it is another', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/openapi.json', async (route) => {
    await released;
    const answer = await route.fetch();
    const document = JSON.parse(await answer.text());
    document.paths['/users/'].summary = 'People';
    document.components.schemas['users-record'].properties.last_name.title = 'Family name';
    await route.fulfill({ response: answer, json: document });
  });
  await page.reload();
  await page.getByText('5 records').waitFor();
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  release();
  await page.getByRole('heading', { name: 'People' }).waitFor();
  await soon(async () => (await page.locator('thead th').allInnerTexts()).map((text) => text.trim()), ['First name', 'Family name', 'Address']);
});

test('the description is asked for once, with the page, and again only by its tag', {}, async ({ server, page }) => {
  await fill(server);
  const statuses = [];
  page.on('requestfinished', async (request) => {
    if (request.url().endsWith('/openapi.json')) statuses.push(request);
  });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('5 records').waitFor();
  await soon(() => page.requests.filter((one) => one === 'GET /openapi.json').length, 1, 'how often the description is asked for');
  const [request] = statuses;
  equal((await request.response()).headers()['cache-control'], 'no-cache');
  that(/^"[0-9a-f]{32}/.test((await request.response()).headers().etag), 'it has no tag');
});
