// The API page: every endpoint of this configuration, with its own fields, made from openapi.json alone.
import { root } from './api.js';
import { writeJson } from './exact.js';
import { requestOf } from './request.js';
import { Snippets } from './snippets.js';
import { TryIt } from './tryit.js';
import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact-11.2.0.js';

/** What every path has, and few look for. */
const FOLDED = ['HEAD', 'OPTIONS'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method
 * @property {string} path
 * @property {any} about the operation as the document has it
 * @property {any[]} parameters
 * @property {any} schema of the body, or null
 * @property {any} example of the body, or null
 * @property {string} bodyName what the description calls the schema of the body; '' for nothing
 * @property {boolean} wantsKey
 */

/** Follows a reference. @param {any} document @param {any} node @returns {any} */
function resolve(document, node) {
  if (!node?.$ref) return node;
  return node.$ref.slice(2).split('/').reduce((/** @type {any} */ at, /** @type {string} */ part) => at[part], document);
}

/** @param {any} document @returns {Operation[]} */
function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const about = item[method];
      const content = about.requestBody?.content?.['application/json'];
      const schema = resolve(document, content?.schema) ?? null;
      return {
        id: about.operationId,
        method: method.toUpperCase(),
        path,
        about,
        parameters: [...(item.parameters ?? []), ...(about.parameters ?? [])].map((one) => resolve(document, one)),
        schema,
        example: schema?.examples?.[0] ?? null,
        bodyName: content?.schema?.$ref?.split('/').at(-1) ?? '',
        wantsKey: about.security?.length > 0,
      };
    }),
  );
}

/** @param {{ model: import('./model.js').Model }} props */
export function ApiPage({ model }) {
  const description = model.document;
  const [language, setLanguage] = useState('curl');
  const [sought, setSought] = useState('');
  const [target, setTarget] = useState(() => location.hash.slice(1));
  const operations = useMemo(() => operationsOf(description), [description]);
  useEffect(() => {
    document.title = 'API · carnet';
    const follow = () => setTarget(location.hash.slice(1));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ id, method, path, about }) => words.every((word) => `${id} ${method} ${path} ${about.summary}`.toLowerCase().includes(word)));
  /** @param {Operation} operation */
  const entry = (operation) => html`<${Entry} key=${operation.id} ...${{ model, operation, language, setLanguage }} isTarget=${target === operation.id} />`;
  return html`<div class="api">
    <header class="head"><h1 tabindex="-1">The API of this server</h1></header>
    <p>${root} · ${description.info.title} ${description.info.version} · <a href=${new URL('openapi.json', root).href}>openapi.json</a></p>
    <${Prose} text=${description.info.description} />
    <div class="api-search"><label>Search <input type="search" value=${sought} placeholder="users, PUT, batch…" onInput=${(/** @type {any} */ event) => setSought(event.target.value)} /></label>
      <span class="count" role="status">${words.length > 0 && `${found.length} of ${operations.length}`}</span></div>
    <nav class="api-parts" aria-label="Parts of the API">${description.tags.map((/** @type {any} */ tag) => html`<a key=${tag.name} href=${`#part-${tag.name}`}>${tag.name}</a>`)}</nav>
    ${description.tags.map((/** @type {any} */ tag) => {
      const mine = found.filter((one) => one.about.tags.includes(tag.name));
      const folded = mine.filter(({ method }) => FOLDED.includes(method));
      return mine.length > 0 && html`<section key=${tag.name} aria-label=${tag.name} id=${`part-${tag.name}`}>
        <h2>${tag.name}</h2>
        <${Prose} text=${tag.description} />
        ${mine.filter((one) => !folded.includes(one)).map(entry)}
        ${folded.length > 0 && html`<details class="folded" open=${words.length > 0 || folded.some(({ id }) => id === target)}>
          <summary>${FOLDED.join(' and ')} (${folded.length})</summary>${folded.map(entry)}</details>`}
      </section>`;
    })}
    ${found.length === 0 && html`<p class="empty">No endpoint has these words.</p>`}
  </div>`;
}

