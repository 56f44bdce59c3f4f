// Moments as people say them: 3 hours ago, in 90 days.
import { html } from '../vendor/preact-11.2.0.js';

const STEPS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3600], ['minute', 60]]);
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** @param {number} moment in milliseconds */
export function when(moment) {
  const seconds = (moment - Date.now()) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 0];
  return size === 0 ? (seconds > 0 ? 'in a moment' : 'just now') : relative.format(Math.round(seconds / size), unit);
}

/** A moment that the server tells, exact when one points at it. @param {{ text: string }} props */
export function When({ text }) {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? text : html`<time datetime=${text} title=${text}>${when(moment)}</time>`;
}
