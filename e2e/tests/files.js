// Files: what a list shows as a file, and a file as records.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { accessible, artefacts } from '../lib/browser.js';
import { addFilter } from '../lib/lists.js';
import { equal, soon, test, that } from '../lib/suite.js';

const GUARDED = `
[[collection]]
name = "people"
[collection.fields]
first_name = { type = "string" }
last_name  = { type = "string", required = true, searchable = true }
[collection.pagination]
page_size = 5
[collection.access]
authentication = true
authorization = true
`;

async function fill(server, count) {
  const address = await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  for (let at = 1; at <= count; at += 1) {
    await server.post('/users/', { first_name: at % 5 ? `First${at}` : '=1+1', last_name: at % 2 ? 'Odd' : 'Even', address: at % 3 ? Number(address) : null });
  }
}

/** Chooses a kind of file in the menu. */
async function choose(page, words) {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: words }).click();
}

/** The file that the browser saves: its name and its bytes. */
async function saved(page, words) {
  const begun = page.waitForEvent('download');
  await choose(page, words);
  const download = await begun;
  const bytes = readFileSync(await download.path());
  await page.getByText(`Saved as ${download.suggestedFilename()}`).waitFor();
  await page.getByRole('dialog', { name: 'Export' }).waitFor({ state: 'detached' });
  return { name: download.suggestedFilename(), text: bytes.toString('utf8') };
}

/** The page with a key that has these scopes; the server follows a new key within a second. */
async function withKey(server, page, fragment, ...scopes) {
  const secret = await server.command('keys', 'create', 'me', ...scopes.flatMap((scope) => ['--scope', scope]));
  const status = async () => (await fetch(`${server.url}/people/`, { headers: { Authorization: `Bearer ${secret}` } })).status;
  await soon(status, 200, 'the key');
  await page.goto(`${server.url}/console/${fragment}`);
  await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
  await page.keyboard.press('Enter');
  return { secret, headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' } };
}

/** What the server sends, with its byte order mark. */
const exported = async (server, path) => Buffer.from(await (await fetch(`${server.url}/_/export/${path}`)).arrayBuffer()).toString('utf8');

/** Puts something between browser and server that cuts each export in the middle of the file. */
async function cutting(server) {
  const { port } = new URL(server.url);
  const between = createServer((browser) => {
    const behind = connect(Number(port), '127.0.0.1');
    let isExport = false;
    browser.on('data', (bytes) => {
      isExport = bytes.includes('GET /_/export/');
      behind.write(bytes);
    });
    behind.on('data', (bytes) => {
      if (!isExport) return browser.write(bytes);
      browser.write(bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 20), () => setTimeout(() => browser.destroy(), 50));
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

/** A file as a person has it. */
const file = (name, text) => ({ name, mimeType: '', buffer: Buffer.from(text) });

/** Opens the page from the list, and chooses a file. */
async function importing(server, page, name, text, list = 'users') {
  await page.goto(`${server.url}/console/#/${list}`);
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: /^Import into/ }).waitFor();
  await page.getByLabel('Choose a file').setInputFiles(file(name, text));
}

const state = (page, words) => page.getByRole('heading', { level: 2, name: words }).waitFor();
const counts = (page) => page.locator('.counts div').evaluateAll((all) => all.map((one) => [...one.children].map((part) => part.textContent)));
const mapping = (page) => page.locator('.mapping tbody tr').evaluateAll((all) => all.map((row) => [row.children[0].textContent, row.querySelector('select')?.selectedOptions[0].textContent ?? row.children[1].textContent]));

const GOOGLE = 'First Name,Last Name,Nickname,Labels,E-mail 1 - Value,Address 1 - Street,Address 1 - City,Address 1 - Country\r\n'
  + 'Ada,Lovelace,<b>Countess</b>,* myContacts,ada@example.org,12 St James Square,London,United Kingdom\r\n'
  + 'Grace,Hopper,,* myContacts,,,,\r\n';

test('a file of another program is tried, mapped, imported, and changes nothing the second time', {}, async ({ server, page }) => {
  await importing(server, page, 'contacts.csv', GOOGLE);
  await state(page, 'contacts.csv cannot be imported like this. Nothing was stored.');
  const faults = await page.locator('.import-faults li').allInnerTexts();
  that(faults.includes('line 1: the column Nickname is no field of users.'), faults.join('\n'));
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  for (const column of ['Nickname', 'Labels', 'E-mail 1 - Value']) await page.getByLabel(`What ${column} becomes`).selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await state(page, '2 records in contacts.csv. Nothing is stored yet.');
  await soon(() => mapping(page), [['First Name', 'First name'], ['Last Name', 'Last name'], ['Nickname', 'leave it out'], ['Labels', 'leave it out'], ['E-mail 1 - Value', 'leave it out'],
    ['Address 1 - Street', 'Address: Street and Address: Number'], ['Address 1 - City', 'Address: City'], ['Address 1 - Country', 'Address: Country']]);
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '2'], ['Changed', '0'], ['As they are', '0']]);
  await page.getByText('United Kingdom, London, St James Square, 12').waitFor();
  equal((await server.json('/users/')).meta.total_count, 0);
  await page.getByRole('button', { name: 'Import 2 records' }).click();
  await state(page, 'contacts.csv is imported');
  await page.getByRole('link', { name: 'To Users', exact: true }).click();
  await page.getByText('2 records').waitFor();
  await page.getByRole('link', { name: '12 St James Square, London' }).waitFor();
  equal((await server.json('/users/')).object_list.map((one) => one.last_name), ['Lovelace', 'Hopper']);
  await importing(server, page, 'contacts.csv', GOOGLE);
  await page.getByRole('button', { name: 'Leave out all the rest' }).click();
  await state(page, 'All of contacts.csv is there already: nothing would change');
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '0'], ['Changed', '0'], ['As they are', '2']]);
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  // Nothing of a file stays in the browser.
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  that(!kept.includes('Lovelace') && !kept.includes('contacts.csv'), kept);
});

