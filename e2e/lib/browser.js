// Chromium, and what must never happen on any page: errors, violations, requests to others.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const artefacts = new URL('../artefacts/', import.meta.url).pathname;
mkdirSync(artefacts, { recursive: true });

export function findChromium() {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return places.find((path) => path && existsSync(path));
}

/** How long a page may take, in milliseconds: a machine with other work to do is no fault of it. */
export const PATIENCE = 60_000;

export async function launch() {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

/** A page that notes everything that must not be. `expected` are statuses that the test provokes itself. */
export async function watch(browser, server, { expected = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 720 }, reducedMotion: 'reduce', ...options });
  await context.addInitScript(() => {
    window.violations = [];
    addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  const requests = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const text = message.text();
    if (expected.some((one) => text.includes(String(one)))) return;
    faults.push(`console: ${text}`);
  });
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') faults.push(`dialog: ${dialog.message()}`);
    dialog.accept();
  });
  page.on('request', (request) => {
    if (request.url().startsWith('data:')) return;
    requests.push(`${request.method()} ${request.url().replace(server.url, '')}`);
    if (!request.url().startsWith(`${server.url}/`)) faults.push(`request to another host: ${request.url()}`);
  });
  return Object.assign(page, {
    faults,
    requests,
    async finish() {
      if (!page.isClosed()) {
        const violations = await page.evaluate(() => window.violations);
        faults.push(...violations.map((text) => `policy: ${text}`));
      }
      await context.close();
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
  });
}

/** Fails on any violation that axe-core finds, in both themes. */
export async function accessible(page, name) {
  // Rows that are about to be replaced are pale for a moment.
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  for (const theme of ['light', 'dark']) {
    await page.evaluate((choice) => (document.documentElement.dataset.theme = choice), theme);
    // Through the debugger, which the page's policy does not bind.
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    if (passes.length < 10) throw new Error(`axe-core looked at nothing on ${name}`);
    await page.screenshot({ path: `${artefacts}${name}-${theme}.png` });
    const found = violations.map((one) => `${one.id} (${one.impact}): ${one.nodes.map((node) => node.html.slice(0, 150) + ' ' + (node.any[0]?.message ?? '')).join('\n    ')}`);
    if (found.length > 0) throw new Error(`axe, ${name}, ${theme}:\n  ${found.join('\n  ')}`);
  }
}
