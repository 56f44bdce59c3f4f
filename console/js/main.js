// The console: what stands around every page, and which page it is.
import { visit } from './access.js';
import { ApiPage } from './apipage.js';
import { Alert, Notice } from './dialog.js';
import { canParse } from './exact.js';
import { Help, helps } from './keyboard.js';
import { AskForKey, ForgetKey } from './keys.js';
import { KeysPage } from './keyspage.js';
import { List } from './list.js';
import { loadModel } from './model.js';
import { RecordPage } from './record.js';
import { faultIn, href, isApiPage, place, start } from './route.js';
import { ThemeSwitch } from './theme.js';
import { html, render, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Model} Model */

function App() {
  const [model, setModel] = useState(/** @type {Model | null} */ (null));
  const [error, setError] = useState('');
  const load = () => {
    setError('');
    loadModel().then(
      (found) => {
        // The first list has an address of its own, like every other.
        if (!isApiPage && !place.value.collection && !place.value.isStrange) location.replace(href(found.collections[0].name));
        setModel(found);
      },
      (problem) => setError(problem.message),
    );
  };
  useEffect(load, []);
  const here = place.value;
  const at = here.collection || (isApiPage || here.isStrange ? '' : (model?.collections[0]?.name ?? ''));
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isApiPage || !model) return;
    document.title = here.isStrange ? 'not found · carnet' : `${at === '_' ? 'keys' : at}${here.record && at !== '_' ? ` ${here.record}` : ''} · carnet`;
    // A new page begins at its heading, unless something on it has the focus already.
    if (!main.current?.contains(document.activeElement)) main.current?.querySelector('h1')?.focus();
  }, [model, at, here.record, here.isStrange]);
  const current = (/** @type {boolean} */ is) => (is ? 'page' : undefined);
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => (event.preventDefault(), main.current?.querySelector('h1')?.focus())}>Skip to the content</a>
    <header class="side">
      <a class="brand" href=${start}>carnet</a>
      <nav aria-label="Collections">${model?.collections.map(({ name }) => html`<a
        key=${name} href=${href(name)} aria-current=${current(!isApiPage && at === name)}>${name}</a>`)}</nav>
      <nav aria-label="More" class="more">
        <a href=${new URL('api', start).href} aria-current=${current(isApiPage)}>API</a>
        <a href=${href('_', 'keys')} aria-current=${current(!isApiPage && at === '_')}>Keys</a>
        <button type="button" onClick=${() => (helps.value = true)}>Help <kbd>?</kbd></button>
      </nav>
      <div class="more"><${ForgetKey} /><${ThemeSwitch} /></div>
    </header>
    <main ref=${main} id="main">
      ${error && html`<h1 tabindex="-1">carnet</h1><${Alert} retry=${load}>${error}<//>`}
      ${model && html`<${Page} key=${isApiPage ? '' : `${at}/${here.record}/${visit.value}`} model=${model} at=${at} here=${here} />`}
    </main>
    <${Notice} />
    <${AskForKey} />
    ${helps.value && html`<${Help} />`}
  `;
}

/** @param {{ model: Model, at: string, here: import('./route.js').Place }} props */
function Page({ model, at, here }) {
  if (isApiPage) return html`<${ApiPage} document=${model.document} />`;
  if (at === '_') return html`<${KeysPage} collections=${model.collections.map(({ name }) => name)} />`;
  const collection = model.byName.get(at);
  const fault = !collection ? (at ? `This server has no collection ${at}.` : 'The console has no such page.')
    : here.record === 'new' && !collection.creates ? `Nothing can be added to ${at}.` : faultIn(collection, here.pairs);
  if (!collection || fault) {
    return html`<header class="head"><h1 tabindex="-1">Not found</h1></header>
      <p dir="auto">${fault}
        ${' '}<a href=${href(collection?.name ?? model.collections[0].name)}>To ${collection?.name ?? model.collections[0].name}</a></p>`;
  }
  return html`<div data-creates=${collection.creates || undefined}>
    ${here.record
      ? html`<${RecordPage} model=${model} collection=${collection} id=${here.record} />`
      : html`<${List} model=${model} collection=${collection} pairs=${here.pairs} />`}
  </div>`;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(APP_CSS);
document.adoptedStyleSheets = [sheet];
const app = /** @type {Element} */ (document.getElementById('app'));
if (canParse) render(html`<${App} />`, app);
else render(html`<p>This browser is too old: the console needs one of 2025 or later.</p>`, app);
