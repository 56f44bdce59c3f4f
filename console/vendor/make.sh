#!/usr/bin/env bash
# Makes preact-11.2.0.js and its licences anew from the pinned packages of npm; the same bytes each time.
#
#   console/vendor/make.sh            needs Node and the network, which building carnet does not
#
# The file is an ES module whose only top-level names are the exported ones, so that it can also stand in one file
# with other modules.
set -euo pipefail
cd "$(dirname "$0")"
vendor=$PWD

preact=11.2.0 htm=3.1.1 signals=2.11.4 signals_core=1.14.5 esbuild=0.28.2
file=preact-$preact.js

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp entry.js "$work"
cd "$work"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --save-exact \
    "preact@$preact" "htm@$htm" "@preact/signals@$signals" "@preact/signals-core@$signals_core" "esbuild@$esbuild"

node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=vendored --target=es2022 \
    --legal-comments=none --log-level=warning --outfile=bundle.js
{
    echo "// preact $preact, htm $htm, @preact/signals $signals, @preact/signals-core $signals_core: made by make.sh, licences in LICENSES.txt"
    # One line, so that nothing of it is read by mistake.
    cat bundle.js
    echo "export const { html, render, signal, useEffect, useLayoutEffect, useMemo, useRef, useState } = vendored;"
} >"$vendor/$file"

{
    for package in preact htm @preact/signals @preact/signals-core; do
        version=$(node -p "require('./node_modules/$package/package.json').version")
        printf '%s %s\n\n' "$package" "$version"
        cat "node_modules/$package/LICENSE"
        printf '\n'
    done
} >"$vendor/LICENSES.txt"
cd "$vendor"
sha256sum "$file" LICENSES.txt >SHA256SUMS
cat SHA256SUMS
