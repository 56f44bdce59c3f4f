// Somebody else has changed the record meanwhile: both versions, and a choice.
import { Value } from './cell.js';
import { writeJson } from './exact.js';
import { html } from '../vendor/preact-11.2.0.js';

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection,
 *   before: any, now: any, changes: Record<string, any>,
 *   onMine: () => void, onTheirs: () => void, onEdit: () => void }} props
 */
export function Conflict({ model, collection, before, now, changes, onMine, onTheirs, onEdit }) {
  const mine = { ...now, ...changes };
  const isSame = (/** @type {any} */ one, /** @type {any} */ other) => writeJson(one ?? null) === writeJson(other ?? null);
  const isMarked = (/** @type {any} */ version, /** @type {string} */ name) =>
    version === mine ? name in changes : version === now && !isSame(now[name], before[name]);
  const rows = collection.fields.filter(
    ({ name }) => !isSame(mine[name], now[name]) || !isSame(before[name], now[name]),
  );
  return html`<section class="conflict" role="alert" aria-labelledby="conflict-title">
    <h2 id="conflict-title">Somebody else has changed this record</h2>
    <p>Nothing was overwritten. This is what differs:</p>
    <div class="table"><table>
      <thead><tr><th scope="col">field</th><th scope="col">yours</th><th scope="col">stored now</th><th scope="col">when you opened it</th></tr></thead>
      <tbody>${rows.map((field) => html`<tr key=${field.name}>
        <th scope="row">${field.name}</th>
        ${[mine, now, before].map((version) => html`<td class=${isMarked(version, field.name) ? 'changed' : ''}>
          ${version === mine && !(field.name in changes)
            ? html`<span class="none">left as it is stored</span>`
            : html`<${Value} model=${model} field=${field} value=${version[field.name]} />`}
        </td>`)}
      </tr>`)}</tbody>
    </table></div>
    <div class="actions">
      <button type="button" onClick=${onEdit}>Go on editing mine</button>
      <button type="button" onClick=${onTheirs}>Take what is stored</button>
      <button type="button" class="danger" onClick=${onMine}>Save mine over it</button>
    </div>
  </section>`;
}
