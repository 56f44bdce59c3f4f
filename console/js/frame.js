// What stands around every page: where one can go, how much is there, who one is.
import { key } from './access.js';
import { totalOf } from './counts.js';
import { Icon } from './icons.js';
import { helps, palette } from './keyboard.js';
import { ForgetKey } from './keys.js';
import { me } from './me.js';
import { Places } from './places.js';
import { isOver, rightsOf } from './rights.js';
import { href, isApiPage, place, start } from './route.js';
import { asksDisplay, called } from './theme.js';
import { UnsavedLink } from './unsaved.js';
import { When } from './when.js';
import { html, signal, useEffect } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Model} Model */

/** Whether the drawer is open, on a screen that has no room for it beside the page. */
const isDrawerOpen = signal(false);

/** @param {boolean} is */
const current = (is) => (is ? 'page' : undefined);

/** The bar at the top of a phone. */
export function Bar() {
  return html`<nav class="bar" aria-label="Bar">
    <button type="button" class="quiet" aria-label="Menu" aria-expanded=${isDrawerOpen.value} onClick=${() => (isDrawerOpen.value = true)}><${Icon} name="menu" /></button>
    <a class="brand" href=${start}>carnet</a>
    <button type="button" class="quiet" aria-label="Search everywhere" onClick=${() => (palette.value = true)}><${Icon} name="search" /></button>
  </nav>`;
}

/** @param {{ model: Model | null, at: string }} props */
export function Side({ model, at }) {
  // Wherever one goes, the drawer has done its part.
  const { collection, record } = place.value;
  useEffect(() => void (isDrawerOpen.value = false), [collection, record]);
  useEffect(() => {
    if (isDrawerOpen.value) /** @type {HTMLElement | null} */ (document.querySelector('.side nav a'))?.focus();
  }, [isDrawerOpen.value]);
  return html`
    ${isDrawerOpen.value && html`<div class="veil" onClick=${() => (isDrawerOpen.value = false)}></div>`}
    <header class=${isDrawerOpen.value ? 'side open' : 'side'} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape' || !isDrawerOpen.value) return;
      event.stopPropagation();
      isDrawerOpen.value = false;
      /** @type {HTMLElement | null} */ (document.querySelector('.bar button'))?.focus();
    }}>
      <a class="brand" href=${start}><${Icon} name="list" />carnet</a>
      <button type="button" class="find" onClick=${() => (palette.value = true)}><${Icon} name="search" />Search <kbd>Ctrl K</kbd></button>
      <nav aria-label="Collections">${model?.collections.map((one) => html`<a
        key=${one.name} href=${href(one.name)} title=${one.help || undefined} aria-current=${current(!isApiPage && at === one.name)}><span>${called(one)}</span><${Count} collection=${one} /></a>`)}</nav>
      <${Places} model=${model} />
      <nav aria-label="More" class="last">
        <a href=${new URL('api', start).href} aria-current=${current(isApiPage)}><${Icon} name="code" />API</a>
        <a href=${href('_', 'keys')} aria-current=${current(!isApiPage && at === '_' && record === 'keys')}><${Icon} name="key" />Keys</a>
        ${model && html`<${UnsavedLink} model=${model} />`}
        <button type="button" onClick=${() => (asksDisplay.value = true)}><${Icon} name="display" />Display</button>
        <button type="button" onClick=${() => (helps.value = true)}><${Icon} name="help" />Help <kbd>?</kbd></button>
      </nav>
      ${key.value && html`<section class="more" aria-label="Your key">
        ${me.value && html`<${Me} me=${me.value} collections=${model?.collections ?? []} />`}<${ForgetKey} /></section>`}
    </header>`;
}

/** @param {{ me: import('./me.js').Me, collections: import('./model.js').Collection[] }} props */
function Me({ me: { name, admin, scopes, expires }, collections }) {
  return html`<p class="me"><strong dir="auto">${name}</strong>
    <span>${rightsOf(scopes, admin, collections).join(', ') || 'Nothing'}</span>
    ${expires && html`<span>${isOver(expires) ? 'Ended' : 'Ends'} <${When} text=${expires} /></span>`}</p>`;
}

/** @param {{ collection: import('./model.js').Collection }} props */
function Count({ collection }) {
  const count = totalOf(collection).value;
  return count !== null && html`<span class="count" aria-hidden="true">${count.toLocaleString('en')}</span>`;
}
