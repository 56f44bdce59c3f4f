// Places to come back to: views that were pinned by a name, in this browser; and the records that were opened last, in
// this tab, which the search everywhere offers.
import { visit } from './access.js';
import { Icon } from './icons.js';
import { Dialog, say } from './dialog.js';
import { href, place } from './route.js';
import { html, signal, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {{ name: string, hash: string }} Pinned */

const PINNED_KEPT_AS = 'carnet-pinned';
const MOST_PINNED = 50;
const MOST_RECENT = 5;
/** What a place looks like; whatever else the browser has kept is no link. */
const PLACE = /^#\/[a-z][a-z0-9_]*(\/[1-9][0-9]{0,18})?(\?[^#]*)?$/;

/** @type {import('../vendor/preact-11.2.0.js').Signal<Pinned[]>} */
const pinned = signal(readPinned());
/** @type {import('../vendor/preact-11.2.0.js').Signal<{ collection: string, id: string, words: string }[]>} */
const recent = signal(/** @type {any[]} */ ([]));

/** @returns {Pinned[]} */
function readPinned() {
  try {
    const kept = JSON.parse(localStorage.getItem(PINNED_KEPT_AS) ?? '[]');
    return kept.filter((/** @type {any} */ one) => typeof one?.name === 'string' && PLACE.test(one.hash)).slice(0, MOST_PINNED);
  } catch {
    return [];
  }
}

/** @param {Pinned[]} next */
function keepPinned(next) {
  pinned.value = next.slice(0, MOST_PINNED);
  localStorage.setItem(PINNED_KEPT_AS, JSON.stringify(pinned.value));
}

/** Notes that a record was opened. @param {string} collection @param {string} id @param {string} words */
export function visited(collection, id, words) {
  const others = recent.peek().filter((one) => one.collection !== collection || one.id !== id);
  recent.value = [{ collection, id, words }, ...others].slice(0, MOST_RECENT);
}

// They are forgotten with the key that let one read them.
visit.subscribe(() => void (recent.value = []));

/** All of them, for the search everywhere. */
export function knownPlaces() {
  return [
    ...pinned.value.map(({ name, hash }) => ({ words: name, hash, kind: 'pinned' })),
    ...recent.value.map(({ collection, id, words }) => ({ words, hash: href(collection, id), kind: 'recent' })),
  ];
}

/** @param {{ model: import('./model.js').Model | null }} props */
export function Places({ model }) {
  if (!model) return null;
  return html`
    ${pinned.value.length > 0 && html`<nav aria-label="Pinned"><h2>Pinned</h2>
      ${pinned.value.map((one) => html`<span class="pinned" key=${one.hash}>
        <a href=${one.hash} dir="auto"><${Icon} name="pin" /><span class="one-line">${one.name}</span></a>
        <button type="button" class="unpin" aria-label=${`Unpin ${one.name}`} title="Unpin" onClick=${() => {
          // This button goes with its place.
          /** @type {HTMLElement | null} */ (document.querySelector('.side .find'))?.focus();
          keepPinned(pinned.value.filter((other) => other !== one));
        }}><${Icon} name="close" /></button></span>`)}</nav>`}`;
}

/** @param {{ name: string }} props what the place is called, unless somebody knows better */
export function PinButton({ name }) {
  const [asks, setAsks] = useState(false);
  const [text, setText] = useState('');
  place.value;
  const { hash } = location;
  const isPinned = pinned.value.some((one) => one.hash === hash);
  return html`<button type="button" class="quiet" aria-label="Pin this view" title=${isPinned ? 'This view is pinned' : 'Pin this view'} aria-pressed=${isPinned}
      onClick=${() => (setText(name), setAsks(true))}><${Icon} name="pin" /></button>
    ${asks && html`<${Dialog} title="Pin this view" onClose=${() => setAsks(false)}>
      <form onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const named = text.trim() || name;
        setAsks(false);
        keepPinned([...pinned.value.filter((one) => one.hash !== hash), { name: named, hash }]);
        say(`Pinned: ${named}`);
      }}>
        <p>It keeps the search, the filters and the sort, in this browser.</p>
        <label class="block">Name<input autofocus dir="auto" maxlength="60" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label>
        <div class="actions"><button class="primary">Pin</button><button type="button" onClick=${() => setAsks(false)}>Cancel</button></div>
      </form>
    <//>`}`;
}
