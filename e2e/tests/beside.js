// A record beside its list, on screens that are wide enough.
import { typeInto } from '../lib/forms.js';
import { soon, test } from '../lib/suite.js';

const WIDE = { viewport: { width: 1440, height: 900 } };

async function fill(server) {
  for (let at = 1; at <= 25; at += 1) await server.post('/users/', { first_name: `First${at}`, last_name: at % 2 ? 'Odd' : 'Even' });
}

test('a record stands beside its list, whose parameters stay in the address', WIDE, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users?last_name=Odd`);
  await page.getByText('13 match').waitFor();
  await page.getByText('First3', { exact: true }).click();
  await page.getByRole('heading', { name: 'First3 Odd' }).waitFor();
  await soon(() => new URL(page.url()).hash, '#/users/3?last_name=Odd');
  await soon(() => page.locator('.rows a[data-id]').count(), 13);
  await soon(() => page.locator('a[data-id][aria-current]').evaluateAll((all) => all.map((one) => one.dataset.id)), ['3']);
  await page.reload();
  await page.getByRole('heading', { name: 'First3 Odd' }).waitFor();
  await page.getByText('13 match').waitFor();
  await page.goBack();
  await soon(() => new URL(page.url()).hash, '#/users?last_name=Odd');
});

test('on a small screen the record is alone, and leads back to its list', { viewport: { width: 800, height: 700 } }, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users/3?last_name=Odd`);
  await page.getByRole('heading', { name: 'First3 Odd' }).waitFor();
  await soon(() => page.locator('.rows').count(), 0);
  await page.keyboard.press('Escape');
  await page.getByText('13 match').waitFor();
  await soon(() => page.url().endsWith('#/users?last_name=Odd'), true);
});

test('the arrows go from record to record, and a save shows in the list', WIDE, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('25 records').waitFor();
  await page.getByText('First3', { exact: true }).click();
  await page.getByRole('heading', { name: 'First3 Odd' }).waitFor();
  const pages = await page.evaluate(() => history.length);
  await page.locator('a[data-id="3"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'First4 Even' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'First5 Odd' }).waitFor();
  await soon(() => page.evaluate(() => [document.activeElement?.getAttribute('data-id'), history.length]), ['5', pages]);
  await typeInto(page, 'Last name', 'Changed');
  await page.keyboard.press('Control+s');
  await page.getByRole('link', { name: 'First5 Changed' }).waitFor();
});
