// Filters as chips: a field, how it is compared, and with what.
import { Combobox, SOUGHT } from './combobox.js';
import { Icon } from './icons.js';
import { ID } from './model.js';
import { operatorsOf, parameterOf, readFilter } from './operators.js';
import { Pop } from './pop.js';
import { Suggestions } from './suggest.js';
import { wordsFor } from './words.js';
import { html, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Collection} Collection */
/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {[string, string][]} Pairs */

/**
 * @param {{ model: Model, collection: Collection, filters: Pairs, wrong: string[],
 *   onFilter: (filters: Pairs) => void }} props `wrong` are the parameters that the server does not take
 */
export function Filters({ model, collection, filters, wrong, onFilter }) {
  /** The parameter that is edited; '' for a new one, null for none. */
  const [edited, setEdited] = useState(/** @type {string | null} */ (null));
  const names = [...new Set(filters.map(([name]) => name))];
  const close = () => setEdited(null);
  const valuesOf = (/** @type {string} */ name) => filters.filter(([other]) => other === name).map(([, value]) => value);
  /** @param {string} name @param {Pairs} instead */
  const replace = (name, instead) => {
    const others = filters.filter(([other]) => other !== name && other !== instead[0]?.[0]);
    close();
    onFilter([...others, ...instead]);
  };
  return html`<div class="chips" role="group" aria-label="Filters">
    ${names.map((name) => html`<span class="chip-place" key=${name}>
      <${Chip}
        ...${{ model, collection, name, values: valuesOf(name), isWrong: wrong.includes(name) }}
        onEdit=${() => setEdited(edited === name ? null : name)}
        onRemove=${() => {
          // This button goes with its filter.
          document.getElementById('add-filter')?.focus();
          replace(name, []);
        }}
      />
      ${edited === name && html`<${Editor} ...${{ model, collection, name, values: valuesOf(name) }} onClose=${close}
        onApply=${(/** @type {Pairs} */ pairs) => replace(name, pairs)} />`}
    </span>`)}
    <span class="chip-place" key="">
      <button id="add-filter" type="button" class="chip add" aria-expanded=${edited === ''} onClick=${() => setEdited(edited === '' ? null : '')}>
        <${Icon} name="filter" /> Filter</button>
      ${edited === '' && html`<${Editor} ...${{ model, collection, name: '', values: [] }} onClose=${close}
        onApply=${(/** @type {Pairs} */ pairs) => replace('', pairs)} />`}
    </span>
  </div>`;
}

/** @param {any} props */
function Chip({ model, collection, name, values, isWrong, onEdit, onRemove }) {
  const read = readFilter([ID, ...collection.fields], name, values[0]);
  const label = read?.field.label ?? name;
  const words = read?.operator.words ?? 'is';
  const told = read && read.operator.value === undefined ? values.map((/** @type {string} */ value) => toldOf(model, read.field, value)).join(', ') : '';
  const all = `${label} ${words}${told && ` ${told}`}`;
  return html`<span class=${isWrong ? 'chip wrong' : 'chip'}>
    <button type="button" class="chip-text" aria-label=${`Change the filter: ${all}`} aria-invalid=${isWrong ? 'true' : undefined}
      aria-describedby=${isWrong ? 'list-error' : undefined} onClick=${onEdit}>
      <span>${label} <span class="soft">${words}</span></span>${told && html` <strong dir="auto">${told}</strong>`}</button>
    <button type="button" class="chip-x" aria-label=${`Remove the filter: ${all}`} title="Remove" onClick=${onRemove}><${Icon} name="close" /></button>
  </span>`;
}

/** A value of a filter in words. @param {Model} model @param {Field} field @param {string} value */
function toldOf(model, field, value) {
  if (value === '') return 'no value';
  if (field.kind === 'boolean') return value === 'true' ? 'yes' : 'no';
  const target = field.references ? model.byName.get(field.references) : null;
  return (target && wordsFor(target, value).value.words) || value;
}

