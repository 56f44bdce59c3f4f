// A million users: the console asks for no more than it shows, and waits no longer than with a thousand.
import { execFileSync } from 'node:child_process';
import { watch } from '../lib/browser.js';
import { Server } from '../lib/server.js';
import { equal, test, that } from '../lib/suite.js';

const FEW = 1_000;
const MANY = 1_000_000;
/** How often each list is asked for again; the best counts, because this machine has other things to do. */
const AGAIN = 40;
/** How much slower the best may be. */
const MULTIPLE = 5;

/** What a person does, and the requests of it: what was asked, how many records came, how long the list takes. */
async function look(page, server, count) {
  // Each, and the record that is on the page then.
  const looks = {
    'open the list': [1, async () => {
      await page.goto('about:blank');
      await page.goto(`${server.url}/console/#/users`);
    }],
    'jump to the end': [count, () => page.getByRole('button', { name: 'Last page' }).click()],
    filter: [7, () => page.goto(`${server.url}/console/#/users?last_name=Last7`)],
  };
  const seen = {};
  for (const [name, [shown, act]] of Object.entries(looks)) {
    const requests = [];
    const note = (request) => requests.push(request);
    page.on('request', note);
    await act();
    await page.locator(`a[data-id="${shown}"]`).waitFor();
    await page.locator('a.reference', { hasText: 'quai de Valmy' }).nth(19).waitFor();
    await page.locator('.side .count').nth(1).waitFor();
    page.off('request', note);
    seen[name] = await Promise.all(requests.filter((request) => !request.url().includes('/console/')).map(async (request) => {
      const path = request.url().replace(server.url, '');
      const answer = await request.response();
      await answer.finished();
      const body = path.startsWith('/users/') ? await answer.json() : null;
      return { shape: `${request.method()} ${path.replace(/\d+/g, '0')}`, path, records: body ? body.object_list.length : 1 };
    }));
  }
  return seen;
}

/** The best time of a request, in milliseconds. */
async function best(page, path) {
  return page.evaluate(async ([asked, again]) => {
    let least = Infinity;
    for (let attempt = 0; attempt < again; attempt += 1) {
      const began = performance.now();
      await (await fetch(asked, { cache: 'no-store' })).text();
      least = Math.min(least, performance.now() - began);
    }
    return least;
  }, [path, AGAIN]);
}

async function measure(browser, server, count) {
  await server.stop();
  execFileSync('python3', [new URL('../lib/fill.py', import.meta.url).pathname, `${server.folder}/carnet.db`, String(count)]);
  await server.restart();
  const page = await watch(browser, server);
  const found = {};
  for (const [name, requests] of Object.entries(await look(page, server, count))) {
    const list = requests.find(({ shape }) => shape.startsWith('GET /users/'));
    found[name] = { shapes: requests.map(({ shape }) => shape).sort(), records: list.records, took: await best(page, list.path) };
  }
  await page.finish();
  return found;
}

test('a million users: no request more than with a thousand, and none that is slower', {}, async ({ server, browser }) => {
  const few = await measure(browser, server, FEW);
  const other = await Server.start();
  const many = await measure(browser, other, MANY).finally(() => other.end());
  for (const name of Object.keys(few)) {
    console.log(`       ${name}: ${few[name].took.toFixed(1)} ms with a thousand, ${many[name].took.toFixed(1)} ms with a million`);
    equal(many[name].shapes, few[name].shapes, `what the console asks for to ${name}`);
    equal(many[name].records, 20, `how many records come to ${name}`);
    that(many[name].shapes.length <= 1 + 20 + 1, `to ${name} the console asks for more than a page and its references`);
    that(many[name].took <= MULTIPLE * few[name].took, `to ${name} takes ${many[name].took} ms with a million users, ${few[name].took} with a thousand`);
  }
});
