// The form of a new access key: what it is called, what it may, until when. It may read, for 90 days, unless one says more.
import { html, useRef, useState } from '../vendor/preact-11.2.0.js';

/** How long a key may be good, as the server writes it. */
const ENDS = [
  ['1d', 'in a day'],
  ['7d', 'in a week'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
];
const RIGHTS = [
  ['read', 'Read everything'],
  ['all', 'Read and write everything'],
  ['some', 'Only what I choose'],
];
const FIRST = { name: '', right: 'read', scopes: /** @type {string[]} */ ([]), expires: '90d', isAdmin: false };

/**
 * @typedef {{ name: string | null, scopes: string[] | null, expires: string | null, admin: boolean }} Wish
 * @param {{ collections: import('./model.js').Collection[], onMake: (wish: Wish) => Promise<boolean> }} props
 */
export function NewKey({ collections, onMake }) {
  const [form, setForm] = useState(FIRST);
  const [hasNone, setNone] = useState(false);
  const latest = useRef(form);
  latest.current = form;
  const { name, right, scopes, expires, isAdmin } = form;
  /** @param {Partial<typeof FIRST>} change */
  const set = (change) => setForm((before) => ({ ...before, ...change }));

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const isEmpty = right === 'some' && scopes.length === 0;
    setNone(isEmpty);
    if (isEmpty) return;
    const wanted = { read: ['*:read'], all: null, some: scopes }[right] ?? null;
    const made = await onMake({ name: name.trim() || null, scopes: wanted, expires: expires || null, admin: isAdmin });
    // What was typed for the next key meanwhile stays.
    if (made && latest.current === form) setForm(FIRST);
  };
  /** @param {string} scope @param {string} words @param {string} of */
  const chip = (scope, words, of) => html`<label class="chip"><input type="checkbox" aria-label=${`${words} ${of}`} checked=${scopes.includes(scope)}
    onChange=${(/** @type {any} */ event) => set({ scopes: event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope) })} /> ${words}</label>`;

  return html`<form class="new-key" onSubmit=${submit}>
    <h2>A new key</h2>
    <div class="search">
      <label class="grow">Name <input value=${name} autocomplete="off" aria-label="Name of a new key" onInput=${(/** @type {any} */ event) => set({ name: event.target.value })} /></label>
      <label>Ends <select value=${expires} onChange=${(/** @type {any} */ event) => set({ expires: event.target.value })}>
        ${ENDS.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
      </select></label>
    </div>
    <fieldset class="rights"><legend>What it may do</legend>
      ${RIGHTS.map(([value, words]) => html`<label class="check"><input type="radio" name="right" value=${value} checked=${right === value} onChange=${() => set({ right: value })} /> ${words}</label>`)}
      ${right === 'some' && html`<div class="scopes">${collections.map((one) => html`<div key=${one.name} role="group" aria-label=${one.label}>
        <span class="of">${one.label}</span>${chip(`${one.name}:read`, 'Read', one.label)}${chip(`${one.name}:write`, 'Write', one.label)}</div>`)}</div>`}
      <label class="check"><input type="checkbox" checked=${isAdmin} onChange=${(/** @type {any} */ event) => set({ isAdmin: event.target.checked })} /> Manage keys, too</label>
    </fieldset>
    ${hasNone && html`<p role="alert" class="error">Choose at least one, or let it read everything.</p>`}
    <div class="actions"><button class="primary">Make a key</button></div>
  </form>`;
}
