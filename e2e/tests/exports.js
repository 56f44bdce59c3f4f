// Exports: what a list shows as a file, whole or not at all.
import { connect, createServer } from 'node:net';
import { choose, exported, fill, GUARDED, saved, withKey } from '../lib/files.js';
import { addFilter } from '../lib/lists.js';
import { equal, test, that } from '../lib/suite.js';

/** Puts something between browser and server that cuts each export in the middle of the file. */
async function cutting(server) {
  const { port } = new URL(server.url);
  const between = createServer((browser) => {
    const behind = connect(Number(port), '127.0.0.1');
    let isExport = false;
    let answer = Buffer.alloc(0);
    browser.on('data', (bytes) => {
      isExport = bytes.includes('GET /_/export/');
      behind.write(bytes);
    });
    behind.on('data', (bytes) => {
      if (!isExport) return browser.write(bytes);
      // Head and body come in one packet or in several.
      answer = Buffer.concat([answer, bytes]);
      const head = answer.indexOf('\r\n\r\n');
      if (head < 0 || answer.length < head + 20) return;
      behind.destroy();
      browser.end(answer.subarray(0, head + 20));
    });
    for (const [one, other] of [[browser, behind], [behind, browser]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise((resolve) => between.listen(0, '127.0.0.1', () => resolve(null)));
  between.unref();
  server.url = `http://127.0.0.1:${between.address().port}`;
}

test('an export has what the list shows on all of its pages, byte for byte', {}, async ({ server, page }) => {
  await fill(server, 45);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('45 records').waitFor();
  equal(await saved(page, /^CSV exact/), { name: 'users.csv', text: await exported(server, 'users.csv') });
  await addFilter(page, 'Last name', 'is', 'Odd');
  await page.getByText('23 match').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('21–23 of 23').waitFor();
  await page.getByRole('button', { name: 'First name' }).click();
  for (const [words, path] of [
    [/^CSV exact/, 'users.csv?last_name=Odd'],
    [/^CSV for a spreadsheet/, 'users.csv?last_name=Odd&spreadsheet=true'],
    [/^JSON lines/, 'users.jsonl?last_name=Odd'],
    [/^vCard/, 'users.vcf?last_name=Odd'],
  ]) {
    const { name, text } = await saved(page, words);
    equal(name, path.split('?')[0]);
    equal(text, await exported(server, path), path);
    that(text.split('Odd').length > 23, `${path} has not all of them`);
  }
  await page.getByLabel('Search Users').fill('first4');
  await page.getByText(/^2 match/).waitFor();
  equal((await saved(page, /^CSV exact/)).text, await exported(server, 'users.csv?last_name=Odd&search=first4'));
});

test('an export sends the key as a header, never in a URL', { config: GUARDED, expected: [401] }, async ({ server, page }) => {
  const { secret, headers } = await withKey(server, page, '#/people', '*:read', '*:write');
  const create = await fetch(`${server.url}/people/`, { method: 'POST', headers, body: '{"last_name":"Hopper"}' });
  equal(create.status, 201);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('1 record').waitFor();
  const { text } = await saved(page, /^CSV exact/);
  equal(text, 'id,first_name,last_name\r\n1,,Hopper\r\n');
  that(page.requests.includes('GET /_/export/people.csv'), page.requests.join(', '));
  that(page.requests.every((url) => !url.includes(secret)), 'the key is in a URL');
});

test('an export that breaks is told and nothing is saved', { expected: ['ERR_', 400, 503] }, async ({ server, page }) => {
  await fill(server, 3);
  const downloads = [];
  page.on('download', (download) => downloads.push(download));
  await cutting(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('3 records').waitFor();
  await choose(page, /^CSV exact/);
  await page.getByText('The file broke off before its end. Nothing was saved.').waitFor();
  await page.reload();
  await page.getByText('3 records').waitFor();
  await page.route('**/_/export/**', (route) => route.abort());
  await choose(page, /^vCard/);
  await page.getByText('The server cannot be reached. Nothing was saved.').waitFor();
  await page.unroute('**/_/export/**');
  await page.route('**/_/export/**', (route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"<b>Busy</b>"}' }));
  await page.keyboard.press('Escape');
  await choose(page, /^JSON lines/);
  await page.getByText('<b>Busy</b>. Nothing was saved.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  equal(downloads.length, 0, 'what was saved');
});

test('an export can be stopped while it runs', { expected: ['ERR_'] }, async ({ server, page }) => {
  await fill(server, 3);
  const downloads = [];
  page.on('download', (download) => downloads.push(download));
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('3 records').waitFor();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  await page.route('**/_/export/**', async (route) => (await released, route.continue().catch(() => {})));
  await choose(page, /^CSV exact/);
  await page.getByText('users.csv of Users is on its way…').waitFor();
  await page.getByRole('button', { name: 'Exporting…' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('The export was stopped. Nothing was saved.').waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  release();
  await page.unroute('**/_/export/**');
  equal(downloads.length, 0, 'what was saved');
  await saved(page, /^CSV exact/);
});
