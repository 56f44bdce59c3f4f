// Nothing typed is lost or overwrites another's change, whatever happens while it is saved.
import { once } from 'node:events';
import { shownIn, typeInto } from '../lib/forms.js';
import { soon, test, that } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };
const GUARDED = `
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string", required = true }
text  = { type = "string" }
[collection.access]
authentication = true
authorization = true
`;
const keptOf = (page) => page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('carnet-kept:')));
const save = (page) => page.getByRole('button', { name: /^Save/ });

/** Keeps the writes of the page waiting until they are let go. */
async function hold(page, path) {
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue().catch(() => {});
  });
  return () => release();
}

test('save slow: one goes elsewhere, types elsewhere, and both are stored', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/address/', { ...ADDRESS, number: 46 });
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  const release = await hold(page, '**/address/1/');
  await save(page).click();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  await page.goto(`${server.url}/console/#/address/2`);
  await page.getByRole('heading', { name: '46 quai' }).waitFor();
  await typeInto(page, 'City', 'Nantes');
  release();
  await page.getByText('Saved: 45 quai de Valmy, Lyon').waitFor();
  await soon(() => shownIn(page, 'City'), 'Nantes');
  await save(page).click();
  await page.getByText('Saved: 46 quai de Valmy, Nantes').waitFor();
  await soon(async () => [(await server.json('/address/1/')).city, (await server.json('/address/2/')).city], ['Lyon', 'Nantes']);
});

test('save fast twice: one record is made, by two clicks and by two tabs', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await save(page).dblclick();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);

  // What is typed in one tab is there in the other.
  await page.goto(`${server.url}/console/#/users/new`);
  await page.getByRole('heading', { name: 'New in Users' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${server.url}/console/#/users/new`);
  await other.getByRole('heading', { name: 'New in Users' }).waitFor();
  await typeInto(page, 'First name', 'Grace');
  await typeInto(page, 'Last name', 'Hopper');
  await other.waitForFunction(() => /** @type {any} */ (document.getElementById('field-last_name')).value === 'Hopper');
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.context().route('**/users/', async (route) => {
    if (route.request().method() === 'POST') await released;
    return route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await save(page).click();
  await sent;
  // The other tab has the wish, too, and nothing of an answer.
  await other.getByRole('button', { name: 'Saving…' }).waitFor();
  release();
  await page.getByRole('link', { name: /^Unsaved/ }).waitFor({ state: 'detached' });
  await other.getByRole('link', { name: /^Unsaved/ }).waitFor({ state: 'detached' });
  await other.waitForFunction(() => !document.querySelector('.save[aria-disabled="true"]'));
  await soon(async () => (await server.json('/users/')).object_list.map((one) => one.first_name), ['Ada', 'Grace']);
});

test('two tabs type into different fields of a record, and both are stored', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await other.getByText('Not saved: City').waitFor();
  await typeInto(other, 'Street', 'rue Mercière');
  await page.getByText('Not saved: City, Street').waitFor();
  await save(page).click();
  await page.getByText('Saved: 45 rue Mercière, Lyon').waitFor();
  await other.getByRole('link', { name: /^Unsaved/ }).waitFor({ state: 'detached' });
  // The other tab has seen it, too: what is typed there next overwrites nothing.
  await typeInto(other, 'Country', 'La France');
  await save(other).click();
  await other.getByText('Saved: 45 rue Mercière, Lyon').waitFor();
  await soon(() => server.json('/address/1/'), { country: 'La France', city: 'Lyon', street: 'rue Mercière', number: 45, ressource_uri: '/address/1/' });
});

test('offline: it says so, keeps what is typed, and saves when the browser is online again', { expected: ['ERR_INTERNET_DISCONNECTED'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await page.context().setOffline(true);
  await save(page).click();
  await page.getByText('The server cannot be reached').waitFor();
  await typeInto(page, 'Street', 'rue Mercière');
  await soon(async () => (await server.json('/address/1/')).city, 'Paris');
  await page.context().setOffline(false);
  await page.getByText('Saved: 45 rue Mercière, Lyon').waitFor();
  await soon(() => keptOf(page), []);
});

test('offline and back to the form: what waits is sent all the same', { expected: ['ERR_CONNECTION'] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await page.route('**/address/1/', (route) => (route.request().method() === 'PUT' ? route.abort('connectionrefused') : route.continue()));
  await save(page).click();
  await page.getByText('saved when the server is back').waitFor();
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('There is nothing in').waitFor();
  await page.goto(`${server.url}/console/#/address/1`);
  await page.getByText('saved when the server is back').waitFor();
  await soon(() => shownIn(page, 'City'), 'Lyon');
  await page.unroute('**/address/1/');
  await page.getByRole('heading', { name: '45 quai de Valmy, Lyon' }).waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Lyon');
});

test('server killed in the middle of a save: it is done once, and told', { expected: ['ERR_'] }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  let isFirst = true;
  await page.route('**/users/', async (route) => {
    if (route.request().method() !== 'POST' || !isFirst) return route.continue();
    isFirst = false;
    // It is stored, and nobody hears of it.
    await route.fetch();
    const gone = once(server.process, 'exit');
    server.process.kill('SIGKILL');
    await gone;
    return route.abort('connectionreset');
  });
  await save(page).click();
  await page.getByText('The server cannot be reached').waitFor();
  await server.restart();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
  await soon(() => keptOf(page), []);
});

test('key expired: another is asked for, and what is typed goes on with it', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  const [first, second] = [await server.command('keys', 'create', 'first'), await server.command('keys', 'create', 'second')];
  const status = async (key) => (await fetch(`${server.url}/notes/`, { headers: { Authorization: `Bearer ${key}` } })).status;
  // The server follows what is done with keys within a second.
  const until = async (key, wanted) => {
    for (let attempt = 0; attempt < 100 && (await status(key)) !== wanted; attempt += 1) await page.waitForTimeout(50);
  };
  const give = async (key) => {
    await page.getByRole('textbox', { name: 'Access key' }).fill(key);
    await page.keyboard.press('Enter');
  };
  await until(second, 200);
  await page.goto(`${server.url}/console/#/notes`);
  await give(first);
  await page.getByText('There is nothing in').waitFor();
  await page.goto(`${server.url}/console/#/notes/new`);
  await typeInto(page, 'Title', 'typed with the first');
  await server.command('keys', 'revoke', 'first');
  await until(first, 401);
  await save(page).click();
  await page.getByText('does not accept the key').waitFor();
  // Nothing is lost by saying no, either.
  await page.keyboard.press('Escape');
  await soon(() => shownIn(page, 'Title'), 'typed with the first');
  await save(page).click();
  await give(second);
  await page.getByRole('heading', { name: 'typed with the first' }).waitFor();
  await soon(() => keptOf(page), []);
});

