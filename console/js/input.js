// The input of one field, by what the description of the server says of it; what was there before it was changed.
import { Value } from './cell.js';
import { Combobox } from './combobox.js';
import { formOf } from './faults.js';
import { html } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Field} Field */
/**
 * @typedef {object} InputProps
 * @property {import('./model.js').Model} model
 * @property {Field} field
 * @property {string | null | undefined} text undefined for a field that nobody has touched, of a new record
 * @property {string} error
 * @property {{ value: any } | null} was what is stored, of a field that was changed
 * @property {string} form the name of the form, `users/7`
 * @property {string} prefix of the ids of its inputs
 * @property {(text: string | null) => void} onType
 * @property {() => void} onUndo
 */

/** @param {InputProps} props */
export function FieldRow(props) {
  const { model, field, error, was, onUndo } = props;
  const id = `${props.prefix}${field.name}`;
  return html`<div class=${`field${error ? ' wrong' : ''}${was ? ' typed' : ''}`}>
    <label for=${id}><span class="name">${field.label}</span>${field.required && html` <span class="kind" aria-hidden="true" title="required">*</span>`}</label>
    <div class="input"><${Input} ...${props} id=${id} /></div>
    ${field.help && html`<p class="help" id=${`${id}-help`}>${field.help}</p>`}
    ${was && html`<p class="was">
      <span>was: <${Value} model=${model} field=${field} value=${was.value} /></span>
      <button type="button" class="quiet" aria-label=${`Take back ${field.label}`} onClick=${() => {
        // This button goes with the change.
        document.getElementById(id)?.focus();
        onUndo();
      }}>Take back</button>
    </p>`}
    ${error && html`<p class="error" id=${`${id}-error`} dir="auto">${error}</p>`}
  </div>`;
}

/** @param {InputProps & { id: string }} props */
function Input(props) {
  const { model, field, text, error, onType, id } = props;
  const described = [error && `${id}-error`, field.help && `${id}-help`].filter(Boolean).join(' ');
  const common = {
    id,
    name: field.name,
    'aria-invalid': error ? 'true' : undefined,
    'aria-describedby': described || undefined,
    'aria-required': field.required ? 'true' : undefined,
    placeholder: field.default === undefined || field.default === null ? undefined : String(field.default),
  };
  /** Emptied is no value, but for a text that there must be. @param {any} event */
  const onInput = ({ target: { value } }) => onType(value === '' && !(field.required && field.kind === 'string') ? null : value);
  const target = field.references && model.byName.get(field.references);
  if (target && target.lists) return html`<${Combobox} ...${props} target=${target} common=${common} />`;
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices?.map(String);
  if (choices) {
    const words = field.kind === 'boolean' ? ['Yes', 'No'] : choices;
    return html`<select ...${common} value=${text ?? ''} onChange=${onInput}>
      <option value="">${field.required ? 'Choose…' : 'No value'}</option>
      ${choices.map((choice, at) => html`<option key=${choice} value=${choice}>${words[at]}</option>`)}
    </select>`;
  }
  if (field.kind !== 'string') {
    return html`<input ...${common} inputmode=${field.kind === 'integer' ? 'numeric' : 'decimal'} autocomplete="off" value=${text ?? ''} onInput=${onInput} />`;
  }
  const type = { date: 'date', email: 'email', uri: 'url', phone: 'tel', 'date-time': 'text' }[formOf(field)];
  // A browser shows no date in its own input that is none: then it is text, as it was typed.
  if (type && !(type === 'date' && text && !/^\d{4}-\d\d-\d\d$/.test(text))) {
    return html`<input ...${common} type=${type} autocomplete="off" spellcheck=${false} value=${text ?? ''} onInput=${onInput} />
      ${field.format === 'date-time' && html`<button type="button" onClick=${() => onType(`${new Date().toISOString().slice(0, 19)}Z`)}>Now</button>`}`;
  }
  return html`<textarea ...${common} rows="1" dir="auto" spellcheck=${false} value=${text ?? ''} onInput=${onInput}></textarea>`;
}
