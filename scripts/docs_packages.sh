#!/usr/bin/env bash
# docs_packages.sh VENV: a venv with the extra `docs` of pyproject.toml alone, in the versions of constraints.txt.
set -euo pipefail
venv=$1
here=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$venv/bin/python" ] || "$("$here/scripts/find_python.sh")" -m venv "$venv"
wanted=$("$venv/bin/python" -c '
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    print("\n".join(tomllib.load(file)["project"]["optional-dependencies"]["docs"]))
' "$here/pyproject.toml")
echo "installing what builds the documentation into $venv"
echo "$wanted" | "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c "$here/constraints.txt" -r /dev/stdin
