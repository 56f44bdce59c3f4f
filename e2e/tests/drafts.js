// What is typed and not stored yet: while a save is under way, left and found again, beside others, under another key.
import { accessible } from '../lib/browser.js';
import { field, focusOn, pick, shownIn, typeInto } from '../lib/forms.js';
import { soon, test } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };
/** The versions of each field that has to be chosen. */
const versions = (page) => page.locator('.conflict fieldset').evaluateAll((all) => all.map((one) =>
  [...one.querySelectorAll('legend, .version, .before')].map((part) => part.innerText.replace(/\s+/g, ' ').trim())));
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

/** What this browser keeps of what was typed. */
const keptOf = (page) => page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('carnet-kept:')));

test('what is typed while a save is under way stays in the form', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  const held = await hold(page, 'PUT', '**/address/1/');
  await page.getByRole('button', { name: 'Save' }).click();
  await held.arrived();
  await typeInto(page, 'City', 'Nantes');
  await typeInto(page, 'Street', 'rue Crébillon');
  held.release();
  await page.getByText('Saved: 45 quai de Valmy, Lyon').waitFor();
  await soon(() => shownIn(page, 'City'), 'Nantes');
  await soon(() => shownIn(page, 'Street'), 'rue Crébillon');
  await soon(async () => (await server.json('/address/1/')).city, 'Lyon');
  await page.getByText('Not saved: city, street').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: 45 rue Crébillon, Nantes').waitFor();
  await soon(() => page.getByText(/^Not saved/).count(), 0);
  // It reads again, and the focus is not lost.
  await focusOn(page, 'Edit');
});

test('what is typed while a new record is made stays on its page, and the caret with it', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'Last name', 'Love');
  await typeInto(page, 'First name', 'Ada');
  const held = await hold(page, 'POST', '**/users/');
  await page.keyboard.press('Control+s');
  await held.arrived();
  await (await field(page, 'Last name')).focus();
  await page.keyboard.press('End');
  await page.keyboard.type('la');
  held.release();
  await page.getByRole('heading', { name: 'Ada Love', exact: true }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/1');
  await focusOn(page, 'field-last_name');
  await page.keyboard.type('ce');
  await soon(() => shownIn(page, 'Last name'), 'Lovelace');
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await focusOn(page, 'field-last_name');
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
  // The next new record is empty.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByRole('heading', { name: 'New in Users' }).waitFor();
  await soon(() => shownIn(page, 'Last name'), '');
});

test('Enter makes a line in a text; Ctrl+S and Ctrl+Enter save', { config: NOTES }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Shopping', text: 'bread' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await (await field(page, 'Text')).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('milk');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved: Shopping').waitFor();
  await soon(async () => (await server.json('/notes/1/')).text, 'bread\nmilk');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('salt');
  await page.getByText('Not saved: text').waitFor();
  await page.keyboard.press('Control+Enter');
  // Until the page has read the answer, a save is under way, and another one would not be sent.
  await page.getByText(/^Not saved/).waitFor({ state: 'detached' });
  await soon(async () => (await server.json('/notes/1/')).text, 'bread\nmilk\nsalt');
  // Twice in a row is once: the second finds the first under way.
  await page.keyboard.type('!');
  const held = await hold(page, 'PUT', '**/notes/1/');
  await page.keyboard.press('Control+s');
  await held.arrived();
  await page.keyboard.press('Control+s');
  held.release();
  await page.getByText(/^Not saved/).waitFor({ state: 'detached' });
  await soon(() => page.requests.filter((one) => one === 'PUT /notes/1/').length, 3);
});

