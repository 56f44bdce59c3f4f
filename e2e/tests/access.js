// Keys: asked for, kept in the tab, sent as a header, forgotten; and the page that manages them.
import { accessible } from '../lib/browser.js';
import { equal, test, that } from '../lib/suite.js';

const GUARDED = `
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string", required = true }
[collection.pagination]
page_size = 20
[collection.access]
authentication = true
authorization = true
`;

test('a key is asked for, kept in the tab, sent as a header and forgotten', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  const secret = await server.command('keys', 'create', 'me');
  await page.goto(`${server.url}/console/#/notes`);
  await page.getByRole('heading', { name: 'An access key, please' }).waitFor();
  await page.getByRole('textbox', { name: 'Access key' }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('does not accept the key').waitFor();
  for (let attempt = 0; attempt < 40 && !(await page.getByText('There is nothing in notes yet').isVisible()); attempt += 1) {
    // The server follows a new key within a second.
    if (await page.getByRole('textbox', { name: 'Access key' }).isVisible()) {
      await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
      await page.keyboard.press('Enter');
    }
    await page.waitForTimeout(100);
  }
  const sent = page.waitForRequest((request) => request.url().endsWith('/notes/'));
  await page.reload();
  const request = await sent;
  equal((await request.allHeaders()).authorization, `Bearer ${secret}`);
  that(page.requests.every((url) => !url.includes(secret)), 'the key is in a URL');
  equal(await page.evaluate((text) => Object.values(localStorage).includes(text), secret), false);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/console/#/notes`);
  await other.getByRole('heading', { name: 'An access key, please' }).waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('heading', { name: 'An access key, please' }).waitFor();
  equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('alert').waitFor();
});

test('a reference to what may not be read says why', { config: `
[[collection]]
name = "vault"
[collection.fields]
title = { type = "string", required = true }
[collection.access]
authentication = true
authorization = true
[[collection]]
name = "notes"
[collection.fields]
vault = { type = "integer", references = "vault" }
[collection.pagination]
page_size = 20
`, expected: [401] }, async ({ server, page }) => {
  const secret = await server.command('keys', 'create', 'me');
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
  const create = () => fetch(`${server.url}/vault/`, { method: 'POST', headers, body: '{"title":"Gold"}' });
  // The server follows a new key within a second.
  for (let attempt = 0; attempt < 100 && (await create()).status !== 201; attempt += 1) await page.waitForTimeout(50);
  await server.post('/notes/', { vault: 1 });
  await page.goto(`${server.url}/console/#/notes`);
  const reference = page.getByRole('link', { name: 'vault 1' });
  await page.waitForFunction(() => document.querySelector('a.reference')?.title === 'vault 1: reading vault needs an access key');
  await reference.waitFor();
  // It is asked once, not with every look.
  equal(page.requests.filter((one) => one === 'GET /vault/1/').length, 1);
  // With a key that is enough, the words are there.
  await page.getByRole('link', { name: 'vault', exact: true }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
  await page.keyboard.press('Enter');
  await page.getByText('1 record').waitFor();
  await page.getByRole('link', { name: 'notes', exact: true }).click();
  await page.getByRole('link', { name: 'Gold' }).waitFor();
});

test('without a key that may, the keys page shows the command', { expected: [401, 403, 404] }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/_/keys`);
  await page.getByText('carnet keys create --admin').waitFor();
});

test('keys are listed, made, shown once and revoked', { expected: [401] }, async ({ server, page }) => {
  const admin = await server.command('keys', 'create', 'ops', '--admin');
  const status = async (key) => (await fetch(`${server.url}/_/keys/`, { headers: { Authorization: `Bearer ${key}` } })).status;
  // The server follows a new key within a second.
  for (let attempt = 0; attempt < 100 && (await status(admin)) !== 200; attempt += 1) await page.waitForTimeout(50);
  await page.goto(`${server.url}/console/#/_/keys`);
  await page.getByRole('button', { name: 'I have such a key' }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(admin);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'ops' }).waitFor();
  await accessible(page, 'keys-listed');
  await page.getByLabel('Name of a new key').fill('till');
  await page.keyboard.press('Enter');
  const secret = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  await page.getByRole('rowheader', { name: 'till' }).waitFor();
  // Known from now on, and no admin.
  equal(await status(secret), 403);
  await page.getByRole('button', { name: 'I have it' }).click();
  equal(await page.getByText(secret).count(), 0);
  await page.getByRole('button', { name: 'Revoke till' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('rowheader', { name: 'till' }).waitFor({ state: 'detached' });
  equal(await status(secret), 401);
  that(page.requests.every((url) => !url.includes(secret) && !url.includes(admin)), 'a key is in a URL');
});

/** The console, opened on the keys page with a key that may manage keys. */
async function managing(server, page) {
  const admin = await server.command('keys', 'create', 'ops', '--admin');
  const status = async () => (await fetch(`${server.url}/_/keys/`, { headers: { Authorization: `Bearer ${admin}` } })).status;
  // The server follows a new key within a second.
  for (let attempt = 0; attempt < 20 && (await status()) !== 200; attempt += 1) await page.waitForTimeout(100);
  await page.goto(`${server.url}/console/#/_/keys`);
  await page.getByRole('button', { name: 'I have such a key' }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(admin);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'ops' }).waitFor();
}

