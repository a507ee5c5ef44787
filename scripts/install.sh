#!/usr/bin/env bash
# install.sh VENV [EXTRA,...]: makes the venv where it is missing and installs neurok into it, in place,
# with the exact versions of constraints.txt. A torch that is already there is kept, whatever its build.
set -euo pipefail
venv=$1 extras=${2:-}
here=$(cd "$(dirname "$0")/.." && pwd)

if [ ! -x "$venv/bin/python" ]; then
    python=$("$here/scripts/find_python.sh")
    echo "making $venv with $("$python" --version)"
    if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
        rm -rf "$venv"
        "$here/scripts/system_packages.sh" venv
        "$python" -m venv "$venv"
    fi
fi

constraints=$here/constraints.txt
if kept=$("$venv/bin/python" -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null); then
    echo "keeping torch $kept, which is already in $venv"
    constraints=$venv/constraints.txt
    grep -v '^torch==' "$here/constraints.txt" >"$constraints"
    echo "torch==$kept" >>"$constraints"
fi
echo "installing neurok${extras:+[$extras]} into $venv (the first time takes some minutes: torch alone is large)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c "$constraints" -e "$here${extras:+[$extras]}"
