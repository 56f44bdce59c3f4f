// What a person does with files: exports saved, imports chosen, and what the pages say of them.
import { readFileSync } from 'node:fs';
import { soon } from './suite.js';

export const GUARDED = `
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

export async function fill(server, count) {
  const address = await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  for (let at = 1; at <= count; at += 1) {
    await server.post('/users/', { first_name: at % 5 ? `First${at}` : '=1+1', last_name: at % 2 ? 'Odd' : 'Even', address: at % 3 ? Number(address) : null });
  }
}

/** Chooses a kind of file in the menu. */
export async function choose(page, words) {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: words }).click();
}

/** The file that the browser saves: its name and its bytes. */
export async function saved(page, words) {
  const begun = page.waitForEvent('download');
  await choose(page, words);
  const download = await begun;
  const bytes = readFileSync(await download.path());
  await page.getByText(`Saved as ${download.suggestedFilename()}`).waitFor();
  await page.getByRole('dialog', { name: 'Export' }).waitFor({ state: 'detached' });
  return { name: download.suggestedFilename(), text: bytes.toString('utf8') };
}

/** The page with a key that has these scopes; the server follows a new key within a second. */
export async function withKey(server, page, fragment, ...scopes) {
  const secret = await server.command('keys', 'create', 'me', ...scopes.flatMap((scope) => ['--scope', scope]));
  const status = async () => (await fetch(`${server.url}/people/`, { headers: { Authorization: `Bearer ${secret}` } })).status;
  await soon(status, 200, 'the key');
  await page.goto(`${server.url}/console/${fragment}`);
  await page.getByRole('textbox', { name: 'Access key' }).fill(secret);
  await page.keyboard.press('Enter');
  return { secret, headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' } };
}

/** What the server sends, with its byte order mark. */
export const exported = async (server, path) => Buffer.from(await (await fetch(`${server.url}/_/export/${path}`)).arrayBuffer()).toString('utf8');

/** A file as a person has it. */
export const file = (name, text) => ({ name, mimeType: '', buffer: Buffer.from(text) });

/** Opens the page from the list, and chooses a file. */
export async function importing(server, page, name, text, list = 'users') {
  await page.goto(`${server.url}/console/#/${list}`);
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: /^Import into/ }).waitFor();
  await page.getByLabel('Choose a file').setInputFiles(file(name, text));
}

export const state = (page, words) => page.getByRole('heading', { level: 2, name: words }).waitFor();
export const counts = (page) => page.locator('.counts div').evaluateAll((all) => all.map((one) => [...one.children].map((part) => part.textContent)));
export const mapping = (page) => page.locator('.mapping tbody tr').evaluateAll((all) => all.map((row) => [row.children[0].textContent, row.querySelector('select')?.selectedOptions[0].textContent ?? row.children[1].textContent]));

export const GOOGLE = 'First Name,Last Name,Nickname,Labels,E-mail 1 - Value,Address 1 - Street,Address 1 - City,Address 1 - Country\r\n'
  + 'Ada,Lovelace,<b>Countess</b>,* myContacts,ada@example.org,12 St James Square,London,United Kingdom\r\n'
  + 'Grace,Hopper,,* myContacts,,,,\r\n';
