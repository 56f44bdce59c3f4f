// A question in front of everything else: the browser's own dialog, which keeps the focus and hears Esc.
import { html, signal, useEffect, useLayoutEffect, useRef } from '../vendor/preact-11.2.0.js';

/**
 * @param {{ title: any, onClose: () => void, children?: any, wide?: boolean, kind?: string }} props
 */
export function Dialog({ title, onClose, children, wide = false, kind = '' }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const isThere = useRef(true);
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    ref.current?.showModal();
    return () => {
      isThere.current = false;
      ref.current?.close();
      // What had the focus may have gone meanwhile.
      if (before?.isConnected && before !== document.body) before.focus();
      else toHeading();
    };
  }, []);
  return html`<dialog
    ref=${ref}
    class=${wide ? 'wide' : kind}
    aria-labelledby="dialog-title"
    onCancel=${(/** @type {Event} */ event) => {
      event.preventDefault();
      onClose();
    }}
    onClose=${(/** @type {Event} */ event) => {
      if (event.target !== ref.current || !isThere.current) return;
      onClose();
      // A browser closes it at the second Esc whatever the page says; what has to stay is shown again.
      setTimeout(() => isThere.current && ref.current && !ref.current.open && ref.current.showModal());
    }}
    onClick=${(/** @type {MouseEvent} */ event) => event.target === ref.current && onClose()}
  >
    <div class="sheet">
      <h2 id="dialog-title" dir="auto">${title}</h2>
      ${children}
    </div>
  </dialog>`;
}

/** What was done last, for a moment. */
export const notice = signal({ text: '', count: 0 });

/** @param {string} text */
export function say(text) {
  notice.value = { text, count: notice.value.count + 1 };
}

export function Notice() {
  const { text, count } = notice.value;
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => (notice.value = { text: '', count }), 6000);
    return () => clearTimeout(timer);
  }, [count]);
  return html`<div role="status" class=${text ? 'notice' : 'notice silent'} dir="auto">${text}</div>`;
}

/** To the heading of the page, from what is about to go. */
export function toHeading() {
  document.querySelector('h1')?.focus();
}

/** @param {{ children?: any, kind?: string, onClick?: () => void, retry?: () => void }} props */
export function Alert({ children, retry }) {
  return html`<div role="alert" class="alert">
    <div dir="auto">${children}</div>
    ${retry && html`<button type="button" onClick=${() => (toHeading(), retry())}>Try again</button>`}
  </div>`;
}
