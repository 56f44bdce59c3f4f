// Access keys, for those who may manage them: listed, made, rotated and revoked.
import { asking, key, visit } from './access.js';
import { call } from './api.js';
import { Alert, Dialog, say } from './dialog.js';
import { me } from './me.js';
import { NewKey } from './newkey.js';
import { isOver, rightsOf } from './rights.js';
import { showSecret } from './secrets.js';
import { When } from './when.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** How long a secret may stay good beside a new one, as the server writes it. */
const GRACES = [
  ['7d', 'for a week'],
  ['1d', 'for a day'],
  ['1h', 'for an hour'],
  ['0s', 'not at all'],
];

/** @param {{ collections: import('./model.js').Collection[] }} props */
export function KeysPage({ collections }) {
  const [keys, setKeys] = useState(/** @type {any[] | null} */ (null));
  const [refusal, setRefusal] = useState('');
  const [error, setError] = useState('');
  const [doomed, setDoomed] = useState('');
  const [worn, setWorn] = useState('');
  const [grace, setGrace] = useState('7d');

  /** @param {() => Promise<void>} act */
  const attempt = (act) => act().catch((problem) => setError(problem.message));
  const load = () => attempt(async () => {
    const answer = await call('GET', '_/keys/', { asks: false });
    setRefusal(answer.ok ? '' : answer.error);
    setKeys(answer.ok ? answer.data.keys : null);
  });
  useEffect(() => void load(), [key.value]);
  /** @param {import('./newkey.js').Wish} wish */
  const create = async (wish) => {
    let isMade = false;
    const from = visit.peek();
    await attempt(async () => {
      const answer = await call('POST', '_/keys/', { body: JSON.stringify(wish), asks: false });
      setError(answer.error);
      if (!answer.ok) return;
      isMade = true;
      if (visit.peek() !== from) return;
      const called = answer.data.name ?? wish.name;
      showSecret({ title: `The new key${called ? ` ${called}` : ''}`, secret: answer.data.key, remark: '' });
      await load();
    });
    return isMade;
  };
  const rotate = () => attempt(async () => {
    const from = visit.peek();
    const answer = await call('POST', `_/keys/${encodeURIComponent(worn)}/rotate/`, { body: JSON.stringify({ grace }), asks: false });
    setWorn('');
    setError(answer.error);
    if (answer.ok && visit.peek() === from) {
      const until = answer.data.previous_until;
      const remark = until ? `The secret before is good until ${new Date(until).toLocaleString()}.` : 'The secret before is good no more.';
      showSecret({ title: `The new secret of ${worn}`, secret: answer.data.key, remark });
    }
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
    ${refusal && html`<p>Keys are managed here by those whose own key may: one that was made with</p>
      <pre><code>carnet keys create --admin</code></pre>
      <p>on the machine of the server. <button type="button" onClick=${() => (asking.value = { wasRefused: false, answer: () => (asking.value = null) })}>I have such a key</button></p>
      <p class="none" dir="auto">The server said: ${refusal}</p>`}
    ${keys && html`
      <div class="table keys"><table>
        <thead><tr>${['Name', 'May', 'Ends', 'Last used', 'Made'].map((head) => html`<th scope="col">${head}</th>`)}<td></td></tr></thead>
        <tbody>${keys.map((one) => html`<tr key=${one.name}>
          <th scope="row" dir="auto">${one.name}${one.name === me.value?.name && html` <span class="chip you">you</span>`}</th>
          <td>${rightsOf(one.scopes ?? ['*'], one.admin, collections).map((right) => html`<span class="chip">${right}</span> `)}
            ${one.previous_until && html`<br /><span class="none">being rotated: the secret before ends <${When} text=${one.previous_until} /></span>`}</td>
          <td>${one.expires ? html`${isOver(one.expires) && 'over, '}<${When} text=${one.expires} />` : 'never'}</td>
          <td>${one.last_used ? html`<${When} text=${one.last_used} />` : 'never'}</td>
          <td>${one.created && html`<${When} text=${one.created} />`}</td>
          <td class="actions"><button type="button" aria-label=${`Rotate ${one.name}`} onClick=${() => setWorn(one.name)}>Rotate…</button>
            <button type="button" class="danger" aria-label=${`Revoke ${one.name}`} onClick=${() => setDoomed(one.name)}>Revoke…</button></td>
        </tr>`)}</tbody>
      </table></div>
      <${NewKey} collections=${collections} onMake=${create} />`}
    ${worn && html`<${Dialog} title=${html`A new secret for “<bdi>${worn}</bdi>”?`} onClose=${() => setWorn('')}>
      <p>The key keeps its name and all it may. Whoever uses it needs the new secret, once the one before is good no more.</p>
      <label class="block">The secret before stays good
        <select value=${grace} onChange=${(/** @type {any} */ event) => setGrace(event.target.value)}>
          ${GRACES.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
        </select>
      </label>
      <div class="actions"><button type="button" autofocus onClick=${() => setWorn('')}>Leave it</button>
        <button type="button" class="primary" onClick=${rotate}>Rotate</button></div>
    <//>`}
    ${doomed && html`<${Dialog} title=${html`Revoke “<bdi>${doomed}</bdi>”?`} onClose=${() => setDoomed('')}>
      <p>Whoever uses this key is refused from now on.${doomed === me.value?.name && ' It is your own.'}</p>
      <div class="actions"><button type="button" autofocus onClick=${() => setDoomed('')}>Keep it</button>
        <button type="button" class="danger" onClick=${revoke}>Revoke</button></div>
    <//>`}
  `;
}
