// Picking a record of another collection: by an exact value of one of its fields, or page by page.
import { call, query } from './api.js';
import { idOf } from './model.js';
import { wordsOf } from './words.js';
import { Alert, Dialog } from './dialog.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-11.2.0.js';

/**
 * @param {{ target: import('./model.js').Collection, optional: boolean,
 *   onPick: (id: string | null) => void, onClose: () => void }} props
 */
export function Picker({ target, optional, onPick, onClose }) {
  const searchable = [...target.fields.map((field) => field.name), 'id'];
  const [field, setField] = useState(() => target.fields.find((one) => one.kind === 'string')?.name ?? searchable[0]);
  const [value, setValue] = useState('');
  const [search, setSearch] = useState(/** @type {[string, string][]} */ ([]));
  const [offset, setOffset] = useState(0);
  const [found, setFound] = useState(/** @type {{ records: any[], total: number } | null} */ (null));
  const [error, setError] = useState('');
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const size = target.pages?.size ?? Infinity;

  useEffect(() => {
    const abort = new AbortController();
    const pairs = [...search];
    if (target.pages && offset) pairs.push([target.pages.offset, String(offset)]);
    call('GET', `${target.name}/${query(pairs)}`, { signal: abort.signal }).then(
      (answer) => {
        setError(answer.error);
        if (!answer.ok) return setFound(null);
        const records = answer.data.object_list;
        setFound({ records, total: Number(answer.data.meta?.total_count ?? records.length) });
      },
      (problem) => {
        if (abort.signal.aborted) return;
        setError(problem.message);
        setFound(null);
      },
    );
    return () => abort.abort();
  }, [search, offset]);

  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    event.stopPropagation();
    setOffset(0);
    setSearch(value === '' ? [] : [[field, value]]);
  };
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    if (!step || buttons.length === 0 || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    buttons[Math.min(Math.max(at + step, 0), buttons.length - 1)].focus();
  };

  return html`<${Dialog} title=${`Choose from ${target.name}`} onClose=${onClose} wide>
    <div class="picker" onKeyDown=${move}>
      <form class="search" onSubmit=${submit}>
        <label>Field
          <select value=${field} onChange=${(/** @type {any} */ event) => setField(event.target.value)}>
            ${searchable.map((name) => html`<option value=${name}>${name}</option>`)}
          </select>
        </label>
        <label class="grow">Exact value
          <input autofocus dir="auto" value=${value} onInput=${(/** @type {any} */ event) => setValue(event.target.value)} />
        </label>
        <button>Search</button>
      </form>
      ${error && html`<${Alert}>${error}<//>`}
      ${found && found.records.length === 0 && html`<p class="empty">No record of ${target.name} matches.</p>`}
      <ul ref=${list} class="choices" aria-label=${`Records of ${target.name}`} aria-busy=${!found && !error}>
        ${found?.records.slice(0, 200).map((record) => {
          const id = idOf(record);
          return html`<li key=${id}><button type="button" onClick=${() => onPick(id)}>
            <span class="text" dir="auto">${wordsOf(target, record)}</span> <span class="id">${id}</span>
          </button></li>`;
        })}
      </ul>
      <div class="actions">
        <button type="button" disabled=${offset === 0} onClick=${() => setOffset(Math.max(0, offset - size))}>Previous</button>
        <button type="button" disabled=${!found || offset + size >= found.total} onClick=${() => setOffset(offset + size)}>Next</button>
        <span class="count">${found && `${found.total.toLocaleString('en')} in all`}</span>
        <span class="grow"></span>
        ${optional && html`<button type="button" onClick=${() => onPick(null)}>No value</button>`}
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </div>
  <//>`;
}
