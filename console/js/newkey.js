// The form of a new access key: what it is called, what it may, until when.
import { html, useRef, useState } from '../vendor/preact-11.2.0.js';

/** How long a key may be good, as the server writes it. */
const ENDS = [
  ['', 'never'],
  ['1d', 'in a day'],
  ['7d', 'in a week'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
];

/**
 * @typedef {{ name: string | null, scopes: string[] | null, expires: string | null, admin: boolean }} Wish
 * @param {{ collections: string[], onMake: (wish: Wish) => Promise<boolean> }} props
 */
export function NewKey({ collections, onMake }) {
  const [name, setName] = useState('');
  const [isNarrow, setNarrow] = useState(false);
  const [scopes, setScopes] = useState(/** @type {string[]} */ ([]));
  const [expires, setExpires] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [hasNone, setNone] = useState(false);
  const latest = useRef('');
  latest.current = JSON.stringify([name, isNarrow, scopes, expires, isAdmin]);

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setNone(isNarrow && scopes.length === 0);
    if (isNarrow && scopes.length === 0) return;
    const sent = latest.current;
    const made = await onMake({ name: name.trim() || null, scopes: isNarrow ? scopes : null, expires: expires || null, admin: isAdmin });
    // What was typed for the next key meanwhile stays.
    if (!made || latest.current !== sent) return;
    setName('');
    setNarrow(false);
    setScopes([]);
    setExpires('');
    setAdmin(false);
  };
  /** @param {string} scope */
  const tick = (scope) => html`<input type="checkbox" aria-label=${scope} checked=${scopes.includes(scope)}
    onChange=${(/** @type {any} */ event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))} />`;

  return html`<form onSubmit=${submit}>
    <div class="search">
      <label class="grow">Name of a new key <input value=${name} autocomplete="off" onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label>
      <label>Ends <select value=${expires} onChange=${(/** @type {any} */ event) => setExpires(event.target.value)}>
        ${ENDS.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
      </select></label>
      <label class="check"><input type="checkbox" checked=${isNarrow} onChange=${(/** @type {any} */ event) => setNarrow(event.target.checked)} /> only some collections</label>
      <label class="check"><input type="checkbox" checked=${isAdmin} onChange=${(/** @type {any} */ event) => setAdmin(event.target.checked)} /> may manage keys</label>
      <button class="primary">Make a key</button>
    </div>
    ${isNarrow && html`<div class="table scopes"><table>
      <caption>What the new key may do</caption>
      <thead><tr><th scope="col">collection</th><th scope="col">read</th><th scope="col">write</th></tr></thead>
      <tbody>${['*', ...collections].map((one) => html`<tr key=${one}>
        <th scope="row">${one === '*' ? 'all, also later ones' : one}</th><td>${tick(`${one}:read`)}</td><td>${tick(`${one}:write`)}</td>
      </tr>`)}</tbody>
    </table></div>`}
    ${hasNone && html`<p role="alert" class="error">Tick at least one, or let it do everything.</p>`}
  </form>`;
}
