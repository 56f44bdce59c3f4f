// The same request in four languages, ready to paste.
import { root } from './api.js';
import { copy } from './copy.js';
import { writeJson } from './exact.js';
import { html, useRef } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./apipage.js').Operation} Operation */

/**
 * A request to paste: an example of every part that it needs.
 * @param {Operation} operation
 */
export function requestOf(operation) {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_whole, name) => {
    const parameter = operation.parameters.find((one) => one.name === name);
    return String(parameter?.schema?.enum?.[0] ?? parameter?.schema?.examples?.[0] ?? 1);
  });
  // Of a list: the first filter, with its example.
  const filter = operation.method === 'GET' && operation.parameters.find((one) => one.in === 'query' && one.schema.examples);
  const search = filter ? `?${new URLSearchParams({ [filter.name]: String(filter.schema.examples[0]) })}` : '';
  /** @type {[string, string][]} */
  const headers = [];
  if (operation.wantsKey) headers.push(['Authorization', 'Bearer YOUR-KEY']);
  if (operation.example) headers.push(['Content-Type', 'application/json']);
  return {
    method: operation.method,
    url: root + filled.slice(1) + search,
    headers,
    body: operation.example ? writeJson(operation.example) : null,
  };
}

/** @typedef {ReturnType<typeof requestOf>} Sample */

const shell = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
const quoted = (/** @type {string} */ text) => JSON.stringify(text);
/** As a string of Rust, in which a quote and a backslash are the only marks to escape here. */
const rust = (/** @type {string} */ text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** @type {Record<string, (sample: Sample) => string>} */
export const LANGUAGES = {
  curl: ({ method, url, headers, body }) =>
    [
      `curl -i ${method === 'HEAD' ? '--head' : method === 'GET' ? '' : `-X ${method} `}${method === 'HEAD' ? ' ' : ''}${shell(url)}`,
      ...headers.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
      ...(body ? [`-d ${shell(body)}`] : []),
    ].join(' \\\n  '),
  JavaScript: ({ method, url, headers, body }) =>
    `const answer = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${JSON.stringify(Object.fromEntries(headers))},${body ? `\n  body: ${quoted(body)},` : ''}
});
console.log(answer.status, await answer.text());`,
  Python: ({ method, url, headers, body }) =>
    `from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${quoted(url)},
    method=${quoted(method)},
    headers=${JSON.stringify(Object.fromEntries(headers))},${body ? `\n    data=${quoted(body)}.encode(),` : ''}
)
try:
    answer = urlopen(request)
except HTTPError as error:
    answer = error
print(answer.status, answer.read().decode())`,
  Rust: (sample) => (sample.url.startsWith('https:') ? withUreq(sample) : withStd(sample)),
};

/** Plain HTTP needs nothing but the standard library. @param {Sample} sample */
function withStd({ method, url, headers, body }) {
  const { host, hostname, port, pathname, search } = new URL(url);
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`Content-Length: ${new TextEncoder().encode(body).length}`] : []),
  ];
  return `use std::io::{Read, Write};
use std::net::TcpStream;

fn main() -> std::io::Result<()> {
    let mut server = TcpStream::connect(${rust(`${hostname}:${port || 80}`)})?;
    let head = [
${lines.map((line) => `        ${rust(line)},`).join('\n')}
    ];
    let body = ${rust(body ?? '')};
    write!(server, "{}\\r\\n\\r\\n{body}", head.join("\\r\\n"))?;
    let mut answer = String::new();
    server.read_to_string(&mut answer)?;
    println!("{answer}");
    Ok(())
}`;
}

/** @param {Sample} sample */
function withUreq({ method, url, headers, body }) {
  return `// cargo add ureq@3
use ureq::http::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request = Request::builder()
        .method(${rust(method)})
        .uri(${rust(url)})
${headers.map(([name, value]) => `        .header(${rust(name)}, ${rust(value)})\n`).join('')}        .body(${body ? rust(body) : '()'})?;
    let agent = ureq::Agent::new_with_config(
        ureq::Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true).build(),
    );
    let mut answer = agent.run(request)?;
    println!("{} {}", answer.status(), answer.body_mut().read_to_string()?);
    Ok(())
}`;
}

/** @param {{ operation: Operation, language: string, setLanguage: (language: string) => void }} props */
export function Snippets({ operation, language, setLanguage }) {
  const text = LANGUAGES[language](requestOf(operation));
  const block = useRef(/** @type {HTMLElement | null} */ (null));
  return html`<div class="tabs" role="group" aria-label="Language">
    ${Object.keys(LANGUAGES).map((name) => html`<button type="button" key=${name} aria-pressed=${name === language} onClick=${() => setLanguage(name)}>${name}</button>`)}
    <button type="button" onClick=${() => copy(text, block.current)}>Copy</button>
  </div>
  <pre ref=${block} tabindex="0" aria-label=${`Request in ${language}`} data-language=${language}><code>${text}</code></pre>`;
}
