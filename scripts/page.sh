#!/usr/bin/env bash
# page.sh FOLDER: checks and bundles the viewer's page and the player of share pages with the packages in FOLDER.
set -euo pipefail
modules=$(cd "$1/node_modules" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -r "$here/neurok/viewer/page/src" "$here/neurok/viewer/page/tsconfig.json" "$stage"
ln -s "$modules" "$stage/node_modules"
cd "$stage"
node node_modules/typescript/bin/tsc --project tsconfig.json
bundle=$here/neurok/viewer/page/bundle
mkdir -p "$bundle"
options=(--bundle --minify --format=esm --target=es2022 --legal-comments=none)
node_modules/.bin/esbuild src/viewer.ts "${options[@]}" --log-level=warning --outfile="$bundle/viewer.js"
node_modules/.bin/esbuild src/page.css --minify --log-level=warning --outfile="$bundle/viewer.css"
cp src/index.html "$bundle/index.html"
cp node_modules/three/LICENSE "$bundle/LICENSE-three.txt"
