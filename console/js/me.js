// Who one is to the server, and what the key of this tab may do: asked once for each key.
import { key } from './access.js';
import { call } from './api.js';
import { html, signal } from '../vendor/preact-11.2.0.js';

/** @typedef {{ name: string, admin: boolean, scopes: string[], expires: string | null, may: Record<string, string[]> }} Me */

const ME_KEPT_AS = 'carnet-me';

/** What the server said of the key of this tab; null without one, and until it is known. @type {import('../vendor/preact-11.2.0.js').Signal<Me | null>} */
export const me = signal(/** @type {Me | null} */ (null));

/** After a reload nothing is offered for a moment that is gone the next. @returns {Me | null} */
function readMe() {
  try {
    return JSON.parse(sessionStorage.getItem(ME_KEPT_AS) ?? 'null');
  } catch {
    return null;
  }
}

/** Whether the key of this tab may write there, as far as is known. Without a key it is asked for when it is needed. @param {{ name: string }} collection */
export function mayWrite({ name }) {
  return me.value?.may[name]?.includes('write') ?? true;
}

/** Why nothing can be changed there. @param {{ collection: import('./model.js').Collection }} props */
export function ReadOnly({ collection }) {
  return me.value && !mayWrite(collection) && html`<p class="soft">Read only: the key <bdi>${me.value.name}</bdi> may not write here.</p>`;
}

let isFirst = true;
key.subscribe(async (now) => {
  me.value = isFirst && now ? readMe() : null;
  isFirst = false;
  if (!me.peek()) sessionStorage.removeItem(ME_KEPT_AS);
  if (!now) return;
  // A key that is none is told by what one came for.
  const answer = await call('GET', '_/me/', { asks: false }).catch(() => null);
  if (!answer?.ok || key.peek() !== now) return;
  me.value = answer.data;
  sessionStorage.setItem(ME_KEPT_AS, answer.text);
});
