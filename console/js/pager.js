// The pages of a list: first, previous, next, last, and any offset.
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/**
 * `first` is where the rows that are shown begin, which is not `offset` while the next page is asked for.
 * @param {{ offset: number, size: number, total: number, isKnown: boolean, first: number, shown: number,
 *   onMove: (offset: number) => void }} props
 */
export function Pager({ offset, size, total, isKnown, first, shown, onMove }) {
  const end = Math.max(0, Math.floor((total - 1) / size) * size);
  /** @param {string} label @param {string} sign @param {number} to @param {boolean} off */
  const step = (label, sign, to, off) =>
    html`<button type="button" aria-label=${label} title=${label} aria-disabled=${off} onClick=${() => off || onMove(to)}>
      <span aria-hidden="true">${sign}</span>
    </button>`;
  return html`<nav class="pager" aria-label="Pages">
    ${step('First page', '⏮', 0, offset === 0)}
    ${step('Previous page', '◀', Math.max(0, offset - size), offset === 0)}
    <span class="range">
      ${isKnown && `${shown === 0 ? '0' : `${(first + 1).toLocaleString('en')}–${(first + shown).toLocaleString('en')}`} of ${total.toLocaleString('en')}`}
    </span>
    ${step('Next page', '▶', offset + size, offset + size >= total)}
    ${step('Last page', '⏭', end, offset + size >= total)}
    <${Jump} offset=${offset} onMove=${onMove} />
  </nav>`;
}

/** @param {{ offset: number, onMove: (offset: number) => void }} props */
function Jump({ offset, onMove }) {
  const [text, setText] = useState(String(offset));
  useEffect(() => setText(String(offset)), [offset]);
  return html`<form
    class="jump"
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (/^[0-9]{1,15}$/.test(text)) onMove(Number(text));
    }}
  >
    <label>Offset
      <input
        inputmode="numeric" pattern="[0-9]{1,15}" title="A whole number from 0" value=${text} autocomplete="off"
        onInput=${(/** @type {any} */ event) => setText(event.target.value)}
      />
    </label>
    <button>Go</button>
  </form>`;
}
