// Records: made, changed, in conflict, deleted; bad input; a server that goes away.
import { equal, test, that } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };

test("the server's error stands at its field, and nothing typed is lost", { expected: [400] }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/address/new`);
  await page.getByLabel(/^city/).fill('Paris');
  await page.getByLabel(/^number/).fill('12.5');
  await page.getByRole('button', { name: 'Save' }).click();
  const error = page.locator('#field-country-error');
  await error.waitFor();
  // Every fault at once, and all of it in short above the form.
  equal(await error.innerText(), 'a value is required, and none is given');
  equal(await page.locator('#field-street-error').innerText(), 'a value is required, and none is given');
  const number = 'a number with a point or an exponent where an integer is wanted';
  equal(await page.locator('#field-number-error').innerText(), number);
  equal(await page.locator('.field.wrong').count(), 3);
  equal(await page.getByRole('alert').innerText(), 'country: a value is required, and none is given (and 2 more)');
  equal(await page.evaluate(() => document.activeElement?.id), 'field-country');
  await page.getByLabel(/^country/).fill('France');
  // What was mended is not complained about any longer, the rest is; and the caret stays where one types.
  equal(await page.locator('.field.wrong').count(), 2);
  equal(await page.evaluate(() => document.activeElement?.id), 'field-country');
  await page.getByLabel(/^street/).fill('quai de Valmy');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`number: ${number}`).waitFor();
  equal(await page.locator('.field.wrong').count(), 1);
  equal(await page.getByLabel(/^city/).inputValue(), 'Paris');
  await page.getByRole('link', { name: 'users' }).click(); // somewhere else, and back
  await page.getByRole('link', { name: 'New', exact: true }).waitFor();
  await page.goBack();
  equal(await page.getByLabel(/^number/).inputValue(), '12.5');
  await page.getByLabel(/^number/).fill('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '12 quai de Valmy, Paris' }).waitFor();
});

test('only what changed is sent, and the list is right without a reload', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address`);
  await page.getByRole('link', { name: /45 quai/ }).click();
  await page.getByLabel(/^city/).fill('Lyon');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save' }).click();
  const request = await sent;
  equal(request.postData(), '{"city":"Lyon"}');
  that((await request.allHeaders())['if-match']?.startsWith('"'), 'no If-Match');
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('cell', { name: 'Lyon' }).waitFor();
});

test('an edit does not overwrite what somebody else changed meanwhile', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon');
  await server.put('/address/1/', { city: 'Nantes', number: 46 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  const cells = await page.locator('.conflict tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText)));
  equal(cells, [['city', 'Lyon', 'Nantes', 'Paris'], ['number', 'left as it is stored', '46', '45']]);
  equal((await server.json('/address/1/')).city, 'Nantes');
  await page.getByRole('button', { name: 'Save mine over it' }).click();
  await page.getByRole('heading', { name: '46 quai de Valmy, Lyon' }).waitFor();
  equal(await server.json('/address/1/'), { ...ADDRESS, city: 'Lyon', number: 46, ressource_uri: '/address/1/' });
});

test('a record that others refer to is not deleted, and says who they are', { expected: [409] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace', address: 1 });
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('heading', { name: 'Delete “45 quai de Valmy, Paris”?' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('still referenced by users').waitFor();
  await page.getByRole('link', { name: 'Show it' }).click();
  await page.getByText('1 match').waitFor();
});

test('whatever is stored is shown as text, and exactly', {}, async ({ server, page }) => {
  const evil = [
    '<img src=x onerror=alert(1)>', '<script>alert(1)</script>', 'javascript:alert(1)', '"\'`${alert(1)}&amp;',
    '\u202Edlrow\u202C \u200Fשלום عليكم', '  two  spaces\tand\nlines ', '京都 😀', 'x'.repeat(65536), '',
  ];
  for (const text of evil) await server.post('/users/', { first_name: text, last_name: text, address: null });
  await server.post('/address/', `{"country":"<b>","city":"c","street":"s","number":9223372036854775807}`);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText(`${evil.length} records`).waitFor();
  const shown = await page.locator('tbody tr td:nth-child(2)').allTextContents();
  evil.forEach((text, at) => {
    const wanted = text === '' ? 'empty text' : text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
    that(shown[at].trim() === wanted.trim(), `${JSON.stringify(shown[at].slice(0, 99))} is not ${JSON.stringify(wanted.slice(0, 99))}`);
  });
  for (const [at, text] of evil.entries()) {
    await page.goto(`${server.url}/console/#/users/${at + 1}`);
    await page.locator(`.crumbs:has-text("${at + 1}")`).waitFor();
    equal(await page.getByLabel(/^first_name/).inputValue(), text);
  }
  await page.goto(`${server.url}/console/#/address`);
  await page.getByText('9223372036854775807', { exact: true }).waitFor();
  await page.goto(`${server.url}/console/#/address/1`);
  equal(await page.getByLabel(/^number/).inputValue(), '9223372036854775807');
  await page.getByLabel(/^number/).fill('-9223372036854775808');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Saved:/).waitFor();
  that((await server.text('/address/1/')).includes('"number":-9223372036854775808,'), 'the integer is not exact');
});

test('the server stops while somebody types: the form stays, says so, and saves when it is back', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await page.getByLabel(/^street/).fill('rue Mercière');
  await server.restart();
  await page.getByText('Saved: 45 rue Mercière, Lyon').waitFor();
  equal((await server.json('/address/1/')).city, 'Lyon');

  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Lovelace');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await server.restart();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  equal((await server.json('/users/')).meta.total_count, 1);
});

test('a new record whose answer was lost is not made twice', { expected: ['ERR_FAILED'] }, async ({ server, page }) => {
  let isLost = false;
  await page.route('**/users/', async (route) => {
    if (route.request().method() !== 'POST' || isLost) return route.continue();
    isLost = true;
    await route.fetch(); // it arrives, and the answer does not come back
    return route.abort();
  });
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  equal(new URL(page.url()).hash, '#/users/1');
  equal((await server.json('/users/')).meta.total_count, 1);
});

test('a new record whose answer was lost becomes what was typed since', { expected: ['ERR_FAILED', 'ERR_CONNECTION'] }, async ({ server, page }) => {
  let isLost = false;
  await page.route('**/users/', async (route) => {
    if (route.request().method() !== 'POST' || isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await server.stop();
    return route.abort();
  });
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Byron');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await page.getByLabel(/^last_name/).fill('Lovelace');
  await server.restart();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  equal((await server.json('/users/')).object_list, [{ first_name: 'Ada', last_name: 'Lovelace', address: null, id: 1, ressource_uri: '/users/1/' }]);
});

test('a delete whose answer was lost is told as done when it is asked for again', { expected: ['ERR_FAILED'] }, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  const keys = [];
  await page.route('**/users/1/', async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    keys.push((await route.request().allHeaders())['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.goto(`${server.url}/console/#/users/1`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Deleted: Ada Lovelace').waitFor();
  that(/^"[0-9a-f-]{32,36}"$/.test(keys[0]), `the key is ${keys[0]}`);
  equal(keys, [keys[0], keys[0]]);
});

test('where a record may only be read, it is shown and not offered for change', { config: `
[[collection]]
name = "notes"
unique_verbs = ["GET"]
[collection.fields]
title = { type = "string", required = true }
` }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Read me' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await page.getByRole('heading', { name: 'Read me' }).waitFor();
  equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  equal(await page.getByRole('button', { name: 'Delete…' }).count(), 0);
});
