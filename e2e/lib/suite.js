// Tests by name, two at a time, counted at the end.
import { artefacts, launch, PATIENCE, watch } from './browser.js';
import { Server } from './server.js';

/** While one test waits for its page, another has the processor. */
const WORKERS = 2;

const tests = [];

/**
 * @param {string} name
 * @param {{ config?: string, expected?: (number | string)[] }} setting
 * @param {(it: { server: Server, page: any, browser: any }) => Promise<void>} body
 */
export function test(name, setting, body) {
  tests.push({ name, setting, body });
}

export function equal(found, wanted, about = '') {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${about} is\n  ${one}\nand should be\n  ${other}`);
}

/** Reads until it is as wanted: what a page shows, asks for and stores follows what is done to it a moment later. */
export async function soon(read, wanted, about = '') {
  const text = JSON.stringify(wanted);
  for (const until = Date.now() + PATIENCE; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const found = await read();
    if (JSON.stringify(found) === text || Date.now() > until) return equal(found, wanted, about);
  }
}

export function that(holds, about) {
  if (!holds) throw new Error(about);
}

/** Runs one test, in a server and a page of its own. */
async function passes(browser, { name, setting, body }) {
  const began = Date.now();
  const server = await Server.start(setting.config);
  const page = await watch(browser, server, setting);
  try {
    await body({ server, page, browser });
    await page.finish();
    console.log(`ok     ${name} (${Date.now() - began} ms)`);
    return true;
  } catch (error) {
    await page.screenshot({ path: `${artefacts}failed.png` }).catch(() => {});
    console.log(`FAILED ${name}\n${String(error.stack).replace(/^/gm, '       ')}\n       also: ${page.faults.join(' | ')}`);
    await page.context().close().catch(() => {});
    return false;
  } finally {
    await server.end();
  }
}

export async function run(wanted) {
  const waiting = tests.filter((one) => one.name.includes(wanted));
  const outcomes = [];
  // A browser each: pages of one would take the focus from each other.
  const worker = async () => {
    const browser = await launch();
    for (let one = waiting.shift(); one; one = waiting.shift()) outcomes.push(await passes(browser, one));
    await browser.close();
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const failed = outcomes.filter((passed) => !passed).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  return failed === 0 && outcomes.length > 0;
}
