// Signs that need no words: drawn in the colour of the text, for eyes alone.
import { html } from '../vendor/preact-11.2.0.js';

/** What is drawn, on a field of 16 by 16. */
const SHAPES = {
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8m0-8-8 8',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  left: 'M10 3 5 8l5 5',
  right: 'm6 3 5 5-5 5',
  first: 'm12 3-5 5 5 5M4 3v10',
  last: 'm4 3 5 5-5 5m8-10v10',
  save: 'M8 2v8M4.5 6.5 8 10l3.5-3.5M2.5 11v2.5h11V11',
  take: 'M8 10V2M4.5 5.5 8 2l3.5 3.5M2.5 11v2.5h11V11',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  columns: 'M2.5 3h11v10h-11zm3.7 0v10m3.6-10v10',
  filter: 'M2 4h12M4 8h8m-5.5 4h3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  pin: 'M5.5 2h5l-.7 5L12 9.2H4L6.2 7zM8 9.2V14',
  trash: 'M3 4.5h10M6 4.5v-2h4v2m-5.5 0 .5 9h6l.5-9',
  pen: 'm3 13 .7-3L11 2.7 13.3 5 6 12.3zm6.5-8.8 2.3 2.3',
  link: 'm6.5 9.5 3-3M7 4.7 8.6 3a2.8 2.8 0 0 1 4.2 4L11.3 8.6M9 11.3 7.4 13a2.8 2.8 0 0 1-4.2-4l1.5-1.6',
  display: 'M3 5h5m4 0h1M3 11h1m4 0h5M10 3.2v3.6M6 9.2v3.6',
  key: 'M5.5 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm1.8-4.3L13 3m-2.5 2.5L12.5 7',
  code: 'm5.5 4-4 4 4 4m5-8 4 4-4 4',
  help: 'M6 6a2 2 0 1 1 2.8 1.8C8.2 8.1 8 8.6 8 9.4M8 12v.2',
  list: 'M2.5 4h1M6 4h7.5m-11 4h1M6 8h7.5m-11 4h1M6 12h7.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.7V8l2.2 1.6',
};

/** @param {{ name: keyof typeof SHAPES }} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d=${SHAPES[name]} /></svg>`;
}
