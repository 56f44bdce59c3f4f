// The real binary in a folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = new URL('../..', import.meta.url).pathname;
const binary = process.env.CARNET ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/carnet');

export class Server {
  /** @param {string} [config] the text of carnet.toml; none for the built-in address book */
  static async start(config) {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), 'carnet-e2e-'));
    if (config) writeFileSync(join(server.folder, 'carnet.toml'), config);
    await server.run('127.0.0.1:0');
    return server;
  }

  async run(listen) {
    this.process = spawn(binary, ['serve', '--listen', listen], { cwd: this.folder, stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const line of createInterface({ input: this.process.stdout })) {
      this.url = line.replace('carnet listening on ', '');
      return;
    }
    throw new Error(`${binary} did not start`);
  }

  async stop() {
    const gone = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await gone;
  }

  /** The same data on the same port again. */
  async restart() {
    await this.run(new URL(this.url).host);
  }

  async end() {
    if (this.process.exitCode === null) await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command of the program beside the server. */
  async command(...words) {
    const child = spawn(binary, words, { cwd: this.folder, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    for await (const part of child.stdout) text += part;
    return text.trim();
  }

  async post(path, body) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(this.url + path, { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer.headers.get('Location').split('/').at(-2);
  }

  async put(path, body) {
    return fetch(this.url + path, { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  }

  async text(path) {
    return (await fetch(this.url + path)).text();
  }

  async json(path) {
    return JSON.parse(await this.text(path));
  }
}
