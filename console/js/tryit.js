// A real request from the page, and what really came back.
import { key } from './access.js';
import { call, root } from './api.js';
import { Combobox, SOUGHT } from './combobox.js';
import { Dialog } from './dialog.js';
import { writeJson } from './exact.js';
import { typesIn } from './request.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

/** A part of a path is neither `.` nor `..`, which a browser would follow. */
const SEGMENT = '(?!\\.{1,2}$).+';

/**
 * @param {{ model: import('./model.js').Model, operation: import('./apipage.js').Operation, sample: import('./request.js').Sample,
 *   given: import('./request.js').Given, set: (name: string, text: string) => void, body: string, setBody: (text: string) => void }} props
 */
export function TryIt({ model, operation, sample, given, set, body, setBody }) {
  const [asks, setAsks] = useState(false);
  const [shown, setShown] = useState(/** @type {{ asked: string, status: string, text: string, head: string } | null} */ (null));
  const writes = !['GET', 'HEAD', 'OPTIONS'].includes(operation.method);
  const send = async () => {
    setAsks(false);
    const headers = Object.fromEntries(sample.typed);
    const told = { ...headers, ...(key.value && { Authorization: 'Bearer …' }), ...(sample.body && { 'Content-Type': 'application/json' }) };
    const asked = [`${sample.method} ${new URL(sample.path.slice(1), root).href}`, ...Object.entries(told).map(([name, value]) => `${name}: ${value}`), ...(sample.body ? ['', sample.body] : [])].join('\n');
    try {
      // As any client would ask that asks for nothing in particular.
      const answer = await call(sample.method, sample.path, { headers: { Accept: '*/*', ...headers }, body: operation.schema ? body : undefined });
      const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
      setShown({ asked, status: String(answer.status), text: answer.data === null ? answer.text : writeJson(answer.data, '  '), head });
    } catch (problem) {
      setShown({ asked, status: 'No answer', text: /** @type {Error} */ (problem).message, head: '' });
    }
  };
  /** @param {(one: any) => boolean} fits */
  const inputs = (fits) => operation.parameters.filter(fits).map((one) => html`<${Parameter} key=${`${one.in} ${one.name}`} one=${one}
    value=${given[`${one.in} ${one.name}`] ?? ''} onType=${(/** @type {string} */ text) => set(`${one.in} ${one.name}`, text)} />`);
  const isOperator = (/** @type {any} */ one) => one.in === 'query' && one.name.includes('.');
  const [more, fields] = [isOperator, (/** @type {any} */ one) => one.in === 'header'].map((fits) => operation.parameters.filter(fits).length);

  return html`<form class="try" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    if (writes) setAsks(true);
    else send();
  }}>
    <${Find} ...${{ model, operation, set }} />
    ${inputs((one) => one.in === 'path')}
    ${inputs((one) => one.in === 'query' && !isOperator(one))}
    ${more > 0 && html`<details><summary>Filters with operators (${more})</summary>${inputs(isOperator)}</details>`}
    ${operation.schema && html`<label>Body <textarea dir="auto" spellcheck=${false} value=${body}
      onInput=${(/** @type {any} */ event) => setBody(event.target.value)}></textarea></label>`}
    ${fields > 0 && html`<details><summary>Header fields (${fields})</summary>${inputs((one) => one.in === 'header')}</details>`}
    <div class="actions"><button class="primary">Send ${operation.method}</button></div>
    ${asks && html`<${Dialog} title=${`Send ${operation.method} ${sample.path}?`} onClose=${() => setAsks(false)}>
      <p>This is a real request: it changes what this server has stored.</p>
      <div class="actions"><button type="button" autofocus onClick=${() => setAsks(false)}>Do not send it</button>
        <button type="button" class="danger" onClick=${send}>Send it</button></div>
    <//>`}
    ${shown && html`<div role="status">
      <pre tabindex="0" aria-label="The request" class="asked">${shown.asked}</pre>
      <div class="answered"><strong>${shown.status}</strong>
        ${shown.text && html`<pre tabindex="0" aria-label="The answer">${shown.text}</pre>`}
        ${shown.head && html`<details><summary>Header fields</summary><pre tabindex="0" aria-label="Header fields of the answer">${shown.head}</pre></details>`}</div>
    </div>`}
  </form>`;
}

/** Finds a record by its words, and puts its id where it belongs. @param {any} props */
function Find({ model, operation, set }) {
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const target = model.byName.get(/^\/([a-z][a-z0-9_]*)\/\{id\}\/$/.exec(operation.path)?.[1] ?? '');
  if (!target?.lists) return null;
  return html`<div class="find"><label for=${`find-${operation.id}`}>Find a record</label>
    <${Combobox} model=${model} target=${target} text=${text} form=${`${target.name}/new`} common=${{ id: `find-${operation.id}` }}
      onType=${(/** @type {string | null} */ found) => {
        setText(found);
        if (found && !found.startsWith(SOUGHT)) set('path id', found);
      }} /></div>`;
}

/** @param {{ one: any, value: string, onType: (text: string) => void }} props */
function Parameter({ one, value, onType }) {
  const types = typesIn(one.schema);
  const choices = one.schema?.enum?.map(String) ?? (types.includes('boolean') ? ['true', 'false'] : null);
  const onInput = (/** @type {any} */ event) => onType(event.target.value);
  const isPath = one.in === 'path';
  if (choices) {
    return html`<label><code>${one.name}</code> <select aria-label=${one.name} value=${value} onChange=${onInput} required=${isPath}>
      <option value="">${isPath ? 'choose' : 'not sent'}</option>${choices.map((/** @type {string} */ choice) => html`<option key=${choice}>${choice}</option>`)}</select></label>`;
  }
  if (one.schema?.type === 'array') {
    return html`<label><code>${one.name}</code> <textarea class="lines" rows="1" dir="auto" spellcheck=${false} title="One value on each line" value=${value} onInput=${onInput}></textarea></label>`;
  }
  const mode = types.includes('integer') ? 'numeric' : types.includes('number') ? 'decimal' : 'text';
  return html`<label><code>${one.name}</code>
    <input dir="auto" autocomplete="off" inputmode=${mode} required=${isPath} pattern=${isPath ? SEGMENT : undefined} value=${value} onInput=${onInput} /></label>`;
}
