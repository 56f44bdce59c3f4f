// A record as a person reads and edits it: a card, values that become inputs, references that are typed.
import { accessible } from '../lib/browser.js';
import { field, focusOn, pick, shownIn, typeInto } from '../lib/forms.js';
import { equal, soon, test } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };

test('a record reads first; Edit, a pencil or a click on a value makes it an input', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace', address: 1 });
  await page.goto(`${server.url}/console/#/users/1`);
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).waitFor();
  await soon(() => page.locator('.field').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim())),
    ['First name Ada', 'Last name Lovelace', 'Address 45 quai de Valmy, Paris']);
  await soon(() => page.locator('main :is(input, textarea, select)').count(), 0);
  await accessible(page, 'card');
  await page.locator('.field.read').getByText('Lovelace').click();
  await focusOn(page, 'field-last_name');
  await soon(() => page.locator('main textarea').count(), 1);
  await page.getByRole('button', { name: 'Done' }).click();
  await soon(() => page.locator('main textarea').count(), 0);
  await focusOn(page, 'Edit');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await focusOn(page, 'field-first_name');
  await soon(() => page.locator('main :is(input, textarea, select)').count(), 3);
  await accessible(page, 'card-edited');
  // A link in a value is a link.
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).click();
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/address/1');
});

test('changes are counted, marked with what was there, and taken back one by one', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await page.getByRole('button', { name: 'Save (1 change)' }).waitFor();
  await typeInto(page, 'Number', '46');
  await page.getByRole('button', { name: 'Save (2 changes)' }).waitFor();
  await soon(() => page.locator('.was').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim())), ['was: Paris Take back', 'was: 45 Take back']);
  await page.getByRole('button', { name: 'Take back City' }).click();
  await soon(() => shownIn(page, 'Number'), '46');
  await soon(() => shownIn(page, 'City'), 'Paris');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save (1 change)' }).click();
  await soon(async () => (await sent).postData(), '{"number":46}');
  await page.getByRole('heading', { name: '46 quai de Valmy, Paris' }).waitFor();
});

test('a reference is typed: its words find it, the keyboard picks it', {}, async ({ server, page }) => {
  for (const [street, number] of [['quai de Valmy', 45], ['rue Mercière', 12], ['quai Voltaire', 3]]) await server.post('/address/', { ...ADDRESS, street, number });
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await page.goto(`${server.url}/console/#/users/1`);
  await (await field(page, 'Address')).press('ArrowDown');
  await page.getByRole('option', { name: '3 quai Voltaire' }).waitFor();
  await soon(() => page.locator('.combobox [role=option]').allInnerTexts(), ['45 quai de Valmy, Paris', '12 rue Mercière, Paris', '3 quai Voltaire, Paris', 'New in Address…']);
  await page.keyboard.type('mercie');
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 2);
  await soon(() => page.locator('.combobox [role=option]').first().getAttribute('aria-selected'), 'true');
  await accessible(page, 'combobox');
  // What is typed and not picked is no reference, and is kept all the same.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing is chosen yet: pick a record from the list.').waitFor();
  await page.reload();
  await soon(() => shownIn(page, 'Address'), 'mercie');
  await (await field(page, 'Address')).press('ArrowDown');
  await page.getByRole('option', { name: '12 rue Mercière, Paris' }).waitFor();
  await page.keyboard.press('Enter');
  await soon(() => shownIn(page, 'Address'), '12 rue Mercière, Paris');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Ada Lovelace').waitFor();
  await soon(async () => (await server.json('/users/1/')).address, 2);
  // Emptied, it is no reference any more.
  await typeInto(page, 'Address', '');
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Save' }).click();
  await answered;
  await soon(async () => (await server.json('/users/1/')).address, null);
});

test('a number that is typed to find a record is not taken for its id', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await page.goto(`${server.url}/console/#/users/1`);
  await typeInto(page, 'Address', '1');
  await page.getByText('Nothing in Address matches.').waitFor();
  // What is said stays where it is: were it gone with the focus, the button would move away from under the pointer.
  const { x, y } = await page.getByRole('button', { name: 'Save' }).boundingBox();
  await page.mouse.move(x + 5, y + 30);
  await page.mouse.down();
  await page.waitForFunction(() => document.activeElement?.matches('.save'));
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.mouse.up();
  await page.getByText('Nothing is chosen yet').waitFor();
  await soon(async () => (await server.json('/users/1/')).address, null);
});

test('where records have no words to search, the beginning of their first text finds them', { config: `
[[collection]]
name = "teams"
[collection.fields]
title = { type = "string", required = true }
[[collection]]
name = "people"
[collection.fields]
name = { type = "string", required = true }
team = { type = "integer", references = "teams" }
` }, async ({ server, page }) => {
  for (const title of ['Engines', 'Looms']) await server.post('/teams/', { title });
  await page.goto(`${server.url}/console/#/people/new`);
  await typeInto(page, 'Name', 'Ada');
  await typeInto(page, 'Team', 'loo');
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 2);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada' }).waitFor();
  await soon(async () => (await server.json('/people/1/')).team, 2);
});

