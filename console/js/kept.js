// What this browser keeps: it survives a reload and the end of the tab, has a bound, and belongs to the access key in use.
import { key } from './access.js';
import { root } from './api.js';

/** Another server may stand at another path of the same host. */
const PREFIX = `carnet-kept:${new URL(root).pathname}:`;
/** All of it together, in bytes; a character of JavaScript takes two. Browsers give a site some 10 MB. */
const LARGEST = 4 * 1024 * 1024;

/** Tells one key from another without being it (FNV-1a); nothing for no key. @param {string} text */
function ownerOf(text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ /** @type {number} */ (character.codePointAt(0)), 0x01000193);
  return text && (hash >>> 0).toString(16);
}

let owner = ownerOf(key.peek());

/** @param {string} name */
const fullName = (name) => `${PREFIX}${owner}/${name}`;

function entries() {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
}

/**
 * Keeps a text under a name. False where there is no space for it: then nothing is kept under that name.
 * @param {string} name
 * @param {string} text
 */
export function keep(name, text) {
  drop(name);
  const used = entries().reduce((sum, one) => sum + one.length + (localStorage.getItem(one)?.length ?? 0), 0);
  if (2 * (used + fullName(name).length + text.length) > LARGEST) return false;
  try {
    localStorage.setItem(fullName(name), text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name */
export function kept(name) {
  return localStorage.getItem(fullName(name));
}

/** @param {string} name */
export function drop(name) {
  localStorage.removeItem(fullName(name));
}

/** The names that begin so, of what belongs to the key in use. @param {string} beginning */
export function keptNames(beginning) {
  const start = fullName(beginning);
  return entries().filter((name) => name.startsWith(start)).map((name) => name.slice(fullName('').length));
}

/** How many are kept under names that begin so and belong to other keys. @param {string} beginning */
export function countOfOthers(beginning) {
  return entries().filter((name) => !name.startsWith(fullName('')) && name.slice(PREFIX.length).replace(/^[^/]*\//, '').startsWith(beginning)).length;
}

export function dropOfOthers() {
  entries().filter((name) => !name.startsWith(fullName(''))).forEach((name) => localStorage.removeItem(name));
}

/** Says what another tab has kept or dropped, of what belongs to the key in use. @param {(name: string) => void} listener */
export function onOtherTab(listener) {
  addEventListener('storage', ({ key: name }) => {
    if (name?.startsWith(fullName(''))) listener(name.slice(fullName('').length));
  });
}

/** @type {((isForgotten: boolean) => void)[]} */
const listeners = [];

/** Says when another key is in use; whether everything of the one before was removed, since it was forgotten. @param {(isForgotten: boolean) => void} listener */
export function onOtherOwner(listener) {
  listeners.push(listener);
}

/** @type {(isFirst: boolean) => string[]} */
let carried = () => [];

/** Says what goes over to another key that somebody gives, which may be the first. @param {(isFirst: boolean) => string[]} names */
export function carryOver(names) {
  carried = names;
}

key.subscribe((now) => {
  const next = ownerOf(now);
  if (next === owner) return;
  const before = fullName('');
  const names = next === '' ? entries().filter((name) => name.startsWith(before)).map((name) => name.slice(before.length)) : carried(owner === '');
  const texts = names.map((name) => kept(name));
  names.forEach(drop);
  owner = next;
  if (next !== '') names.forEach((name, at) => texts[at] !== null && keep(name, texts[at]));
  listeners.forEach((listener) => listener(next === ''));
});
