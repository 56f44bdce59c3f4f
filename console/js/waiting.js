// What waits for a server that does not answer: sent as soon as it is there, whichever page one looks at.
import { isAlive } from './api.js';
import { changeDraft, draftOf, unsaved } from './drafts.js';
import { save } from './saving.js';

/** How often a server that does not answer is asked whether it is back. */
const PATIENCE = 1500;
/** The server knows what it has done for a day: what was wanted before is not sent without a look. */
const LONG_AGO = 20 * 60 * 60 * 1000;

let isWatching = false;

/**
 * From now on what is wanted is sent as soon as the server is there, whichever page one looks at.
 * @param {import('./model.js').Model} model
 */
export function saveWhenBack(model) {
  if (isWatching) return;
  isWatching = true;
  setInterval(async () => {
    const waiting = () => unsaved.peek().filter((name) => draftOf(name).peek().isWanted && !draftOf(name).peek().isSaving);
    if (waiting().length === 0) return;
    if (!(await isAlive())) return waiting().forEach((name) => changeDraft(name, { isAway: true }));
    for (const name of waiting()) {
      const [collection, id] = name.split('/');
      const found = model.byName.get(collection);
      if (!found || Date.now() - draftOf(name).peek().at > LONG_AGO) changeDraft(name, { isWanted: false });
      else await save(found, id);
    }
  }, PATIENCE);
}