test('record deleted by another: it says so, and can be made anew with what was typed', { expected: [404] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await fetch(`${server.url}/address/1/`, { method: 'DELETE' });
  await save(page).click();
  await page.getByText('somebody has deleted it. What you typed is still here.').waitFor();
  await soon(() => shownIn(page, 'City'), 'Lyon');
  await page.getByRole('button', { name: 'Make it anew with what I typed' }).click();
  await page.getByRole('heading', { name: 'New in Address' }).waitFor();
  await save(page).click();
  await page.getByRole('heading', { name: '45 quai de Valmy, Lyon' }).waitFor();
  await soon(async () => (await server.json('/address/')).object_list.map((one) => [one.city, one.number]), [['Lyon', 45]]);
  await soon(() => keptOf(page), []);
});

test('tab closed and opened again: what was typed is there, over the version it was typed over', { expected: [412] }, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'City', 'Lyon');
  await server.put('/address/1/', { city: 'Nantes' });
  const context = page.context();
  const other = await context.newPage();
  await page.close();
  await other.goto(`${server.url}/console/`);
  await other.getByRole('link', { name: 'Unsaved (1)' }).click();
  await other.getByText('Lyon').waitFor();
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Somebody else has changed the same').waitFor();
  await soon(async () => (await server.json('/address/1/')).city, 'Nantes');
  await other.getByRole('button', { name: 'Discard' }).click();
  await other.getByText('Everything that you typed is saved.').waitFor();
  await soon(() => keptOf(other), []);
  await other.close();
});

test('tab closed in the middle of a save: it is done once when the console is opened again', { expected: ['ERR_'] }, async ({ server, page }) => {
  const context = page.context();
  let isFirst = true;
  let arrived = () => {};
  const isStored = new Promise((resolve) => (arrived = () => resolve(null)));
  await context.route('**/users/', async (route) => {
    if (route.request().method() !== 'POST' || !isFirst) return route.continue();
    isFirst = false;
    await route.fetch();
    arrived();
    // No answer, ever.
  });
  await page.goto(`${server.url}/console/#/users/new`);
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Last name', 'Lovelace');
  await save(page).click();
  await isStored;
  const other = await context.newPage();
  await page.close();
  await other.goto(`${server.url}/console/#/users`);
  await other.getByText('Saved: Ada Lovelace').waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 1);
  await soon(() => keptOf(other), []);
  that(page.isClosed(), 'the tab is still there');
  await other.close();
});

test('what is found in the storage of the browser is text, whoever put it there', {}, async ({ server, page }) => {
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace' });
  await page.goto(`${server.url}/console/#/users`);
  await page.evaluate((evil) => {
    const put = (name, value) => localStorage.setItem(`carnet-kept:/:/${name}`, typeof value === 'string' ? value : JSON.stringify(value));
    put('draft users/1', '{"typed":');
    put('draft users/2', { typed: { first_name: { toString: 1 } }, base: null, at: 1, isWanted: true });
    put('draft users/new', { typed: { first_name: evil, last_name: 'javascript:alert(1)' }, base: null, at: 'x', isWanted: 'yes' });
    put(`draft ${evil}/../../_/keys`, { typed: { first_name: evil }, base: { record: {}, etag: null }, at: 1, isWanted: true });
    put('intent users/1', '}{');
    put('intent users/new', { key: 'k', method: 'DELETE', path: '../../users/1/', wanted: {} });
  }, '<img src=x onerror=alert(1)>');
  await page.reload();
  await page.getByRole('link', { name: /^Unsaved/ }).click();
  await page.getByText('This server has no such collection any more.').waitFor();
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  await soon(() => page.locator('img').count(), 0);
  await soon(() => page.locator('main a').evaluateAll((all) => all.map((one) => one.getAttribute('href')).filter((one) => !one?.startsWith('#/users/'))), []);
  await page.goto(`${server.url}/console/#/users/1`);
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await typeInto(page, 'First name', 'Augusta');
  await save(page).click();
  await page.getByText('Saved: Augusta Lovelace').waitFor();
  await soon(async () => (await server.json('/users/')).object_list.map((one) => one.first_name), ['Augusta']);
});
