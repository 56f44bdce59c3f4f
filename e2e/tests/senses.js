// For those who see less, or otherwise: 200 % zoom, the colours of the system, no motion; and axe-core on what no other test opens.
import { accessible } from '../lib/browser.js';
import { typeInto } from '../lib/forms.js';
import { equal, soon, test, that } from '../lib/suite.js';

const LONG = 'a rather long name of a street that does not fit on one line';

async function fill(server) {
  await server.post('/address/', { country: 'France', city: 'Paris', street: LONG, number: 45 });
  await server.post('/address/', { country: '日本', city: '京都', street: '四条通', number: 7 });
  for (let at = 0; at < 25; at += 1) await server.post('/users/', { first_name: ['Ada', 'Grace', 'שרה'][at % 3], last_name: ['Lovelace', 'Hopper', 'לוי'][at % 3], address: at % 2 ? 1 : null });
}

/**
 * What cannot be read or reached: beside the screen, cut off without a sign of it, or below something else. What scrolls
 * by itself (a table, a block of code) may be wider than the screen.
 */
async function unreachable(page) {
  return page.evaluate(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? [`the page is ${document.documentElement.scrollWidth - innerWidth} px too wide`] : [];
    const top = document.querySelector('dialog[open]') ?? document.querySelector('.pop') ?? document.querySelector('.side.open') ?? document.body;
    const isSeen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('.unseen, .skip, [hidden]') && getComputedStyle(one).clipPath === 'none' && one.getClientRects().length > 0;
    const scrolls = (one) => {
      for (let at = one.parentElement; at && at !== document.body; at = at.parentElement) {
        if (at.scrollWidth > at.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return true;
      }
      return false;
    };
    for (const one of top.querySelectorAll('a, button, input, select, textarea, summary, label, h1, h2, h3, p, legend, dt, dd, [role="option"]')) {
      if (!isSeen(one)) continue;
      const name = `<${one.localName}> ${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}`;
      if (!scrolls(one)) {
        const { left, right } = one.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) found.push(`${name} is from ${Math.round(left)} to ${Math.round(right)} of ${innerWidth}`);
      }
      const style = getComputedStyle(one);
      const isCut = style.overflowX === 'hidden' && one.scrollWidth > one.clientWidth + 1 && style.textOverflow !== 'ellipsis';
      if (isCut && !one.matches('input, select, textarea') && !one.title) found.push(`${name} is cut off`);
      if (!one.matches('a, button, input, select, textarea, summary') || one.matches('[type="checkbox"], [type="radio"]')) continue;
      one.scrollIntoView({ block: 'center', inline: 'center' });
      const { x, y, width, height } = one.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      if (!hit || !(one.contains(hit) || hit.contains(one))) found.push(`${name} is below <${hit?.localName} class="${hit?.className}">`);
    }
    return found;
  });
}

// A screen of 1280 by 720, where everything is twice as large.
test('at 200 % nothing is cut off, and no page scrolls sideways', { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, expected: [401, 412] }, async ({ server, page }) => {
  await fill(server);
  const at = async (fragment, text) => {
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
  };
  const reaches = async (name) => equal(await unreachable(page), [], name);
  await at('#/users?last_name.prefix=lo', '9 match');
  await reaches('a list');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog', { name: 'Filter' }).getByLabel('Compare').waitFor();
  await reaches('a filter');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Menu' }).click();
  await reaches('the menu');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Keyboard shortcuts' }).waitFor();
  await reaches('the search everywhere');
  await page.keyboard.press('Escape');
  await at('#/users/2', 'Grace Hopper');
  await page.getByRole('link', { name: new RegExp(LONG) }).waitFor();
  await reaches('a record');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('Nothing refers to it.').waitFor();
  await reaches('a question');
  await page.keyboard.press('Escape');
  await typeInto(page, 'Last name', 'Mine');
  await reaches('a form');
  await server.put('/users/2/', { last_name: 'Theirs' });
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Somebody else has changed this record').waitFor();
  await reaches('a conflict');
  await page.getByRole('button', { name: 'Take what is stored' }).click();
  await at('#/address/1', LONG);
  await page.getByRole('heading', { name: /^Users/ }).waitFor();
  await reaches('what refers to a record');
  await at('#/users/new', 'New in Users');
  await reaches('a new record');
  await at('#/users/import', 'Choose a file');
  await reaches('an import');
  await at('#/_/keys', 'carnet keys create --admin');
  await reaches('the keys');
  await at('#/_/unsaved', 'Unsaved');
  await reaches('what is unsaved');
  await at('#/nowhere', 'Not found');
  await reaches('no page');
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
  await reaches('the help');
  await page.keyboard.press('Escape');
  await at('api#create-users', 'From code');
  await reaches('the API page');
});

/** What of it is seen where the system chooses the colours: its edges, not what is behind it. */
const edges = (one) => one.evaluate((element) => {
  const style = getComputedStyle(element);
  const sides = ['Top', 'Right', 'Bottom', 'Left'].map((side) => `${style[`border${side}Style`]} ${style[`border${side}Width`]}`);
  return [...sides, style.outlineStyle === 'none' ? 'none' : `${style.outlineStyle} ${style.outlineWidth}`].join(', ');
});

