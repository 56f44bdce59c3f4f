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
