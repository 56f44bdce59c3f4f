// Clicks that are heard: a page that changes between press and release swallows them.

let isPressed = false;
addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isPressed = false), true);

/** Does it when nobody presses a button. @param {() => void} act */
export function afterPress(act) {
  if (!isPressed) return act();
  const abort = new AbortController();
  const later = () => {
    abort.abort();
    // The click comes next.
    setTimeout(act);
  };
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, later, { capture: true, signal: abort.signal });
}
