#!/usr/bin/env bash
# Prints a Python of at least 3.11, the tested version first; PYTHON names another one.
for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3 python}; do
    # A name on the PATH may be a shim for a version that is not there: only a run tells.
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        command -v "$candidate"
        exit 0
    fi
done
echo "neurok needs Python 3.11 or newer and found none in: ${PYTHON:-the usual names}." >&2
echo "Install one (on Debian and Ubuntu: apt install python3 python3-venv), or name it: make demo PYTHON=/path/to/python3.11" >&2
exit 1
