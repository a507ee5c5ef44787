"""Hashes of everything in constraints.txt: written from what pip resolves, and compared with it.

python scripts/lock.py             # adds the files of this Python and platform to hashes.txt
python scripts/lock.py --check     # fails where pip would install a file that is not listed (`make release`)
python scripts/lock.py --report FILE ...   # the same from reports that pip has written (`pip install --report`)

pip's own --require-hashes demands a hash of everything, and so refuses a torch that is built for one machine. Torch is
left out here: it is installed as it is, and all else is compared.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK, PINS = ROOT / "hashes.txt", ROOT / "constraints.txt"
LEFT_OUT = {"neurok", "torch"}
HEAD = """# SHA-256 of the files of constraints.txt, a line each: made and compared by scripts/lock.py.
# Torch is left out: its builds differ by machine.
"""


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def resolve() -> dict:
    """What pip would install of the development extra into an empty venv of this Python, without doing so."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*command, "--report", report, "-c", PINS, f"{ROOT}[dev]"], check=True)
        return json.loads(report.read_text())


def read_report(report: dict) -> set[tuple[str, str, str]]:
    """Name, version and hash of each file that pip chose."""
    found = set()
    for item in report["install"]:
        name, version = normalise(item["metadata"]["name"]), item["metadata"]["version"]
        if name not in LEFT_OUT:
            found.add((name, version, item["download_info"]["archive_info"]["hashes"]["sha256"]))
    return found


def read_lock(text: str) -> set[tuple[str, str, str]]:
    return {m.groups() for m in re.finditer(r"^(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})$", text, re.MULTILINE)}


def read_pins(text: str) -> dict[str, str]:
    return {normalise(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--report", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    reports = [json.loads(path.read_text()) for path in options.report] or [resolve()]
    found = set().union(*map(read_report, reports))
    known = read_lock(LOCK.read_text()) if LOCK.is_file() else set()
    if options.check:
        strange = sorted(found - known)
        for name, version, value in strange:
            print(f"{name}=={version} has a hash that is not listed: {value}", file=sys.stderr)
        print(f"{len(found) - len(strange)} of {len(found)} files have the hash that hashes.txt lists")
        return 1 if strange else 0
    pins = read_pins(PINS.read_text())
    kept = sorted(row for row in known | found if pins.get(row[0]) == row[1])
    LOCK.write_text(HEAD + "".join(f"{name}=={version} --hash=sha256:{value}\n" for name, version, value in kept))
    print(f"{len(kept)} hashes of {len({row[0] for row in kept})} packages in {LOCK.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
