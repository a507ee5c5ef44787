#!/usr/bin/env bash
# blender.sh VENV REQUIREMENTS: a venv with Blender as a Python module, which exists for one Python version only.
set -euo pipefail
venv=$1 requirements=$2
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' >/dev/null 2>&1; then
    echo "Blender's module needs exactly Python 3.11; name one: make test-blender PYTHON=/path/to/python3.11" >&2
    exit 1
fi
[ -x "$venv/bin/python" ] || "$PYTHON" -m venv "$venv"
echo "installing Blender into $venv (520 MB)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
