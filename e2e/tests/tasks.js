// The ten tasks of a person who keeps contacts: on a desktop, a tablet and a phone, and with the keyboard alone.
import { equal, soon, test, that } from '../lib/suite.js';

const COUNT = 45;

async function fill(server) {
  await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: 45 });
  await server.post('/address/', { country: 'France', city: 'Lyon', street: 'rue Mercière', number: 12 });
  await server.post('/users/', { first_name: 'Ada', last_name: 'Lovelace', address: 1 });
  for (let at = 2; at <= COUNT; at += 1) await server.post('/users/', { first_name: `Person${at}`, last_name: ['Zola', 'Germain', 'Noether'][at % 3], address: at % 2 ? 1 : null });
}

/** A hand: what is pressed, and how a box is typed into. `press` finds what it presses as a person does. */
const mouse = () => ({ press: (what) => what.click(), fill: (box, text) => box.fill(text), choose: (box, label) => box.selectOption({ label }) });
const finger = () => ({ ...mouse(), press: (what) => what.tap() });
function keyboard(page) {
  /** Which way it is from where one is; nothing where one is there. */
  const way = (what) => what.evaluate((one) => {
    const from = document.activeElement;
    const isBefore = from && from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING && from.closest('[role="dialog"]');
    return one === from ? '' : isBefore ? 'Shift+Tab' : 'Tab';
  });
  const tabTo = async (what) => {
    await what.waitFor();
    for (let step = 0; step < 150; step += 1) {
      const key = await way(what);
      if (!key) return;
      await page.keyboard.press(key);
    }
    throw new Error(`Tab never comes to ${what}`);
  };
  return {
    async press(what) {
      await tabTo(what);
      await page.keyboard.press(await what.evaluate((one) => (one.matches('input') ? 'Space' : 'Enter')));
    },
    async fill(box, text) {
      await tabTo(box);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
    },
    async choose(box, label) {
      await tabTo(box);
      await page.keyboard.type(label);
      equal(await box.evaluate((one) => one.selectedOptions[0].label), label, 'what is chosen');
    },
  };
}

/** Nothing of the page is beside the screen. */
async function fits(page, task) {
  const sticks = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  that(sticks <= 0, `${task}: the page is ${sticks} px too wide`);
}