test('a record that is referred to is made in place', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await page.getByLabel(/^Address/).click();
  await page.getByRole('option', { name: 'New in Address…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await soon(() => dialog.locator('.error').count(), 4);
  for (const [label, text] of [['Country', 'France'], ['City', 'Lyon'], ['Street', 'rue Mercière'], ['Number', '12']]) await dialog.getByLabel(new RegExp(`^${label}`)).fill(text);
  await accessible(page, 'in-place');
  // Closed by mistake, it is still there.
  await page.keyboard.press('Escape');
  await page.getByLabel(/^Address/).click();
  await page.getByRole('option', { name: 'New in Address…' }).click();
  await soon(() => dialog.getByLabel(/^Street/).inputValue(), 'rue Mercière');
  await dialog.getByLabel(/^Number/).press('Control+s');
  await dialog.waitFor({ state: 'detached' });
  await soon(() => shownIn(page, 'Address'), '12 rue Mercière, Lyon');
  await focusOn(page, 'field-address');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/1/')).address, 1);
});

test('what refers to a record stands below it: how many, and the first of them', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  for (let at = 1; at <= 7; at += 1) await server.post('/users/', { first_name: 'Ada', last_name: `Lovelace ${at}`, address: 1 });
  await page.goto(`${server.url}/console/#/address/1`);
  const below = page.getByRole('region', { name: 'Users (Address)' });
  await below.getByRole('heading', { name: 'Users as address · 7' }).waitFor();
  await soon(() => below.getByRole('listitem').allInnerTexts(), [1, 2, 3, 4, 5].map((at) => `Ada Lovelace ${at}`));
  await below.getByRole('link', { name: 'Show all 7' }).click();
  await page.getByText('7 match').waitFor();
  await page.goBack();
  await below.getByRole('link', { name: 'Ada Lovelace 2' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace 2' }).waitFor();
});

test('a record is duplicated, and a new one that was begun is not lost by it', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  const more = () => page.getByText('More', { exact: true }).click();
  await page.goto(`${server.url}/console/#/address/1`);
  await more();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'New in Address' }).waitFor();
  await soon(async () => [await shownIn(page, 'City'), await shownIn(page, 'Number')], ['Paris', '45']);
  await typeInto(page, 'Number', '46');
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await more();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'Another new record is not saved yet' }).waitFor();
  await accessible(page, 'replace');
  await page.getByRole('button', { name: 'Show it' }).click();
  await soon(() => shownIn(page, 'Number'), '46');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '46 quai de Valmy, Paris' }).waitFor();
  await soon(async () => (await server.json('/address/')).meta.total_count, 2);
});

test('a record is copied as JSON and as a request', { permissions: ['clipboard-read', 'clipboard-write'] }, async ({ server, page }) => {
  await server.post('/address/', `{"country":"France","city":"Paris","street":"quai de Valmy","number":9223372036854775807}`);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByText('More', { exact: true }).click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByText('Copied.').waitFor();
  await soon(async () => (await clipboard()).includes('"number": 9223372036854775807'), true);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('curl '));
  await soon(() => clipboard(), `curl ${server.url}/address/1/`);
  await accessible(page, 'menu');
  await page.keyboard.press('Escape');
  await focusOn(page, 'More');
});

test('beside the list, arrow keys and buttons lead to the next record', { viewport: { width: 1400, height: 800 } }, async ({ server, page }) => {
  for (const first_name of ['Ada', 'Grace', 'Mary']) await server.post('/users/', { first_name, last_name: 'X' });
  await page.goto(`${server.url}/console/#/users/1`);
  await page.getByRole('heading', { name: 'Ada X' }).waitFor();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByRole('heading', { name: 'Grace X' }).waitFor();
  await focusOn(page, 'Next');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Mary X' }).waitFor();
  await focusOn(page, 'Mary X');
  await page.keyboard.press('ArrowUp');
  await page.getByRole('heading', { name: 'Grace X' }).waitFor();
  // Not from a text, where arrows move the caret.
  await (await field(page, 'First name')).press('ArrowDown');
  await soon(() => page.getByRole('heading', { name: 'Grace X' }).count(), 1);
  await accessible(page, 'beside');
});

test('inputs are of the kind that the field has, and say what they want', { config: `
[[collection]]
name = "contacts"
[collection.fields]
name  = { type = "string", required = true, max_length = 10 }
email = { type = "string", format = "email" }
phone = { type = "string", format = "phone" }
site  = { type = "string", format = "url" }
kind  = { type = "string", choices = ["friend", "firm"] }
vip   = { type = "boolean" }
size  = { type = "float" }
` }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/contacts/new`);
  await page.getByRole('heading', { name: 'New in Contacts' }).waitFor();
  await soon(() => page.locator('main .field [id^=field-]').evaluateAll((all) => all.map((one) => one.type)), ['textarea', 'email', 'tel', 'url', 'select-one', 'select-one', 'text']);
  for (const [label, text] of [['Name', 'Ada Lovelace'], ['Email', 'ada'], ['Phone', 'none'], ['Site', 'javascript:alert(1)'], ['Size', '1,5']]) await typeInto(page, label, text);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.error').first().waitFor();
  await soon(() => page.locator('.error').allInnerTexts(), [
    'At most 10 characters fit here; these are 12.',
    'This is not an e-mail address. Write it like ada@example.org.',
    'This is not a telephone number. Write it like +49 30 123456.',
    'This is not the address of a page. Write it like https://example.org.',
    'This is not a number. Write it like 12.5.',
  ]);
  for (const [label, text] of [['Name', 'Ada'], ['Email', 'ada@example.org'], ['Phone', '+44 20 7946 0000'], ['Site', 'https://example.org/'], ['Size', '1.50']]) await typeInto(page, label, text);
  await page.getByLabel(/^Kind/).selectOption('friend');
  await page.getByLabel(/^Vip/).selectOption('Yes');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada' }).waitFor();
  const { id, ressource_uri, ...stored } = await server.json('/contacts/1/');
  equal(stored, { name: 'Ada', email: 'ada@example.org', phone: '+44 20 7946 0000', site: 'https://example.org/', kind: 'friend', vip: true, size: 1.5 });
});
