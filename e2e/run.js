// node run.js [part of a name]
import './tests/journeys.js';
import './tests/tasks.js';
import './tests/lists.js';
import './tests/widths.js';
import './tests/exports.js';
import './tests/imports.js';
import './tests/importruns.js';
import './tests/files.js';
import './tests/beside.js';
import './tests/finding.js';
import './tests/records.js';
import './tests/cards.js';
import './tests/dates.js';
import './tests/drafts.js';
import './tests/safety.js';
import './tests/deletes.js';
import './tests/routes.js';
import './tests/access.js';
import './tests/keynames.js';
import './tests/me.js';
import './tests/apipage.js';
import './tests/faces.js';
import './tests/senses.js';
import './tests/attacks.js';
import './tests/million.js';
import { run } from './lib/suite.js';

process.exitCode = (await run(process.argv[2] ?? '')) ? 0 : 1;