/** @returns {(method: string, key: string) => Promise<number>} */
function asked(server, path) {
  return async (method, key) => {
    const body = method === 'POST' ? JSON.stringify({ title: 'a' }) : undefined;
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    return (await fetch(server.url + path, { method, body, headers })).status;
  };
}

test('a key is made for chosen collections and for some time', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  await page.getByLabel('Name of a new key').fill('reader');
  await page.getByLabel('only some collections').check();
  await accessible(page, 'keys-scopes');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('Tick at least one').waitFor();
  await page.getByRole('checkbox', { name: 'notes:read' }).check();
  await page.getByLabel('Ends').selectOption('in 90 days');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const secret = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'reader' }) });
  await row.getByText('notes:read').waitFor();
  const [listed] = (await (await fetch(`${server.url}/_/keys/`, { headers: { Authorization: `Bearer ${await page.evaluate(() => sessionStorage.getItem('carnet-key'))}` } })).json()).keys.filter((one) => one.name === 'reader');
  equal(listed.scopes, ['notes:read']);
  equal(Math.round((Date.parse(listed.expires) - Date.parse(listed.created)) / 86_400_000), 90);
  await row.getByText(listed.expires).waitFor();
  await row.getByText('never').waitFor();
  const notes = asked(server, '/notes/');
  equal([await notes('GET', secret), await notes('POST', secret)], [200, 403]);
  // The form is as it was: the next key may do everything, and does not end.
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByLabel('Name of a new key').fill('writer');
  await page.keyboard.press('Enter');
  const other = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  equal(await notes('POST', other), 201);
  await page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'writer' }) }).getByText('everything').waitFor();
});

test('a key is rotated, and the secret before stays good as long as one says', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  const notes = asked(server, '/notes/');
  await page.getByLabel('Name of a new key').fill('till');
  await page.keyboard.press('Enter');
  const first = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Rotate till' }).click();
  await page.getByRole('heading', { name: 'A new secret for “till”?' }).waitFor();
  await accessible(page, 'keys-rotate');
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await page.getByRole('heading', { name: 'The new secret of till, shown this once' }).waitFor();
  const second = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  that(first !== second, 'the secret is the same');
  await page.getByText('being rotated until').waitFor();
  await accessible(page, 'keys-rotated');
  equal([await notes('GET', first), await notes('GET', second)], [200, 200]);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Rotate till' }).click();
  await page.getByLabel('The secret before stays good').selectOption('not at all');
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await page.getByText('good no more').waitFor();
  const third = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  equal([await notes('GET', first), await notes('GET', second), await notes('GET', third)], [401, 401, 200]);
  that(page.requests.every((url) => ![first, second, third].some((secret) => url.includes(secret))), 'a key is in a URL');
});

test('a new secret stays until somebody has it, and goes with the key', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  for (const name of ['one', 'two']) {
    await page.getByLabel('Name of a new key').fill(name);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByRole('rowheader', { name }).waitFor();
  }
  const secrets = await page.getByText(/^ck_[a-z0-9]{40,}$/).allInnerTexts();
  equal(secrets.length, 2);
  await page.getByRole('link', { name: 'notes', exact: true }).click();
  await page.getByText('There is nothing in notes yet').waitFor();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('rowheader', { name: 'two' }).waitFor();
  equal(await page.getByText(/^ck_[a-z0-9]{40,}$/).allInnerTexts(), secrets);
  await page.getByRole('region', { name: 'The new key one, shown this once' }).getByRole('button', { name: 'I have it' }).click();
  equal(await page.getByText(/^ck_[a-z0-9]{40,}$/).allInnerTexts(), [secrets[0]]);
  equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
  equal(await page.evaluate((all) => Object.values({ ...localStorage, ...sessionStorage }).some((text) => all.some((one) => text.includes(one))), secrets), false);
  await accessible(page, 'keys-made');
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByText('carnet keys create --admin').waitFor();
  equal(await page.getByText(secrets[0]).count(), 0);
});

test('a key that is made slowly is shown to who comes back for it', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/_/keys/', async (route) => {
    if (route.request().method() === 'POST') await released;
    return route.continue();
  });
  await page.getByLabel('Name of a new key').fill('slow');
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await sent;
  await page.getByRole('link', { name: 'notes', exact: true }).click();
  await page.getByText('There is nothing in notes yet').waitFor();
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  release();
  await answered;
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText(/^ck_[a-z0-9]{40,}$/).waitFor();
});

test('what is typed for the next key while one is made stays', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/_/keys/', async (route) => {
    if (route.request().method() === 'POST') await released;
    return route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByLabel('Name of a new key').fill('first');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await sent;
  await page.getByLabel('Name of a new key').fill('second');
  await page.getByLabel('only some collections').check();
  await page.getByRole('checkbox', { name: 'notes:read' }).check();
  release();
  await page.getByRole('rowheader', { name: 'first' }).waitFor();
  equal(await page.getByLabel('Name of a new key').inputValue(), 'second');
  equal(await page.getByRole('checkbox', { name: 'notes:read' }).isChecked(), true);
});
