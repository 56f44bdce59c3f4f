// Keys: asked for, kept in the tab, sent as a header, forgotten; and the page that manages them.
import { accessible } from '../lib/browser.js';
import { equal, soon, test, that } from '../lib/suite.js';

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
  for (let attempt = 0; attempt < 40 && !(await page.getByText('There is nothing in Notes yet').isVisible()); attempt += 1) {
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
  await soon(() => page.evaluate((text) => Object.values(localStorage).includes(text), secret), false);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/console/#/notes`);
  await other.getByRole('heading', { name: 'An access key, please' }).waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('heading', { name: 'An access key, please' }).waitFor();
  await soon(() => page.evaluate(() => sessionStorage.length), 0);
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
  const reference = page.getByRole('link', { name: 'Vault 1' });
  await page.waitForFunction(() => document.querySelector('a.reference')?.title === 'Vault 1: reading Vault needs an access key');
  await reference.waitFor();
  // It is asked once, not with every look.
  await soon(() => page.requests.filter((one) => one === 'GET /vault/1/').length, 1);
  // With a key that is enough, the words are there.
  await page.getByRole('link', { name: 'Vault', exact: true }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
  await page.keyboard.press('Enter');
  await page.getByText('1 record').waitFor();
  await page.getByRole('link', { name: 'Notes', exact: true }).click();
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
  await soon(() => page.getByText(secret).count(), 0);
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

test('a new key may read, for 90 days, unless one says more', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  await page.getByRole('rowheader', { name: 'ops you' }).waitFor();
  const notes = asked(server, '/notes/');
  const listed = async (name) => {
    const key = await page.evaluate(() => sessionStorage.getItem('carnet-key'));
    return (await (await fetch(`${server.url}/_/keys/`, { headers: { Authorization: `Bearer ${key}` } })).json()).keys.find((one) => one.name === name);
  };
  const row = (name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
  await page.getByLabel('Name of a new key').fill('plain');
  await page.keyboard.press('Enter');
  const plain = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  equal([await notes('GET', plain), await notes('POST', plain)], [200, 403]);
  const { scopes, expires, created } = await listed('plain');
  equal([scopes, Math.round((Date.parse(expires) - Date.parse(created)) / 86_400_000)], [['*:read'], 90]);
  await page.getByRole('button', { name: 'I have it' }).click();
  await row('plain').getByText('Read everything').waitFor();
  await soon(() => row('plain').locator('time').evaluateAll((all) => all.map((one) => [one.dateTime, one.innerText])).then((all) => all[0]), [expires, 'in 3 months']);

  // Only what is chosen.
  await page.getByLabel('Name of a new key').fill('reader');
  await page.getByRole('radio', { name: 'Only what I choose' }).check();
  await accessible(page, 'keys-scopes');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('Choose at least one').waitFor();
  await page.getByRole('checkbox', { name: 'Write Notes' }).check();
  await page.getByLabel('Ends').selectOption('in a week');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const secret = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  equal([await notes('GET', secret), await notes('POST', secret)], [403, 201]);
  equal((await listed('reader')).scopes, ['notes:write']);
  await page.getByRole('button', { name: 'I have it' }).click();
  await row('reader').getByText('Write Notes').waitFor();
  await row('reader').getByText('in 7 days').waitFor();

  // Everything, and for ever.
  await page.getByLabel('Name of a new key').fill('writer');
  await page.getByRole('radio', { name: 'Read and write everything' }).check();
  await page.getByLabel('Ends').selectOption('never');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const other = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  equal(await notes('POST', other), 201);
  equal([(await listed('writer')).scopes, (await listed('writer')).expires], [['*'], null]);
  await row('writer').getByText('Everything').waitFor();
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
  await page.getByRole('heading', { name: 'The new secret of till' }).waitFor();
  const second = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  that(first !== second, 'the secret is the same');
  await page.getByText('being rotated').waitFor();
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

test('a new secret stays in front of everything until somebody has it', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  await page.getByLabel('Name of a new key').fill('one');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const secret = await page.getByText(/^ck_[a-z0-9]{40,}$/).innerText();
  await page.getByRole('heading', { name: 'The new key one' }).waitFor();
  await accessible(page, 'keys-made');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await soon(() => page.getByText(secret).isVisible(), true);
  // On whichever page.
  await page.goto(`${server.url}/console/#/notes`);
  await page.getByText('There is nothing in').waitFor();
  await soon(() => page.getByText(secret).isVisible(), true);
  await soon(() => page.evaluate((text) => Object.values({ ...localStorage, ...sessionStorage }).some((one) => one.includes(text)), secret), false);
  // Copied where the browser gives no clipboard, as on a page without TLS.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  await soon(() => page.evaluate(() => getSelection()?.toString()), secret);
  await page.getByRole('button', { name: 'I have it' }).click();
  await soon(() => page.getByText(secret).count(), 0);
  await soon(() => page.evaluate(() => document.activeElement?.tagName), 'H1');
});

test('a key that is made slowly is shown wherever one is then, and to nobody who has forgotten his own', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  await managing(server, page);
  let release = () => {};
  await page.route('**/_/keys/', async (route) => {
    if (route.request().method() === 'POST') await new Promise((resolve) => (release = () => resolve(null)));
    return route.continue();
  });
  const begin = async (name) => {
    await page.getByLabel('Name of a new key').fill(name);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await sent;
  };
  await begin('slow');
  await page.getByRole('link', { name: /^notes$/i }).click();
  await page.getByText('There is nothing in').waitFor();
  release();
  await page.getByText(/^ck_[a-z0-9]{40,}$/).waitFor();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('rowheader', { name: 'slow' }).waitFor();
  await begin('slower');
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByText('carnet keys create --admin').waitFor();
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  release();
  equal((await answered).status(), 201);
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText('carnet keys create --admin').waitFor();
  await soon(() => page.getByText(/^ck_[a-z0-9]{40,}$/).count(), 0);
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
  await page.getByRole('radio', { name: 'Only what I choose' }).check();
  await page.getByRole('checkbox', { name: 'Read Notes' }).check();
  release();
  await page.getByRole('rowheader', { name: 'first' }).waitFor();
  await soon(() => page.getByLabel('Name of a new key').inputValue(), 'second');
  await soon(() => page.getByRole('checkbox', { name: 'Read Notes' }).isChecked(), true);
});
