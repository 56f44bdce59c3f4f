// node lib/slow.js PROGRAM...   how long a list takes at Slow 3G with a processor slowed fourfold, for each program in
// turn, at the first visit, the second and the third: until its rows are there, and until they say in words what they
// refer to, each to another record.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { launch } from './browser.js';

/** What Chromium's own tools call Slow 3G. */
const SLOW_3G = { offline: false, latency: 2000, downloadThroughput: (400 * 1000) / 8, uploadThroughput: (400 * 1000) / 8 };
const ROUNDS = 3;
const VISITS = 3;

const programs = process.argv.slice(2);
if (programs.length === 0) throw new Error('node lib/slow.js PROGRAM...');
if (programs.length > 1) {
  // The program is chosen when the module of the server is read: each has a process of its own, in turn.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const program of programs) spawnSync(process.execPath, [process.argv[1], program], { stdio: 'inherit' });
  }
  process.exit();
}
process.env.CARNET = resolve(programs[0]);
const { Server } = await import('./server.js');
const server = await Server.start();
const browser = await launch();
for (let at = 1; at <= 40; at += 1) {
  const home = await server.post('/address/', { country: 'France', city: 'Paris', street: 'quai de Valmy', number: at });
  await server.post('/users/', { first_name: `First${at}`, last_name: `Last${at}`, address: Number(home) });
}
const context = await browser.newContext({ viewport: { width: 1100, height: 720 } });
const times = [];
for (let visit = 0; visit < VISITS; visit += 1) {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_3G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const began = performance.now();
  await page.goto(`${server.url}/console/#/users`, { waitUntil: 'commit' });
  await page.locator('a[data-id="20"]').waitFor();
  const rows = performance.now() - began;
  await page.locator('a.reference', { hasText: 'quai de Valmy' }).nth(19).waitFor();
  times.push(`${Math.round(rows)} ${Math.round(performance.now() - began)}`);
  // What is kept for the next visit is kept after the rows are there.
  await page.waitForLoadState('networkidle');
  await page.close();
}
console.log(`${programs[0]}: ${times.join(', ')} ms`);
await browser.close();
await server.end();
