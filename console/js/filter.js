// The filter under a column: equality, with the input that its type wants.
import { Picker } from './picker.js';
import { follow } from './route.js';
import { wordsFor } from './words.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */

let isPressed = false;
addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isPressed = false), true);

/**
 * Does it when nobody presses a button: a page that changes between press and release swallows the click.
 * @param {() => void} act
 */
function afterPress(act) {
  if (!isPressed) return act();
  const abort = new AbortController();
  const later = () => {
    abort.abort();
    // The click comes next. Where it leads elsewhere, we have gone there when it is our turn.
    setTimeout(() => (follow(), setTimeout(act)));
  };
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, later, { capture: true, signal: abort.signal });
}

/**
 * `value` is undefined where there is no filter, '' for records without a value.
 * @param {{ model: import('./model.js').Model, field: Field, value: string | undefined, error: string,
 *   onFilter: (value: string | undefined) => void }} props
 */
export function Filter({ model, field, value, error, onFilter }) {
  const target = field.references ? model.byName.get(field.references) : null;
  const described = error ? { 'aria-invalid': 'true', 'aria-describedby': 'list-error' } : {};
  const label = `Filter by ${field.name}`;
  if (field.kind === 'boolean') {
    return html`<select
      class="filter" aria-label=${label} value=${value ?? 'any'} ...${described}
      onChange=${(/** @type {any} */ event) => onFilter(event.target.value === 'any' ? undefined : event.target.value)}
    >
      <option value="any">any</option>
      <option value="true">true</option>
      <option value="false">false</option>
      ${!field.required && html`<option value="">no value</option>`}
    </select>`;
  }
  if (target?.lists) return html`<${ReferenceFilter} ...${{ target, field, value, label, onFilter }} />`;
  return html`<${TextFilter} ...${{ field, value, label, described, onFilter }} />`;
}

/** @param {any} props */
function TextFilter({ field, value, label, described, onFilter }) {
  const [text, setText] = useState(value ?? '');
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => setText(value ?? ''), [value]);
  const apply = () => text !== (value ?? '') && onFilter(text === '' ? undefined : text);
  const latest = useRef(apply);
  latest.current = apply;
  const isNone = value === '';
  return html`<span class="filter">
    <input
      ref=${input} class="filter-input" dir="auto" aria-label=${label} autocomplete="off" spellcheck=${false}
      inputmode=${field.kind === 'integer' ? 'numeric' : field.kind === 'float' ? 'decimal' : 'text'}
      placeholder=${isNone ? 'no value' : '='} value=${text} ...${described}
      onInput=${(/** @type {any} */ event) => setText(event.target.value)}
      onBlur=${() => afterPress(() => input.current && latest.current())}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter') apply();
        if (event.key === 'Escape') {
          event.stopPropagation();
          setText(value ?? '');
          // What was typed until now is not applied by leaving.
          latest.current = () => {};
          input.current?.blur();
        }
      }}
    />
    ${!field.required && html`<button
      type="button" class="none-only" aria-pressed=${isNone} aria-label=${`Only without ${field.name}`}
      title=${`Only without ${field.name}`} onClick=${() => onFilter(isNone ? undefined : '')}
    >∅</button>`}
  </span>`;
}

/** @param {any} props */
function ReferenceFilter({ target, field, value, label, onFilter }) {
  const [isOpen, setOpen] = useState(false);
  const chosen = value === undefined ? '=' : value === '' ? 'no value' : (wordsFor(target, value).value.words ?? value);
  return html`<span class="filter">
    <button
      type="button" class="filter-input chosen" dir="auto" aria-haspopup="dialog"
      aria-label=${value === undefined ? label : `${label}: ${chosen}`} onClick=${() => setOpen(true)}
    >${chosen}</button>
    ${value !== undefined && html`<button
      type="button" class="none-only" aria-label=${`No filter by ${field.name}`} onClick=${(/** @type {any} */ event) => {
        // This button goes with the filter.
        event.currentTarget.previousElementSibling.focus();
        onFilter(undefined);
      }}
    >×</button>`}
    ${isOpen && html`<${Picker}
      target=${target} optional=${!field.required}
      onClose=${() => setOpen(false)}
      onPick=${(/** @type {string | null} */ id) => {
        setOpen(false);
        onFilter(id ?? '');
      }}
    />`}
  </span>`;
}
