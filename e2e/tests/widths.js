// The widths of columns: dragged, set by the keyboard, kept, and taken back.
import { accessible } from '../lib/browser.js';
import { equal, soon, test, that } from '../lib/suite.js';

async function fill(server) {
  await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  for (const last_name of ['Lovelace', 'Hopper', 'a name that is longer than any column would be by itself']) await server.post('/users/', { first_name: 'Ada', last_name, address: 1 });
}

async function open(server, page) {
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('3 records').waitFor();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
}

const edge = (page, label) => page.getByRole('separator', { name: `Width of ${label}` });
/** Of the heads and of the first row, which must be the same. */
async function widths(page) {
  const of = (row) => page.locator(`${row} > th, ${row} > td:not(.tick)`).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
  const [heads, cells] = [await of('.rows thead tr'), await of('.rows tbody tr:first-child')];
  equal(cells, heads, 'the cells of a row');
  return heads;
}

async function drag(page, label, by) {
  const box = await edge(page, label).boundingBox();
  const [x, y] = [box.x + box.width - 4, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by / 2, y);
  await page.mouse.move(x + by, y);
}

test('a column is as wide as its edge is dragged, and nothing jumps', { viewport: { width: 1300, height: 720 } }, async ({ server, page }) => {
  await fill(server);
  await open(server, page);
  const before = await widths(page);
  // Taking hold of it changes nothing.
  await drag(page, 'First name', 0);
  await page.mouse.up();
  equal(await widths(page), before, 'the widths after a click');
  await drag(page, 'First name', 120);
  // It follows the hand before it is let go.
  equal((await widths(page))[0], before[0] + 120, 'the width while it is dragged');
  await page.mouse.up();
  equal((await widths(page))[0], before[0] + 120, 'the width');
  await soon(() => new URL(page.url()).hash, '#/users', 'nothing is sorted');
  // Narrower than its text: cut off, and still a column.
  await drag(page, 'Last name', -2000);
  await page.mouse.up();
  equal((await widths(page))[1], 48, 'the narrowest');
  // It stays so, before anything else is drawn, and belongs to this list.
  await page.reload();
  await page.getByText('3 records').waitFor();
  const [first, second] = await widths(page);
  equal([first, second], [before[0] + 120, 48]);
  await page.getByRole('link', { name: 'Address', exact: true }).click();
  await page.getByText('1 record', { exact: true }).waitFor();
  that((await widths(page))[1] !== 48, 'another list is sized, too');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('3 records').waitFor();
  // A double click takes one back.
  await edge(page, 'Last name').dblclick();
  await soon(async () => (await widths(page))[1] > 100, true, 'a width by itself');
  equal((await widths(page))[0], before[0] + 120, 'the other');
});

test('with every column sized, each has exactly its width, and the table scrolls in its frame', {}, async ({ server, page }) => {
  await fill(server);
  await open(server, page);
  const count = (await widths(page)).length;
  for (const label of ['First name', 'Last name', 'Address']) {
    await edge(page, label).focus();
    await page.keyboard.press('Home');
  }
  await soon(() => widths(page), Array(count).fill(48));
  for (const label of ['First name', 'Last name', 'Address']) {
    await edge(page, label).focus();
    await page.keyboard.press('End');
  }
  await soon(() => widths(page), Array(count).fill(960));
  equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'what the page scrolls sideways');
});

test('the width is set by the keyboard, told to those who do not see it, and reset', { viewport: { width: 1300, height: 720 } }, async ({ server, page }) => {
  await fill(server);
  await open(server, page);
  const before = await widths(page);
  const told = () => edge(page, 'First name').getAttribute('aria-valuenow');
  await soon(told, String(before[0]), 'what is told of a column that nobody sized');
  // From the head by Tab alone.
  await page.getByRole('button', { name: 'First name', exact: true }).focus();
  await page.keyboard.press('Tab');
  await soon(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Width of First name', 'the focus');
  await page.keyboard.press('ArrowRight');
  await soon(told, String(before[0] + 16));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await soon(told, String(before[0] - 16));
  equal((await widths(page))[0], before[0] - 16);
  await accessible(page, 'widths');
  await soon(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Width of First name', 'the focus');
  await page.keyboard.press('Enter');
  await soon(() => widths(page), before, 'the widths after Enter');
  // All of them, by the menu, which has the entry where there is something to reset.
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Last name' }).waitFor();
  equal(await page.getByRole('button', { name: 'Reset the widths' }).count(), 0, 'the entry');
  await page.keyboard.press('Escape');
  await edge(page, 'Last name').focus();
  await page.keyboard.press('End');
  await soon(async () => (await widths(page))[1], 960);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset the widths' }).click();
  await soon(() => widths(page), before, 'the widths after the reset');
  await soon(() => page.evaluate(() => document.activeElement?.textContent?.trim()), 'Columns', 'the focus');
});

test('whatever else the browser has kept is no width', {}, async ({ server, page }) => {
  await fill(server);
  await open(server, page);
  const before = await widths(page);
  for (const kept of ['{"users":{"first_name":{"width":"1px} body{display:none"}}}', '{"users":{"first_name":true}}', '{"users":7}', '[]', '7', 'null', '{']) {
    await page.evaluate((text) => localStorage.setItem('carnet-columns', text), kept);
    await page.reload();
    await page.getByText('3 records').waitFor();
    await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).first().waitFor();
    equal(await widths(page), before, kept);
  }
});
