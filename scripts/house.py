"""The house in numbers: what `make house` prints, so that anyone can see whether it grows tidier.

    python scripts/house.py [--json]

Named numbers are module-level constants in capitals whose value holds a number, and numbers among the defaults of
dataclasses whose names end in Options, Config or Effort; format rooms have some by nature. The rest is counted as it
says. tests/test_house.py holds the bounds that were reached.
"""

import ast
import json
import statistics
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "neurok"
OPTION_CLASSES = ("Options", "Config", "Effort")


def read_modules() -> dict[Path, ast.Module]:
    """Every module of the package, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def find_room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def holds_number(node: ast.expr) -> bool:
    """Whether a number stands anywhere in an expression; a truth value is none."""
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, (int, float)) and not isinstance(each.value, bool)
        for each in ast.walk(node)
    )


def named_numbers(module: ast.Module) -> list[str]:
    """The names of a module's numbers."""
    found = []
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and holds_number(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
            found += [name for name in names if name.isupper()]
        if isinstance(node, ast.ClassDef) and node.name.endswith(OPTION_CLASSES):
            fields = (each for each in node.body if isinstance(each, ast.AnnAssign) and each.value is not None)
            found += [f"{node.name}.{each.target.id}" for each in fields
                      if isinstance(each.target, ast.Name) and holds_number(each.value)]  # fmt: skip
    return found


def calls(module: ast.Module, name: str) -> Iterator[ast.Call]:
    """The calls of a function by its plain name."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def count_base_questions(module: ast.Module) -> int:
    """How often a module asks whether a space is a FloatingBase instead of asking the space."""
    asked = (ast.unparse(call.args[1]) for call in calls(module, "isinstance") if len(call.args) == 2)
    return sum("FloatingBase" in words for words in asked)


def duplicate_classes(modules: dict[Path, ast.Module]) -> dict[str, list[str]]:
    """Class names that mean more than one thing, and where."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, module in modules.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(REPOSITORY)))
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def measure_house() -> dict[str, object]:
    """All counts, ready for JSON."""
    modules = read_modules()
    rooms: dict[str, dict[str, list[int]]] = defaultdict(lambda: {"lines": [], "numbers": []})
    for path, module in modules.items():
        room = rooms[find_room(path)]
        room["lines"].append(len(path.read_text(encoding="utf-8").splitlines()))
        room["numbers"].append(len(named_numbers(module)))
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["mypy"]
    return {
        "rooms": {
            name: {
                "files": len(room["lines"]), "lines": sum(room["lines"]), "median": statistics.median(room["lines"]),
                "longest": max(room["lines"]), "numbers": sum(room["numbers"]),
            }
            for name, room in sorted(rooms.items())
        },
        "median_lines": statistics.median(lines for room in rooms.values() for lines in room["lines"]),
        "isinstance_floating_base": sum(map(count_base_questions, modules.values())),
        "disabled_mypy_codes": len(settings.get("disable_error_code", [])),
        "type_ignores": sum(path.read_text().count("type: ignore") for path in modules),
        "simple_namespaces": sum("SimpleNamespace" in path.read_text() for path in modules),
        "duplicate_classes": duplicate_classes(modules),
    }  # fmt: skip


def main() -> int:
    found = measure_house()
    if "--json" in sys.argv[1:]:
        print(json.dumps(found, indent=1))
        return 0
    rooms = found["rooms"]
    assert isinstance(rooms, dict)
    print(f"{'room':14} {'files':>5} {'lines':>6} {'median':>6} {'longest':>7} {'numbers':>7}")
    for name, room in rooms.items():
        print(f"{name:14} {room['files']:5} {room['lines']:6} {room['median']:6.0f} {room['longest']:7} "
              f"{room['numbers']:7}")  # fmt: skip
    duplicates = found["duplicate_classes"]
    assert isinstance(duplicates, dict)
    print(f"median length of a file: {found['median_lines']:.0f} lines")
    print(f"isinstance(..., FloatingBase): {found['isinstance_floating_base']}")
    print(f"mypy codes disabled for the package: {found['disabled_mypy_codes']}; ignores: {found['type_ignores']}")
    print(f"modules with SimpleNamespace: {found['simple_namespaces']}")
    print(f"class names with several meanings: {len(duplicates)}")
    for name, places in duplicates.items():
        print(f"  {name}: {', '.join(places)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
