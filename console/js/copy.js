// Copying a text that stands on the page, also where the browser gives no clipboard: on pages without TLS.
import { say } from './dialog.js';

/** @param {string} text @param {Element | null} shown where it stands */
export async function copy(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    // Deprecated, and the only other way there is.
    say(shown && document.execCommand('copy') ? 'Copied.' : 'It is selected: copy it with the keyboard (Ctrl+C), please.');
  }
}
