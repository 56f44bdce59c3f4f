// The access key of the person at this tab: asked for, and forgotten.
import { asking, forgetKey, keepKey, key } from './access.js';
import { forgetWords } from './words.js';
import { Dialog, say } from './dialog.js';
import { unsaved } from './drafts.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

export function AskForKey() {
  const question = asking.value;
  const [text, setText] = useState('');
  if (!question) return null;
  return html`<${Dialog} title="An access key, please" onClose=${() => question.answer(false)}>
    <form onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (!text.trim()) return;
      keepKey(text.trim());
      setText('');
      question.answer(true);
    }}>
      <p>${question.wasRefused ? 'The server does not accept the key of this tab for that.' : 'The server answers this only to those who have a key.'}
        ${' '}It is kept in this tab alone. <code>carnet keys create</code> makes one.</p>
      <label class="block">Access key
        <input type="password" autocomplete="off" autofocus value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} />
      </label>
      <div class="actions"><button class="primary">Use it</button><button type="button" onClick=${() => question.answer(false)}>Cancel</button></div>
    </form>
  <//>`;
}

export function ForgetKey() {
  const [isAsked, setAsked] = useState(false);
  const forget = () => {
    setAsked(false);
    forgetWords();
    forgetKey();
    say('The key is forgotten.');
  };
  const count = unsaved.value.length;
  return key.value && html`<button type="button" onClick=${() => (count > 0 ? setAsked(true) : forget())}>Forget the key</button>
    ${isAsked && html`<${Dialog} title="Forget the key, and what you typed?" onClose=${() => setAsked(false)}>
      <p>${count === 1 ? 'One record is' : `${count} records are`} not saved. What you typed there belongs to this key, and goes with it.</p>
      <div class="actions"><button type="button" autofocus onClick=${() => setAsked(false)}>Keep both</button>
        <button type="button" class="danger" onClick=${forget}>Forget both</button></div>
    <//>`}`;
}
