// Somebody who has read nothing: an address, a user there, found, changed, deleted.
import { focusOn } from '../lib/forms.js';
import { soon, test } from '../lib/suite.js';

test('a journey with the mouse alone', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/`, { waitUntil: 'load' });
  await page.getByRole('link', { name: 'Make the first record' }).click();
  for (const [field, value] of [['Country', 'France'], ['City', 'Paris'], ['Street', 'quai de Valmy'], ['Number', '45']]) {
    await page.getByLabel(new RegExp(`^${field}`)).click();
    await page.keyboard.insertText(value);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel(/^First name/).click();
  await page.keyboard.insertText('Ada');
  await page.getByLabel(/^Last name/).click();
  await page.keyboard.insertText('Lovelace');
  await page.getByLabel(/^Address/).click();
  await page.getByRole('option', { name: '45 quai de Valmy, Paris' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await page.getByRole('link', { name: 'Back to Users' }).click();
  await page.getByLabel('Search Users').click();
  await page.keyboard.insertText('lovel');
  await page.getByText('1 match').waitFor();
  await page.getByRole('link', { name: '45 quai de Valmy, Paris' }).waitFor();
  await page.getByText('Ada', { exact: true }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  // A click on a value makes it an input.
  await page.locator('.field.read').getByText('Ada', { exact: true }).click();
  await page.getByLabel(/^First name/).click({ clickCount: 3 });
  await page.keyboard.insertText('Augusta Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Augusta Ada Lovelace' }).waitFor();
  await soon(async () => (await server.json('/users/1/')).first_name, 'Augusta Ada');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('heading', { name: 'Delete “Augusta Ada Lovelace”?' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('0 match').waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 0);
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
  await page.getByText('There is nothing in Address yet').waitFor();
  await press('n');
  await page.getByRole('heading', { name: 'New in Address' }).waitFor();
  await type('France'); await press('Tab'); await type('Paris'); await press('Tab'); await type('quai de Valmy'); await press('Tab'); await type('45'); await press('Enter');
  await page.getByRole('heading', { name: '45 quai de Valmy, Paris' }).waitFor();
  await press('Escape');
  await page.getByText('1 record').waitFor();
  await tabTo('Users').catch(async () => { await page.keyboard.press('Shift+Tab'); await tabTo('Users'); });
  await press('Enter');
  await page.getByText('There is nothing in Users yet').waitFor();
  await press('n');
  await page.getByRole('heading', { name: 'New in Users' }).waitFor();
  await type('Ada'); await press('Tab'); await type('Lovelace');
  await press('Tab'); await type('val');
  await page.getByRole('option', { name: '45 quai de Valmy, Paris' }).waitFor();
  await press('Enter');
  await tabTo('Save'); await press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await press('Escape');
  await page.getByText('1 record').waitFor();
  await press('/'); await type('lovel');
  await page.getByText('1 match').waitFor();
  await press('ArrowDown'); await press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await tabTo('Edit Last name'); await press('Enter');
  await focusOn(page, 'field-last_name');
  await press('Control+a'); await type('King'); await press('Control+s');
  await page.getByRole('heading', { name: 'Ada King' }).waitFor();
  await tabTo('Delete…'); await press('Enter');
  await page.getByRole('heading', { name: 'Delete “Ada King”?' }).waitFor();
  // Until it is known who refers to the record, the button does nothing.
  await page.getByText('Nothing refers to it.').waitFor();
  await press('Tab', 'Enter');
  await page.getByText('0 match').waitFor();
  await soon(async () => (await server.json('/users/')).meta.total_count, 0);
  await press('?');
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
  await press('Escape');
  await soon(() => page.getByRole('dialog').count(), 0);
});
