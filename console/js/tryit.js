// A real request from the page, and what really came back.
import { key } from './access.js';
import { call, query, root } from './api.js';
import { Dialog } from './dialog.js';
import { writeJson } from './exact.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

/** A part of a path is neither `.` nor `..`, which a browser would follow. */
const SEGMENT = '(?!\\.{1,2}$).+';

/** @param {{ operation: import('./apipage.js').Operation }} props */
export function TryIt({ operation }) {
  const [given, setGiven] = useState(/** @type {Record<string, string>} */ ({}));
  const [body, setBody] = useState(() => (operation.example ? writeJson(operation.example, '  ') : ''));
  const [asks, setAsks] = useState(false);
  const [shown, setShown] = useState(/** @type {{ asked: string, answered: string } | null} */ (null));
  /** @param {string} name @param {string} text */
  const set = (name, text) => setGiven((before) => ({ ...before, [name]: text }));

  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name) => encodeURIComponent(given[name] ?? ''));
  const writes = !['GET', 'HEAD', 'OPTIONS'].includes(operation.method);
  const send = async () => {
    setAsks(false);
    /** @param {string} where @returns {[string, string][]} */
    const pairs = (where) => operation.parameters
      .filter((one) => one.in === where && given[one.name])
      .map((one) => [one.name, given[one.name]]);
    const target = path + query(pairs('query'));
    const headers = Object.fromEntries(pairs('header'));
    const text = operation.schema ? body : undefined;
    const told = { ...headers, ...(key.value && { Authorization: 'Bearer …' }), ...(text !== undefined && { 'Content-Type': 'application/json' }) };
    const asked = [`${operation.method} ${new URL(target.slice(1), root).href}`, ...Object.entries(told).map(([name, value]) => `${name}: ${value}`), ...(text ? ['', text] : [])].join('\n');
    try {
      // As any client would ask that asks for nothing in particular.
      const answer = await call(operation.method, target, { headers: { Accept: '*/*', ...headers }, body: text });
      const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
      const read = answer.data === null ? answer.text : writeJson(answer.data, '  ');
      setShown({ asked, answered: [`${answer.status}`, ...head, '', read].join('\n') });
    } catch (problem) {
      setShown({ asked, answered: /** @type {Error} */ (problem).message });
    }
  };

  return html`<form class="try" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    if (writes) setAsks(true);
    else send();
  }}>
    ${operation.parameters.map((one) => html`<label key=${`${one.in} ${one.name}`}><code>${one.name}</code>
      <input dir="auto" autocomplete="off" required=${one.in === 'path'} pattern=${one.in === 'path' ? SEGMENT : undefined} value=${given[one.name] ?? ''}
        onInput=${(/** @type {any} */ event) => set(one.name, event.target.value)} /></label>`)}
    ${operation.schema && html`<label>Body <textarea dir="auto" spellcheck=${false} value=${body}
      onInput=${(/** @type {any} */ event) => setBody(event.target.value)}></textarea></label>`}
    <div class="actions"><button class="primary">Send ${operation.method}</button></div>
    ${asks && html`<${Dialog} title=${`Send ${operation.method} ${path}?`} onClose=${() => setAsks(false)}>
      <p>This is a real request: it changes what this server has stored.</p>
      <div class="actions"><button type="button" autofocus onClick=${() => setAsks(false)}>Do not send it</button>
        <button type="button" class="danger" onClick=${send}>Send it</button></div>
    <//>`}
    ${shown && html`<div role="status">
      <pre tabindex="0" aria-label="The request" class="asked">${shown.asked}</pre>
      <pre tabindex="0" aria-label="The answer" class="answered">${shown.answered}</pre>
    </div>`}
  </form>`;
}
