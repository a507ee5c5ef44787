"""Scenes in files: YAML, JSON or TOML, with the same keys.

    seed: 3
    things:
      - {name: counter, is: kitchen counter}
      - {name: kettle, is: a red kettle, on: counter, left of: toaster}
      - {name: toaster, is: a toaster, on: counter, turn: 20}
      - {name: drawers, is: a drawer cabinet, below: counter, open: {drawer_1: 0.5}}
      - {name: cup, is: cup.glb, scale: 0.01, at: [0.2, 0.1, 0.9]}
    do: [close drawer_1]

A thing has `is` (words, furniture, or a path from the file's folder), and may have `name`, `scale`, `turn` [degrees],
`at` [m], `open` (true, a joint, or joints with shares of their range), `held`, and any relation with the name of
another thing; `in` and `on` also take {thing: cabinet, part: drawer_1}.
"""

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurok.errors import InputError, MissingExtra
from neurok.scenes.request import FLOOR, RELATIONS, SceneRelation, SceneRequest, ThingRequest

MAX_BYTES = 1_000_000  # of a file of a scene: larger ones are something else
SCENE_SUFFIXES = (".yaml", ".yml", ".json", ".toml")
THING_KEYS = ("name", "is", "scale", "turn", "at", "open", "held", *RELATIONS)
SCENE_KEYS = ("things", "seed", "do")


@dataclass(frozen=True)
class SceneFile:
    """A scene and what an agent should do in it."""

    request: SceneRequest
    actions: tuple[str, ...] = ()


def read_scene(path: Path, seed: int | None = None) -> SceneFile:
    """The scene of a file; seed: instead of the file's."""
    data = _parse(path)
    if not isinstance(data, dict) or not isinstance(data.get("things"), list):
        raise InputError(f"{path.name} has no list 'things'", "see `neurok scene --help`")
    _check_keys(path.name, data, SCENE_KEYS)
    rows = [_as_row(path.name, row, number) for number, row in enumerate(data["things"])]
    things = tuple(_read_thing(path.name, row) for row in rows)
    relations = tuple(r for row, thing in zip(rows, things) for r in _read_relations(path.name, row, thing.name))
    own = _number(path.name, "seed", data.get("seed", 0), whole=True)
    actions = data.get("do", [])
    if not isinstance(actions, list) or not all(isinstance(each, str) for each in actions):
        raise InputError(f"'do' of {path.name} is no list of sentences", "write for example do: [open drawer_1]")
    return SceneFile(SceneRequest(path.name, things, relations, int(own) if seed is None else seed), tuple(actions))


def _parse(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} is larger than a megabyte", "give a file that describes a scene")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "check the path") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path.name} cannot be read ({type(fault).__name__})", "give a text file") from None
    try:
        return _PARSERS[path.suffix.lower()](text)
    except (ValueError, RecursionError) as fault:
        reason = " ".join(str(fault).split())[:200]
        raise InputError(f"{path.name} is not valid {path.suffix[1:].upper()} ({reason})", "mend it there") from None


def _parse_yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtra("a scene in YAML", "scene") from None
    try:
        # PyYAML reads `on` as true, as YAML 1.1 has it; here it is a relation.
        return yaml.load(text, Loader=_make_loader(yaml))
    except yaml.YAMLError as fault:
        raise ValueError(str(fault)) from None


def _make_loader(yaml: Any) -> Any:
    """A loader of YAML whose only truths are true and false."""
    rows = yaml.SafeLoader.yaml_implicit_resolvers.items()
    rules = {
        key: [(tag, rule) for tag, rule in found if not (tag.endswith(":bool") and key in "oOyYnN")]
        for key, found in rows
    }
    return type("SceneLoader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": rules})


_PARSERS: dict[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}


def _check_keys(where: str, data: dict[Any, Any], known: tuple[str, ...]) -> None:
    odd = next((key for key in data if key not in known), None)
    if odd is not None:
        raise InputError(f"{where} has the key '{str(odd)[:40]}'", f"use: {', '.join(known)}")


def _as_row(where: str, row: Any, number: int) -> dict[str, Any]:
    if isinstance(row, str):
        row = {"is": row}
    if not isinstance(row, dict) or not isinstance(row.get("is"), str) or not row["is"].strip():
        raise InputError(f"thing {number + 1} of {where} does not say what it is", "write for example is: a kettle")
    name = row.get("name", row["is"])
    if not isinstance(name, str) or not name.strip() or len(name) > 80 or "/" in name and "name" in row:
        raise InputError(f"thing {number + 1} of {where} has no usable name", "give it a short one without '/'")
    plain = Path(name).stem if "name" not in row and "/" in name else name
    row = {**row, "name": plain.strip()}
    _check_keys(f"'{row['name']}' of {where}", row, THING_KEYS)
    return row


def _read_thing(where: str, row: dict[str, Any]) -> ThingRequest:
    name = row["name"]
    here = f"'{name}' of {where}"
    place = row.get("at")
    if place is not None:
        if not isinstance(place, list) or len(place) not in (2, 3):
            raise InputError(f"the place of {here} is no list of two or three numbers", "write at: [x, y]")
        place = tuple(_number(here, "at", each) for each in place)
    turn = row.get("turn")
    held = row.get("held")
    if held is not None and not isinstance(held, bool):
        raise InputError(f"'held' of {here} is neither true nor false", "write held: true")
    return ThingRequest(
        name, row["is"].strip(), _number(here, "scale", row.get("scale", 1.0)),
        None if turn is None else _number(here, "turn", turn), place, _read_opened(here, row.get("open")), held,
    )  # fmt: skip


def _read_opened(where: str, value: Any) -> tuple[tuple[str, float], ...]:
    if value is None or value is False:
        return ()
    if value is True:
        return (("", 1.0),)
    if isinstance(value, str):
        return ((value, 1.0),)
    if isinstance(value, int | float):
        return (("", float(value)),)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple((each, 1.0) for each in value)
    if isinstance(value, dict):
        return tuple((str(key), _number(where, str(key), share)) for key, share in value.items())
    raise InputError(f"'open' of {where} cannot be understood", "write open: true, open: door or open: {door: 0.5}")


def _read_relations(where: str, row: dict[str, Any], name: str) -> list[SceneRelation]:
    found = []
    for word in RELATIONS:
        value = row.get(word)
        if value is None:
            continue
        if isinstance(value, dict) and set(value) <= {"thing", "part"} and isinstance(value.get("thing"), str):
            found.append(SceneRelation(word, name, value["thing"], str(value.get("part", ""))))
        elif isinstance(value, str):
            found.append(SceneRelation(word, name, value if value != "ground" else FLOOR))
        else:
            raise InputError(f"'{word}' of '{name}' in {where} names no thing", f"write for example {word}: table")
    return found


def _number(where: str, key: str, value: Any, *, whole: bool = False) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
    if not good or value != value or (whole and (value != int(value) or value < 0)):
        raise InputError(f"'{key}' of {where} is {str(value)[:40]!r}", f"give a {'whole ' if whole else ''}number")
    return float(value)