test('a column can be for any field, also of the record that is referred to', {}, async ({ server, page }) => {
  const text = 'Vorname;last_name;Land;address.city;address.street;address.number;a=b\nAda;Lovelace;France;Paris;quai de Valmy;45;x\n';
  await importing(server, page, 'people.csv', text);
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'First name' });
  await page.getByLabel('What Land becomes').selectOption({ label: 'Address: Country' });
  // Such a name cannot be said to be for a field.
  await soon(() => page.getByLabel('What a=b becomes').locator('option').allInnerTexts(), ['no field: choose', 'leave it out']);
  await page.getByLabel('What a=b becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  // What is chosen anew is tried first.
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'leave it out' });
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('first_name is missing').waitFor();
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'First name' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'people.csv is imported');
  const [user] = (await server.json('/users/?expand=address')).object_list;
  equal([user.first_name, user._expanded.address.country], ['Ada', 'France']);
});

test('what the file does not say is said beside it: encoding, and a value for what is missing', {}, async ({ server, page }) => {
  const text = 'first_name,last_name,address.country,address.city,address.street\nRen\xe9,Descartes,France,Paris,quai de Valmy\n';
  await importing(server, page, 'old.csv', Buffer.from(text, 'latin1'));
  await page.getByText('line 2 is not UTF-8').waitFor();
  await page.getByLabel('Text is').selectOption({ label: 'Windows-1252, of older programs' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('line 2: address.number is missing.', { exact: true }).waitFor();
  await page.getByLabel('Address: Number where there is none').fill('45');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'old.csv is imported');
  const [user] = (await server.json('/users/?expand=address')).object_list;
  equal([user.first_name, user._expanded.address.number], ['René', 45]);
});

test('faults are listed with their lines as text, and nothing can be confirmed', {}, async ({ server, page }) => {
  const lines = Array.from({ length: 130 }, (_, at) => `${at % 2 ? 'Ada' : '<img src=x onerror=alert(1)>'},,`);
  await importing(server, page, 'bad.csv', `first_name,last_name,<i>x</i>\n${lines.join('\n')}\n`);
  await page.getByText('the column <i>x</i> is no field of users').waitFor();
  await page.getByLabel('What <i>x</i> becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { name: '130 faults' }).waitFor();
  await page.getByText('line 2: last_name is missing').waitFor();
  await soon(() => page.locator('.import-faults li').count(), 100);
  await page.getByText('These are the first 100 of 130.').waitFor();
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  await soon(() => page.locator('main :is(img, i)').count(), 0);
  equal((await server.json('/users/')).meta.total_count, 0);
});

test('cards and JSON lines are imported, and what they have besides is left out by name', {}, async ({ server, page }) => {
  const cards = 'BEGIN:VCARD\nVERSION:3.0\nN:Hopper;Grace;;;\nTEL:+1 555 0100\nADR:;;12 Main Street;Arlington;;;USA\nEND:VCARD\n';
  await importing(server, page, 'CONTACTS.VCF', cards);
  await page.getByText('not taken: TEL (1).').waitFor();
  await page.getByLabel('What TEL becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('USA, Arlington, Main Street, 12').waitFor();
  await soon(() => counts(page), [['New', '1'], ['Changed', '0'], ['As they are', '0'], ['Left out: TEL', '1']]);
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'CONTACTS.VCF is imported');
  await soon(async () => (await counts(page)).filter(([words]) => words === 'New in Address'), [['New in Address', '1']]);
  await page.getByLabel('Choose a file').setInputFiles(file('one.json', '[{"first_name":"Ada","last_name":"Lovelace"}]'));
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'one.json is imported');
  equal((await server.json('/users/')).object_list.map((one) => one.first_name), ['Grace', 'Ada']);
});

test('an export for a spreadsheet comes back as it was, with the ids as ours', {}, async ({ server, page }) => {
  await fill(server, 6);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('6 records').waitFor();
  const { text } = await saved(page, /^CSV for a spreadsheet/);
  await importing(server, page, 'users.csv', text.replace('First2', 'Second'));
  await page.getByText('the file has ids, and users has records.').waitFor();
  await page.getByLabel('The ids in the file').selectOption({ label: 'mean the records of Users with these ids' });
  await page.getByLabel('From a spreadsheet').check();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'users.csv is imported');
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '0'], ['Changed', '1'], ['As they are', '5']]);
  equal((await server.json('/users/')).object_list.map((one) => one.first_name), ['First1', 'Second', 'First3', 'First4', '=1+1', 'First6']);
});

