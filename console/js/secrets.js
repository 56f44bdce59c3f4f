// Secrets of new access keys, which nobody can show again: they stay until somebody has said that they have them.
import { visit } from './access.js';
import { copy } from './copy.js';
import { toHeading } from './dialog.js';
import { html, signal } from '../vendor/preact-11.2.0.js';

/** @typedef {{ title: string, secret: string, remark: string }} Made */

/** In memory alone, newest first. @type {import('../vendor/preact-11.2.0.js').Signal<Made[]>} */
const made = signal(/** @type {Made[]} */ ([]));
// They go with the key of whoever made them.
visit.subscribe(() => (made.value = []));
addEventListener('beforeunload', (event) => {
  if (made.peek().length > 0) event.preventDefault();
});

/** @param {Made} one */
export function showSecret(one) {
  made.value = [one, ...made.peek()];
}

export function Secrets() {
  return made.value.map((one) => html`<section key=${one.secret} class="made" aria-label=${one.title}>
    <h2 dir="auto">${one.title}</h2>
    <p><code class="key" id=${`secret-${one.secret}`}>${one.secret}</code></p>
    ${one.remark && html`<p>${one.remark}</p>`}
    <div class="actions">
      <button type="button" onClick=${() => copy(one.secret, document.getElementById(`secret-${one.secret}`))}>Copy</button>
      <button type="button" onClick=${() => {
        made.value = made.peek().filter((other) => other !== one);
        toHeading();
      }}>I have it</button>
    </div>
  </section>`);
}
