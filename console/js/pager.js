// The pages of a list: first, previous, next, last, any of them, and how long they are.
import { Icon } from './icons.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** Lengths of a page that people choose from, as far as the server gives so many. */
const SIZES = [5, 10, 20, 50, 100, 200, 500];

/**
 * `first` is where the rows that are shown begin, which is not `offset` while the next page is asked for.
 * @param {{ offset: number, size: number, total: number, isKnown: boolean, first: number, shown: number, largest: number,
 *   onMove: (offset: number) => void, onSize: (size: number) => void }} props
 */
export function Pager({ offset, size, total, isKnown, first, shown, largest, onMove, onSize }) {
  const end = Math.max(0, Math.floor((total - 1) / size) * size);
  /** @param {string} label @param {'first' | 'left' | 'right' | 'last'} sign @param {number} to @param {boolean} off */
  const step = (label, sign, to, off) =>
    html`<button type="button" class="quiet" aria-label=${label} title=${label} aria-disabled=${off} onClick=${() => off || onMove(to)}><${Icon} name=${sign} /></button>`;
  const sizes = [...new Set([...SIZES.filter((one) => one < largest), largest, size])].sort((one, other) => one - other);
  return html`<nav class="pager" aria-label="Pages">
    ${step('First page', 'first', 0, offset === 0)}
    ${step('Previous page', 'left', Math.max(0, offset - size), offset === 0)}
    <span class="range">
      ${isKnown && `${shown === 0 ? '0' : `${(first + 1).toLocaleString('en')}–${(first + shown).toLocaleString('en')}`} of ${total.toLocaleString('en')}`}
    </span>
    ${step('Next page', 'right', offset + size, offset + size >= total)}
    ${step('Last page', 'last', end, offset + size >= total)}
    <span class="grow"></span>
    ${total > size && html`<${Jump} page=${Math.floor(offset / size) + 1} pages=${Math.ceil(total / size)} onPage=${(/** @type {number} */ page) => onMove((page - 1) * size)} />`}
    ${sizes.length > 1 && html`<label class="size">Rows
      <select value=${String(size)} onChange=${(/** @type {any} */ event) => onSize(Number(event.target.value))}>
        ${sizes.map((one) => html`<option key=${one} value=${String(one)}>${one}</option>`)}</select>
    </label>`}
  </nav>`;
}

/** @param {{ page: number, pages: number, onPage: (page: number) => void }} props */
function Jump({ page, pages, onPage }) {
  const [text, setText] = useState(String(page));
  useEffect(() => setText(String(page)), [page]);
  return html`<form
    class="jump"
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (/^[1-9][0-9]{0,14}$/.test(text)) onPage(Math.min(Number(text), pages));
    }}
  >
    <label>Page
      <input
        inputmode="numeric" pattern="[1-9][0-9]{0,14}" title="A whole number from 1" value=${text} autocomplete="off"
        onInput=${(/** @type {any} */ event) => setText(event.target.value)}
      />
    </label>
    <span class="soft">of ${pages.toLocaleString('en')}</span>
  </form>`;
}
