// Light or dark: the system's wish, or the person's.
import { html, signal } from '../vendor/preact-11.2.0.js';

const CHOICES = ['system', 'light', 'dark'];
const theme = signal(localStorage.getItem('carnet-theme') ?? 'system');
theme.subscribe((choice) => (document.documentElement.dataset.theme = choice));

export function ThemeSwitch() {
  return html`<label class="theme">Theme
    <select value=${theme.value} onChange=${(/** @type {any} */ event) => {
      theme.value = event.target.value;
      localStorage.setItem('carnet-theme', theme.value);
    }}>${CHOICES.map((choice) => html`<option value=${choice}>${choice}</option>`)}</select>
  </label>`;
}
