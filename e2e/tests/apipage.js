// The API page: found by words, tried beside the text, and written down as it was typed.
import { accessible } from '../lib/browser.js';
import { equal, soon, test, that } from '../lib/suite.js';

const ADDRESS = { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 };

async function opened(server, page, operation) {
  await page.goto(`${server.url}/console/api#${operation}`);
  const entry = page.locator(`#${operation}`);
  await entry.getByText('From code').waitFor();
  return entry;
}

test('endpoints are found by words; HEAD and OPTIONS are folded away; each has a link', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/api`);
  await page.locator('#list-users').waitFor();
  await soon(() => page.locator('#list-users').isVisible(), true);
  const hidden = await page.locator('.op .method').evaluateAll((all) => all.filter((one) => !one.checkVisibility()).map((one) => one.textContent));
  equal([...new Set(hidden)].sort(), ['HEAD', 'OPTIONS']);
  await page.getByRole('searchbox', { name: 'Search' }).fill('PUT users');
  await page.waitForFunction(() => document.querySelectorAll('.op').length === 1);
  await soon(() => page.locator('.op').getAttribute('id'), 'update-users');
  await page.locator('#update-users > summary').click();
  await page.getByRole('link', { name: 'Link to this' }).click();
  await soon(() => new URL(page.url()).hash, '#update-users');
  await accessible(page, 'api-found');
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing of the kind');
  await page.getByText('No endpoint has these words.').waitFor();
});

test('the id of a record is found by its words, and never guessed', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  await server.post('/address/', { ...ADDRESS, street: 'rue Mercière', number: 12 });
  const entry = await opened(server, page, 'fetch-address');
  await soon(() => entry.getByLabel('id', { exact: true }).inputValue(), '');
  await soon(async () => (await entry.locator('pre[data-language]').innerText()).includes('/address/ID/'), true, 'an id is guessed');
  await entry.getByLabel('Find a record').fill('merc');
  await entry.getByRole('option', { name: '12 rue Mercière, Paris' }).click();
  await soon(() => entry.getByLabel('id', { exact: true }).inputValue(), '2');
  await soon(() => entry.locator('.combobox [role=option]:visible').count(), 0);
  await soon(async () => (await entry.locator('pre[data-language]').innerText()).includes('/address/2/'), true);
  await entry.getByRole('button', { name: 'Send GET' }).click();
  await entry.locator('.answered').waitFor();
  // The body comes before the header fields, which are folded.
  equal(await entry.locator('.answered strong').innerText(), '200');
  await soon(async () => (await entry.getByLabel('The answer', { exact: true }).innerText()).includes('"street": "rue Mercière"'), true, 'the body is not there');
  await soon(() => entry.getByText('etag:').isVisible(), false);
});

test('inputs have the type of what they ask for', { config: `
[[collection]]
name = "notes"
[collection.fields]
title  = { type = "string" }
done   = { type = "boolean" }
number = { type = "integer" }
[collection.pagination]
page_size = 20
` }, async ({ server, page }) => {
  for (const number of [1, 2, 3]) await server.post('/notes/', { title: `Note, ${number}`, done: number > 1, number });
  const entry = await opened(server, page, 'list-notes');
  await entry.getByLabel('done', { exact: true }).selectOption('true');
  await soon(() => entry.getByLabel('number', { exact: true }).getAttribute('inputmode'), 'numeric');
  await entry.getByText('Filters with operators').click();
  await entry.getByLabel('title.in', { exact: true }).fill('Note, 2\nNote, 1');
  await entry.getByRole('button', { name: 'Send GET' }).click();
  await entry.locator('.answered').waitFor();
  await soon(async () => (await entry.locator('.asked').innerText()).endsWith('/notes/?done=true&title.in=Note%2C+2&title.in=Note%2C+1'), true);
  const answer = JSON.parse(await entry.getByLabel('The answer', { exact: true }).innerText());
  equal(answer.object_list.map((one) => one.number), [2]);
});

test('the snippets follow what is typed', {}, async ({ server, page }) => {
  await server.post('/address/', ADDRESS);
  const entry = await opened(server, page, 'update-address');
  const text = async (language) => {
    await entry.getByRole('button', { name: language, exact: true }).click();
    return entry.locator(`pre[data-language="${language}"]`).innerText();
  };
  await entry.getByLabel('id', { exact: true }).fill('1');
  await entry.getByLabel('Body').fill('{"city":"Saint-Étienne \\"d\'ici\\""}');
  await entry.getByText('Header fields', { exact: false }).first().click();
  await entry.getByLabel('If-Match', { exact: true }).fill('"abc"');
  await soon(() => text('curl'), `curl -i -X PUT '${server.url}/address/1/' \\\n  -H 'If-Match: "abc"' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"city":"Saint-Étienne \\"d'\\''ici\\""}'`);
  const wanted = {
    fetch: ['method: "PUT"', `${server.url}/address/1/`, 'If-Match', 'Saint-Étienne'],
    TypeScript: ['carnet.PUT("/address/{id}/"', 'path: { "id": 1 }', 'header: { "If-Match": "\\"abc\\"" }', 'body: {"city"'],
    Python: ['from carnet_client.api.address import update_address', 'update_address.sync_detailed(1, client=carnet', 'AddressUpdate.from_dict', 'if_match="\\"abc\\""'],
    Rust: ['reqwest::Method::PUT', `"${server.url}/address/1/"`, '.header("If-Match", "\\"abc\\"")', 'Saint-Étienne'],
  };
  for (const [language, parts] of Object.entries(wanted)) {
    const snippet = await text(language);
    for (const part of parts) that(snippet.includes(part), `${language} lacks ${part}:\n${snippet}`);
  }
});
