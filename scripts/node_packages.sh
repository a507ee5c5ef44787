#!/usr/bin/env bash
# node_packages.sh FOLDER: installs the packages of tests/node/package.json into FOLDER, once.
set -euo pipefail
folder=$1
wanted=$(cd "$(dirname "$0")/.." && pwd)/tests/node/package.json

[ -n "${NEUROK_NODE_MODULES:-}" ] && exit 0
cmp -s "$wanted" "$folder/installed.json" && exit 0
if ! command -v npm >/dev/null; then
    echo "NODE ABSENT: npm is not installed; the tests that run in Node will be skipped." >&2
    exit 0
fi
mkdir -p "$folder"
cp "$wanted" "$folder/package.json"
echo "installing the Node packages of the tests into $folder"
if (cd "$folder" && npm install --no-package-lock --no-audit --no-fund --silent); then
    cp "$wanted" "$folder/installed.json"
else
    echo "NODE PACKAGES ABSENT: npm could not install them; the tests that run in Node will be skipped." >&2
fi
