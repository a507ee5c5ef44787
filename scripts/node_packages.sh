#!/usr/bin/env bash
# node_packages.sh FOLDER [PACKAGE.json]: installs packages, those of tests/node/package.json by default, once, in the
# versions and with the hashes of the package-lock.json beside it.
set -euo pipefail
folder=$1
wanted=$(cd "$(dirname "$0")/.." && pwd)/${2:-tests/node/package.json}

[ -z "${2:-}" ] && [ -n "${NEUROK_NODE_MODULES:-}" ] && exit 0
lock=$(dirname "$wanted")/package-lock.json
cmp -s "$lock" "$folder/installed.json" && exit 0
if ! command -v npm >/dev/null; then
    echo "NODE ABSENT: npm is not installed; what runs in Node will be skipped." >&2
    exit 0
fi
mkdir -p "$folder"
cp "$wanted" "$lock" "$folder"
echo "installing Node packages into $folder"
if (cd "$folder" && npm ci --no-audit --no-fund --silent); then
    cp "$lock" "$folder/installed.json"
else
    echo "NODE PACKAGES ABSENT: npm could not install them; the tests that run in Node will be skipped." >&2
fi