test('a draft that is found again does not overwrite what was changed meanwhile', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('There is nothing in Users yet').waitFor();
  await server.put('/address/1/', { city: 'Nantes', number: 46 });
  await page.goBack();
  await page.getByText('Somebody else has changed this record').waitFor();
  await soon(() => shownIn(page, 'City'), 'Lyon');
  await soon(() => versions(page), [['City', 'Yours Lyon', 'Stored now Nantes', 'When you began: Paris']]);
  await page.getByText('Also changed by somebody else, and kept: Number: 46').waitFor();
  // After a reload, too, and when it is saved all the same.
  await page.reload();
  await page.getByText('Somebody else has changed this record').waitFor();
  await page.getByRole('button', { name: 'Save (1 change)' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Nantes');
  await page.getByRole('button', { name: 'Save all of mine' }).click();
  await page.getByText('Saved: 46 quai de Valmy, Lyon').waitFor();
  await soon(() => server.json('/address/1/'), { ...ADDRESS, city: 'Lyon', number: 46, ressource_uri: '/address/1/' });
});

test('what was typed over a record that is deleted meanwhile can still be read', { expected: [404] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon, at the station');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('There is nothing in Users yet').waitFor();
  await fetch(`${server.url}/address/1/`, { method: 'DELETE' });
  await page.goBack();
  await page.getByText('There is no address 1').waitFor();
  await page.getByText('Lyon, at the station').waitFor();
  await accessible(page, 'leftover');
  await page.getByRole('button', { name: 'Discard' }).click();
  await soon(() => page.getByText('Lyon, at the station').count(), 0);
  await soon(() => keptOf(page), []);
});

test('where single records cannot be read, an edit overwrites nobody either', { config: NOTES.replace('[collection.fields]', 'unique_verbs = ["PUT"]\n[collection.fields]') }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Shopping', text: 'bread' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await typeInto(page, 'Text', 'milk');
  await server.put('/notes/1/', { text: 'salt' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  await soon(async () => (await server.json('/notes/')).object_list[0].text, 'salt');
  await page.getByRole('button', { name: 'Save all of mine' }).click();
  await page.getByText('Saved: Shopping').waitFor();
  await soon(async () => (await server.json('/notes/')).object_list[0].text, 'milk');
});

test('a draft is marked, survives a reload, and can be discarded', {}, async ({ server, page }) => {
  await server.post('/address/', `{"country":"France","city":"Paris","street":"quai de Valmy","number":9223372036854775807}`);
  await page.goto(`${server.url}/console/#/address/1`);
  await soon(() => page.getByText(/^Not saved/).count(), 0);
  await typeInto(page, 'City', 'Lyon');
  await page.getByText('Not saved: city').waitFor();
  await page.reload();
  await page.getByText('Not saved: city').waitFor();
  await soon(() => shownIn(page, 'City'), 'Lyon');
  await page.getByText('You typed this earlier').waitFor();
  await soon(() => page.locator('.field.typed').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim())), ['City * was: Paris Take back']);
  await accessible(page, 'draft');
  // Typed back is nothing to save.
  await typeInto(page, 'Number', '1');
  await page.getByText('Not saved: city, number').waitFor();
  await typeInto(page, 'Number', '9223372036854775807');
  await page.getByText('Not saved: City', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await soon(() => shownIn(page, 'City'), 'Paris');
  await soon(() => page.getByText(/^Not saved/).count(), 0);
  await focusOn(page, 'Edit');
  await page.reload();
  await page.getByRole('heading', { name: /quai de Valmy, Paris/ }).waitFor();
  await soon(() => shownIn(page, 'City'), 'Paris');
  await soon(() => keptOf(page), []);
});

test('drafts have a bound: what is too large says so', { config: NOTES }, async ({ server, page }) => {
  await server.post('/notes/', { title: 'Long' });
  await page.goto(`${server.url}/console/#/notes/1`);
  await typeInto(page, 'Text', 'y'.repeat(1000));
  await page.getByText(/^Not saved: Text/).waitFor();
  await soon(() => page.getByText('too large').count(), 0);
  // Drafts of other records take almost all the space there is.
  await page.evaluate(() => localStorage.setItem('carnet-kept:/:/draft notes/2', 'z'.repeat(2 * 1024 * 1024 - 2000)));
  await typeInto(page, 'Text', 'x'.repeat(2000));
  await page.getByText('too large to be kept').waitFor();
  // Nothing older is kept instead.
  await soon(() => keptOf(page), ['carnet-kept:/:/draft notes/2']);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Long').waitFor();
  await soon(async () => (await server.json('/notes/1/')).text.length, 2000);
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
  await page.getByText('There is nothing in Notes yet').waitFor();
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await typeInto(page, 'Title', 'for my eyes');
  await page.reload();
  await page.getByText('Not saved: title').waitFor();
  // What is typed goes with the key: not without a question.
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('heading', { name: 'Forget the key, and what you typed?' }).waitFor();
  await accessible(page, 'forget');
  await page.getByRole('button', { name: 'Keep both' }).click();
  await soon(() => shownIn(page, 'Title'), 'for my eyes');
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('button', { name: 'Forget both' }).click();
  await page.getByRole('heading', { name: 'New in Notes' }).waitFor();
  await soon(() => shownIn(page, 'Title'), '');
  await soon(async () => [await page.evaluate(() => sessionStorage.length), await keptOf(page)], [0, []]);
  await page.goto(`${server.url}/console/#/notes`);
  await give(second);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await soon(() => shownIn(page, 'Title'), '');
  // Typed without a key, saved with one: still there after the question.
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await typeInto(page, 'Title', 'typed without a key');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('textbox', { name: 'Access key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('alert').waitFor();
  await soon(() => shownIn(page, 'Title'), 'typed without a key');
  await page.getByRole('button', { name: 'Save' }).click();
  await give(second);
  await page.getByRole('heading', { name: 'typed without a key' }).waitFor();
  await soon(() => keptOf(page), []);
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
  await typeInto(page, 'Title', 'for my eyes');
  await server.command('keys', 'revoke', 'first');
  await until(first, 401);
  await page.getByRole('link', { name: 'Notes', exact: true }).first().click();
  await give(second);
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByRole('heading', { name: 'New in Notes' }).waitFor();
  await soon(() => shownIn(page, 'Title'), '');
  await page.reload();
  await page.getByRole('heading', { name: 'New in Notes' }).waitFor();
  await soon(() => shownIn(page, 'Title'), '');
});

test('what was saved while the server is away is sent when it is back, wherever one is then', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('saved when the server is back').waitFor();
  await page.getByRole('link', { name: 'Unsaved (1)' }).click();
  await page.getByRole('heading', { name: 'Unsaved' }).waitFor();
  await page.getByText('Saved when the server is back.').waitFor();
  await server.restart();
  await page.getByText('Everything that you typed is saved.').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Lyon');
  await soon(() => keptOf(page), []);
});

test('what was saved while the server is away waits for a choice where somebody else was faster', { expected: ['ERR_CONNECTION', 412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await page.route('**/address/1/', (route) => (route.request().method() === 'PUT' ? route.abort('connectionrefused') : route.continue()));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('saved when the server is back').waitFor();
  await page.getByRole('link', { name: 'Unsaved (1)' }).click();
  await server.put('/address/1/', { city: 'Nantes' });
  await page.unroute('**/address/1/');
  await page.getByText('Somebody else has changed the same: please choose.').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Nantes');
  await accessible(page, 'unsaved');
  await page.getByRole('link', { name: 'Choose…' }).click();
  await page.getByRole('radio', { name: /^Stored now/ }).check();
  await page.getByRole('button', { name: 'Save what I chose' }).click();
  await page.getByRole('heading', { name: '45 quai de Valmy, Nantes' }).waitFor();
  await soon(() => page.getByRole('link', { name: /^Unsaved/ }).count(), 0);
  await soon(async () => (await server.json('/address/1/')).city, 'Nantes');
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
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await server.restart();
  // Whoever wanted it saved before the reload still does: it is sent again, and done once.
  await page.reload();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/1');
  await soon(async () => (await server.json('/users/')).object_list, [{ first_name: 'Ada', last_name: 'Lovelace', address: null, id: 1, ressource_uri: '/users/1/' }]);
  await soon(() => keptOf(page), []);
});

test('what was discarded is not sent when the server is back', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await pick(page, 'Address', 'val', /45 quai/);
  await server.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await soon(() => page.getByText('The server cannot be reached').count(), 0);
  await server.restart();
  await typeInto(page, 'First name', 'Grace');
  await typeInto(page, 'Last name', 'Hopper');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
  await soon(async () => (await server.json('/users/')).object_list, [{ first_name: 'Grace', last_name: 'Hopper', address: null, id: 1, ressource_uri: '/users/1/' }]);
});

test('an emptied required text is asked about before it is stored', {}, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await page.goto(`${server.url}/console/#/users/1`);
  await typeInto(page, 'Last name', '');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Last name is empty').waitFor();
  await focusOn(page, 'field-last_name');
  await soon(() => page.requests.filter((one) => one.startsWith('PUT')), []);
  await accessible(page, 'emptied');
  // Whoever means it saves again.
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Ada').waitFor();
  await soon(async () => (await server.json('/users/1/')).last_name, '');
  // It is stored so: nothing to ask about.
  await typeInto(page, 'First name', 'Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Augusta').waitFor();
  // A new record, typed and taken back.
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Grace');
  await typeInto(page, 'Last name', 'H');
  await typeInto(page, 'Last name', '');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Last name is empty').waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
  await typeInto(page, 'Last name', 'Hopper');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
});

test('a slow create, update or delete does not pull one back', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/address/', { ...ADDRESS, number: 46 });
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  const creating = await hold(page, 'POST', '**/users/');
  await page.getByRole('button', { name: 'Save' }).click();
  await creating.arrived();
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('2 records').waitFor();
  creating.release();
  await page.getByText('Saved: Ada Lovelace').waitFor();
  await soon(() => new URL(page.url()).hash, '#/address');
  // The draft went with it.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByRole('heading', { name: 'New in Users' }).waitFor();
  await soon(() => shownIn(page, 'First name'), '');

  await page.goto(`${server.url}/console/#/address/2`);
  const deleting = await hold(page, 'DELETE', '**/address/2/');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await deleting.arrived();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('1 record').waitFor();
  deleting.release();
  await page.getByText('Deleted: 46 quai de Valmy, Paris').waitFor();
  await soon(() => new URL(page.url()).hash, '#/users');
});

test('a save that is under way is seen by who comes back to its form', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  const creating = await hold(page, 'POST', '**/users/');
  await page.getByRole('button', { name: 'Save' }).click();
  await creating.arrived();
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('There is nothing in Address yet').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  creating.release();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/1');
  await soon(() => page.getByText(/^Not saved/).count(), 0);
  // An update, too: what is shown then is what is stored.
  const updating = await hold(page, 'PUT', '**/users/1/');
  await typeInto(page, 'First name', 'Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await updating.arrived();
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('There is nothing in Address yet').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  updating.release();
  await page.getByRole('heading', { name: 'Augusta Lovelace' }).waitFor();
  await soon(() => page.getByText(/^Not saved/).count(), 0);
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
});
