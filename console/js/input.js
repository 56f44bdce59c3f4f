// The input of one field, by its type.
import { Reference } from './cell.js';
import { Picker } from './picker.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */
/**
 * @typedef {object} InputProps
 * @property {import('./model.js').Model} model
 * @property {Field} field
 * @property {string | null | undefined} text undefined for a field that nobody has touched, of a new record
 * @property {string} error
 * @property {boolean} isUnsaved
 * @property {(text: string | null) => void} onType
 */

/** @param {InputProps} props */
export function FieldRow(props) {
  const { field, error, isUnsaved } = props;
  const target = field.references && props.model.byName.get(field.references);
  const name = `field-${field.name}`;
  return html`<div class=${`field${error ? ' wrong' : ''}${isUnsaved ? ' typed' : ''}`}>
    <label for=${name}>
      <span class="name">${field.name}${isUnsaved && html` <span class="mark">not saved</span>`}</span>
      <span class="kind">${target ? `one of ${target.name}` : field.kind}${field.required ? ', required' : ''}</span>
    </label>
    <div class="input"><${Input} ...${props} name=${name} target=${target || null} /></div>
    ${error && html`<p class="error" id=${`${name}-error`} dir="auto">${error}</p>`}
  </div>`;
}

/** @param {InputProps & { name: string, target: import('./model.js').Collection | null }} props */
function Input(props) {
  const { field, text, error, onType, name, target } = props;
  const common = {
    id: name,
    name: field.name,
    'aria-invalid': error ? 'true' : undefined,
    'aria-describedby': error ? `${name}-error` : undefined,
    'aria-required': field.required ? 'true' : undefined,
  };
  if (target?.lists) return html`<${ReferenceInput} ...${props} common=${common} />`;
  if (field.kind === 'boolean') {
    return html`<select ...${common} value=${text ?? ''}
      onChange=${(/** @type {any} */ event) => onType(event.target.value || null)}>
      <option value="">${field.required ? 'choose' : 'no value'}</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>`;
  }
  if (field.kind !== 'string') {
    return html`<input ...${common} inputmode=${field.kind === 'integer' ? 'numeric' : 'decimal'} autocomplete="off"
      placeholder=${field.required ? '' : 'no value'} value=${text ?? ''}
      onInput=${(/** @type {any} */ event) => onType(event.target.value === '' ? null : event.target.value)} />`;
  }
  return html`<textarea ...${common} rows="1" dir="auto" spellcheck=${false}
      placeholder=${field.required || text === '' ? '' : 'no value'} value=${text ?? ''}
      onInput=${(/** @type {any} */ event) => onType(event.target.value)}></textarea>
    ${!field.required && html`<button type="button" class="none-only" aria-pressed=${text === null || text === undefined}
      aria-label=${`No value for ${field.name}`} title=${`No value for ${field.name}`} onClick=${() => onType(null)}>∅</button>`}`;
}

/** @param {any} props */
function ReferenceInput({ field, text, onType, target, common }) {
  const [isOpen, setOpen] = useState(false);
  return html`<span class="picked">
    ${text ? html`<${Reference} target=${target} id=${text} />` : html`<span class="none">no value</span>`}
  </span>
  <button type="button" ...${common} aria-haspopup="dialog" aria-required=${undefined}
    aria-label=${`Choose ${field.name} from ${target.name}`} onClick=${() => setOpen(true)}>Choose…</button>
  ${text && !field.required && html`<button type="button" class="none-only" aria-label=${`No value for ${field.name}`}
    title=${`No value for ${field.name}`} onClick=${() => {
      // This button goes with the value.
      document.getElementById(common.id)?.focus();
      onType(null);
    }}>∅</button>`}
  ${isOpen && html`<${Picker} target=${target} optional=${!field.required}
    onClose=${() => setOpen(false)}
    onPick=${(/** @type {string | null} */ id) => {
      setOpen(false);
      onType(id);
    }} />`}`;
}
