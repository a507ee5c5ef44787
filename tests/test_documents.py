"""The documents are true: what they point to exists, and what is generated is up to date."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from neurok.commands import data, evaluate
from neurok.commands.main import GROUPS, VERBS

REPOSITORY = Path(__file__).resolve().parents[1]
TEXTS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "neurok/weights/*/README.md")
    for path in REPOSITORY.glob(pattern)
)

# `neurok/mechanics/stepper.py:Stepper` and `neurok.mechanics.stepper.Stepper`; the latter only where it is code.
PLACE = re.compile(r"\b((?:neurok|benchmarks|examples|scripts|tests)/[\w/]+\.py):([A-Za-z_]\w*(?:\.\w+)*)")
DOTTED = re.compile(r"(?<![\w./])neurok(?:\.[A-Za-z_]\w*)+")


def code_of(text: str) -> str:
    """The parts of a Markdown text that are code, fenced or inline."""
    return "\n".join(re.findall(r"```.*?```|`[^`]+`", text, re.DOTALL)).replace("`", "\n")


@cache
def names_in(path: Path, owner: str | None = None) -> frozenset[str]:
    """Names that a module defines or imports at its top, or that a class of it has, without importing anything."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    if owner is not None:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner), [])
    found: set[str] = set()
    for node in _with_branches(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return frozenset(found)


def _with_branches(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements, and those within an `if` or `try` at the same level."""
    inner = [node for statement in body if isinstance(statement, ast.If | ast.Try) for node in statement.body]
    return [*body, *inner]


def has_symbol(path: Path, symbol: str) -> bool:
    """Whether a file defines a name, or a class of that name with that member."""
    first, _, member = symbol.partition(".")
    if not path.is_file() or first not in names_in(path):
        return False
    return not member or member.split(".")[0] in names_in(path, first)


def has_dotted(name: str) -> bool:
    """Whether `neurok.a.b.c` is a package, a module, or a symbol of one."""
    words = name.split(".")
    for count in range(len(words), 0, -1):
        place = REPOSITORY.joinpath(*words[:count])
        module = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
        if module.is_file():
            return count == len(words) or has_symbol(module, ".".join(words[count:]))
    return False


def broken_pointers(text: str) -> list[str]:
    """Pointers of a text to symbols that do not exist."""
    places = [f"{file}:{symbol}" for file, symbol in PLACE.findall(text) if not has_symbol(REPOSITORY / file, symbol)]
    dotted = [name for name in DOTTED.findall(PLACE.sub("", code_of(text))) if not has_dotted(name)]
    return places + dotted


@pytest.mark.parametrize("name", TEXTS)
def test_every_pointer_leads_to_a_symbol(name):
    broken = broken_pointers((REPOSITORY / name).read_text(encoding="utf-8"))
    assert not broken


def test_a_broken_pointer_is_found():
    good = "`neurok/mechanics/stepper.py:Stepper.advance` `neurok.mechanics.stepper.Stepper` `neurok.load()`"
    assert not broken_pointers(good)
    for bad in (
        "`neurok/mechanics/stepper.py:Nobody`",
        "`neurok/mechanics/stepper.py:Stepper.dance`",
        "`neurok/mechanics/nowhere.py:Stepper`",
        "`neurok.mechanics.stepper.Nobody`",
        "`neurok.nowhere`",
    ):
        assert broken_pointers(bad) == [bad.strip("`")]


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_a_text_names_exists(name):
    folder, text = (REPOSITORY / name).parent, (REPOSITORY / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        assert (folder / target).exists(), target
    for target in re.findall(r"\b((?:neurok|examples|docs|tests|scripts)/[\w/.\-]+\.\w+)", text):
        assert (REPOSITORY / target).exists(), target


def test_every_make_command_in_the_texts_exists():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    for name in TEXTS:
        code = code_of((REPOSITORY / name).read_text(encoding="utf-8"))
        named = set(re.findall(r"(?:^|\s)make ([a-z][a-z-]+)(?=[\s,]|$)", code))
        assert named <= targets, f"{name} names {sorted(named - targets)}"


def test_the_reference_is_what_the_parsers_say():
    command = [sys.executable, str(REPOSITORY / "scripts" / "reference.py"), "--print"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    written = (REPOSITORY / "docs" / "reference.md").read_text(encoding="utf-8")
    assert done.stdout == written, "docs/reference.md is old: run python scripts/reference.py"


def test_the_readme_lists_every_verb_once():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `neurok ((?:data |evaluate )?\w+)", text, re.MULTILINE)
    groups = {"data": data.VERBS, "evaluate": evaluate.VERBS}
    verbs = [verb for verb in VERBS if verb not in GROUPS]
    verbs += [f"{group} {verb}" for group in GROUPS for verb in groups[group]]
    assert sorted(listed) == sorted(verbs)


def test_the_tree_of_the_readme_is_the_tree():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (tree,) = re.findall(r"```\n(neurok/\n.*?)```", text, re.DOTALL)
    rooms = set(re.findall(r"^  ([\w.]+/?)\s", tree, re.MULTILINE))
    folders = {f"{p.name}/" for p in (REPOSITORY / "neurok").iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert {room for room in rooms if room.endswith("/")} == folders
    for name in rooms | set(re.findall(r"^(\w+/)", tree, re.MULTILINE)):
        assert (REPOSITORY / "neurok" / name).exists() or (REPOSITORY / name).exists(), name


def test_every_page_is_in_the_navigation_of_the_site():
    listed = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (REPOSITORY / "docs").glob("*.md"):
        assert re.search(rf": {path.name}$", listed, re.MULTILINE), path.name


def test_every_note_has_its_parts_and_its_place_in_the_index():
    folder = REPOSITORY / "docs" / "decisions"
    notes = sorted(folder.glob("[0-9]*.md"))
    assert [int(path.name[:3]) for path in notes] == list(range(1, len(notes) + 1))
    index = (folder / "index.md").read_text(encoding="utf-8")
    for path in notes:
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^\*20\d\d-\d\d-\d\d\*$", text, re.MULTILINE), path.name
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == [
            "Question", "Tried", "Figure", "Decision", "Where",
        ], path.name  # fmt: skip
        assert len(text.splitlines()) <= 25, path.name
        assert index.count(f"({path.name})") == 1, path.name
