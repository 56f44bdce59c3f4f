// A new record of another collection, made without leaving the form that refers to it.
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import { NEW } from './saving.js';
import { html } from '../vendor/preact-11.2.0.js';

/**
 * @param {{ model: import('./model.js').Model, collection: import('./model.js').Collection, onClose: () => void,
 *   onMade: (id: string) => void }} props
 */
export function NewInPlace({ model, collection, onClose, onMade }) {
  return html`<${Dialog} title=${`New in ${collection.label}`} onClose=${onClose} wide>
    <${Form} model=${model} collection=${collection} id="new" seen=${NEW} arrival=${null} onMade=${onMade} onLeave=${onClose} />
  <//>`;
}
