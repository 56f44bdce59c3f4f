// The console: what stands around every page, and which page it is.
import { visit } from './access.js';
import { ApiPage } from './apipage.js';
import { Alert, Notice } from './dialog.js';
import { draftOf } from './drafts.js';
import { canParse } from './exact.js';
import { Bar, Side } from './frame.js';
import { ImportPage } from './importpage.js';
import { Help, helps, palette } from './keyboard.js';
import { AskForKey } from './keys.js';
import { KeysPage } from './keyspage.js';
import { List } from './list.js';
import { mayWrite, ReadOnly } from './me.js';
import { keptModel, loadModel } from './model.js';
import { RecordPage } from './record.js';
import { Palette } from './palette.js';
import { faultIn, go, href, isApiPage, neighbourOf, place } from './route.js';
import { Secrets } from './secrets.js';
import { asksDisplay, called, Display } from './theme.js';
import { UnsavedPage } from './unsaved.js';
import { html, render, signal, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Model} Model */

function App() {
  const [model, setModel] = useState(isApiPage ? null : keptModel);
  const [error, setError] = useState('');
  const load = () => {
    setError('');
    loadModel(model).then(
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
    document.title = here.isStrange ? 'not found · carnet' : `${at === '_' ? here.record : at}${here.record && at !== '_' ? ` ${here.record}` : ''} · carnet`;
    // A new page begins at its heading, unless something on it has the focus already.
    if (!main.current?.contains(document.activeElement)) main.current?.querySelector('h1')?.focus();
  }, [model, at, here.record, here.isStrange]);
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => (event.preventDefault(), main.current?.querySelector('h1')?.focus())}>Skip to the content</a>
    <${Bar} />
    <${Side} model=${model} at=${at} />
    <main ref=${main} id="main">
      ${error && !model && html`<h1 tabindex="-1">carnet</h1><${Alert} retry=${load}>${error}<//>`}
      ${model && html`<${Page} key=${isApiPage ? '' : `${at}/${at === '_' ? here.record : ''}/${visit.value}`} model=${model} at=${at} here=${here} />`}
    </main>
    <${Notice} />
    <${AskForKey} />
    <${Secrets} />
    ${helps.value && html`<${Help} />`}
    ${asksDisplay.value && html`<${Display} />`}
    ${palette.value && model && html`<${Palette} model=${model} />`}
  `;
}

/** @param {{ model: Model, at: string, here: import('./route.js').Place }} props */
function Page({ model, at, here }) {
  if (isApiPage) return html`<${ApiPage} model=${model} />`;
  if (at === '_' && here.record === 'unsaved') return html`<${UnsavedPage} model=${model} />`;
  if (at === '_') return html`<${KeysPage} collections=${model.collections} />`;
  const collection = model.byName.get(at);
  const fault = !collection ? (at ? `This server has no collection ${at}.` : 'The console has no such page.')
    : here.record === 'new' && !collection.creates ? `Nothing can be added to ${at}.`
    : here.record === 'import' && !collection.imports ? `Nothing can be imported into ${at}.` : faultIn(collection, here.pairs);
  if (!collection || fault) {
    return html`<header class="head"><h1 tabindex="-1">Not found</h1></header>
      <p dir="auto">${fault}
        ${' '}<a href=${href(collection?.name ?? model.collections[0].name)}>To ${collection?.name ?? model.collections[0].name}</a></p>`;
  }
  const begins = here.record === 'import' || (here.record === 'new' && Object.keys(draftOf(`${at}/new`).value.typed).length === 0);
  if (begins && !mayWrite(collection)) {
    return html`<header class="head"><h1 tabindex="-1">${called(collection)}</h1></header><${ReadOnly} collection=${collection} />
      <p><a href=${href(collection.name)}>To ${called(collection)}</a></p>`;
  }
  if (here.record === 'import') return html`<${ImportPage} model=${model} collection=${collection} />`;
  const isBeside = here.record !== null && isWide.value && collection.lists;
  const to = (/** @type {number} */ step) => {
    const id = here.record && neighbourOf(at, here.record, step);
    return id ? () => go(at, id, here.pairs, { isStep: true }) : undefined;
  };
  return html`<div class=${isBeside ? 'split' : undefined} data-creates=${(collection.creates && mayWrite(collection)) || undefined}>
    ${(!here.record || isBeside) && html`<div class="of-list" key="list">
      <${List} model=${model} collection=${collection} pairs=${here.pairs} opened=${here.record} isNarrow=${isNarrow.value} />
    </div>`}
    ${here.record && html`<section class="of-record" key=${`record ${here.record}`} aria-label=${isBeside ? 'Record' : undefined}>
      <${RecordPage} model=${model} collection=${collection} id=${here.record} isBeside=${isBeside} onNext=${to(1)} onPrevious=${to(-1)} />
    </section>`}
  </div>`;
}

/** Whether the screen is so, now. @param {string} condition */
function screenIs(condition) {
  const query = matchMedia(condition);
  const is = signal(query.matches);
  query.addEventListener('change', () => (is.value = query.matches));
  return is;
}
/** Whether a record has its place beside the list. */
const isWide = screenIs('(min-width: 75em)');
/** Whether rows are cards. */
const isNarrow = screenIs('(max-width: 48rem)');

const sheet = new CSSStyleSheet();
sheet.replaceSync(APP_CSS);
document.adoptedStyleSheets.push(sheet);
const app = /** @type {Element} */ (document.getElementById('app'));
if (canParse) render(html`<${App} />`, app);
else render(html`<p>This browser is too old: the console needs one of 2025 or later.</p>`, app);
