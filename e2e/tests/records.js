// Records: made, changed, in conflict, deleted; bad input; a server that goes away.
import { accessible } from '../lib/browser.js';
import { field, focusOn, pick, shownIn, typeInto } from '../lib/forms.js';
import { equal, soon, test, that } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };

test('all faults of a form stand at their fields before anything is sent, and nothing typed is lost', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/address/new`);
  await typeInto(page, 'City', 'Paris');
  await typeInto(page, 'Number', '12.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#field-country-error').waitFor();
  await soon(() => page.locator('.error').allInnerTexts(), ['A value is needed here.', 'A value is needed here.', 'This is not a whole number.']);
  await soon(() => page.locator('.field.wrong').count(), 3);
  await soon(() => page.getByRole('alert').innerText(), '3 fields need another look: Country, Street, Number.');
  await focusOn(page, 'field-country');
  await soon(() => page.requests.filter((one) => one.startsWith('POST')), []);
  await accessible(page, 'faults');
  await typeInto(page, 'Country', 'France');
  // What was mended is not complained about any longer, the rest is; and the caret stays where one types.
  await soon(() => page.locator('.field.wrong').count(), 2);
  await focusOn(page, 'field-country');
  await typeInto(page, 'Street', 'quai de Valmy');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('One field needs another look: Number.').waitFor();
  await soon(() => page.locator('.field.wrong').count(), 1);
  await soon(() => shownIn(page, 'City'), 'Paris');
  await page.getByRole('link', { name: 'Users', exact: true }).click(); // somewhere else, and back
  await page.getByRole('link', { name: 'New', exact: true }).waitFor();
  await page.goBack();
  await soon(() => shownIn(page, 'Number'), '12.5');
  await typeInto(page, 'Number', '99999999999999999999');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This number is too large to be stored.').waitFor();
  await typeInto(page, 'Number', '12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '12 quai de Valmy, Paris' }).waitFor();
});

test('what only the server knows stands at its field, in its words', { expected: [400] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await pick(page, 'Address', 'val', /45 quai/);
  await fetch(`${server.url}/address/1/`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#field-address-error').waitFor();
  await soon(() => page.locator('#field-address-error').innerText(), 'there is no record 1 in address');
  await focusOn(page, 'field-address');
  await soon(() => shownIn(page, 'Last name'), 'Lovelace');
});

test('a broken unique rule links to the other record', { config: `
[[collection]]
name = "users"
unique = [["first_name", "last_name"]]
[collection.fields]
first_name = { type = "string", required = true }
last_name  = { type = "string", required = true }
`, expected: [400] }, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await server.post('/users/', { first_name: 'Ada', last_name: 'Byron' });
  await page.goto(`${server.url}/console/#/users/2`);
  await typeInto(page, 'Last name', 'Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#field-last_name-error').waitFor();
  await page.getByRole('link', { name: 'Show the other record' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/1');
});

test('only what changed is sent, and the list is right without a reload', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address`);
  await page.getByRole('link', { name: /45 quai/ }).click();
  await typeInto(page, 'City', 'Lyon');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save' }).click();
  const request = await sent;
  equal(request.postData(), '{"city":"Lyon"}');
  that((await request.allHeaders())['if-match']?.startsWith('"'), 'no If-Match');
  await page.getByRole('link', { name: 'Back to Address' }).click();
  await page.getByRole('cell', { name: 'Lyon', exact: true }).waitFor();
});

test('an edit does not overwrite what somebody else changed meanwhile', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await server.put('/address/1/', { city: 'Nantes', number: 46 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Nantes');
  await focusOn(page, 'conflict-title');
  // Nothing is chosen for anybody.
  await page.getByRole('button', { name: 'Save what I chose' }).click({ force: true });
  await soon(() => page.requests.filter((one) => one.startsWith('PUT')).length, 1);
  await page.getByRole('radio', { name: 'Yours Lyon' }).check();
  await page.getByRole('button', { name: 'Save what I chose' }).click();
  await page.getByRole('heading', { name: '46 quai de Valmy, Lyon' }).waitFor();
  await soon(() => server.json('/address/1/'), { ...ADDRESS, city: 'Lyon', number: 46, ressource_uri: '/address/1/' });
});

test('each field of a conflict is chosen by itself', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  for (const [label, text] of [['City', 'Lyon'], ['Street', 'rue Mercière'], ['Country', 'La France']]) await typeInto(page, label, text);
  await server.put('/address/1/', { city: 'Nantes', street: 'rue Crébillon', number: 46 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('group', { name: 'City' }).getByRole('radio', { name: /^Yours/ }).check();
  await page.getByRole('group', { name: 'Street' }).getByRole('radio', { name: /^Stored now/ }).check();
  await page.getByRole('button', { name: 'Save what I chose' }).click();
  await page.getByRole('heading', { name: '46 rue Crébillon, Lyon' }).waitFor();
  await soon(() => server.json('/address/1/'), { country: 'La France', city: 'Lyon', street: 'rue Crébillon', number: 46, ressource_uri: '/address/1/' });
});

test('different fields are merged, and it says so', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await server.put('/address/1/', { number: 46, country: 'La France' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else had changed Country, Number meanwhile: both are kept.').waitFor();
  await soon(() => server.json('/address/1/'), { country: 'La France', city: 'Lyon', street: 'quai de Valmy', number: 46, ressource_uri: '/address/1/' });
  await page.getByRole('heading', { name: '46 quai de Valmy, Lyon' }).waitFor();
  await soon(() => shownIn(page, 'Number'), '46');
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
  const shown = await page.locator('tbody tr th').allTextContents();
  evil.forEach((text, at) => {
    const wanted = text === '' ? '“”empty text' : text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
    that(shown[at].trim() === wanted.trim(), `${JSON.stringify(shown[at].slice(0, 99))} is not ${JSON.stringify(wanted.slice(0, 99))}`);
  });
  for (const [at, text] of evil.entries()) {
    await page.goto(`${server.url}/console/#/users/${at + 1}`);
    await page.waitForFunction((title) => document.title === title, `users ${at + 1} · carnet`);
    await soon(async () => await (await field(page, 'First name')).inputValue(), text);
  }
  await page.goto(`${server.url}/console/#/address`);
  await page.getByText('9223372036854775807', { exact: true }).waitFor();
  await page.goto(`${server.url}/console/#/address/1`);
  await soon(() => shownIn(page, 'Number'), '9223372036854775807');
  await typeInto(page, 'Number', '-9223372036854775808');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Saved:/).waitFor();
  that((await server.text('/address/1/')).includes('"number":-9223372036854775808,'), 'the integer is not exact');
});

test('the server stops while somebody types: the form stays, says so, and saves when it is back', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await typeInto(page, 'Street', 'rue Mercière');
  await server.restart();
  await page.getByText('Saved: 45 rue Mercière, Lyon').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Lyon');

  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await server.restart();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
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
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/1');
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
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
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Byron');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await typeInto(page, 'Last name', 'Lovelace');
  await server.restart();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/')).object_list, [{ first_name: 'Ada', last_name: 'Lovelace', address: null, id: 1, ressource_uri: '/users/1/' }]);
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
  await soon(() => page.getByRole('button', { name: 'Save' }).count(), 0);
  await soon(() => page.getByRole('button', { name: 'Delete…' }).count(), 0);
});
