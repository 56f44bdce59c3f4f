// A small panel below what opened it: closed by Esc, by a click beside it, and by walking out of it.
import { html, useLayoutEffect, useRef } from '../vendor/preact-11.2.0.js';

/** So far it stays from the edge, in pixels. */
const MARGIN = 8;

/** @param {{ label: string, onClose: () => void, children?: any }} props */
export function Pop({ label, onClose, children }) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const panel = ref.current;
    // What opened it may stand at the edge of the screen.
    const beyond = panel ? panel.getBoundingClientRect().right - document.documentElement.clientWidth : 0;
    if (beyond > 0) panel?.style.setProperty('translate', `${-beyond - MARGIN}px`);
    /** @type {HTMLElement | null | undefined} */ (panel?.querySelector('[data-first]') ?? panel?.querySelector('input, select, button'))?.focus();
    const outside = (/** @type {Event} */ event) => {
      // What is pressed closes it by itself, where it is what opened it.
      if (!panel?.parentElement?.contains(/** @type {Node} */ (event.target))) close.current();
    };
    addEventListener('pointerdown', outside, true);
    return () => {
      removeEventListener('pointerdown', outside, true);
      const isLost = !document.activeElement || document.activeElement === document.body || panel?.contains(document.activeElement);
      if (isLost && before?.isConnected) before.focus();
    };
  }, []);
  return html`<div
    ref=${ref} class="pop" role="dialog" aria-label=${label}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }}
    onFocusOut=${(/** @type {FocusEvent} */ event) => {
      const to = /** @type {Node | null} */ (event.relatedTarget);
      if (to && !ref.current?.parentElement?.contains(to) && !document.querySelector('dialog[open]')) onClose();
    }}
  >${children}</div>`;
}
