// Names of keys that somebody made up to do harm: shown as text, and leading nowhere.
import { equal, soon, test, that } from '../lib/suite.js';

const NAMES = [
  '<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', 'javascript:alert(1)', '#/users/new', '../../users/1/', 'a/rotate/', '%2e%2e%2f',
  '\u202Egpj.elif\u202D', 'https://elsewhere.example/', 'x'.repeat(200), '  two  spaces ', '京都 😀',
];

test('whatever a key is called is shown as text, and is rotated and revoked by its own name', { expected: [401, 403] }, async ({ server, page }) => {
  const admin = await server.command('keys', 'create', 'ops', '--admin');
  const keys = async () => (await fetch(`${server.url}/_/keys/`, { headers: { Authorization: `Bearer ${admin}` } })).json();
  await soon(async () => 'keys' in (await keys()), true);
  const headers = { Authorization: `Bearer ${admin}`, 'Content-Type': 'application/json' };
  for (const name of NAMES) equal((await fetch(`${server.url}/_/keys/`, { method: 'POST', headers, body: JSON.stringify({ name }) })).status, 201, name);
  await page.goto(`${server.url}/console/#/_/keys`);
  await page.getByRole('button', { name: 'I have such a key' }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(admin);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'ops you' }).waitFor();
  const row = (name) => page.locator('tbody tr').filter({ has: page.locator('th', { hasText: name }) });
  const shown = async () => (await page.locator('tbody th').allTextContents()).map((text) => text.replace(/ you$/, '')).sort();
  const stored = async () => (await keys()).keys.map((one) => one.name).sort();
  const is = (await stored()).length;
  equal(is, NAMES.length + 1, 'how many there are');
  await soon(shown, await stored());
  // Nothing of it is markup, a link or a place.
  const harmless = async () => {
    equal(await page.locator('main :is(a, img, script, iframe), dialog :is(a, img, script, iframe)').count(), 0, 'what is markup');
    equal(new URL(page.url()).hash, '#/_/keys', 'the place');
    const sticks = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    that(sticks <= 0, `the page is ${sticks} px too wide`);
  };
  await harmless();
  for (const name of NAMES) {
    await row(name).getByRole('button', { name: /^Rotate/ }).click();
    const title = page.locator('dialog h2');
    equal(await title.textContent(), `A new secret for “${name}”?`);
    // A name that turns the writing round turns nothing but itself.
    equal(await title.locator('bdi').evaluate((one) => getComputedStyle(one).unicodeBidi), 'isolate');
    const { x, width } = await page.locator('dialog').boundingBox();
    that(x >= 0 && x + width <= 1100, `the question is from ${x} to ${x + width}`);
    const cut = await title.evaluate((one) => one.scrollWidth - one.clientWidth);
    that(cut <= 0, `${cut} px of the question are cut off`);
    await harmless();
    await page.getByRole('button', { name: 'Leave it' }).click();
  }
  // What is asked for is the key of that name, to the letter.
  for (const name of ['../../users/1/', 'a/rotate/', '#/users/new', '\u202Egpj.elif\u202D']) {
    await row(name).getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row(name).waitFor({ state: 'detached' });
    that(!(await stored()).includes(name), `${name} is still there`);
  }
  equal((await stored()).length, is - 4, 'how many are left');
  await harmless();
  // The holder sees the name in the frame.
  const made = await (await fetch(`${server.url}/_/keys/`, { method: 'POST', headers, body: JSON.stringify({ name: '<b>\u202Eevil</b>' }) })).json();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('button', { name: 'I have such a key' }).click();
  await page.getByRole('textbox', { name: 'Access key' }).fill(made.key);
  await page.keyboard.press('Enter');
  const frame = page.getByRole('region', { name: 'Your key' });
  await soon(() => frame.locator('strong').textContent(), '<b>\u202Eevil</b>');
  equal(await frame.locator('b').count(), 0, 'what is markup');
});
