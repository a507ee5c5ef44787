"""The XML of an MJCF file with includes put in place, and the attributes of each element with its defaults."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from neurok.errors import InputError, NeurokError
from neurok.files.source import Source
from neurok.files.urdf.document import parse_xml

MAX_ELEMENTS = 500_000  # in a file with all that it includes
MAX_DEPTH = 500  # levels of elements inside each other, as deep as MuJoCo reads
MAX_INCLUDES = 200
MAIN_CLASS = "main"


@dataclass
class MjcfStatements:
    """root: the <mujoco> element; compiler: its attributes, the last statement of each counts; defaults: of each class,
    the attributes of each tag; notes: what was left out."""

    root: ET.Element
    compiler: dict[str, str]
    defaults: dict[str, dict[str, dict[str, str]]]
    notes: list[str] = field(default_factory=list)

    def resolve(self, element: ET.Element, tag: str, childclass: str | None) -> dict[str, str]:
        """The attributes of an element over those of its class, of the class of its body, or of all."""
        name = element.get("class") or childclass or MAIN_CLASS
        if name not in self.defaults:
            raise InputError(f"a {element.tag} has the class '{name[:60]}', which no default describes", "correct it")
        return {**self.defaults[name].get(tag, {}), **element.attrib}

    def list_section(self, tag: str) -> Iterator[ET.Element]:
        """The children of all sections of a name."""
        for section in self.root.findall(tag):
            yield from section


def read_statements(source: Source) -> MjcfStatements:
    """The statements of a file and of all that it includes."""
    root = parse_xml(source.data(), source.name)
    if root.tag != "mujoco":
        raise InputError(f"{source.name} begins with <{root.tag[:40]}>, not <mujoco>", "give an MJCF file")
    _include_files(root, source, [source.name], 0)
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        raise InputError(f"{source.name} has more than {MAX_ELEMENTS} elements", "split it")
    compiler: dict[str, str] = {}
    for element in root.findall("compiler"):
        compiler |= element.attrib
    if compiler.get("coordinate", "local") != "local":
        raise InputError(f"{source.name} has global coordinates, which MuJoCo gave up", "save it with MuJoCo 2.3 first")
    return MjcfStatements(root, compiler, _collect_defaults(root))


def _include_files(element: ET.Element, source: Source, seen: list[str], depth: int) -> None:
    """Every <include> replaced by what its file holds."""
    if depth > MAX_DEPTH:
        raise InputError(f"{source.name} nests its elements deeper than {MAX_DEPTH} levels", "flatten it")
    place = 0
    while place < len(element):
        child = element[place]
        if child.tag != "include":
            _include_files(child, source, seen, depth + 1)
            place += 1
            continue
        name = str(PurePosixPath((child.get("file") or "").replace("\\", "/")))
        if name in seen or len(seen) > MAX_INCLUDES:
            raise InputError(f"{source.name} includes '{name[:80]}' twice, or too many files", "include each once")
        if name == "." or not source.exists(name):
            raise InputError(f"{source.name} includes '{name[:80]}', which is not there", "put the file beside it")
        inner = parse_xml(source.neighbour(name), name)
        seen.append(name)
        element.remove(child)
        for offset, each in enumerate(list(inner)):
            element.insert(place + offset, each)


def _collect_defaults(root: ET.Element) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {MAIN_CLASS: {}}
    for element in root.findall("default"):
        name = element.get("class") or MAIN_CLASS
        _collect_class(element, found, name, found[MAIN_CLASS])
    return found


def _collect_class(
    element: ET.Element, found: dict[str, dict[str, dict[str, str]]], name: str, above: Mapping[str, Mapping[str, str]]
) -> None:
    own = {tag: dict(attributes) for tag, attributes in {**above, **found.get(name, {})}.items()}
    for child in element:
        if child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attrib}
    found[name] = own
    for child in element.findall("default"):
        if not child.get("class"):
            raise InputError("a default inside another has no class", "name it")
        _collect_class(child, found, child.attrib["class"], own)


def find_neighbour(folder: str, name: str, *, strip: bool) -> str:
    """The path of an asset's file below its folder, relative to the main file."""
    clean = name.replace("\\", "/")
    if strip:
        clean = PurePosixPath(clean).name
    return clean if PurePosixPath(clean).is_absolute() else str(PurePosixPath(folder.replace("\\", "/")) / clean)


def is_within(source: Source, path: str) -> bool:
    """Whether a file that may be left out can be read: it is there, and it lies below the main file's folder."""
    try:
        return source.exists(path)
    except NeurokError:
        return False
