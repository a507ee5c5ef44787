#!/usr/bin/env bash
# release.sh VENV TOOLS: builds wheel and sdist into dist/, checks them (twine), compares the hashes of what they need, and
# tries the wheel in an empty venv of every Python that is there, by a motion and its film, the sdist in one.
# PYTHONS names the Pythons to try; VENV has the development extra, TOOLS is a venv for twine.
set -euo pipefail
venv=$1 tools=$2
cd "$(dirname "$0")/.."
rm -rf dist
"$venv/bin/python" -m build --no-isolation --outdir dist . >/dev/null
[ -x "$tools/bin/twine" ] || { "$("scripts/find_python.sh")" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check twine; }
"$tools/bin/twine" check --strict dist/*
"$venv/bin/python" scripts/lock.py --check
wheel=$(echo dist/*.whl) sdist=$(echo dist/*.tar.gz)
tried=0
for name in ${PYTHONS:-python3.11 python3.12 python3.13}; do
    "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || { echo "$name is not here: not tried"; continue; }
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "$name" -m venv "$folder/venv"
    python=$folder/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check -c constraints.txt "$wheel[usd]"
    (cd "$folder" && "$python" -m neurok doctor --strict && "$python" -m neurok.demo out)
    if [ "$tried" = 0 ]; then
        "$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$sdist"
        (cd "$folder" && "$python" -m neurok --version)
    fi
    rm -rf "$folder"
    tried=$((tried + 1))
    echo "$("$name" --version): installed and tried"
done
[ "$tried" -gt 0 ] || { echo "no Python to try it with" >&2; exit 1; }
ls -l dist
