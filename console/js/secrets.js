// Secrets of new access keys, which nobody can show again: in front of everything until somebody has said that they have them.
import { visit } from './access.js';
import { copy } from './copy.js';
import { Dialog } from './dialog.js';
import { html, signal } from '../vendor/preact-11.2.0.js';

/** @typedef {{ title: string, secret: string, remark: string }} Made */

/** In memory alone, oldest first. @type {import('../vendor/preact-11.2.0.js').Signal<Made[]>} */
const made = signal(/** @type {Made[]} */ ([]));
// They go with the key of whoever made them.
visit.subscribe(() => (made.value = []));
addEventListener('beforeunload', (event) => {
  if (made.peek().length > 0) event.preventDefault();
});

/** @param {Made} one */
export function showSecret(one) {
  made.value = [...made.peek(), one];
}

export function Secrets() {
  const one = made.value[0];
  // Neither Esc nor a click beside it takes away what cannot be had again.
  return one && html`<${Dialog} key=${one.secret} title=${one.title} onClose=${() => {}}>
    <p>Copy it now: it is shown this once, and kept nowhere.</p>
    <p><code class="key" id="secret">${one.secret}</code></p>
    ${one.remark && html`<p>${one.remark}</p>`}
    <div class="actions">
      <button type="button" class="primary" autofocus onClick=${() => copy(one.secret, document.getElementById('secret'))}>Copy</button>
      <button type="button" onClick=${() => (made.value = made.peek().filter((other) => other !== one))}>I have it</button>
    </div>
  <//>`;
}