/** Paragraphs, with \`code\` in them. @param {{ text?: string }} props */
function Prose({ text = '' }) {
  return text.split('\n\n').map((paragraph) => html`<p>${paragraph.split('`').map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}</p>`);
}

/** @param {{ model: import('./model.js').Model, operation: Operation, language: string, setLanguage: (language: string) => void, isTarget: boolean }} props */
function Entry({ model, operation, language, setLanguage, isTarget }) {
  const [isOpen, setOpen] = useState(isTarget);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [given, setGiven] = useState(/** @type {import('./request.js').Given} */ ({}));
  const [body, setBody] = useState(() => (operation.example ? writeJson(operation.example, '  ') : ''));
  useEffect(() => {
    if (!isTarget) return;
    setOpen(true);
    box.current?.scrollIntoView();
  }, [isTarget]);
  const { about } = operation;
  const sample = requestOf(operation, given, body);
  return html`<details ref=${box} class="op" id=${operation.id} open=${isOpen} onToggle=${(/** @type {any} */ event) => event.target === box.current && setOpen(event.target.open)}>
    <summary><span class="method">${operation.method}</span> <code>${operation.path}</code> <span>${about.summary.replaceAll('`', '')}</span></summary>
    ${isOpen && html`<div class="op-body">
      <div class="about">
        <p><a href=${`#${operation.id}`}>Link to this</a></p>
        <${Prose} text=${about.description} />
        ${operation.wantsKey && html`<p>Asks for an access key: <code>Authorization: Bearer …</code></p>`}
        ${operation.schema?.properties && html`<h3>Body</h3><${Fields} label=${`Fields of ${operation.id}`} rows=${Object.entries(operation.schema.properties).map(([name, schema]) => ({
          name, where: 'body', required: operation.schema.required?.includes(name), schema, text: schema.description,
        }))} />`}
        ${operation.parameters.length > 0 && html`<h3>Parameters</h3><${Fields} label=${`Parameters of ${operation.id}`} rows=${operation.parameters.map((/** @type {any} */ one) => ({
          name: one.name, where: one.in, required: one.required, schema: one.schema, text: one.description,
        }))} />`}
        <h3>Answers</h3>
        <${Answers} description=${model.document} operation=${operation} />
      </div>
      <div class="beside">
        <h3>Try it</h3>
        <${TryIt} model=${model} operation=${operation} sample=${sample} given=${given} body=${body} setBody=${setBody}
          set=${(/** @type {string} */ name, /** @type {string} */ text) => setGiven((before) => ({ ...before, [name]: text }))} />
        <h3>From code</h3>
        <${Snippets} operation=${operation} sample=${sample} language=${language} setLanguage=${setLanguage} />
      </div>
    </div>`}
  </details>`;
}

/** @param {{ label: string, rows: { name: string, where: string, required?: boolean, schema: any, text?: string }[] }} props */
function Fields({ label, rows }) {
  return html`<div class="table" tabindex="0" role="region" aria-label=${label}><table>
    <thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">type</th><th scope="col">example</th><th scope="col">meaning</th></tr></thead>
    <tbody>${rows.map(({ name, where, required, schema, text }) => html`<tr>
      <th scope="row"><code>${name}</code>${required && ' (required)'}</th>
      <td>${where}</td>
      <td>${typesOf(schema)}</td>
      <td>${schema?.examples && html`<code>${writeJson(schema.examples[0])}</code>`}</td>
      <td><${Prose} text=${text ?? ''} /></td>
    </tr>`)}</tbody>
  </table></div>`;
}

/** What a value may be, in words. @param {any} schema @returns {string} */
function typesOf(schema) {
  if (schema?.anyOf) return schema.anyOf.map(typesOf).join(' or ');
  return schema?.const === '' ? 'empty' : [schema?.type].flat().join(' or ');
}

/** @param {{ description: any, operation: Operation }} props */
function Answers({ description, operation }) {
  const answers = Object.entries(operation.about.responses).map(([status, answer]) => ({ status, ...resolve(description, answer) }));
  return html`<div class="table" tabindex="0" role="region" aria-label=${`Answers of ${operation.id}`}><table>
    <thead><tr><th scope="col">status</th><th scope="col">meaning</th><th scope="col">body</th></tr></thead>
    <tbody>${answers.map(({ status, description: meaning, content }) => {
      const json = content?.['application/json'];
      const example = exampleOf(description, resolve(description, json?.schema)) ?? (Number(status) >= 400 && json ? { error: '…' } : undefined) ?? Object.values(json?.examples ?? {})[0]?.value;
      return html`<tr><th scope="row">${status}</th><td><${Prose} text=${meaning} /></td>
        <td>${example && html`<code>${writeJson(example)}</code>`}</td></tr>`;
    })}</tbody>
  </table></div>`;
}

/** A value that fits a schema, from its own examples. @param {any} description @param {any} schema @returns {any} */
function exampleOf(description, schema) {
  if (!schema) return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'array') {
    const one = exampleOf(description, resolve(description, schema.items));
    return one === undefined ? [] : [one];
  }
  if (!schema.properties) return undefined;
  const parts = Object.entries(schema.properties)
    .map(([name, part]) => [name, exampleOf(description, resolve(description, part))])
    .filter(([, value]) => value !== undefined);
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}
