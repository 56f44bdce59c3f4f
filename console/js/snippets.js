// The request that is typed, ready to paste: for a shell, for `fetch`, for the generated clients and for reqwest.
import { copy } from './copy.js';
import { html, useRef } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./apipage.js').Operation} Operation */
/** @typedef {import('./request.js').Sample} Sample */

const shell = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
const quoted = (/** @type {string} */ text) => JSON.stringify(text);
/** As a string of Rust, in which a quote and a backslash are the only marks to escape here. */
const rust = (/** @type {string} */ text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** The bundle takes a line that begins with this word for one of ours. */
const IMPORT = 'import';
/** A name as Python writes it. */
const snake = (/** @type {string} */ text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
const pascal = (/** @type {string} */ text) => text.split(/[^A-Za-z0-9]+/).map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');

/** @type {Record<string, (sample: Sample, operation: Operation) => string>} */
export const LANGUAGES = {
  curl: ({ method, url, headers, body }) =>
    [
      `curl -i ${method === 'HEAD' ? '--head ' : method === 'GET' ? '' : `-X ${method} `}${shell(url)}`,
      ...headers.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
      ...(body ? [`-d ${shell(body)}`] : []),
    ].join(' \\\n  '),
  fetch: ({ method, url, headers, body }) =>
    `const answer = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${JSON.stringify(Object.fromEntries(headers))},${body ? `\n  body: ${quoted(body)},` : ''}
});
console.log(answer.status, await answer.text());`,
  TypeScript: typescript,
  Python: python,
  Rust: ({ method, url, headers, body }) =>
    `// cargo add reqwest --features blocking
fn main() -> Result<(), reqwest::Error> {
    let answer = reqwest::blocking::Client::new()
        .request(reqwest::Method::${method}, ${rust(url)})
${headers.map(([name, value]) => `        .header(${rust(name)}, ${rust(value)})\n`).join('')}${body ? `        .body(${rust(body)})\n` : ''}        .send()?;
    println!("{} {}", answer.status(), answer.text()?);
    Ok(())
}`,
};

/** The client that openapi-typescript and openapi-fetch make. @param {Sample} sample @param {Operation} operation */
function typescript({ method, base, template, given, headers, body }, operation) {
  /** @param {string} where */
  const group = (where) => {
    const parts = given.filter((one) => one.where === where).map(({ name, value }) => `${quoted(name)}: ${value}`);
    return parts.length > 0 ? [`${where}: { ${parts.join(', ')} }`] : [];
  };
  const params = ['path', 'query', 'header'].flatMap(group);
  const options = [...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []), ...(body ? [`body: ${body}`] : [])];
  const key = headers.some(([name]) => name === 'Authorization') ? ", headers: { Authorization: 'Bearer YOUR-KEY' }" : '';
  return `// npx openapi-typescript ${new URL('openapi.json', base).href} -o carnet.ts
${IMPORT} createClient from 'openapi-fetch';
${IMPORT} type { paths } from './carnet.js';

const carnet = createClient<paths>({ baseUrl: ${quoted(base.replace(/\/$/, ''))}${key} });
const { data, error, response } = await carnet.${method}(${quoted(template)}${options.length > 0 ? `, { ${options.join(', ')} }` : ''});
console.log(response.status, data ?? error); // ${operation.id}`;
}

/** The client that openapi-python-client makes. @param {Sample} sample @param {Operation} operation */
function python({ base, given, headers, body }, operation) {
  const call = snake(operation.id);
  const model = operation.bodyName ? pascal(operation.bodyName) : '';
  const literal = (/** @type {string} */ value) => ({ true: 'True', false: 'False', null: 'None' })[value] ?? value;
  const path = given.filter((one) => one.where === 'path').map(({ value }) => literal(value));
  const rest = given.filter((one) => one.where !== 'path').map(({ name, value }) => `${snake(name)}=${literal(value)}`);
  const isKnown = headers.some(([name]) => name === 'Authorization');
  const client = isKnown ? 'AuthenticatedClient' : 'Client';
  const all = [...path, 'client=carnet', ...(body && model ? [`body=${model}.from_dict(json.loads(${quoted(body)}))`] : []), ...rest];
  return `# openapi-python-client generate --url ${new URL('openapi.json', base).href} --meta none --output-path carnet_client
${body && model ? 'import json\n\n' : ''}from carnet_client import ${client}
from carnet_client.api.${snake(operation.about.tags[0])} import ${call}
${body && model ? `from carnet_client.models import ${model}\n` : ''}
with ${client}(base_url=${quoted(base.replace(/\/$/, ''))}${isKnown ? ', token="YOUR-KEY"' : ''}) as carnet:
    answer = ${call}.sync_detailed(${all.join(', ')})
    print(answer.status_code, answer.content.decode())`;
}

/** @param {{ operation: Operation, sample: Sample, language: string, setLanguage: (language: string) => void }} props */
export function Snippets({ operation, sample, language, setLanguage }) {
  const text = LANGUAGES[language](sample, operation);
  const block = useRef(/** @type {HTMLElement | null} */ (null));
  return html`<div class="tabs" role="group" aria-label="Language">
    ${Object.keys(LANGUAGES).map((name) => html`<button type="button" key=${name} aria-pressed=${name === language} onClick=${() => setLanguage(name)}>${name}</button>`)}
    <button type="button" onClick=${() => copy(text, block.current)}>Copy</button>
  </div>
  <pre ref=${block} tabindex="0" aria-label=${`Request in ${language}`} data-language=${language}><code>${text}</code></pre>`;
}
