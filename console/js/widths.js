// The edge of a column: dragged, or moved by the arrow keys, it changes the width. A double click or Enter takes it back.
import { chooseColumns, widthOf } from './columns.js';
import { called } from './theme.js';
import { html, useEffect, useRef } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */

const NARROWEST = 48;
const WIDEST = 960;
const STEP = 16;

/** The rules of the widths stand in a sheet of their own: no row is drawn anew while somebody drags. */
const rules = new CSSStyleSheet();
document.adoptedStyleSheets.push(rules);

let drawn = '';

/**
 * Draws the columns in their widths.
 * @param {(number | undefined)[]} widths
 * @param {number} before how many other cells a row begins with
 */
export function drawWidths(widths, before) {
  const all = widths.map((width, at) => {
    if (width === undefined) return '';
    const cell = `.table.rows tr > :nth-child(${before + at + 1})`;
    return `${cell} { width: ${width}px; min-width: ${width}px; max-width: ${width}px; }
      ${cell} :is(.text, .reference) { max-width: calc(${width}px - 1.5rem); }`;
  });
  // With none left that takes what the others leave, the table is as wide as they are.
  if (!widths.includes(undefined)) all.push('.table.rows table { width: max-content; }');
  const text = all.join('');
  if (text !== drawn) rules.replaceSync(text);
  drawn = text;
}

/** @param {number} width */
const within = (width) => Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));

/** @param {{ collection: import('./model.js').Collection, field: Field, draw: (width: number | undefined) => void }} props `draw` shows a width that is not kept yet */
export function Edge({ collection, field, draw }) {
  const edge = useRef(/** @type {HTMLElement | null} */ (null));
  const from = useRef(/** @type {{ x: number, width: number } | null} */ (null));
  const now = () => Math.round(edge.current?.parentElement?.getBoundingClientRect().width ?? 0);
  /** @param {number | undefined} width */
  const keep = (width) => chooseColumns(collection, [field], { width });
  const tell = () => edge.current?.setAttribute('aria-valuenow', String(now()));
  // A column that nobody sized has a width all the same, which the browser knows once it is drawn.
  useEffect(tell);
  /** @param {PointerEvent} event */
  const dragged = (event) => (from.current ? within(from.current.width + event.clientX - from.current.x) : undefined);
  return html`<span ref=${edge} class="edge" role="separator" tabindex="0" aria-orientation="vertical" aria-label=${`Width of ${called(field)}`}
    aria-valuemin=${NARROWEST} aria-valuemax=${WIDEST} title="Drag to size; double click to reset"
    onFocus=${tell}
    onPointerDown=${(/** @type {PointerEvent} */ event) => {
      if (event.button !== 0) return;
      edge.current?.setPointerCapture(event.pointerId);
      from.current = { x: event.clientX, width: now() };
    }}
    onPointerMove=${(/** @type {PointerEvent} */ event) => from.current && event.clientX !== from.current.x && draw(dragged(event))}
    onPointerUp=${(/** @type {PointerEvent} */ event) => {
      if (from.current && event.clientX !== from.current.x) keep(dragged(event));
      from.current = null;
    }}
    onPointerCancel=${() => {
      from.current = null;
      draw(widthOf(collection, field));
    }}
    onDblClick=${() => keep(undefined)}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      const steps = { ArrowLeft: now() - STEP, ArrowRight: now() + STEP, Home: NARROWEST, End: WIDEST, Enter: undefined };
      if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const width = steps[/** @type {keyof typeof steps} */ (event.key)];
      keep(width && within(width));
    }}></span>`;
}
