// Days and moments: inputs of their own kind, checked before they are sent, stored as they are written.
import { shownIn, typeInto } from '../lib/forms.js';
import { addFilter, rows } from '../lib/lists.js';
import { equal, soon, test, that } from '../lib/suite.js';

const CONFIG = `
[[collection]]
name = "visits"
[collection.fields]
title = { type = "string", required = true }
day   = { type = "date" }
at    = { type = "datetime" }
[collection.pagination]
page_size = 20
`;

test('a day and a moment have inputs of their own, and are stored as they were typed', { config: CONFIG }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/visits/new`);
  await typeInto(page, 'Title', 'Dentist');
  await soon(() => page.getByLabel(/^Day/).getAttribute('type'), 'date');
  await page.getByLabel(/^Day/).fill('2028-02-29');
  await typeInto(page, 'At', 'tomorrow');
  await page.getByRole('button', { name: 'Save' }).click();
  // Before anything is sent.
  await soon(() => page.locator('.error').count(), 1);
  equal(page.requests.filter((one) => one.startsWith('POST')), [], 'what was sent');
  await typeInto(page, 'At', '2028-02-29T12:30:00.25+02:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Dentist' }).waitFor();
  const { day, at } = await server.json('/visits/1/');
  equal([day, at], ['2028-02-29', '2028-02-29T10:30:00.25Z']);
  // Read, changed, and taken away again.
  await soon(async () => /2028/.test(await shownIn(page, 'Day')), true);
  await page.getByRole('button', { name: 'Edit Day' }).click();
  equal(await page.getByLabel(/^Day/).inputValue(), '2028-02-29');
  await page.getByLabel(/^Day/).fill('2028-03-01');
  await page.getByRole('button', { name: 'Save (1 change)' }).click();
  await soon(async () => (await server.json('/visits/1/')).day, '2028-03-01');
  await page.goto(`${server.url}/console/#/visits/1`);
  await page.getByRole('button', { name: 'Edit Day' }).click();
  await page.getByLabel(/^Day/).fill('');
  await page.getByRole('button', { name: 'Save (1 change)' }).click();
  await soon(async () => (await server.json('/visits/1/')).day, null);
});

test('Now is this moment, and a day that the browser cannot show stays as it was typed', { config: CONFIG }, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/visits/new`);
  await typeInto(page, 'Title', 'Now');
  const before = Date.now();
  await page.getByRole('button', { name: 'Now' }).click();
  const moment = Date.parse(await page.getByLabel(/^At/).inputValue());
  // To the second.
  that(moment >= before - 1000 && moment <= Date.now(), `${new Date(moment)} is not now`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  equal(Date.parse((await server.json('/visits/1/')).at), moment);
  // What was kept from a time when the field was a text. Put there while no console runs, which may still be tidying up.
  await page.goto(`${server.url}/livez`);
  await page.evaluate(() => localStorage.setItem('carnet-kept:/:/draft visits/1', JSON.stringify({ typed: { day: 'spring' }, base: null, at: 1 })));
  await page.goto(`${server.url}/console/#/visits/1`);
  await soon(() => page.getByLabel(/^Day/).inputValue(), 'spring');
  await page.getByRole('button', { name: 'Save (1 change)' }).click();
  await soon(() => page.locator('.error').count(), 1);
  equal((await server.json('/visits/1/')).day, null);
});

test('days and moments are filtered and sorted as what they are', { config: CONFIG }, async ({ server, page }) => {
  for (const [title, day, at] of [['c', '2028-10-01', '2028-10-01T09:00:00Z'], ['a', '2028-02-01', '2028-02-01T23:00:00-02:00'], ['b', '2028-02-02', '2028-02-02T00:30:00Z']]) await server.post('/visits/', { title, day, at });
  await page.goto(`${server.url}/console/#/visits`);
  await page.getByText('3 records').waitFor();
  await addFilter(page, 'Day', 'is before', '2028-10-01');
  await page.getByText('2 match').waitFor();
  await page.getByRole('button', { name: 'At', exact: true }).click();
  // The one with the offset is the later one.
  await soon(() => rows(page), ['3', '2']);
});
