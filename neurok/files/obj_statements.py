"""The statements of an OBJ file: its lines sorted by kind, and the parts and materials in force at each face.

Consecutive lines of one kind become one block of bytes, which is parsed as a whole later.
"""

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.mtl import MtlLibrary, read_library
from neurok.files.rows import decode_name
from neurok.files.source import Source
from neurok.geometry.mesh import Material

# What a line is, by its first two letters.
VERTEX, TEXCOORD, NORMAL, FACE, SKIPPED, BLANK, WORDS = range(7)


@dataclass
class ObjFaces:
    """Blocks of consecutive `f` lines, and the part and material in force where they stand."""

    blocks: list[bytes] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    material: list[int] = field(default_factory=list)
    seen: list[tuple[int, int, int]] = field(default_factory=list)  # v, vt, vn lines before the block


class ObjStatements:
    """The statements of a file, collected in order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.blocks: dict[int, list[bytes]] = {VERTEX: [], TEXCOORD: [], NORMAL: []}
        self.seen = [0, 0, 0]
        self.faces = ObjFaces()
        self.parts: dict[tuple[str, int], int] = {}
        self.object = -1
        self.part = -1
        self.libraries: list[MtlLibrary] = []
        self.materials: dict[str, int] = {}
        self.material = -1
        self.notes: dict[str, None] = {}
        self.skipped = 0
        self.unknown = 0

    def collect(self, data: bytes) -> None:
        starts, kinds = _classify_lines(data)
        change = np.flatnonzero(np.diff(kinds, prepend=-1) != 0)
        runs = zip(kinds[change].tolist(), change.tolist(), [*change[1:].tolist(), len(kinds)])
        bounds = [*starts.tolist(), len(data)] if len(starts) < 1 << 16 else np.append(starts, len(data))
        for kind, first, last in runs:
            block = data[bounds[first] : bounds[last]]
            if kind <= NORMAL:
                self.blocks[kind].append(block)
                self.seen[kind] += last - first
            elif kind == FACE:
                self._faces(block, last - first)
            elif kind == SKIPPED:
                self.skipped += last - first
            elif kind == WORDS:
                for line in block.splitlines():
                    self._statement(line)

    def _faces(self, block: bytes, lines: int) -> None:
        self.faces.blocks.append(block)
        self.faces.lines.append(lines)
        self.faces.part.append(self.part)
        self.faces.material.append(self.material)
        self.faces.seen.append((self.seen[0], self.seen[1], self.seen[2]))

    def _statement(self, line: bytes) -> None:
        words = line.split(None, 1)
        keyword, rest = words[0], decode_name(words[1]) if len(words) > 1 else ""
        if keyword == b"o":
            self.object = self.part = self._part(rest, -1) if rest else -1
        elif keyword == b"g":
            self.part = self._part(rest, self.object) if rest else self.object
        elif keyword == b"usemtl":
            self.material = self.materials.setdefault(rest, len(self.materials)) if rest else -1
        elif keyword == b"mtllib":
            self._library(rest)
        elif keyword not in IGNORED_KEYWORDS:
            self.unknown += 1

    def _part(self, name: str, parent: int) -> int:
        return self.parts.setdefault((name, parent), len(self.parts))

    def _library(self, rest: str) -> None:
        try:
            names = [rest] if self.source.exists(rest) else rest.split()
        except InputError:
            names = rest.split()
        for name in names:
            try:
                self.libraries.append(read_library(self.source, name))
            except InputError as fault:
                self.notes[f"the material library '{name}' is not read ({fault.problem})"] = None

    def used_materials(self) -> tuple[Material, ...]:
        """The materials in the order they are first used; those no library describes keep their name."""
        materials, missing = [], []
        for name in self.materials:
            library = next((library for library in self.libraries if name in library), None)
            missing += [name] if library is None else []
            materials.append(Material(name=name) if library is None else library.material(name))
        for library in self.libraries:
            self.notes.update(dict.fromkeys(library.notes))
        if missing and self.libraries:
            self.notes[f"no material library describes: {', '.join(missing[:5])}"] = None
        return tuple(materials)


# Statements that say nothing a triangle mesh can hold.
IGNORED_KEYWORDS = {
    *(b"s", b"mg", b"lod", b"bevel", b"c_interp", b"d_interp", b"shadow_obj", b"trace_obj", b"maplib", b"usemap"),
    *(b"call", b"csh"),
}


def split_statements(data: bytes) -> bytes:
    """One statement a line, without indentation; a backslash at the end continues a line, never a comment."""
    if b"\\" in data and re.search(rb"\\[ \t]*\n", data):
        data = re.sub(rb"(?m)^[ \t]*#[^\n]*", b"", data)
        data = re.sub(rb"\\[ \t]*\n", b" ", data)
    if data[:1].isspace() or re.search(rb"\n[ \t\v\f]", data):
        data = re.sub(rb"(?m)^[ \t\v\f]+", b"", data)
    return data


def _classify_lines(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each line starts, [l], and of what kind it is, [l]."""
    letters = np.frombuffer(data, dtype=np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(letters == 10)[:-1] + 1])
    first = letters[starts]
    second = letters[np.minimum(starts + 1, len(letters) - 1)]
    blank_next = second <= 32
    kinds = np.full(len(starts), WORDS)
    kinds[(first == 10) | (first == ord("#"))] = BLANK
    kinds[(first == ord("v")) & blank_next] = VERTEX
    kinds[(first == ord("v")) & (second == ord("t"))] = TEXCOORD
    kinds[(first == ord("v")) & (second == ord("n"))] = NORMAL
    kinds[(first == ord("f")) & (blank_next & (second != 10) | (second == ord("o")))] = FACE
    kinds[((first == ord("l")) | (first == ord("p"))) & blank_next] = SKIPPED
    return starts, kinds
