// A real react-admin application in Chromium against the real binary, from another origin.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { launch, PATIENCE } from '../../e2e/lib/browser.js';
import { Server } from '../../e2e/lib/server.js';
import { equal, that } from '../../e2e/lib/suite.js';
import { book } from './book.js';

const home = new URL('../react-admin/', import.meta.url).pathname;
const esbuild = createRequire(`${home}package.json`).resolve('esbuild/bin/esbuild');
const build = (...words) => execFileSync(esbuild, ['--bundle', '--log-level=warning', '--define:process.env.NODE_ENV="production"', ...words], { cwd: home, stdio: 'inherit' });

build('demo/app.tsx', '--format=esm', '--minify', '--outfile=build/app.js');
build('tests/provider.ts', '--format=iife', '--global-name=provider', '--outfile=build/provider.js');

/** The page and its script, with the address of the server put in. */
let carnet = '';
const site = createServer((request, response) => {
  if (request.url === '/blank') return response.setHeader('Content-Type', 'text/html').end();
  const isScript = request.url === '/app.js';
  const file = isScript ? 'build/app.js' : 'demo/index.html';
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
  response.end(readFileSync(home + file, 'utf8').replace('data-server="http://127.0.0.1:8080"', `data-server="${carnet}"`));
});
await new Promise((listening) => site.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${site.address().port}`;

const server = await Server.start(`
[server]
cors_origins = ["${origin}"]
${book(5)}
[[collection]]
name = "notes"
[collection.fields]
title = { type = "string" }
`);
carnet = server.url;
const key = await server.command('keys', 'create', 'clerk');
const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
const ask = (method, path, body) => fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
// The server follows a new key within a second.
while ((await ask('GET', '/users/')).status === 401) await new Promise((soon) => setTimeout(soon, 50));

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);
const faults = [];
const requests = [];
page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
page.on('request', (request) => {
  if (request.url().startsWith(server.url)) requests.push(request);
  else if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`request to another host: ${request.url()}`);
});

const tests = {
  async 'the data provider by itself'() {
    for (let at = 1; at <= 3; at += 1) await ask('POST', '/notes/', { title: `Note ${at}` });
    await page.goto(`${origin}/blank`);
    await page.addScriptTag({ path: `${home}build/provider.js` });
    await page.evaluate(([url, secret]) => window.provider.run(url, secret), [server.url, key]);
    // As it was found, but for the ids.
    for (const collection of ['users', 'address']) {
      for (let left = true; left;) {
        const { object_list: found } = await (await ask('GET', `/${collection}/`)).json();
        for (const { ressource_uri: uri } of found) await ask('DELETE', uri);
        left = found.length > 0;
      }
    }
  },

  async 'an access key is asked for, and goes as a header'() {
    await page.goto(`${origin}/`);
    await page.getByLabel('Access key').fill(key);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('No Users yet').or(page.getByText('No users yet')).first().waitFor();
    const last = requests.findLast((request) => request.method() === 'GET' && request.url().includes('/users/'));
    equal((await last.allHeaders()).authorization, `Bearer ${key}`);
    that(requests.every((request) => !request.url().includes(key)), 'the key is in a URL');
  },

  async 'a record is created, and an error of the server stands at its field'() {
    await page.goto(`${origin}/#/address/create`);
    await page.getByLabel('Country').fill('France');
    await page.getByLabel('City').fill('Paris');
    await page.getByLabel('Number').fill('45');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('street is missing. Cannot create the ressource').first().waitFor();
    equal(await page.getByLabel('Street').getAttribute('aria-invalid'), 'true');
    equal(await page.getByLabel('City').inputValue(), 'Paris', 'what was typed');
    await page.getByLabel('Street').fill('quai de Valmy');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'quai de Valmy' }).waitFor();
    for (let at = 1; at <= 23; at += 1) {
      const { object_list: [address] } = await (await ask('GET', '/address/')).json();
      const id = Number(address.ressource_uri.split('/').at(-2));
      const answer = await ask('POST', '/users/', { first_name: `First${at}`, last_name: at % 2 ? 'Odd' : 'Even', address: at % 3 ? id : null });
      equal(answer.status, 201);
    }
  },

  async 'a list has pages, totals, and references by their words'() {
    await page.goto(`${origin}/#/users`);
    await page.getByText('1-10 of 23').waitFor();
    await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
    await page.getByRole('button', { name: 'Go to page 3' }).click();
    await page.getByText('21-23 of 23').waitFor();
    await page.getByRole('cell', { name: 'First23' }).waitFor();
    equal(await page.locator('tbody tr').count(), 3);
  },

  async 'a column sorts'() {
    await page.goto(`${origin}/#/users?page=1`);
    const sort = page.getByRole('button', { name: 'Sort by First name' });
    const top = page.locator('tbody tr').first();
    await sort.click();
    await top.getByRole('cell', { name: 'First1', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'First18', exact: true }).waitFor();
    await sort.click();
    await top.getByRole('cell', { name: 'First9', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sort by Id' }).click();
    await top.getByRole('cell', { name: 'First1', exact: true }).waitFor();
  },

  async 'a filter finds'() {
    await page.goto(`${origin}/#/users?page=1`);
    const lastName = page.getByRole('textbox', { name: 'Last name' });
    await lastName.fill('ev');
    await page.getByText('1-10 of 11').waitFor();
    equal(await page.getByRole('cell', { name: 'Odd' }).count(), 0);
    await lastName.fill('Nobody');
    await page.getByText('No results found').or(page.getByText(/No Users found/i)).first().waitFor();
    await lastName.fill('');
    await page.getByText('1-10 of 23').waitFor();
  },

  async 'a search finds by the beginnings of names'() {
    await page.goto(`${origin}/#/users?page=1`);
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.fill('ódd first2');
    await page.getByText('1-2 of 2').waitFor();
    await search.fill('');
    await page.getByText('1-10 of 23').waitFor();
  },

  async 'a range is a filter, and a reference is found by the beginnings of its words'() {
    for (const number of [46, 47]) await ask('POST', '/address/', { country: 'France', city: 'Paris', street: 'rue Lepic', number });
    await page.goto(`${origin}/#/address`);
    await page.getByText('1-3 of 3').waitFor();
    await page.getByLabel('Number from').fill('46');
    await page.getByText('1-2 of 2').waitFor();
    equal(await page.getByRole('cell', { name: 'quai de Valmy' }).count(), 0);
    await page.goto(`${origin}/#/users/create`);
    await page.getByLabel('Address').fill('LÉP');
    await page.getByRole('option', { name: '47 rue Lepic, Paris' }).waitFor();
    await page.getByRole('option', { name: /Valmy/ }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: '46 rue Lepic, Paris' }).click();
    equal(await page.getByLabel('Address').inputValue(), '46 rue Lepic, Paris');
    for (const { ressource_uri: uri } of (await (await ask('GET', '/address/?number.gte=46')).json()).object_list) await ask('DELETE', uri);
  },

  async 'an edit sends what changed, and overwrites nobody'() {
    const { object_list: [first] } = await (await ask('GET', '/users/?first_name=First1')).json();
    await page.goto(`${origin}/#${first.ressource_uri.slice(0, -1)}`);
    await page.getByLabel('Last name').fill('Lovelace');
    const saved = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    const request = await saved;
    equal(request.postData(), '{"last_name":"Lovelace"}');
    that(/^"[0-9a-f]{32}"$/.test((await request.allHeaders())['if-match']), 'no If-Match');
    await page.getByRole('cell', { name: 'Lovelace' }).waitFor();

    await page.goto(`${origin}/#${first.ressource_uri.slice(0, -1)}`);
    await page.getByLabel('Last name').fill('King');
    await ask('PUT', first.ressource_uri, { first_name: 'Ada' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The record is not the one that If-Match names').waitFor();
    const now = await (await ask('GET', first.ressource_uri)).json();
    equal([now.first_name, now.last_name], ['Ada', 'Lovelace'], 'what is stored');
  },

  async 'who refers to a record is shown with it'() {
    const { object_list: [address] } = await (await ask('GET', '/address/')).json();
    await page.goto(`${origin}/#${address.ressource_uri.slice(0, -1)}`);
    await page.getByRole('cell', { name: 'First23' }).waitFor();
    equal(await page.getByLabel('City').inputValue(), 'Paris');
  },

  async 'a record that is referred to is not deleted, one that is not is, and so are many'() {
    const { object_list: [address] } = await (await ask('GET', '/address/')).json();
    await page.goto(`${origin}/#${address.ressource_uri.slice(0, -1)}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The record is still referenced by users').waitFor();

    await page.goto(`${origin}/#/users`);
    await page.getByText('1-10 of 23').waitFor();
    await page.getByRole('cell', { name: 'First2', exact: true }).click();
    await page.getByLabel('First name').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('1-10 of 22').waitFor();
    await page.locator('tbody tr').nth(1).getByRole('checkbox').check();
    await page.locator('tbody tr').nth(2).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('1-10 of 20').waitFor();
    equal((await (await ask('GET', '/users/')).json()).meta.total_count, 20, 'what is left');
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const began = Date.now();
  try {
    await test();
    if (faults.length > 0) throw new Error(faults.splice(0).join('\n'));
    console.log(`ok     ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    await page.screenshot({ path: `${home}build/failed-${failed}.png` }).catch(() => {});
    console.log(`FAILED ${name}\n${String(error.stack).replace(/^/gm, '       ')}`);
  }
}
await browser.close();
await server.end();
site.close();
console.log(`\n${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
