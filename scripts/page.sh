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
viewer=$here/neurok/viewer/page/bundle player=$here/neurok/files/player
mkdir -p "$viewer" "$player"
bundle() { node_modules/.bin/esbuild "$1" --bundle --minify --target=es2022 --legal-comments=none --log-level=warning "$2"; }
bundle src/viewer.ts --outfile="$viewer/viewer.js"
bundle src/player.ts --outfile="$player/player.js"
bundle src/page.css --outfile="$viewer/viewer.css"
bundle src/page.css --outfile="$player/player.css"
cp src/index.html "$viewer"
cp src/player.html "$player"
for folder in "$viewer" "$player"; do cp node_modules/three/LICENSE "$folder/LICENSE-three.txt"; done
