"""What mkdocs does not do by itself: pages made of files outside docs/, pages of the API, links, and equations.

Equations are written in TeX between dollar signs, as GitHub shows them, and become MathML here, which browsers draw
without any script. Browsers need a font for it that knows mathematics: STIX Two, which ziamath brings along.
"""

import ast
import html
import posixpath
import re
from importlib.resources import files as files_of
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

REPOSITORY = Path(__file__).resolve().parents[2]

# page of the site -> the file it is made of
MADE = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "weights.md": "neurok/weights/base/README.md",
    "articulation_weights.md": "neurok/weights/articulation/README.md",
}
# room -> what its page of the API is called; folders of many alike modules (made objects) are left out
ROOMS = ("geometry", "files", "kinematics", "mechanics", "networks", "training", "data", "articulate", "evaluate")
LEFT_OUT = ("data/procedural", "data/simulated", "files/gltf", "files/usd")

LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#:\s]+)(#[^)\s]*)?\)")
POINTER = re.compile(r"`(neurok/([\w/]+)\.py:([A-Za-z_][\w.]*))`")
WORKER = re.compile(r"https://[\w./-]+/iframe-worker/shim")
BAR = re.compile(r'<mo stretchy="false">(&#x0007C;)</mo>')
EQUATION = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_config(config: Any) -> Any:
    """Put the notes and the pages of the API into the navigation."""
    notes = sorted(path.name for path in (REPOSITORY / "docs" / "decisions").glob("[0-9]*.md"))
    for section in config.nav:
        for pages in section.values():
            if {"Decisions": "decisions/index.md"} in (pages if isinstance(pages, list) else ()):
                pages[pages.index({"Decisions": "decisions/index.md"})] = {
                    "Decisions": ["decisions/index.md", *(f"decisions/{name}" for name in notes)]
                }
    config.nav.append({"Python API": ["api/index.md", *(f"api/{room}.md" for room in ROOMS)]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made of other files."""
    for page, source in MADE.items():
        text = (REPOSITORY / source).read_text(encoding="utf-8")
        head = "---\nhide: [navigation]\n---\n" if page == "index.md" else ""
        files.append(File.generated(config, page, content=head + text))
    files.append(File.generated(config, "api/index.md", content=_api_root()))
    for room in ROOMS:
        files.append(File.generated(config, f"api/{room}.md", content=_api_page(room)))
    font = files_of("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    files.append(File.generated(config, "site/math.ttf", content=font.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links between files of the repository into links between pages, and pointers into links to the API."""
    here = page.file.src_uri
    source = MADE.get(here, f"docs/{here}")

    def relink(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        goal = next((made for made, of in MADE.items() if of == path), None)
        if goal is None and path.startswith("docs/"):
            goal = path.removeprefix("docs/")
        if goal is None:
            return text.strip("![]")
        return f"{text}({posixpath.relpath(goal, posixpath.dirname(here) or '.')}{anchor})"

    return POINTER.sub(_to_api, LINK.sub(relink, markdown))


def on_page_content(html_text: str, **_: Any) -> str:
    """Draw the equations."""

    def draw(match: re.Match[str]) -> str:
        drawn = convert(html.unescape(match[3]).strip(), display="block" if match[1] == "div" else "inline")
        return BAR.sub(r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', drawn)  # bars of a norm, no relation

    return EQUATION.sub(draw, html_text)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Take the script that makes the search work from the disk from beside the pages, not from the network."""
    return WORKER.sub(posixpath.relpath("site/iframe-worker.js", posixpath.dirname(page.file.dest_uri) or "."), output)


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for the page of missing pages."""
    return WORKER.sub("site/iframe-worker.js", output_content)


def _to_api(match: re.Match[str]) -> str:
    """A pointer as a link to the API, where that has the symbol; else as it was."""
    name = f"neurok.{match[2].replace('/', '.').removesuffix('.__init__')}.{match[3]}"
    return _api_link(name, match[1])


def _api_link(name: str, text: str) -> str:
    text = re.sub(r"([/:.])", r"\1<wbr>", text)  # where a long line may break
    return f'<autoref optional identifier="{name}"><code>{text}</code></autoref>'


def _api_root() -> str:
    tree = ast.parse((REPOSITORY / "neurok" / "__init__.py").read_text(encoding="utf-8"))
    places = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_PLACES"
    )
    rows = "".join(
        f"| `neurok.{name}` | {_api_link(place.replace(':', '.'), place)} |\n" for name, place in places.items()
    )
    rooms = "".join(f"- [{room}]({room}.md)\n" for room in ROOMS)
    return f"# Python API\n\nThe public names, and where they live:\n\n| name | lives in |\n|---|---|\n{rows}\n{rooms}"


def _api_page(room: str) -> str:
    folder = REPOSITORY / "neurok" / room
    modules = []
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(REPOSITORY / "neurok").as_posix()
        if not inside.startswith(LEFT_OUT) and path.stem not in ("__init__", "__main__", "conftest"):
            modules.append("neurok." + inside.removesuffix(".py").replace("/", "."))
    return f"# neurok.{room}\n\n" + "".join(f"::: {module}\n\n" for module in modules)
