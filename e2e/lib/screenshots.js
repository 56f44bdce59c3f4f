// The pictures of the documents.
import { launch, watch } from './browser.js';
import { Server } from './server.js';

const docs = new URL('../../docs/', import.meta.url).pathname;
const server = await Server.start();
const browser = await launch();

const places = [['France', 'Paris', 'quai de Valmy', 45], ['France', 'Lyon', 'rue Mercière', 12], ['日本', '京都', '四条通', 7], ['United Kingdom', 'London', 'Marylebone Road', 221]];
for (const [country, city, street, number] of places) await server.post('/address/', { country, city, street, number });
const people = [['Ada', 'Lovelace', 4], ['Grace', 'Hopper', null], ['Émilie', 'du Châtelet', 1], ['清少', '納言', 3], ['Sophie', 'Germain', 2], ['Mary', 'Somerville', 4], ['Henriette', 'Vincent', 1]];
for (const [first_name, last_name, address] of people) await server.post('/users/', { first_name, last_name, address });

const page = await watch(browser, server, { viewport: { width: 1080, height: 520 } });
await page.goto(`${server.url}/console/#/users`);
await page.getByRole('link', { name: '12 rue Mercière, Lyon' }).waitFor();
await page.locator('.side .count').nth(1).waitFor();
await page.screenshot({ path: `${docs}console-list.png` });
// The record beside its list, on a wide screen.
await page.setViewportSize({ width: 1280, height: 560 });
await page.goto(`${server.url}/console/#/users?sort=last_name`);
await page.getByRole('link', { name: 'Mary Somerville' }).click();
await page.locator('.of-record').getByRole('link', { name: '221 Marylebone Road, London' }).waitFor();
await page.emulateMedia({ colorScheme: 'dark' });
await page.screenshot({ path: `${docs}console-record.png` });
await page.finish();
await browser.close();
await server.end();
