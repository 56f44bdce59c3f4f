// How the console looks: light or dark, wide or dense, with technical names or without. Kept in this browser.
import { Dialog } from './dialog.js';
import { html, signal } from '../vendor/preact-11.2.0.js';

/** @param {string} name @param {string[]} choices the first is what nobody has chosen */
function preference(name, choices) {
  const kept = localStorage.getItem(`carnet-${name}`);
  const chosen = signal(kept && choices.includes(kept) ? kept : choices[0]);
  chosen.subscribe((choice) => (document.documentElement.dataset[name] = choice));
  const choose = (/** @type {string} */ choice) => {
    chosen.value = choice;
    localStorage.setItem(`carnet-${name}`, choice);
  };
  return { chosen, choices, choose };
}

const theme = preference('theme', ['system', 'light', 'dark']);
const density = preference('density', ['comfortable', 'compact']);
const names = preference('names', ['for people', 'technical']);

/** Whether names are shown as the API has them, and ids with them: for those who build with it. */
export const isTechnical = {
  get value() {
    return names.chosen.value === 'technical';
  },
};

/** What a field or a collection is called here. @param {{ name: string, label: string }} named */
export function called({ name, label }) {
  return isTechnical.value ? name : label;
}

/** Whether the choices are asked for. */
export const asksDisplay = signal(false);

export function Display() {
  const rows = [{ label: 'Theme', ...theme }, { label: 'Density', ...density }, { label: 'Names', ...names }];
  return html`<${Dialog} title="Display" onClose=${() => (asksDisplay.value = false)}>
    <div class="display">${rows.map(({ label, chosen, choices, choose }) => html`<label key=${label}>${label}
      <select value=${chosen.value} onChange=${(/** @type {any} */ event) => choose(event.target.value)}>
        ${choices.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}</select>
    </label>`)}</div>
    <div class="actions"><button type="button" class="primary" onClick=${() => (asksDisplay.value = false)}>Done</button></div>
  <//>`;
}
