// What is typed and not stored yet: while a save is under way, left and found again, beside others, under another key.
import { accessible } from '../lib/browser.js';
import { equal, test } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };
const NOTES = `
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string", required = true }
text  = { type = "string" }
`;

/** Keeps requests of a method waiting; the answer of each goes on when it is let go. */
async function hold(page, method, path) {
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  const arrived = page.waitForRequest((request) => request.method() === method);
  arrived.catch(() => {});
  await page.route(path, async (route) => {
    if (route.request().method() === method) await released;
    return route.continue();
  });
  return { arrived: () => arrived, release };
}

const focused = (page) => page.evaluate(() => document.activeElement?.id);

test('what is typed while a save is under way stays in the form', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon');
  const held = await hold(page, 'PUT', '**/address/1/');
  await page.getByRole('button', { name: 'Save' }).click();
  await held.arrived();
  await page.getByLabel(/^city/).fill('Nantes');
  await page.getByLabel(/^street/).fill('rue Crébillon');
  held.release();
  await page.getByText('Saved: 45 quai de Valmy, Lyon').waitFor();
  equal(await page.getByLabel(/^city/).inputValue(), 'Nantes');
  equal(await page.getByLabel(/^street/).inputValue(), 'rue Crébillon');
  equal((await server.json('/address/1/')).city, 'Lyon');
  await page.getByText('Not saved: city, street').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: 45 rue Crébillon, Nantes').waitFor();
  equal(await focused(page), 'save');
  equal(await page.getByText(/^Not saved/).count(), 0);
});

test('what is typed while a new record is made stays on its page, and the caret with it', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^last_name/).fill('Love');
  await page.getByLabel(/^first_name/).fill('Ada');
  const held = await hold(page, 'POST', '**/users/');
  await page.keyboard.press('Control+s');
  await held.arrived();
  await page.getByLabel(/^last_name/).focus();
  await page.keyboard.press('End');
  await page.keyboard.type('la');
  held.release();
  await page.getByRole('heading', { name: 'Ada Love', exact: true }).waitFor();
  equal(new URL(page.url()).hash, '#/users/1');
  equal(await focused(page), 'field-last_name');
  await page.keyboard.type('ce');
  equal(await page.getByLabel(/^last_name/).inputValue(), 'Lovelace');
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  equal(await focused(page), 'field-last_name');
  equal((await server.json('/users/')).meta.total_count, 1);
  // The next new record is empty.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByRole('heading', { name: 'New record of users' }).waitFor();
  equal(await page.getByLabel(/^last_name/).inputValue(), '');
});

test('Enter makes a line in a text; Ctrl+S and Ctrl+Enter save', { config: NOTES }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Shopping', text: 'bread' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await page.getByLabel(/^text/).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('milk');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved: Shopping').waitFor();
  equal((await server.json('/notes/1/')).text, 'bread\nmilk');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('salt');
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.keyboard.press('Control+Enter');
  await saved;
  equal((await server.json('/notes/1/')).text, 'bread\nmilk\nsalt');
  // Twice in a row is once: the second finds the first under way.
  await page.keyboard.type('!');
  const held = await hold(page, 'PUT', '**/notes/1/');
  await page.keyboard.press('Control+s');
  await held.arrived();
  await page.keyboard.press('Control+s');
  held.release();
  await page.getByText(/^Not saved/).waitFor({ state: 'detached' });
  equal(page.requests.filter((one) => one === 'PUT /notes/1/').length, 3);
});

test('a draft that is found again does not overwrite what was changed meanwhile', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon');
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByText('There is nothing in users yet').waitFor();
  await server.put('/address/1/', { city: 'Nantes', number: 46 });
  await page.goBack();
  await page.getByText('Not saved: city').waitFor();
  equal(await page.getByLabel(/^city/).inputValue(), 'Lyon');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  const cells = await page.locator('.conflict tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText)));
  equal(cells, [['city', 'Lyon', 'Nantes', 'Paris'], ['number', 'left as it is stored', '46', '45']]);
  equal((await server.json('/address/1/')).city, 'Nantes');
  // After a reload, too.
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  await page.getByRole('button', { name: 'Save mine over it' }).click();
  await page.getByText('Saved: 46 quai de Valmy, Lyon').waitFor();
  equal(await server.json('/address/1/'), { ...ADDRESS, city: 'Lyon', number: 46, ressource_uri: '/address/1/' });
});

