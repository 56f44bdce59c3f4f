// Every page for everybody: axe-core in both themes, a phone, the API page and its snippets.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { accessible, artefacts, findChromium, PATIENCE } from '../lib/browser.js';
import { typeInto } from '../lib/forms.js';
import { Server } from '../lib/server.js';
import { equal, soon, test, that } from '../lib/suite.js';

const run = promisify(execFile);

async function fill(server) {
  await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  await server.post('/address/', { country: '日本', city: '京都', street: '四条通', number: 7 });
  for (let at = 0; at < 25; at += 1) await server.post('/users/', { first_name: ['Ada', 'Grace', 'שרה', 'Élodie'][at % 4], last_name: ['Lovelace', 'Hopper', 'לוי', 'Martin'][at % 4], address: at % 3 ? 1 + (at % 2) : null });
}

test('axe-core finds nothing on any page, in both themes', { expected: [400, 401, 404, 409, 412] }, async ({ server, page }) => {
  await fill(server);
  const at = async (fragment, text) => {
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
  };
  await at('#/users', '25 records');
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
  await accessible(page, 'list');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog', { name: 'Filter' }).getByLabel('Field').selectOption('address');
  await accessible(page, 'filter');
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('dialog', { name: 'Filter' }).getByRole('option', { name: '45 quai de Valmy, Paris' }).waitFor();
  await accessible(page, 'filter-reference');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Columns' }).click();
  await accessible(page, 'columns');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lov');
  await page.getByRole('option', { name: 'Ada Lovelace' }).first().waitFor();
  await accessible(page, 'palette');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Display' }).click();
  await accessible(page, 'display');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 800 });
  await at('#/users/1?search=ada', 'Ada Lovelace');
  await accessible(page, 'beside');
  await page.setViewportSize({ width: 390, height: 780 });
  await at('#/users?last_name.prefix=lo', '7 match');
  await accessible(page, 'phone');
  await page.getByRole('button', { name: 'Menu' }).click();
  await accessible(page, 'drawer');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1100, height: 720 });
  await at('#/users?last_name=Nobody', 'No record matches');
  await accessible(page, 'empty');
  await at('#/address?number=x', 'number: the text is not an integer');
  await accessible(page, 'wrong-filter');
  await at('#/users/1', 'Ada Lovelace');
  await typeInto(page, 'Last name', 'King');
  await accessible(page, 'record');
  await server.put('/users/1/', { last_name: 'Byron' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed').waitFor();
  await accessible(page, 'conflict');
  await page.getByRole('button', { name: 'Take what is stored' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await accessible(page, 'delete');
  await page.keyboard.press('Escape');
  await at('#/users/new', 'New in Users');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.error').first().waitFor();
  await accessible(page, 'new');
  await page.getByRole('button', { name: /^Help/ }).click();
  await accessible(page, 'help');
  await page.keyboard.press('Escape');
  await at('#/_/keys', 'carnet keys create --admin');
  await accessible(page, 'keys');
  await page.getByRole('button', { name: 'I have such a key' }).click();
  await accessible(page, 'ask');
  await page.keyboard.press('Escape');
  await at('api#list-users', 'From code');
  await accessible(page, 'api');
});

test('from a phone up nothing sticks out, and the theme can be chosen', { viewport: { width: 390, height: 780 } }, async ({ server, page }) => {
  await fill(server);
  for (const [fragment, text] of [['#/users', '25 records'], ['#/users/1', 'Ada Lovelace'], ['#/users/new', 'New in Users'], ['api#create-users', 'From code']]) {
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
    const sticks = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    that(sticks <= 0, `${fragment} is ${sticks} px too wide`);
    await page.screenshot({ path: `${artefacts}phone-${fragment.replace(/\W+/g, '-')}.png` });
  }
  await page.goto(`${server.url}/console/#/users`);
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await back();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Display' }).click();
  await page.getByLabel('Theme').selectOption('light');
  await soon(async () => (await back()) !== dark, true, 'the switch does nothing');
  await page.reload();
  await page.getByText('25 records').waitFor();
  await soon(async () => (await back()) !== dark, true, 'the choice is forgotten');
});

test('in the colours of the system the current page is marked, too', {}, async ({ server, page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('There is nothing in Users yet').waitFor();
  const border = (name) => page.getByRole('link', { name, exact: true }).evaluate((link) => getComputedStyle(link).borderTopStyle);
  await soon(async () => [await border('Users'), await border('Address')], ['solid', 'none']);
});

test('on a phone both versions of a conflict are on the screen', { viewport: { width: 390, height: 780 }, expected: [412] }, async ({ server, page }) => {
  const long = 'a rather long name of a street that does not fit';
  await server.post('/address/', { country: 'France', city: 'Paris', street: long, number: 45 });
  await page.goto(`${server.url}/console/#/address/1`);
  await typeInto(page, 'Street', `${long}, mine`);
  await server.put('/address/1/', { street: `${long}, theirs` });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed').waitFor();
  for (const text of [`Yours ${long}, mine`, `Stored now ${long}, theirs`]) {
    const version = page.locator('.version', { has: page.getByRole('radio', { name: text }) });
    const { x, width } = await version.boundingBox();
    that(x >= 0 && x + width <= 390, `${text} is from ${x} to ${x + width}`);
    const hidden = await version.locator('.text').evaluate((one) => one.scrollHeight - one.clientHeight + one.scrollWidth - one.clientWidth);
    that(hidden <= 0, `${hidden} px of ${text} are hidden`);
  }
  await accessible(page, 'phone-conflict');
});

test('the API page has every endpoint, and tries it', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/api`);
  await page.getByText('list-users').count();
  await page.locator('.op').first().waitFor();
  const document = await server.json('/openapi.json');
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one?.operationId).filter(Boolean));
  await soon(() => page.locator('.op').evaluateAll((all) => all.map((one) => one.id).sort()), operations.sort());
  await page.locator('#create-users > summary').click();
  const entry = page.locator('#create-users');
  await entry.getByText('Lovelace').first().waitFor();
  await entry.getByLabel('Body').fill('{"first_name":"Try","last_name":"It"}');
  await entry.getByRole('button', { name: 'Send POST' }).click();
  await page.getByRole('heading', { name: 'Send POST /users/?' }).waitFor();
  await accessible(page, 'send');
  await page.getByRole('button', { name: 'Send it', exact: true }).click();
  await entry.locator('.answered').waitFor();
  await soon(async () => (await entry.locator('.answered').innerText()).startsWith('201'), true);
  await soon(async () => (await server.json('/users/?first_name=Try')).meta.total_count, 1);
});

test('the API page writes only to what was named, and asks before', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/api`);
  const before = await server.text('/users/');
  const changes = () => page.requests.filter((one) => /^(PUT|PATCH|DELETE|POST) /.test(one));
  for (const [operation, method] of [['update-users', 'PUT'], ['delete-users', 'DELETE']]) {
    await page.locator(`#${operation} > summary`).click();
    const entry = page.locator(`#${operation}`);
    for (const id of ['', '..', '.']) {
      await entry.getByLabel('id', { exact: true }).fill(id);
      await entry.getByRole('button', { name: `Send ${method}` }).click();
      await soon(() => entry.getByLabel('id', { exact: true }).evaluate((input) => input.matches(':invalid') && input === document.activeElement), true);
      await soon(() => page.getByRole('dialog').count(), 0);
    }
    await entry.getByLabel('id', { exact: true }).fill('2');
    await entry.getByRole('button', { name: `Send ${method}` }).click();
    await page.getByRole('heading', { name: `Send ${method} /users/2/?` }).waitFor();
    await page.getByRole('button', { name: 'Do not send it' }).click();
  }
  await soon(() => changes(), []);
  await soon(() => server.text('/users/'), before);
  await page.locator('#delete-users').getByRole('button', { name: 'Send DELETE' }).click();
  await page.getByRole('button', { name: 'Send it', exact: true }).click();
  await page.locator('#delete-users .answered').waitFor();
  await soon(() => changes(), ['DELETE /users/2/']);
  await soon(async () => (await fetch(`${server.url}/users/2/`)).status, 404);
  await soon(async () => (await fetch(`${server.url}/users/1/`)).status, 200);
});

test('the snippets run as they are pasted', {}, async ({ server, page }) => {
  await fill(server);
  const folder = mkdtempSync(join(tmpdir(), 'carnet-snippets-'));
  const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));
  const runners = {
    curl: (text) => run('sh', [file('a.sh', text)]),
    fetch: (text) => run('node', [file('a.mjs', text)]),
  };
  // Those that need a generated client or a crate are read by their own tools.
  const readers = {
    Python: (text) => run('python3', ['-m', 'py_compile', file('a.py', text)]),
    Rust: (text) => run('rustfmt', ['--edition', '2024', '--emit', 'stdout', file('a.rs', `${text}\n`)]),
  };
  try {
    for (const [operation, wanted] of [['create-address', '201'], ['list-users', '200'], ['update-users', '200']]) {
      await page.goto(`${server.url}/console/api#${operation}`);
      await page.reload();
      const entry = page.locator(`#${operation}`);
      if (operation === 'update-users') await entry.getByLabel('id', { exact: true }).fill('1');
      for (const [language, runner] of Object.entries({ ...runners, ...readers })) {
        await entry.getByRole('button', { name: language, exact: true }).click();
        const { stdout } = await runner(await entry.locator(`pre[data-language="${language}"]`).innerText());
        if (language in runners) that(stdout.includes(wanted), `${operation} in ${language} printed ${stdout}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('Copy works on a page without TLS', {}, async () => {
  const server = await Server.start('[server]\nbase_url = "http://book.example"\n[[collection]]\nname = "notes"\n[collection.fields]\ntitle = { type = "string" }\n');
  const plain = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--host-resolver-rules=MAP book.example 127.0.0.1'] });
  try {
    const page = await plain.newPage();
    page.setDefaultTimeout(PATIENCE);
    const thrown = [];
    page.on('pageerror', (error) => thrown.push(error.message));
    await page.goto(`http://book.example:${new URL(server.url).port}/console/api#list-notes`);
    await soon(() => page.evaluate(() => [isSecureContext, typeof navigator.clipboard]), [false, 'undefined']);
    const entry = page.locator('#list-notes');
    await entry.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    // It is there, for those who paste.
    const wanted = await entry.locator('pre').first().innerText();
    await entry.getByLabel('title', { exact: true }).focus();
    await page.keyboard.press('Control+v');
    await soon(async () => (await entry.getByLabel('title', { exact: true }).inputValue()).replace(/\s+/g, ' '), wanted.replace(/\s+/g, ' '));
    // Where the browser refuses that, too, it is selected and said.
    await page.evaluate(() => (document.execCommand = () => false));
    const typed = await entry.locator('pre').first().innerText();
    await entry.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('It is selected').waitFor();
    await soon(async () => (await page.evaluate(() => getSelection()?.toString()))?.trim(), typed.trim());
    equal(thrown, []);
  } finally {
    await plain.close();
    await server.end();
  }
});