async function tenTasks({ server, page, browser }, hand, isPhone) {
  const button = (name) => page.getByRole('button', { name, exact: true });
  const ids = () => page.locator('.rows a[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id));
  const box = (label) => page.getByLabel(new RegExp(`^${label}`));
  /** After each, the page fits and the focus is somewhere: who sees neither is not thrown back to the beginning. */
  const task = async (name, act) => {
    await act();
    await fits(page, name);
    if (hand.isBlind) await soon(() => page.evaluate(() => document.activeElement !== document.body), true, `the focus after: ${name}`);
  };
  const edit = async (label, text) => {
    const pencil = button(`Edit ${label}`);
    await box(label).or(pencil).first().waitFor();
    if (await pencil.count()) await hand.press(pencil);
    await hand.fill(box(label), text);
  };
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText(`${COUNT} records`).waitFor();

  await task('find somebody by a part of a name', async () => {
    await hand.fill(page.getByLabel('Search Users'), 'lovel');
    await page.getByText('1 match').waitFor();
    await soon(ids, ['1']);
    await hand.fill(page.getByLabel('Search Users'), ' ');
    await hand.press(page.getByLabel('Search Users'));
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByText(`${COUNT} records`).waitFor();
  });
  await task('sort', async () => {
    if (isPhone) await hand.choose(page.getByLabel('Sort by'), 'Last name');
    else await hand.press(button('Last name'));
    await soon(() => new URL(page.url()).hash, '#/users?sort=last_name');
    await soon(async () => (await ids())[0], '4');
  });
  await task('go to the last page', async () => {
    await hand.press(button('Last page'));
    await page.getByText(`41–${COUNT} of ${COUNT}`).waitFor();
    await soon(async () => (await ids()).length, COUNT - 40);
  });
  await task('edit', async () => {
    await hand.press(page.locator('.rows a[data-id="42"]'));
    await edit('First name', 'Émile');
    await hand.press(page.getByRole('button', { name: /^Save/ }));
    await page.getByRole('heading', { name: 'Émile Zola' }).waitFor();
    await soon(async () => (await server.json('/users/42/')).first_name, 'Émile');
  });
  await task('take a field back', async () => {
    await edit('Last name', 'Wrong');
    await hand.press(button('Take back Last name'));
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    equal((await server.json('/users/42/')).last_name, 'Zola');
  });
  await task('settle a conflict', async () => {
    await edit('Last name', 'Mine');
    await server.put('/users/42/', { last_name: 'Theirs' });
    await hand.press(page.getByRole('button', { name: /^Save/ }));
    await page.getByText('Somebody else has changed this record').waitFor();
    await hand.press(page.getByRole('radio', { name: 'Yours Mine' }));
    await hand.press(button('Save what I chose'));
    await page.getByRole('heading', { name: 'Émile Mine' }).waitFor();
    await soon(async () => (await server.json('/users/42/')).last_name, 'Mine');
  });
  await task('create, with a reference that is typed', async () => {
    await page.goto(`${server.url}/console/#/users`);
    await page.getByText(`${COUNT} records`).waitFor();
    await hand.press(page.getByRole('link', { name: 'New', exact: true }));
    await page.getByRole('heading', { name: 'New in Users' }).waitFor();
    await hand.fill(box('First name'), 'Mary');
    await hand.fill(box('Last name'), 'Somerville');
    await hand.fill(box('Address'), 'merci');
    const found = page.getByRole('option', { name: '12 rue Mercière, Lyon' });
    await found.waitFor();
    // The focus stays in the box.
    if (hand.isBlind) await page.keyboard.press('Enter');
    else await hand.press(found);
    await hand.press(page.getByRole('button', { name: /^Save/ }));
    await page.getByRole('heading', { name: 'Mary Somerville' }).waitFor();
    await soon(async () => (await server.json(`/users/${COUNT + 1}/`)).address, 2);
  });
  await task('delete, and hear what refers to it', async () => {
    await hand.press(button('Delete…'));
    await page.getByText('Nothing refers to it.').waitFor();
    await hand.press(button('Delete'));
    await page.getByText(`${COUNT} records`).waitFor();
    await page.goto(`${server.url}/console/#/address/1`);
    await hand.press(button('Delete…'));
    await page.getByText('refer to it as address').waitFor();
    await fits(page, 'the question');
    await hand.press(page.getByRole('dialog').getByRole('button').filter({ hasText: /^(Cancel|Keep it|Leave it)$/ }));
    await soon(async () => (await fetch(`${server.url}/address/1/`)).status, 200);
  });
  await task('copy a link to what is filtered', async () => {
    await page.goto(`${server.url}/console/#/users`);
    await page.getByText(`${COUNT} records`).waitFor();
    await hand.press(button('Filter'));
    const panel = page.getByRole('dialog', { name: 'Filter' });
    await fits(page, 'the filter');
    await hand.choose(panel.getByLabel('Field'), 'Last name');
    await hand.fill(panel.getByLabel(/^Value/), 'Germain');
    await hand.press(panel.getByRole('button', { name: 'Apply' }));
    await page.getByText('14 match').waitFor();
    const other = await browser.newPage();
    await other.goto(page.url());
    await other.getByText('14 match').waitFor();
    equal(await other.locator('.rows a[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id)), await ids(), 'what another sees');
    await other.close();
  });
}

test('ten tasks on a desktop', { viewport: { width: 1440, height: 900 }, expected: [412] }, (it) => tenTasks(it, mouse(), false));
test('ten tasks on a tablet, in the dark', { viewport: { width: 820, height: 1180 }, hasTouch: true, colorScheme: 'dark', expected: [412] }, (it) => tenTasks(it, finger(), false));
test('ten tasks on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, expected: [412] }, (it) => tenTasks(it, finger(), true));
test('ten tasks with the keyboard alone', { viewport: { width: 1100, height: 720 }, expected: [412] }, (it) => tenTasks(it, { ...keyboard(it.page), isBlind: true }, false));
