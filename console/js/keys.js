// Access keys: asked for, listed, made and revoked.
import { asking, forgetKey, keepKey, key } from './access.js';
import { call } from './api.js';
import { forgetWords } from './words.js';
import { Alert, Dialog, say } from './dialog.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

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
  return key.value && html`<button type="button" onClick=${() => {
    forgetWords();
    forgetKey();
    say('The key is forgotten.');
  }}>Forget the key</button>`;
}

export function KeysPage() {
  const [keys, setKeys] = useState(/** @type {any[] | null} */ (null));
  const [refusal, setRefusal] = useState('');
  const [error, setError] = useState('');
  const [name, setName] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [made, setMade] = useState('');
  const [doomed, setDoomed] = useState('');

  /** @param {() => Promise<void>} act */
  const attempt = (act) => act().catch((problem) => setError(problem.message));
  const load = () => attempt(async () => {
    const answer = await call('GET', '_/keys/', { asks: false });
    setRefusal(answer.ok ? '' : answer.error);
    setKeys(answer.ok ? answer.data.keys : null);
  });
  useEffect(() => void load(), [key.value]);
  const create = () => attempt(async () => {
    const answer = await call('POST', '_/keys/', { body: JSON.stringify({ name: name.trim() || null, admin: isAdmin }), asks: false });
    setError(answer.error);
    if (!answer.ok) return;
    setMade(answer.data.key);
    setName('');
    setAdmin(false);
    await load();
  });
  const revoke = () => attempt(async () => {
    const answer = await call('DELETE', `_/keys/${encodeURIComponent(doomed)}/`, { asks: false });
    setDoomed('');
    setError(answer.error);
    if (answer.ok) say(`Revoked: ${doomed}`);
    await load();
  });

  return html`
    <header class="head"><h1 tabindex="-1">Access keys</h1></header>
    ${error && html`<${Alert}>${error}<//>`}
    ${made && html`<section class="made" aria-labelledby="made-title">
      <h2 id="made-title">The new key, shown this once</h2>
      <p><code class="key">${made}</code></p>
      <div class="actions">
        <button type="button" onClick=${() => navigator.clipboard.writeText(made).then(() => say('Copied.'), () => say('Copy it by hand, please.'))}>Copy</button>
        <button type="button" onClick=${() => setMade('')}>I have it</button>
      </div>
    </section>`}
    ${refusal && html`<p>Keys are managed here by those whose own key may: one that was made with</p>
      <pre><code>carnet keys create --admin</code></pre>
      <p>on the machine of the server. <button type="button" onClick=${() => (asking.value = { wasRefused: false, answer: () => (asking.value = null) })}>I have such a key</button></p>
      <p class="none" dir="auto">The server said: ${refusal}</p>`}
    ${keys && html`
      <form class="search" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), create())}>
        <label class="grow">Name of a new key <input value=${name} autocomplete="off" onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label>
        <label class="check"><input type="checkbox" checked=${isAdmin} onChange=${(/** @type {any} */ event) => setAdmin(event.target.checked)} /> may manage keys</label>
        <button class="primary">Make a key</button>
      </form>
      <div class="table"><table>
        <thead><tr><th scope="col">name</th><th scope="col">begins with</th><th scope="col">created</th><th scope="col">may</th><td></td></tr></thead>
        <tbody>${keys.map((one) => html`<tr key=${one.name}>
          <th scope="row" dir="auto">${one.name}</th><td>${one.prefix ?? ''}</td><td>${one.created ?? ''}</td>
          <td>${one.admin ? 'manage keys' : 'call the API'}</td>
          <td><button type="button" class="danger" aria-label=${`Revoke ${one.name}`} onClick=${() => setDoomed(one.name)}>Revoke…</button></td>
        </tr>`)}</tbody>
      </table></div>`}
    ${doomed && html`<${Dialog} title=${`Revoke “${doomed}”?`} onClose=${() => setDoomed('')}>
      <p>Whoever uses this key is refused from now on.</p>
      <div class="actions"><button type="button" autofocus onClick=${() => setDoomed('')}>Keep it</button>
        <button type="button" class="danger" onClick=${revoke}>Revoke</button></div>
    <//>`}
  `;
}