test('in the colours of the system what is chosen is marked by more than its background', { viewport: { width: 1440, height: 800 }, forcedColors: 'active', expected: [412] }, async ({ server, page }) => {
  await fill(server);
  const differs = async (chosen, other, name) => that((await edges(chosen)) !== (await edges(other)), `${name}: ${await edges(chosen)}, as the others`);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('25 records').waitFor();
  await page.getByRole('checkbox', { name: /^Select / }).nth(1).check();
  await differs(page.locator('tbody tr').nth(0), page.locator('tbody tr').nth(1), 'a ticked row');
  await page.mouse.move(0, 0);
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'API' }).waitFor();
  await differs(page.locator('.found [aria-selected="true"]'), page.locator('.found [aria-selected="false"]').first(), 'what would be opened');
  await page.keyboard.press('Escape');
  await page.goto(`${server.url}/console/#/users/3`);
  await page.locator('.cards a[aria-current]').waitFor();
  await differs(page.locator('.cards a[aria-current]'), page.locator('.cards a:not([aria-current])').first(), 'the record beside its list');
  await typeInto(page, 'Address', 'a');
  await page.locator('.combobox [role="option"]').nth(1).waitFor();
  await differs(page.locator('.combobox [aria-selected="true"]'), page.locator('.combobox [aria-selected="false"]').first(), 'a record that is found');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await typeInto(page, 'Last name', 'Mine');
  await server.put('/users/3/', { last_name: 'Theirs' });
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('radio', { name: /^Yours/ }).check();
  await differs(page.locator('.version:has(:checked)'), page.locator('.version:not(:has(:checked))'), 'what is kept of a conflict');
});

test('in the colours of the system the focus is seen wherever Tab leads', { forcedColors: 'active', expected: [401] }, async ({ server, page }) => {
  await fill(server);
  for (const [fragment, text] of [['#/users', '25 records'], ['#/users/1', 'Ada Lovelace'], ['#/users/new', 'New in Users'], ['#/_/keys', 'carnet keys create --admin']]) {
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
    // From the beginning of the page.
    await page.locator('.skip').focus();
    const seen = new Set();
    for (let step = 0; step < 80; step += 1) {
      await page.keyboard.press('Tab');
      const told = await page.evaluate(() => {
        const one = document.activeElement;
        if (!one || one === document.body) return null;
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one);
        const isDrawn = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !/, 0\)$|transparent/.test(outlineColor);
        return { name: `${one.localName} ${one.id} ${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}`, isDrawn };
      });
      if (!told) break;
      that(told.isDrawn, `${fragment}: the focus is not seen on ${told.name}`);
      seen.add(told.name);
    }
    that(seen.size >= 9, `${fragment}: only ${seen.size} places: ${[...seen]}`);
  }
});

test('who wants no motion sees none', {}, async ({ server, page }) => {
  await fill(server);
  const moving = () => page.evaluate(() => [...document.querySelectorAll('*')].filter((one) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one);
    return transitionDuration.split(', ').some((time) => parseFloat(time) > 0) || animationName !== 'none' || scrollBehavior === 'smooth';
  }).length);
  for (const fragment of ['#/users', '#/users/1', 'api']) {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${server.url}/console/${fragment}`);
    await page.locator('h1').first().waitFor();
    await page.getByText('Ada').or(page.locator('.op')).first().waitFor();
    equal(await moving(), 0, fragment);
    // The same page moves for the others, so it was looked at.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    that((await moving()) > 0, `${fragment}: nothing ever moves`);
  }
});

test('axe-core finds nothing on what is opened from a list and on the pages beside it', {}, async ({ server, page }) => {
  await fill(server);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('25 records').waitFor();
  await page.getByRole('checkbox', { name: /^Select / }).nth(1).check();
  await page.getByText('1 selected').waitFor();
  await accessible(page, 'bulk');
  await page.getByRole('button', { name: 'Set a field…' }).click();
  await page.getByRole('heading', { name: 'Set a field of 1 record' }).waitFor();
  await accessible(page, 'bulk-set');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('Nothing refers to them.').waitFor();
  await accessible(page, 'bulk-delete');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pin this view' }).click();
  await accessible(page, 'pin');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pinned' }).waitFor();
  await accessible(page, 'pinned');
  await page.setViewportSize({ width: 390, height: 780 });
  await page.getByLabel('Sort by').selectOption({ label: 'Last name' });
  await soon(() => new URL(page.url()).hash, '#/users?sort=last_name');
  await accessible(page, 'phone-sorted');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await accessible(page, 'phone-filter');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1100, height: 720 });
  for (const [fragment, text, name] of [['#/_/unsaved', 'Unsaved', 'unsaved-none'], ['#/nowhere', 'Not found', 'not-found'], ['#/address/1', LONG, 'referred']]) {
    await page.goto(`${server.url}/console/${fragment}`);
    await page.getByText(text).first().waitFor();
    if (name === 'referred') await page.getByRole('heading', { name: /^Users/ }).waitFor();
    await accessible(page, name);
  }
});
