"""Results kept as they come, so that a long measurement that was cut off goes on where it was.

A file of JSON lines, one for each object and method. A line is used again only for the same object, method, weights,
seed and version of the code that computes it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from neurok.errors import OutputError

PACKAGE = Path(__file__).parents[1]
# The rooms whose code decides figures: of methods that fit no state space, and of all others.
GEOMETRIC_ROOMS = ("data", "evaluate", "files", "geometry")
ALL_ROOMS = ("articulate", "data", "evaluate", "files", "geometry", "kinematics", "mechanics", "networks", "proposals")


@dataclass(frozen=True)
class MeasuredKey:
    """What a line of results is of.

    weights: the hash of the weights, "" of a method without any. code: the hash of the code, see `hash_code`.
    tag: of a trial with other options, which leaves the results of the usual ones alone.
    """

    data: str
    object: str
    method: str
    seed: int
    weights: str = ""
    code: str = ""
    tag: str = ""


class MeasuredFile:
    """Results by key, in memory and in a file that grows by a line for each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[MeasuredKey, dict[str, Any]] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take_line(line)

    def find_results(self, key: MeasuredKey, targets: Sequence[str], field: str) -> list[dict[str, Any]] | None:
        """The results of these targets, empty where the object was refused; None where they are not all there.

        field: of a result, which names its target.
        """
        line = self._lines.get(key)
        if line is None or not (line["fault"] or set(targets) <= set(line["targets"])):
            return None
        return [result for result in line["results"] if result[field] in targets]

    def find_fault(self, key: MeasuredKey) -> str:
        """Why the object was refused, or ""."""
        line = self._lines.get(key)
        return str(line["fault"]) if line is not None else ""

    def add_results(
        self, key: MeasuredKey, targets: Sequence[str], results: Iterable[Mapping[str, Any]], fault: str = ""
    ) -> None:
        """Keep the results of an object and write them at once."""
        line = {"key": asdict(key), "targets": list(targets), "results": [dict(r) for r in results], "fault": fault}
        text = json.dumps(line, sort_keys=True)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as stream:
                stream.write(text + "\n")
        except OSError as problem:
            raise OutputError(f"{self.path} cannot be written ({problem.strerror})", "choose another place") from None
        self._take_line(text)

    def _take_line(self, text: str) -> None:
        try:
            line = json.loads(text)
            self._lines[MeasuredKey(**line["key"])] = line
        except (ValueError, KeyError, TypeError):
            return  # the last line of a measurement that was cut off, or one of an older form


@cache
def hash_code(rooms: tuple[str, ...] = ALL_ROOMS) -> str:
    """A hash of the source of these rooms of the package, and of the weights and lists that lie in them: results of
    another version are not mixed with new ones."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted(p for p in (PACKAGE / room).rglob("*") if p.suffix in (".py", ".safetensors", ".toml")):
            digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
