// Who has exports and imports: by key, by verbs, and on every screen.
import { accessible, artefacts } from '../lib/browser.js';
import { file, fill, GOOGLE, GUARDED, state, withKey } from '../lib/files.js';
import { soon, test, that } from '../lib/suite.js';

test('a key that may only read has no import, one that may write has', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  const { secret } = await withKey(server, page, '#/people', 'people:read');
  await page.getByText('There is nothing in People yet').waitFor();
  await page.getByText('may not write here').waitFor();
  await soon(() => page.getByRole('link', { name: /import/i }).count(), 0);
  await page.getByRole('button', { name: 'Forget the key' }).click();
  const writer = await server.command('keys', 'create', 'writer', '--scope', '*:read', '--scope', '*:write');
  await soon(async () => (await fetch(`${server.url}/people/`, { headers: { Authorization: `Bearer ${writer}` } })).status, 200);
  await page.getByRole('textbox', { name: 'Access key' }).fill(writer);
  await page.keyboard.press('Enter');
  await page.getByText('There is nothing in People yet').waitFor();
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByLabel('Choose a file').setInputFiles(file('people.csv', 'last_name\nHopper\n'));
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'people.csv is imported');
  that(page.requests.every((url) => !url.includes(secret) && !url.includes(writer)), 'a key is in a URL');
});

test('without its verbs a collection has neither export nor import', { config: `
[server]
max_import = 0
[[collection]]
name = "notes"
list_verbs = ["GET"]
[collection.fields]
title = { type = "string", required = true }
[[collection]]
name = "secrets"
list_verbs = ["POST"]
[collection.fields]
title = { type = "string", required = true }
` }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/notes`);
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  await soon(() => page.getByRole('link', { name: 'Import', exact: true }).count(), 0);
  await page.getByRole('link', { name: 'Secrets' }).click();
  await page.getByText('does not let the list of Secrets be read').waitFor();
  await soon(() => page.getByRole('button', { name: 'Export', exact: true }).count(), 0);
  await soon(() => page.getByRole('link', { name: 'Import', exact: true }).count(), 0);
  await page.goto(`${server.url}/console/#/secrets/import`);
  await page.getByText('Nothing can be imported into secrets.').waitFor();
});

test('the menu of exports and the page of imports are for everybody, and fit on a phone', {}, async ({ server, page }) => {
  await fill(server, 3);
  const fits = async (name) => {
    const sticks = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    that(sticks <= 0, `${name} is ${sticks} px too wide`);
  };
  for (const [size, viewport] of [['wide', { width: 1100, height: 720 }], ['phone', { width: 390, height: 780 }]]) {
    await page.setViewportSize(viewport);
    await page.goto(`${server.url}/console/#/users`);
    await page.getByText('3 records').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    await accessible(page, `export-${size}`);
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/console/#/users/import`);
    await page.getByRole('heading', { name: 'Import into Users' }).waitFor();
    await accessible(page, `import-${size}`);
    await fits('the page');
    const long = 'a-rather-long-name-without-any-place-to-break-it'.repeat(3);
    await page.getByLabel('Choose a file').setInputFiles(file(`${long}.csv`, `first_name,last_name,${long}\nAda,Lovelace,x\n`));
    await page.getByLabel(`What ${long} becomes`).waitFor();
    await accessible(page, `import-faults-${size}`);
    await fits('a page with faults');
    await page.getByLabel('Choose a file').setInputFiles(file('people.csv', GOOGLE));
    await page.getByRole('button', { name: 'Leave out all the rest' }).click();
    await state(page, '2 records in people.csv. Nothing is stored yet.');
    await accessible(page, `import-tried-${size}`);
    await fits('a page with records');
    await page.screenshot({ path: `${artefacts}import-${size}.png`, fullPage: true });
  }
});
