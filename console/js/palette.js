// Search everywhere (Ctrl K): records of all collections that have words, lists, pages, and what one can do.
import { call, query } from './api.js';
import { Icon } from './icons.js';
import { mayImport } from './importing.js';
import { helps, palette } from './keyboard.js';
import { Dialog } from './dialog.js';
import { mayWrite } from './me.js';
import { idOf } from './model.js';
import { knownPlaces } from './places.js';
import { href, isApiPage, start } from './route.js';
import { asksDisplay, called } from './theme.js';
import { wordsOf } from './words.js';
import { html, useEffect, useState } from '../vendor/preact-11.2.0.js';

/** @typedef {import('./model.js').Model} Model */
/** @typedef {{ name: string, group: string, words: string, detail: string, icon: string, act: () => void }} Choice */

const PALETTE_PAUSE = 150;
/** So many records of each collection. */
const MOST_OF_EACH = 6;

/** @param {string} to */
const goTo = (to) => () => location.assign(to);

/** What is there without asking the server. @param {Model} model @returns {Choice[]} */
function ownChoices(model) {
  const page = (/** @type {string} */ words, /** @type {string} */ icon, /** @type {() => void} */ act) => ({ name: `page ${words}`, group: 'Go to', words, detail: '', icon, act });
  return [
    ...knownPlaces().map(({ words, hash, kind }) => ({ name: `${kind} ${hash}`, group: kind === 'pinned' ? 'Pinned' : 'Recent', words, detail: '', icon: kind === 'pinned' ? 'pin' : 'clock', act: goTo(isApiPage ? start + hash : hash) })),
    ...model.collections.map((one) => ({ name: `list ${one.name}`, group: 'Go to', words: called(one), detail: one.help, icon: 'list', act: goTo(href(one.name)) })),
    page('API', 'code', goTo(new URL('api', start).href)),
    page('Keys', 'key', goTo(href('_', 'keys'))),
    ...model.collections.filter((one) => one.creates && mayWrite(one)).map((one) => ({ name: `new ${one.name}`, group: 'Do', words: `New in ${called(one)}`, detail: '', icon: 'plus', act: goTo(href(one.name, 'new')) })),
    ...model.collections.filter(mayImport).map((one) => ({ name: `import ${one.name}`, group: 'Do', words: `Import into ${called(one)}`, detail: '', icon: 'take', act: goTo(href(one.name, 'import')) })),
    { ...page('Display: theme, density, names', 'display', () => (asksDisplay.value = true)), group: 'Do' },
    { ...page('Keyboard shortcuts', 'help', () => (helps.value = true)), group: 'Do' },
  ];
}

/** @param {Model} model @param {string} text @param {AbortSignal} signal @returns {Promise<Choice[]>} */
async function findRecords(model, text, signal) {
  const searched = model.collections.filter((one) => one.words && one.lists);
  const found = await Promise.all(searched.map(async (collection) => {
    /** @type {[string, string][]} */
    const pairs = [[/** @type {string} */ (collection.words), text]];
    if (collection.pages) pairs.push([collection.pages.count, String(Math.min(MOST_OF_EACH, collection.pages.size))]);
    const answer = await call('GET', `${collection.name}/${query(pairs)}`, { signal, asks: false });
    const records = answer.ok ? answer.data.object_list.slice(0, MOST_OF_EACH) : [];
    return records.map((/** @type {any} */ record) => ({
      name: `${collection.name}/${idOf(record)}`,
      group: called(collection),
      words: wordsOf(collection, record),
      detail: '',
      icon: 'right',
      act: goTo(href(collection.name, idOf(record))),
    }));
  }));
  return found.flat();
}

/** @param {{ model: Model }} props */
export function Palette({ model }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState(/** @type {{ text: string, choices: Choice[] }} */ ({ text: '', choices: [] }));
  const [at, setAt] = useState(0);
  const close = () => (palette.value = false);
  const words = text.trim();
  useEffect(() => {
    if (words === '') return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      findRecords(model, words, abort.signal).then((choices) => setFound({ text: words, choices }), () => {});
    }, PALETTE_PAUSE);
    return () => (clearTimeout(timer), abort.abort());
  }, [words]);
  const wanted = words.toLocaleLowerCase();
  const own = ownChoices(model).filter((one) => one.words.toLocaleLowerCase().includes(wanted));
  const choices = words === '' ? own : [...found.choices, ...own];
  const chosen = Math.min(at, choices.length - 1);
  useEffect(() => document.getElementById(`found-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  /** @param {Choice | undefined} choice */
  const take = (choice) => {
    if (!choice) return;
    close();
    choice.act();
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((chosen + step + choices.length) % Math.max(1, choices.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // What was typed since is not what was found.
      if (words === '' || found.text === words || own.length > 0) take(choices[chosen]);
    }
  };
  return html`<${Dialog} title="Search everywhere" kind="palette" onClose=${close}>
    <input
      autofocus role="combobox" dir="auto" autocomplete="off" spellcheck=${false} maxlength="200" aria-label="Search everywhere" placeholder="Find people, places, pages…"
      aria-expanded="true" aria-controls="found" aria-activedescendant=${choices.length > 0 ? `found-${chosen}` : undefined} value=${text}
      onInput=${(/** @type {any} */ event) => (setText(event.target.value), setAt(0))} onKeyDown=${onKeyDown}
    />
    <ul id="found" class="found" role="listbox" aria-label="Found">
      ${choices.map((choice, place) => html`
        ${choice.group !== choices[place - 1]?.group && html`<li key=${`group ${place}`} class="group" role="presentation">${choice.group}</li>`}
        <li key=${choice.name} id=${`found-${place}`} role="option" aria-selected=${place === chosen} onClick=${() => take(choice)} onPointerMove=${() => setAt(place)}>
          <${Icon} name=${choice.icon} /><span class="one-line" dir="auto">${choice.words}</span><span class="detail">${choice.detail}</span></li>`)}
    </ul>
    ${choices.length === 0 && html`<p class="empty" role="status">${found.text === words ? 'Nothing is found.' : 'Searching…'}</p>`}
  <//>`;
}
