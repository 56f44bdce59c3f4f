// A box to type into that finds records of another collection, and makes a new one in place where that is wanted.
import { call, query } from './api.js';
import { mayWrite } from './me.js';
import { idOf } from './model.js';
import { NewInPlace } from './inplace.js';
import { wordsFor, wordsOf } from './words.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */

/** What was typed to find a record is no id, whatever it looks like: it is kept with this sign before it. */
export const SOUGHT = '?';
const SHOWN = 8;
/** The milliseconds in which somebody types the next letter. */
const PAUSE = 120;

/**
 * What to ask to find records by what was typed: their words, or else the beginning of their first text.
 * @param {Collection} target
 * @param {string} text
 * @returns {[string, string][]}
 */
function pairsFor(target, text) {
  const prefixed = target.fields.find((field) => field.kind === 'string' && field.operators?.includes('prefix'));
  /** @type {[string, string][]} */
  const sought = !text.trim() ? [] : target.words ? [[target.words, text]] : prefixed ? [[`${prefixed.name}.prefix`, text]] : [['id', text]];
  return target.pages ? [...sought, [target.pages.count, String(Math.min(SHOWN, target.pages.size))]] : sought;
}

/**
 * @param {{ target: Collection, text: string | null | undefined, onType: (text: string | null) => void, common: any,
 *   model: import('./model.js').Model, form?: string, offersNew?: boolean }} props
 */
export function Combobox({ target, text, onType, common, model, form, offersNew = true }) {
  const sought = text?.startsWith(SOUGHT) ? text.slice(SOUGHT.length) : null;
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState(/** @type {any[] | null} */ (null));
  const [error, setError] = useState('');
  const [active, setActive] = useState(-1);
  const [makes, setMakes] = useState(false);
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  const words = text && sought === null ? (wordsFor(target, text).value.words ?? `${target.label} ${text}`) : '';
  const canMake = offersNew && target.creates && mayWrite(target) && form !== `${target.name}/new`;

  useEffect(() => {
    if (!isOpen) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      call('GET', `${target.name}/${query(pairsFor(target, sought ?? ''))}`, { signal: abort.signal, asks: false }).then(
        (answer) => {
          setError(answer.error);
          setFound(answer.ok ? answer.data.object_list.slice(0, SHOWN) : []);
          setActive(answer.ok && sought && answer.data.object_list.length > 0 ? 0 : -1);
        },
        (problem) => abort.signal.aborted || setError(problem.message),
      );
    }, sought ? PAUSE : 0);
    return () => (clearTimeout(timer), abort.abort());
  }, [isOpen, sought]);

  /** @param {string} id */
  const pick = (id) => {
    setOpen(false);
    onType(id);
  };
  const make = () => {
    setOpen(false);
    setMakes(true);
  };
  const choices = found ?? [];
  const last = choices.length - (canMake ? 0 : 1);
  /** @param {number} at */
  const choose = (at) => (at < choices.length ? pick(idOf(choices[at])) : make());
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      setActive(Math.min(Math.max(active + step, 0), last));
    } else if (event.key === 'Enter' && isOpen && active >= 0 && active <= last) {
      event.preventDefault();
      choose(active);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  const list = `${common.id}-list`;
  /** @param {number} at */
  const optionOf = (at) => `${list}-${at}`;
  return html`<div class="combobox" onFocusOut=${(/** @type {FocusEvent} */ event) => {
    if (!(/** @type {Element} */ (event.currentTarget).contains(/** @type {Node | null} */ (event.relatedTarget)))) setOpen(false);
  }}>
    <input ...${common} ref=${box} role="combobox" dir="auto" autocomplete="off" spellcheck=${false} aria-autocomplete="list"
      aria-expanded=${isOpen ? 'true' : 'false'} aria-controls=${list} aria-activedescendant=${isOpen && active >= 0 ? optionOf(active) : undefined}
      placeholder=${`Type to find in ${target.label}`} value=${sought ?? words}
      onInput=${(/** @type {any} */ event) => {
        setOpen(true);
        onType(event.target.value === '' ? null : SOUGHT + event.target.value);
      }}
      onClick=${() => setOpen(true)} onFocus=${(/** @type {any} */ event) => event.target.select()} onKeyDown=${onKeyDown} />
    <ul id=${list} role="listbox" aria-label=${`Found in ${target.label}`} hidden=${!isOpen || (choices.length === 0 && !canMake)}>
      ${choices.map((record, at) => html`<li key=${idOf(record)} id=${optionOf(at)} role="option" aria-selected=${at === active ? 'true' : 'false'}
        onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${() => choose(at)}>
        <span class="text" dir="auto">${wordsOf(target, record)}</span></li>`)}
      ${canMake && html`<li key="new" id=${optionOf(choices.length)} role="option" class="make" aria-selected=${active === choices.length ? 'true' : 'false'}
        onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${make}>New in ${target.label}…</li>`}
    </ul>
    <span class="hint" role="status">${(isOpen || sought) && (error || (found?.length === 0 && sought ? `Nothing in ${target.label} matches.` : ''))}</span>
    ${makes && html`<${NewInPlace} model=${model} collection=${target} onClose=${() => (setMakes(false), box.current?.focus())}
      onMade=${(/** @type {string} */ id) => (setMakes(false), pick(id), box.current?.focus())} />`}
  </div>`;
}
