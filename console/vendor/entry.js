// What the console takes from its libraries, and all that goes into the vendored file.
import { h } from 'preact';
import htm from 'htm';

export { render } from 'preact';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
export { signal } from '@preact/signals';
export const html = htm.bind(h);
