// The search of a list: as one types, by words that begin like these.
import { Icon } from './icons.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** So long nobody types, before it is asked. */
const SEARCH_PAUSE = 180;

/**
 * @param {{ label: string, search: string, onSearch: (search: string) => void, onDown: () => void }} props
 *   `onDown`: from here to the rows
 */
export function SearchBox({ label, search, onSearch, onDown }) {
  const [text, setText] = useState(search);
  /** What was asked for last by typing; another one comes from elsewhere, and is shown. */
  const asked = useRef(search);
  const timer = useRef(0);
  useEffect(() => {
    if (search === asked.current) return;
    asked.current = search;
    setText(search);
  }, [search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  /** @param {string} wanted */
  const ask = (wanted) => {
    clearTimeout(timer.current);
    const words = wanted.trim();
    if (words === asked.current) return;
    asked.current = words;
    onSearch(words);
  };
  return html`<form class="search-box" role="search" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), ask(text))}>
    <${Icon} name="search" />
    <input
      id="search" type="search" dir="auto" autocomplete="off" spellcheck=${false} maxlength="200" aria-label=${label} placeholder=${label} value=${text}
      onInput=${(/** @type {any} */ event) => {
        const typed = event.target.value;
        setText(typed);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => ask(typed), SEARCH_PAUSE);
      }}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          ask(text);
          onDown();
        } else if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          if (text === '') /** @type {HTMLElement} */ (event.target).blur();
          setText('');
          ask('');
        }
      }}
    />
    <kbd class="on-wide" aria-hidden="true">/</kbd>
  </form>`;
}
