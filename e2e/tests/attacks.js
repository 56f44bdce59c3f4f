// What a page of somebody else can do to a server with the browser of whoever looks at it: nothing.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { findChromium } from '../lib/browser.js';
import { equal, soon, test, that } from '../lib/suite.js';

const SECRET = 'Not-For-Others';

/** A web server of another origin, which serves this page under every path. */
async function evil(html) {
  const server = createServer((_, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}

async function total(server) {
  const answer = await fetch(`${server.url}/users/`);
  return (await answer.json()).meta.total_count;
}

const JOHN = JSON.stringify({ first_name: 'Eve', last_name: 'Evil' });

test('a page of another origin writes nothing and reads nothing', {}, async ({ server, browser }) => {
  await server.post('/users/', { first_name: 'John', last_name: SECRET });
  // A form whose one field is JSON, all but a member more.
  const html = `<form id="form" method="post" enctype="text/plain" action="${server.url}/users/" target="there">
    <input name='{"first_name":"Eve","last_name":"' value='Evil"}'></form><iframe name="there"></iframe>`;
  const other = await evil(html);
  for (const name of ['127.0.0.1', 'localhost']) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://${name}:${other.port}/`);
    const read = await page.evaluate(
      async ({ url, body }) => {
        const read = [];
        const attempt = async (target, options) => {
          try {
            const answer = await fetch(url + target, options);
            read.push(await answer.text());
          } catch {
            // As it should be.
          }
        };
        await attempt('/users/', { method: 'POST', mode: 'no-cors', body });
        await attempt('/users/', { method: 'POST', mode: 'no-cors', body, headers: { 'Content-Type': 'text/plain' } });
        await attempt('/users/', { method: 'POST', mode: 'no-cors', body: new Blob([body]) });
        await attempt('/users/', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
        await attempt('/users/', { method: 'POST', body });
        await attempt('/users/1/', { method: 'PUT', body });
        await attempt('/users/1/', { method: 'DELETE' });
        navigator.sendBeacon(`${url}/users/`, new Blob([body], { type: 'text/plain' }));
        await attempt('/users/', {});
        await attempt('/users/', { mode: 'no-cors' });
        await attempt('/users/1/', { credentials: 'include' });
        const frame = document.createElement('iframe');
        frame.src = `${url}/users/1/`;
        const script = document.createElement('script');
        script.src = `${url}/users/1/`;
        const loaded = new Promise((resolve) => {
          script.onload = () => resolve('loaded');
          script.onerror = () => resolve('failed');
        });
        document.body.append(frame, script);
        read.push(await loaded);
        try {
          read.push(frame.contentDocument?.body.innerText ?? '');
        } catch {
          // As it should be.
        }
        return read;
      },
      { url: server.url, body: JOHN },
    );
    that(!read.join().includes(SECRET), `a page of ${name} has read ${read.join()}`);
    that(!read.includes('loaded'), `a page of ${name} has run an answer`);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.evaluate(() => /** @type {HTMLFormElement} */ (document.getElementById('form')).submit());
    equal((await answered).status(), 403, 'the form');
    await context.close();
  }
  other.close();
  // They did arrive: from each of the two pages at least the form and three more.
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const counted = metrics.match(/_count\{method="POST",[^}]*status="403"\} (\d+)/);
  that(Number(counted?.[1]) >= 8, `of the writes arrived ${counted?.[1]}`);
  await soon(() => total(server), 1, 'the number of users');
  await soon(async () => (await (await fetch(`${server.url}/users/1/`)).json()).first_name, 'John');
});

test('a name that was made to lead here opens nothing', {}, async ({ server }) => {
  await server.post('/users/', { first_name: 'John', last_name: SECRET });
  const port = new URL(server.url).port;
  const rebound = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
  });
  try {
    // Without the policy of the refusals, under which no page could ask for anything: theirs would come from elsewhere.
    const page = await (await rebound.newContext({ bypassCSP: true })).newPage();
    for (const path of ['/users/', '/console/', '/']) {
      const answer = await page.goto(`http://evil.example:${port}${path}`);
      equal(answer?.status(), 403, path);
      that(!(await page.content()).includes(SECRET), path);
    }
    // The page is now of the same origin as the server, for all that the browser knows.
    const answers = await page.evaluate(async (body) => {
      const told = [];
      for (const [method, path] of [['GET', '/users/'], ['GET', '/users/1/'], ['POST', '/users/'], ['DELETE', '/users/1/'], ['OPTIONS', '/users/']]) {
        const answer = await fetch(path, { method, referrerPolicy: 'no-referrer', body: method === 'POST' ? body : undefined, headers: { 'Content-Type': 'application/json' } });
        told.push(`${method} ${answer.status} ${await answer.text()}`);
      }
      return told;
    }, JOHN);
    for (const answer of answers) that(/^\w+ 403 /.test(answer) && !answer.includes(SECRET), answer);
    // By its own name the same browser is served.
    const own = await page.goto(`${server.url}/users/`);
    that((await own?.text())?.includes(SECRET), 'the own name is served');
  } finally {
    await rebound.close();
  }
  await soon(() => total(server), 1, 'the number of users');
});
