// The TypeScript client: generated from a running server, compiled strictly, and used.
import { execFileSync } from 'node:child_process';
import { Server } from '../../e2e/lib/server.js';
import { book } from './book.js';

const home = new URL('../typescript/', import.meta.url).pathname;
const run = (program, words, more = {}) => execFileSync(program, words, { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], ...more });

const server = await Server.start(book(20, '[collection.rate_limit]\nquota = 10000\ninterval = 100\n'));
try {
  const key = await server.command('keys', 'create', 'clerk');
  // The server follows a new key within a second.
  while ((await fetch(`${server.url}/users/`, { headers: { 'X-API-Key': key } })).status === 401) await new Promise((soon) => setTimeout(soon, 50));
  run('npm', ['run', '--silent', 'generate'], { env: { ...process.env, CARNET: server.url }, stdio: ['ignore', 'ignore', 'inherit'] });
  run('npm', ['run', '--silent', 'build']);
  run('node', ['build/address-book.js', server.url, key]);
} finally {
  await server.end();
}
