// Imports that run: followed, left alone, stopped, refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counts, file, importing, state } from '../lib/files.js';
import { equal, soon, test, that } from '../lib/suite.js';

test('an import that runs is followed, and told where it stops', { expected: [409, 'ERR_'] }, async ({ server, page }) => {
  const report = { id: 17, collection: 'users', format: 'csv', state: 'storing', dry_run: false, entries: 1000, read: 250, created: 0, updated: 0, unchanged: 0, related: {}, ignored: {}, fault_count: 0, faults: [], mapping: [], first: [], error: null };
  let answer = { status: 200, body: JSON.stringify(report) };
  await importing(server, page, 'people.csv', 'first_name,last_name\nAda,Lovelace\n');
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  await page.route('**/_/import/users/', (route) => route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify({ ...report, state: 'judging', read: 0 }) }));
  await page.route('**/_/imports/17/', (route) => route.fulfill({ contentType: 'application/json', ...answer }));
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await page.getByText('250 of 1,000').waitFor();
  await state(page, 'Importing people.csv…');
  await soon(() => page.getByRole('progressbar', { name: 'Stored' }).evaluate((bar) => [bar.value, bar.max]), [250, 1000]);
  await page.getByText('It goes on at the server, also when you leave this page.').waitFor();
  await soon(() => page.getByLabel('Choose a file').isDisabled(), true);
  answer = { status: 200, body: JSON.stringify({ ...report, state: 'stopped', error: 'The server that ran it has ended. <b>' }) };
  await page.getByText('The server that ran it has ended. <b>').waitFor();
  await state(page, 'The import of people.csv stopped');
  // Faults that show while it is stored.
  answer = { status: 200, body: JSON.stringify({ ...report, state: 'done', created: 999, fault_count: 1, faults: [{ line: 9, fault: 'line 9: record 41 was changed meanwhile' }] }) };
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'people.csv is imported, but for 1 entry');
  await page.getByText('line 9: record 41 was changed meanwhile').waitFor();
  // Another one is under way.
  await page.route('**/_/import/users/?dry_run=true', (route) => route.fulfill({ status: 409, contentType: 'application/json', body: '{"error":"An import into users is under way: /_/imports/17/"}' }));
  await page.getByLabel('Choose a file').setInputFiles(file('people.csv', 'first_name,last_name\nAda,Lovelace\n'));
  await page.getByText('An import into users is under way: /_/imports/17/').waitFor();
  await page.unroute('**/_/import/users/?dry_run=true');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  // The server goes away while it is asked, and comes back.
  await page.unroute('**/_/imports/17/');
  await page.route('**/_/imports/17/', (route) => route.abort());
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await page.getByText('The server does not answer now. It is asked again.').waitFor();
  await page.unroute('**/_/imports/17/');
  await page.route('**/_/imports/17/', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify({ ...report, state: 'done', created: 1000 }) }));
  await state(page, 'people.csv is imported');
});

test('an import that runs is found again when the page is loaded anew', {}, async ({ server, page }) => {
  const report = { id: 17, collection: 'users', format: 'csv', state: 'storing', dry_run: false, entries: 1000, read: 250, created: 0, updated: 0, unchanged: 0, related: {}, ignored: {}, fault_count: 0, faults: [], mapping: [], first: [], error: null };
  let answer = report;
  const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  await importing(server, page, 'people.csv', 'first_name,last_name\nAda,Lovelace\n');
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  that(!(await kept()).includes('people.csv'), 'what is only tried is not kept');
  await page.route('**/_/import/users/', (route) => route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify({ ...report, state: 'judging', read: 0 }) }));
  await page.route('**/_/imports/17/', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(answer) }));
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await page.getByText('250 of 1,000').waitFor();
  await page.reload();
  await page.getByText('250 of 1,000').waitFor();
  await state(page, 'Importing people.csv…');
  await soon(() => page.getByLabel('Choose a file').isDisabled(), true);
  answer = { ...report, state: 'done', read: 1000, created: 1000 };
  await state(page, 'people.csv is imported');
  await soon(async () => (await counts(page))[0], ['New', '1,000']);
  await page.getByRole('link', { name: 'To Users', exact: true }).waitFor();
  await soon(() => page.getByRole('button', { name: 'Check again' }).count(), 0);
  that(!(await kept()).includes('people.csv'), 'what is over is not kept');
  await page.reload();
  await page.getByLabel('Choose a file').waitFor();
  await soon(() => page.getByRole('heading', { level: 2 }).count(), 0);
});

test('an import goes on at the server without the page', {}, async ({ server, page }) => {
  const lines = Array.from({ length: 8000 }, (_, at) => `First${at},Last${at}`);
  await importing(server, page, 'many.csv', `first_name,last_name\n${lines.join('\n')}\n`);
  const sent = page.waitForResponse((response) => response.url().endsWith('/_/import/users/'));
  await page.getByRole('button', { name: 'Import 8,000 records' }).click();
  equal((await sent).status(), 202);
  await page.getByRole('link', { name: 'Back to Users' }).click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 8000);
});

test('a file that is too long, or has changed since it was chosen, is told', { config: `
[server]
max_import = "1MiB"
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string", required = true }
`, expected: [413] }, async ({ server, page }) => {
  const path = join(server.folder, 'long.csv');
  writeFileSync(path, `title\n${'x\n'.repeat(10_000_000)}`);
  await page.goto(`${server.url}/console/#/notes/import`);
  await page.getByLabel('Choose a file').setInputFiles(path);
  await page.getByText('The body is larger than the limit of 1048576 bytes').waitFor();
  await state(page, 'long.csv is not checked');
  // What is not the file that was chosen is not sent in its place.
  writeFileSync(path, 'title\nshort\n');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('long.csv cannot be read, or has changed since. Choose it again.').waitFor();
  const asked = page.waitForEvent('filechooser');
  await page.getByLabel('Choose a file').click();
  await (await asked).setFiles(path);
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
});
