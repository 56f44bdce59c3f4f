// The keyboard: shortcuts that work wherever nobody types, and their list.
import { Dialog } from './dialog.js';
import { href, place } from './route.js';
import { html, signal } from '../vendor/preact-11.2.0.js';

export const helps = signal(false);
/** Whether the search everywhere is open. */
export const palette = signal(false);
/** Letters alone can be switched off, for those whose speech software types them. */
const letters = signal(localStorage.getItem('carnet-letters') !== 'off');

const SHORTCUTS = [
  ['Ctrl K', 'search everywhere (⌘ K)'],
  ['/', 'to the search of the list, or to its filters'],
  ['n', 'a new record'],
  ['↑ ↓', 'from record to record; Home and End: first and last on the page'],
  ['← →', 'previous and next page, from a record of the list'],
  ['Enter', 'open the record; apply a filter; a new line in a text'],
  ['Ctrl S', 'save the form (⌘ S); Ctrl Enter, too'],
  ['Esc', 'close, or back to the list'],
  ['?', 'this help'],
];

/** @param {KeyboardEvent} event */
function onKeyDown(event) {
  const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && (event.key === 's' || event.key === 'Enter');
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form.record'));
  if (isSave && form) {
    // The browser would save the page.
    event.preventDefault();
    if (!document.querySelector('dialog[open]')) form.requestSubmit();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k') {
    // The browser would search the web.
    event.preventDefault();
    if (!document.querySelector('dialog[open]')) palette.value = true;
    return;
  }
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const { collection, record } = place.value;
  if (event.key === 'Escape') {
    const back = /** @type {HTMLAnchorElement | null} */ (document.querySelector('.crumbs a'));
    if (record && back) back.click();
    return;
  }
  const types = event.target instanceof Element && event.target.closest('input, textarea, select');
  if (types || !letters.value) return;
  /** @param {string} selector */
  const focus = (selector) => {
    const found = /** @type {HTMLElement | null} */ (document.querySelector(selector));
    if (found) event.preventDefault();
    found?.focus();
  };
  if (event.key === '/') focus('#search, #add-filter');
  else if (event.key === '?') helps.value = true;
  else if (event.key === 'n' && document.querySelector('[data-creates]')) {
    event.preventDefault();
    location.assign(href(collection, 'new', place.value.pairs));
  } else if (event.key === 'ArrowDown' && (event.target === document.body || event.target instanceof HTMLHeadingElement)) {
    focus('.rows a[data-id]');
  }
}
addEventListener('keydown', onKeyDown);

export function Help() {
  return html`<${Dialog} title="Keyboard" onClose=${() => (helps.value = false)}>
    <dl class="shortcuts">${SHORTCUTS.map(([keys, does]) => html`<div><dt><kbd>${keys}</kbd></dt><dd>${does}</dd></div>`)}</dl>
    <p><label><input type="checkbox" checked=${letters.value} onChange=${(/** @type {any} */ event) => {
      letters.value = event.target.checked;
      localStorage.setItem('carnet-letters', letters.value ? 'on' : 'off');
    }} /> Shortcuts of a single character (<kbd>/</kbd> <kbd>n</kbd> <kbd>?</kbd>)</label></p>
    <div class="actions"><button type="button" autofocus onClick=${() => (helps.value = false)}>Close</button></div>
  <//>`;
}