/** @param {{ model: Model, collection: Collection, name: string, values: string[], onApply: (pairs: Pairs) => void, onClose: () => void }} props */
function Editor({ model, collection, name, values, onApply, onClose }) {
  const fields = [...collection.fields, ID];
  const read = name ? readFilter(fields, name, values[0]) : null;
  const [field, setField] = useState(read?.field ?? fields[0]);
  const [at, setAt] = useState(() => Math.max(0, operatorsOf(field).findIndex(({ sign, value }) => sign === read?.operator.sign && value === read.operator.value)));
  const [text, setText] = useState(values.join('\n'));
  const [fault, setFault] = useState('');
  const operators = operatorsOf(field);
  const operator = operators[at] ?? operators[0];
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const parameter = parameterOf(field, operator.sign);
    if (operator.value === undefined && text.startsWith(SOUGHT) && targetOf(model, field)) {
      // What was typed to find a record is no value.
      document.getElementById(VALUE)?.focus();
      return setFault('Nothing is chosen yet: pick a record from the list.');
    }
    if (operator.value !== undefined) return onApply([[parameter, operator.value]]);
    const typed = text === '' ? (choicesOf(field)?.[0][0] ?? '') : text;
    const lines = operator.sign === 'in' ? typed.split('\n') : [typed];
    onApply(lines.filter(Boolean).map((line) => [parameter, line]));
  };
  return html`<${Pop} label="Filter" onClose=${onClose}>
    <form class="editor" onSubmit=${submit}>
      <label>Field
        <select value=${field.name} onChange=${(/** @type {any} */ event) => {
          setField(/** @type {Field} */ (fields.find((one) => one.name === event.target.value)));
          setAt(0);
          setText('');
          setFault('');
        }}>${fields.map((one) => html`<option key=${one.name} value=${one.name}>${one.label}</option>`)}</select>
      </label>
      <label>Compare
        <select value=${String(at)} onChange=${(/** @type {any} */ event) => setAt(Number(event.target.value))}>
          ${operators.map(({ words }, place) => html`<option key=${words} value=${String(place)}>${words}</option>`)}</select>
      </label>
      ${operator.value === undefined && html`<${ValueInput} ...${{ model, collection, field, sign: operator.sign, text, onType: setText }} />`}
      <p class="error" role="alert">${fault}</p>
      <div class="actions"><button class="primary">Apply</button><button type="button" onClick=${onClose}>Cancel</button></div>
    </form>
  <//>`;
}

/** The id of the box that a record is found in. */
const VALUE = 'filter-value';

/** What a field refers to, where it can be looked through. @param {Model} model @param {Field} field */
function targetOf(model, field) {
  const target = field.references ? model.byName.get(field.references) : null;
  return target?.lists ? target : null;
}

/** The values that there are, with their words; undefined where any may be. @param {Field} field */
function choicesOf(field) {
  if (field.kind === 'boolean') return [['true', 'yes'], ['false', 'no']];
  return field.choices?.map((one) => [String(one), String(one)]);
}

/** @param {any} props */
function ValueInput({ model, collection, field, sign, text, onType }) {
  const onInput = (/** @type {any} */ event) => onType(event.target.value);
  const target = targetOf(model, field);
  if (sign === 'in') return html`<label>Values, one a line<textarea data-first rows="4" dir="auto" value=${text} onInput=${onInput}></textarea></label>`;
  const given = choicesOf(field);
  if (given) {
    return html`<label>Value<select data-first value=${text || given[0][0]} onChange=${onInput}>
      ${given.map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}</select></label>`;
  }
  if (target) {
    return html`<div class="of-target"><label for=${VALUE}>Value</label>
      <${Combobox} ...${{ model, target, text }} offersNew=${false} common=${{ id: VALUE, 'data-first': true }} onType=${(/** @type {string | null} */ typed) => onType(typed ?? '')} /></div>`;
  }
  return html`<label>Value
    <input data-first dir="auto" autocomplete="off" spellcheck=${false} list="filter-values" value=${text} onInput=${onInput}
      type=${field.format === 'date' ? 'date' : 'text'}
      inputmode=${field.kind === 'integer' ? 'numeric' : field.kind === 'float' ? 'decimal' : 'text'} />
    ${field !== ID && html`<${Suggestions} id="filter-values" collection=${collection} field=${field} text=${text} />`}
  </label>`;
}
