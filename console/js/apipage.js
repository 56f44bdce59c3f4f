// The API page: every endpoint of this configuration, with its own fields, made from openapi.json alone.
import { root } from './api.js';
import { writeJson } from './exact.js';
import { Snippets } from './snippets.js';
import { TryIt } from './tryit.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

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
        wantsKey: about.security?.length > 0,
      };
    }),
  );
}

/** @param {{ document: any }} props */
export function ApiPage({ document: description }) {
  const [language, setLanguage] = useState('curl');
  const operations = operationsOf(description);
  useEffect(() => {
    document.title = 'API · carnet';
    const wanted = operations.find(({ id }) => location.hash === `#${id}`);
    const found = /** @type {HTMLDetailsElement | null} */ (wanted ? document.getElementById(wanted.id) : null);
    if (found) found.open = true;
    found?.scrollIntoView();
  }, []);
  return html`<div class="api">
    <header class="head"><h1 tabindex="-1">The API of this server</h1></header>
    <p>${root} · ${description.info.title} ${description.info.version} · <a href=${new URL('openapi.json', root).href}>openapi.json</a></p>
    <${Prose} text=${description.info.description} />
    ${description.tags.map((/** @type {any} */ tag) => html`<section key=${tag.name} aria-label=${tag.name}>
      <h2>${tag.name}</h2>
      <${Prose} text=${tag.description} />
      ${operations.filter((one) => one.about.tags.includes(tag.name)).map((operation) => html`<${Entry}
        key=${operation.id} ...${{ description, operation, language, setLanguage }} />`)}
    </section>`)}
  </div>`;
}

/** Paragraphs, with \`code\` in them. @param {{ text?: string }} props */
function Prose({ text = '' }) {
  return text.split('\n\n').map((paragraph) => html`<p>${paragraph.split('`').map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}</p>`);
}

/** @param {any} props */
function Entry({ description, operation, language, setLanguage }) {
  const [isOpen, setOpen] = useState(location.hash === `#${operation.id}`);
  const { about } = operation;
  return html`<details class="op" id=${operation.id} open=${isOpen} onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
    <summary><span class="method">${operation.method}</span> <code>${operation.path}</code> <span>${about.summary.replaceAll('`', '')}</span></summary>
    ${isOpen && html`<div>
      <${Prose} text=${about.description} />
      ${operation.wantsKey && html`<p>Asks for an access key: <code>Authorization: Bearer …</code></p>`}
      ${operation.parameters.length > 0 && html`<h3>Parameters</h3><${Fields} rows=${operation.parameters.map((/** @type {any} */ one) => ({
        name: one.name, where: one.in, required: one.required, schema: one.schema, text: one.description,
      }))} />`}
      ${operation.schema && html`<h3>Body</h3>
        <${Fields} rows=${Object.entries(operation.schema.properties ?? {}).map(([name, schema]) => ({
          name, where: 'body', required: operation.schema.required?.includes(name), schema, text: schema.description,
        }))} />`}
      <h3>Answers</h3>
      <${Answers} description=${description} operation=${operation} />
      <h3>From code</h3>
      <${Snippets} operation=${operation} language=${language} setLanguage=${setLanguage} />
      <h3>Try it</h3>
      <${TryIt} operation=${operation} />
    </div>`}
  </details>`;
}

/** @param {{ rows: { name: string, where: string, required?: boolean, schema: any, text?: string }[] }} props */
function Fields({ rows }) {
  return html`<div class="table" tabindex="0" role="region" aria-label="Fields"><table>
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
  return html`<div class="table" tabindex="0" role="region" aria-label="Answers"><table>
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
