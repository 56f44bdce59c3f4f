// Tests by name, one after the other, counted at the end.
import { launch, PATIENCE, watch } from './browser.js';
import { Server } from './server.js';

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

export async function run(wanted) {
  const browser = await launch();
  let passed = 0;
  let failed = 0;
  for (const { name, setting, body } of tests.filter((one) => one.name.includes(wanted))) {
    const began = Date.now();
    const server = await Server.start(setting.config);
    const page = await watch(browser, server, setting);
    try {
      await body({ server, page, browser });
      await page.finish();
      passed += 1;
      console.log(`ok     ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed += 1;
      await page.screenshot({ path: new URL('../artefacts/failed.png', import.meta.url).pathname }).catch(() => {});
      console.log(`FAILED ${name}\n${String(error.stack).replace(/^/gm, '       ')}\n       also: ${page.faults.join(' | ')}`);
      await page.context().close().catch(() => {});
    }
    await server.end();
  }
  await browser.close();
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}