test('what was typed over a record that is deleted meanwhile can still be read', { expected: [404] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon, at the station');
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByText('There is nothing in users yet').waitFor();
  await fetch(`${server.url}/address/1/`, { method: 'DELETE' });
  await page.goBack();
  await page.getByText('There is no address 1').waitFor();
  await page.getByText('Lyon, at the station').waitFor();
  await accessible(page, 'leftover');
  await page.getByRole('button', { name: 'Discard what I typed' }).click();
  equal(await page.getByText('Lyon, at the station').count(), 0);
  equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('where single records cannot be read, an edit overwrites nobody either', { config: NOTES.replace('[collection.fields]', 'unique_verbs = ["PUT"]\n[collection.fields]') }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Shopping', text: 'bread' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await page.getByLabel(/^text/).fill('milk');
  await server.put('/notes/1/', { text: 'salt' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  equal((await server.json('/notes/')).object_list[0].text, 'salt');
  await page.getByRole('button', { name: 'Save mine over it' }).click();
  await page.getByText('Saved: Shopping').waitFor();
  equal((await server.json('/notes/')).object_list[0].text, 'milk');
});

test('a draft is marked, survives a reload, and can be discarded', {}, async ({ server, page }) => {
  await server.post('/address/', `{"country":"France","city":"Paris","street":"quai de Valmy","number":9223372036854775807}`);
  await page.goto(`${server.url}/console/#/address/1`);
  equal(await page.getByText(/^Not saved/).count(), 0);
  await page.getByLabel(/^city/).fill('Lyon');
  await page.getByText('Not saved: city').waitFor();
  await page.reload();
  await page.getByText('Not saved: city').waitFor();
  equal(await page.getByLabel(/^city/).inputValue(), 'Lyon');
  await page.getByText('You typed this earlier').waitFor();
  await page.locator('.field', { hasText: 'not saved' }).getByText('city').waitFor();
  await accessible(page, 'draft');
  // Typed back is nothing to save.
  await page.getByLabel(/^number/).fill('1');
  await page.getByText('Not saved: city, number').waitFor();
  await page.getByLabel(/^number/).fill('9223372036854775807');
  await page.getByText('Not saved: city', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Discard what I typed' }).click();
  equal(await page.getByLabel(/^city/).inputValue(), 'Paris');
  equal(await page.getByText(/^Not saved/).count(), 0);
  equal(await focused(page), 'save');
  await page.reload();
  await page.getByRole('heading', { name: /quai de Valmy, Paris/ }).waitFor();
  equal(await page.getByLabel(/^city/).inputValue(), 'Paris');
  equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('drafts have a bound: what is too large says so', { config: NOTES }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Long' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await page.getByLabel(/^text/).fill('y'.repeat(1000));
  await page.getByText(/^Not saved: text/).waitFor();
  equal(await page.getByText('too large').count(), 0);
  // Drafts of other records take almost all the space there is.
  await page.evaluate(() => sessionStorage.setItem('carnet-kept//draft notes/2', 'z'.repeat(2 * 1024 * 1024 - 2000)));
  await page.getByLabel(/^text/).fill('x'.repeat(2000));
  await page.getByText('too large to be kept').waitFor();
  // Nothing older is kept instead.
  equal(await page.evaluate(() => Object.keys(sessionStorage)), ['carnet-kept//draft notes/2']);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Long').waitFor();
  equal((await server.json('/notes/1/')).text.length, 2000);
});

test('a draft goes with the key, and stays when a key is asked for', { config: `${NOTES}
[collection.access]
authentication = true
authorization = true
`, expected: [400, 401] }, async ({ server, page }) => {
  const [first, second] = [await server.command('keys', 'create', 'first'), await server.command('keys', 'create', 'second')];
  const status = async () => (await fetch(`${server.url}/notes/`, { headers: { Authorization: `Bearer ${second}` } })).status;
  // The server follows a new key within a second.
  for (let attempt = 0; attempt < 100 && (await status()) !== 200; attempt += 1) await page.waitForTimeout(50);
  const give = async (key) => {
    await page.getByRole('textbox', { name: 'Access key' }).fill(key);
    await page.keyboard.press('Enter');
  };
  await page.goto(`${server.url}/console/#/notes`);
  await give(first);
  await page.getByText('There is nothing in notes yet').waitFor();
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel(/^title/).fill('for my eyes');
  await page.reload();
  await page.getByText('Not saved: title').waitFor();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('heading', { name: 'New record of notes' }).waitFor();
  equal(await page.getByLabel(/^title/).inputValue(), '');
  equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.goto(`${server.url}/console/#/notes`);
  await give(second);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  equal(await page.getByLabel(/^title/).inputValue(), '');
  // Typed without a key, saved with one: still there after the question.
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByLabel(/^text/).fill('no title');
  await page.getByRole('button', { name: 'Save' }).click();
  await give(second);
  await page.locator('.error').first().waitFor();
  equal(await page.getByLabel(/^text/).inputValue(), 'no title');
});

test('what was typed with one key is not shown with another', { config: `${NOTES}
[collection.access]
authentication = true
authorization = true
`, expected: [401] }, async ({ server, page }) => {
  const [first, second] = [await server.command('keys', 'create', 'first'), await server.command('keys', 'create', 'second')];
  const status = async (key) => (await fetch(`${server.url}/notes/`, { headers: { Authorization: `Bearer ${key}` } })).status;
  // The server follows what is done with keys within a second.
  const until = async (key, wanted) => {
    for (let attempt = 0; attempt < 100 && (await status(key)) !== wanted; attempt += 1) await page.waitForTimeout(50);
  };
  await until(second, 200);
  const give = async (key) => {
    await page.getByRole('textbox', { name: 'Access key' }).fill(key);
    await page.keyboard.press('Enter');
  };
  await page.goto(`${server.url}/console/#/notes`);
  await give(first);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel(/^title/).fill('for my eyes');
  await server.command('keys', 'revoke', 'first');
  await until(first, 401);
  await page.getByRole('link', { name: 'notes', exact: true }).first().click();
  await give(second);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByRole('heading', { name: 'New record of notes' }).waitFor();
  equal(await page.getByLabel(/^title/).inputValue(), '');
  await page.reload();
  await page.getByRole('heading', { name: 'New record of notes' }).waitFor();
  equal(await page.getByLabel(/^title/).inputValue(), '');
});

test('the page says what it does about a server that is away, and no more', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByLabel(/^city/).fill('Lyon');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('as long as this page stays open').waitFor();
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByRole('heading', { name: 'users' }).waitFor();
  await server.restart();
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByRole('link', { name: /45 quai/ }).click();
  await page.getByText('Not saved: city').waitFor();
  equal((await server.json('/address/1/')).city, 'Paris');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: 45 quai de Valmy, Lyon').waitFor();
});

test('a new record whose answer was lost is not made twice after a reload', { expected: ['ERR_FAILED', 'ERR_CONNECTION'] }, async ({ server, page }) => {
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
  await page.getByLabel(/^last_name/).fill('Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await server.restart();
  await page.reload();
  await page.getByText('Not saved: first_name, last_name').waitFor();
  await page.getByLabel(/^first_name/).fill('Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Augusta Lovelace' }).waitFor();
  equal((await server.json('/users/')).object_list, [{ first_name: 'Augusta', last_name: 'Lovelace', address: null, id: 1, ressource_uri: '/users/1/' }]);
});

test('what was discarded is not sent when the server is back', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Lovelace');
  await page.getByRole('button', { name: 'Choose address' }).click();
  await page.getByRole('button', { name: /45 quai/ }).click();
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await page.getByRole('button', { name: 'Discard what I typed' }).click();
  equal(await page.getByText('The server cannot be reached').count(), 0);
  await server.restart();
  await page.getByLabel(/^first_name/).fill('Grace');
  await page.getByLabel(/^last_name/).fill('Hopper');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
  equal((await server.json('/users/')).object_list, [{ first_name: 'Grace', last_name: 'Hopper', address: null, id: 1, ressource_uri: '/users/1/' }]);
});

test('an emptied required text is asked about before it is stored', {}, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await page.goto(`${server.url}/console/#/users/1`);
  await page.getByLabel(/^last_name/).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('last_name is empty').waitFor();
  equal(await focused(page), 'field-last_name');
  equal(page.requests.filter((one) => one.startsWith('PUT')), []);
  await accessible(page, 'emptied');
  // Whoever means it saves again.
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Ada').waitFor();
  equal((await server.json('/users/1/')).last_name, '');
  // It is stored so: nothing to ask about.
  await page.getByLabel(/^first_name/).fill('Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Augusta').waitFor();
  // A new record, typed and taken back.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Grace');
  await page.getByLabel(/^last_name/).fill('H');
  await page.getByLabel(/^last_name/).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('last_name is empty').waitFor();
  equal((await server.json('/users/')).meta.total_count, 1);
  await page.getByLabel(/^last_name/).fill('Hopper');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
});

test('a slow create, update or delete does not pull one back', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/address/', { ...ADDRESS, number: 46 });
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Lovelace');
  const creating = await hold(page, 'POST', '**/users/');
  await page.getByRole('button', { name: 'Save' }).click();
  await creating.arrived();
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByText('2 records').waitFor();
  creating.release();
  await page.getByText('Saved: Ada Lovelace').waitFor();
  equal(new URL(page.url()).hash, '#/address');
  // The draft went with it.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByRole('heading', { name: 'New record of users' }).waitFor();
  equal(await page.getByLabel(/^first_name/).inputValue(), '');

  await page.goto(`${server.url}/console/#/address/2`);
  const deleting = await hold(page, 'DELETE', '**/address/2/');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await deleting.arrived();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByText('1 record').waitFor();
  deleting.release();
  await page.getByText('Deleted: 46 quai de Valmy, Paris').waitFor();
  equal(new URL(page.url()).hash, '#/users');
});

test('a save that is under way is seen by who comes back to its form', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByLabel(/^first_name/).fill('Ada');
  await page.getByLabel(/^last_name/).fill('Lovelace');
  const creating = await hold(page, 'POST', '**/users/');
  await page.getByRole('button', { name: 'Save' }).click();
  await creating.arrived();
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByText('There is nothing in address yet').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  creating.release();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  equal(new URL(page.url()).hash, '#/users/1');
  equal(await page.getByText(/^Not saved/).count(), 0);
  // An update, too: what is shown then is what is stored.
  const updating = await hold(page, 'PUT', '**/users/1/');
  await page.getByLabel(/^first_name/).fill('Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await updating.arrived();
  await page.getByRole('link', { name: 'address', exact: true }).click();
  await page.getByText('There is nothing in address yet').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  updating.release();
  await page.getByRole('heading', { name: 'Augusta Lovelace' }).waitFor();
  equal(await page.getByText(/^Not saved/).count(), 0);
  equal((await server.json('/users/')).meta.total_count, 1);
});