test('a file is dropped on the page, and others than ours are told what to be saved as', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/import`);
  await page.getByRole('heading', { name: 'Import into Users' }).waitFor();
  const drop = async (...files) => {
    const data = await page.evaluateHandle((all) => {
      const transfer = new DataTransfer();
      for (const [name, text] of all) transfer.items.add(new File([text], name));
      return transfer;
    }, files);
    await page.locator('main').dispatchEvent('dragover', { dataTransfer: data });
    await page.locator('.drop.over').waitFor();
    await page.locator('main').dispatchEvent('drop', { dataTransfer: data });
  };
  await drop(['people.xlsx', 'PK']);
  await page.getByText('people.xlsx is a spreadsheet. Save it as “CSV UTF-8” there, and choose that file.').waitFor();
  await drop(['a.csv', ''], ['b.csv', '']);
  await page.getByText('These are several files.').waitFor();
  await drop(['README', 'x']);
  await page.getByText('The name of README does not say what it is.').waitFor();
  that(page.requests.every((one) => !one.includes('/_/import/')), 'one was sent');
  await drop(['people.tsv', 'first_name\tlast_name\nAda, the first\tLovelace\n']);
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  that(page.requests.includes('POST /_/import/users/?delimiter=tab&dry_run=true'), page.requests.join(', '));
  await page.getByText('Ada, the first').waitFor();
});

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
