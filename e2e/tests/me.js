// What the key of the tab may do: told in the frame, and nothing else is offered.
import { accessible } from '../lib/browser.js';
import { equal, soon, test } from '../lib/suite.js';

const COLLECTION = (name, more = '') => `
[[collection]]
name = "${name}"
[collection.fields]
title = { type = "string", required = true, searchable = true }
${more}
[collection.pagination]
page_size = 20
[collection.access]
authentication = true
authorization = true
`;
const TWO = COLLECTION('shelves') + COLLECTION('notes', 'shelf = { type = "integer", references = "shelves" }');

/** A key that the server knows. */
async function keyOf(server, ...options) {
  const secret = await server.command('keys', 'create', ...options);
  await soon(async () => (await fetch(`${server.url}/_/me/`, { headers: { Authorization: `Bearer ${secret}` } })).status, 200);
  return secret;
}

async function give(page, secret) {
  await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
  await page.keyboard.press('Enter');
}

/** A note on a shelf, by a key that may. */
async function fill(server) {
  const headers = { Authorization: `Bearer ${await keyOf(server, 'filler')}`, 'Content-Type': 'application/json' };
  await fetch(`${server.url}/shelves/`, { method: 'POST', headers, body: '{"title":"Top"}' });
  equal((await fetch(`${server.url}/notes/`, { method: 'POST', headers, body: '{"title":"Milk","shelf":1}' })).status, 201);
}

const mine = (page) => page.getByRole('region', { name: 'Your key' });

test('the frame says whose key it is, what it may and when it ends', { config: TWO, expected: [401, 403] }, async ({ server, page }) => {
  const ann = await keyOf(server, 'Ann <b>', '--scope', 'notes:read', '--scope', 'notes:write', '--expires', '3d');
  await page.goto(`${server.url}/console/#/notes`);
  await give(page, ann);
  await mine(page).getByText('Ann <b>').waitFor();
  await mine(page).getByText('Read Notes, Write Notes').waitFor();
  await mine(page).getByText(/^Ends in 3 days$/).waitFor();
  await page.getByRole('link', { name: 'New', exact: true }).waitFor();
  await accessible(page, 'frame-key');
  // Another key is another person, and may do other things.
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await soon(() => mine(page).count(), 0);
  await give(page, await keyOf(server, 'root', '--admin'));
  await mine(page).getByText('Everything, Manage keys').waitFor();
  await soon(() => mine(page).getByText(/Ends/).count(), 0);
});

test('a key that may not write is offered nothing that writes, and told why', { config: TWO, expected: [401] }, async ({ server, page }) => {
  await fill(server);
  const reader = await keyOf(server, 'reader', '--scope', '*:read');
  await page.goto(`${server.url}/console/#/notes`);
  await give(page, reader);
  await page.getByText('Read only: the key reader may not write here.').waitFor();
  await page.getByRole('link', { name: 'Milk' }).waitFor();
  const writing = page.locator('main').getByText(/^(New|Import|Edit|Delete…|Duplicate|Make the first record)$/);
  equal([await writing.count(), await page.getByRole('checkbox').count()], [0, 0], 'what the list offers');
  // Nor by the keyboard, nor by the search everywhere.
  await page.getByRole('heading', { name: 'Notes' }).focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'API' }).waitFor();
  equal(await page.getByRole('option', { name: /^(New in|Import into)/ }).count(), 0, 'what the search offers');
  await page.keyboard.press('Escape');
  equal(new URL(page.url()).hash, '#/notes');
  await page.getByRole('link', { name: 'Milk' }).click();
  await page.getByText('Read only: the key reader may not write here.').last().waitFor();
  await page.locator('.of-record, form.record').first().getByText('Milk').first().waitFor();
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByRole('button', { name: 'Copy as JSON' }).waitFor();
  equal([await writing.count(), await page.getByRole('button', { name: /^Edit / }).count()], [0, 0], 'what the record offers');
  await accessible(page, 'read-only');
  for (const place of ['new', 'import']) {
    await page.goto(`${server.url}/console/#/notes/${place}`);
    await page.locator('main').getByRole('link', { name: 'To Notes' }).waitFor();
    equal(await page.locator('main').locator('input, textarea').count(), 0, place);
  }
  // After a reload nothing is offered first, to be taken away then: the answer is held back.
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route('**/_/me/', async (route) => (await held, route.continue()));
  await page.goto(`${server.url}/console/#/notes`);
  await page.reload();
  await page.getByRole('link', { name: 'Milk' }).waitFor();
  equal(await writing.count(), 0, 'what is offered before the answer');
  release();
});

test('what is typed for a reference is made anew only where the key may write', { config: TWO, expected: [401] }, async ({ server, page }) => {
  await fill(server);
  const writer = await keyOf(server, 'writer', '--scope', '*:read', '--scope', 'notes:write');
  await page.goto(`${server.url}/console/#/notes`);
  await give(page, writer);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await mine(page).getByText('writer').waitFor();
  await page.getByLabel(/^Shelf/).click();
  await page.getByRole('option', { name: 'Top' }).waitFor();
  equal(await page.getByRole('option', { name: /^New in/ }).count(), 0);
});

test('a server that does not tell leaves everything as it was', { config: TWO, expected: [401, 500] }, async ({ server, page }) => {
  await fill(server);
  await page.route('**/_/me/', (route) => route.fulfill({ status: 500, body: 'no' }));
  const reader = await keyOf(server, 'reader', '--scope', '*:read');
  await page.goto(`${server.url}/console/#/notes`);
  await give(page, reader);
  await page.getByRole('link', { name: 'Milk' }).waitFor();
  await page.getByRole('link', { name: 'New', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
});
