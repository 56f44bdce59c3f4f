// Addresses: what the console follows, and what it does not.
import { soon, test, that } from '../lib/suite.js';

const TWO = `
[[collection]]
name = "contracts"
[collection.fields]
title = { type = "string", required = true }
[[collection]]
name = "users"
[collection.fields]
name = { type = "string", required = true }
[collection.pagination]
page_size = 20
`;

test('an address that is none of the console\'s is not found, and asks the server for nothing', { config: TWO }, async ({ server, page }) => {
  for (let at = 0; at < 3; at += 1) await server.post('/contracts/', { title: `Contract ${at}` });
  await server.post('/users/', { name: 'Ada' });
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('1 record').waitFor();
  const strange = [
    '#/users/..\\contracts\\3', '#/users/..%2Fcontracts%2F3', '#/users/../contracts/3', '#/users/%2e%2e', '#/users/.', '#/users/x', '#/users/0', '#/users/-1',
    '#/users/1e1', '#/users/01', '#/users/1/2', '#/users/1?x=y', '#/users/new?offset=1&offset=2', '#/users/99999999999999999999', '#/users?accesskey=X', '#/users?apikey=X', '#/users?name=a&name=b',
    '#/users?from=1', '#/contracts?offset=1', '#//users', '#users', '#/_', '#/_/keys/x', '#/_/other', '#/nobody', '#/Users', '#/users\\', '#/%', '#/constructor', '#/__proto__',
  ];
  for (const fragment of strange) {
    page.requests.length = 0;
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor().catch(() => { throw new Error(`${fragment} is followed`); });
    await soon(() => page.requests, [], fragment);
    // Also for those who come with it.
    if (strange.indexOf(fragment) % 6 === 0) await page.reload();
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    that(page.requests.every((one) => /^GET \/(console\/|openapi\.json$)/.test(one)), `${fragment}: ${page.requests.join(', ')}`);
    await page.getByRole('link', { name: /^To / }).click();
    await page.getByText(/^\d records?$/).waitFor();
  }
  for (const [fragment, text] of [['#/users/1', 'Ada'], ['#/users/new', 'New in Users'], ['', '3 records'], ['#/', '3 records'], ['#/users?name=%C3%A9%26%3D%25&offset=0&count=5', '0 match'], ['#/users?id=1', '1 match']]) {
    await page.goto('about:blank');
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
  }
});

test('any fragment of the API page is taken as it is', {}, async ({ server, page }) => {
  for (const fragment of ['%', '#%', '#%E0%A4%A', '#nothing', '#<b>', '#/users/..']) {
    await page.goto('about:blank');
    await page.goto(`${server.url}/console/api${fragment.startsWith('#') ? fragment : `#${fragment}`}`);
    await page.getByRole('heading', { name: 'The API of this server' }).waitFor();
    await page.locator('.op').first().waitFor();
  }
});
