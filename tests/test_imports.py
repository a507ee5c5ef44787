"""Imports point one way, the root is light, and what is imported is what is declared."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "neurok"

# A room may look into these rooms besides itself and errors.
MAY_IMPORT = {
    "errors": set(),
    "geometry": set(),
    "proposals": {"geometry"},
    "files": {"geometry", "materials"},
    "materials": {"geometry"},
    "elastic": {"geometry", "materials"},
    "networks": {"geometry"},
    "kinematics": {
        "elastic",
        "geometry",
        "materials",
        "networks",
        "proposals",
    },  # only its learned spaces know networks
    "mechanics": {"elastic", "geometry", "kinematics", "materials"},
    "data": {"geometry", "files", "kinematics", "materials", "proposals"},
    "training": {
        "geometry",
        "files",
        "data",
        "generate",
        "networks",
        "kinematics",
        "materials",
        "mechanics",
        "proposals",
    },
    "articulate": {"geometry", "files", "networks", "data", "kinematics", "materials", "proposals"},
    "assets": {"geometry", "files"},
    "generate": {"geometry", "files", "data", "materials", "articulate", "networks"},
    "scenes": {"geometry", "files", "data", "materials", "articulate", "generate"},
    # The next ties together what does not know each other.
    "opening": {
        "files",
        "foreign",
        "geometry",
        "networks",
        "kinematics",
        "articulate",
        "materials",
        "mechanics",
        "proposals",
    },
    "foreign": {"files", "geometry"},
    "verbs": {"foreign", "opening", "articulate", "geometry", "kinematics", "mechanics"},
    "demo": {"assets", "geometry"},
    "evaluate": {
        "articulate",
        "data",
        "files",
        "generate",
        "geometry",
        "kinematics",
        "materials",
        "mechanics",
        "networks",
        "opening",
        "proposals",
        "scenes",
        "training",
    },
    "viewer": {"files", "geometry", "kinematics", "materials", "mechanics", "opening"},
}
MAY_IMPORT["commands"] = {*MAY_IMPORT}
MAY_IMPORT["__main__"] = {"commands"}  # the command line under its other name
# The package of state spaces is itself the verb that chooses one, which asks the room of articulation as well.
VERB = {PACKAGE / "kinematics" / "__init__.py": {"opening"}}

# import name -> distribution, where the two differ
DISTRIBUTIONS = {
    "PIL": "pillow",
    "igl": "libigl",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "pxr": "usd-core",
    "warp": "warp-lang",
    "yaml": "pyyaml",
}

HEAVY = ("torch", "mujoco", "trimesh", "scipy.spatial", "pxr", "moderngl", "imageio", "igl", "newton", "warp")


def _modules():
    return sorted(PACKAGE.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    """All modules a file names in import statements, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_imports_point_one_way(path):
    room = _room(path)
    if room == "__init__":
        return  # the root names everything, for type checkers only: test_the_root_loads_nothing_heavy
    looked_into = {name.split(".")[1] for name in _imports(path) if name.startswith("neurok.")}
    allowed = MAY_IMPORT[room] | VERB.get(path, set()) | {room, "errors", "__version__"}
    assert looked_into <= allowed, f"neurok/{room} may not import {sorted(looked_into - allowed)}"


def test_only_the_learned_space_knows_networks():
    for path in (PACKAGE / "kinematics").rglob("*.py"):
        if path.parent.name != "learned" and path.name != "choose.py":
            assert not {name for name in _imports(path) if name.startswith("neurok.networks")}, path


def _uses() -> dict[str, set[str]]:
    """The modules of the package that each of its modules names in import statements."""
    names = {p: ".".join(p.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__") for p in _modules()}
    known = set(names.values())
    return {names[p]: {i for i in _imports(p) if i in known and i != names[p]} for p in _modules()}


def _find_cycle(uses: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the next and the last the first; empty where there is no such cycle."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        for other in sorted(uses[name]):
            if found := visit(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(uses) if (found := visit(name, []))), [])


def test_a_cycle_of_any_length_is_found():
    assert _find_cycle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"e"}, "e": {"b"}}) == ["b", "d", "e"]
    assert _find_cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_modules_import_each_other_in_a_circle():
    uses = {name: others - {"neurok"} for name, others in _uses().items() if name != "neurok"}
    assert _find_cycle(uses) == []


def test_geometry_never_imports_torch():
    for path in (PACKAGE / "geometry").rglob("*.py"):
        assert not {name for name in _imports(path) if name.split(".")[0] == "torch"}, path


def _declared() -> tuple[set[str], set[str]]:
    """Names of the base dependencies, and of those in the users' extras (not those that only build the site)."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k not in ("dev", "docs")}

    def name(line: str) -> str:
        for sign in "<>=![; ":
            line = line.split(sign)[0]
        return line.lower()

    return {name(d) for d in project["dependencies"]}, {name(d) for v in extras.values() for d in v}


def test_declared_dependencies_are_the_imported_ones():
    base, optional = _declared()
    used = {name.split(".")[0] for path in _modules() for name in _imports(path)}
    used = {DISTRIBUTIONS.get(name, name).lower() for name in used - set(sys.stdlib_module_names) - {"neurok"}}
    assert used <= base | optional, f"imported but not declared: {sorted(used - base - optional)}"
    assert base | optional <= used, f"declared but never imported: {sorted((base | optional) - used)}"


def test_every_pin_lies_in_its_range():
    from packaging.requirements import Requirement

    pins = dict(
        line.lower().split("==")
        for line in (REPOSITORY / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    )
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(d for v in project["optional-dependencies"].values() for d in v)]
    for requirement in map(Requirement, lines):
        if requirement.name != "neurok":
            assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def _loaded(code: str) -> set[str]:
    """Modules in memory after running code in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('LOADED', *sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split("LOADED")[1].split())


def test_the_root_loads_nothing_heavy():
    loaded = _loaded("import neurok; neurok.__version__; dir(neurok)")
    assert not loaded & {*HEAVY, "numpy", "scipy", "tyro", "rich"}


def test_import_takes_less_than_150_ms():
    code = "import time; t = time.perf_counter(); import neurok; print(time.perf_counter() - t)"
    run = [sys.executable, "-c", code]
    took = min(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(3))
    assert took < 0.150


def test_public_names_resolve_and_unknown_ones_say_what_there_is():
    import neurok

    for name in neurok.__all__:
        assert getattr(neurok, name) is not None
    with pytest.raises(AttributeError, match="it has: .*load_mesh"):
        neurok.lode


def test_kinematics_is_the_package_and_the_verb():
    """Importing the package must not hide the verb, in either order."""
    code = "import neurok; {}; assert callable(neurok.kinematics); from neurok.kinematics.kinematics import Kinematics"
    _loaded(code.format("pass"))
    _loaded(code.format("import neurok.kinematics.choose"))
