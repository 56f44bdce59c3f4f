// Somebody who has read nothing: an address, a user there, found, changed, deleted.
import { equal, test, that } from '../lib/suite.js';

test('a journey with the mouse alone', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/`, { waitUntil: 'load' });
  await page.getByRole('link', { name: 'Make the first record' }).click();
  for (const [field, value] of [['country', 'France'], ['city', 'Paris'], ['street', 'quai de Valmy'], ['number', '45']]) {
    await page.getByLabel(new RegExp(`^${field}`)).click();
    await page.keyboard.insertText(value);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await page.getByRole('link', { name: 'users', exact: true }).click();
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel(/^first_name/).click();
  await page.keyboard.insertText('Ada');
  await page.getByLabel(/^last_name/).click();
  await page.keyboard.insertText('Lovelace');
  await page.getByRole('button', { name: 'Choose address from address' }).click();
  await page.getByRole('button', { name: /45 quai de Valmy, Paris/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByLabel('Filter by last_name').click();
  await page.keyboard.insertText('Lovelace');
  await page.getByRole('heading', { name: 'users' }).click(); // leaving the filter applies it
  await page.getByText('1 match').waitFor();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).waitFor();
  await page.getByText('Ada', { exact: true }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  const field = page.getByLabel(/^first_name/);
  await field.click({ clickCount: 3 });
  await page.keyboard.insertText('Augusta Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Augusta Ada Lovelace' }).waitFor();
  equal((await server.json('/users/1/')).first_name, 'Augusta Ada');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('heading', { name: 'Delete “Augusta Ada Lovelace”?' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('0 match').waitFor();
  equal((await server.json('/users/')).meta.total_count, 0);
});

test('a journey with the keyboard alone', {}, async ({ server, page }) => {
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  const type = (text) => page.keyboard.type(text);
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    return element?.matches('a, button') ? element.textContent + (element.getAttribute('aria-label') ?? '') : '';
  });
  const tabTo = async (name) => {
    for (let step = 0; step < 60; step += 1) {
      if ((await focused()).includes(name)) return;
      await press('Tab');
    }
    throw new Error(`Tab never comes to ${name}`);
  };
  await page.goto(`${server.url}/`);
  await page.getByText('There is nothing in address yet').waitFor();
  await press('n');
  await page.getByRole('heading', { name: 'New record of address' }).waitFor();
  await type('France'); await press('Tab'); await type('Paris'); await press('Tab'); await type('quai de Valmy'); await press('Tab'); await type('45'); await press('Enter');
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await press('Escape');
  await page.getByText('1 record').waitFor();
  await tabTo('users').catch(async () => { await page.keyboard.press('Shift+Tab'); await tabTo('users'); });
  await press('Enter');
  await page.getByText('There is nothing in users yet').waitFor();
  await press('n');
  await page.getByRole('heading', { name: 'New record of users' }).waitFor();
  await type('Ada'); await press('Tab'); await type('Lovelace');
  await tabTo('Choose address from address'); await press('Enter');
  await page.getByRole('button', { name: /45 quai/ }).waitFor();
  await press('ArrowDown', 'Enter');
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).waitFor();
  await tabTo('Save'); await press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await press('Escape');
  await page.getByText('1 record').waitFor();
  await press('/', 'Tab'); await type('Lovelace'); await press('Enter');
  await page.getByText('1 match').waitFor();
  await tabTo('1: Ada Lovelace'); await press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await tabTo('Delete…');
  for (let step = 0; !(await page.evaluate(() => document.activeElement?.id === 'field-last_name')); step += 1) {
    that(step < 40, 'Shift+Tab never comes to last_name');
    await press('Shift+Tab');
  }
  await press('Control+a'); await type('King'); await press('Control+s');
  await page.getByRole('heading', { name: 'Ada King' }).waitFor();
  await tabTo('Delete…'); await press('Enter');
  await page.getByRole('heading', { name: 'Delete “Ada King”?' }).waitFor();
  await press('Tab', 'Enter');
  await page.getByText('0 match').waitFor();
  equal((await server.json('/users/')).meta.total_count, 0);
  await press('?');
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
  await press('Escape');
  equal(await page.getByRole('dialog').count(), 0);
});
