"""neurok parts: what of an object can be named, and a picture of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, AllowOutside, Unit, UpAxis, hint, word

if TYPE_CHECKING:
    from neurok.articulate.part_list import PartList
    from neurok.files.labels import LabelledRegion
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.named_parts import NamedPart

MAX_LABELS = 40  # names in a picture, beyond which nobody finds anything; the largest parts are named


@dataclass(frozen=True)
class ListParts:
    """List the parts of an object that other verbs understand by name, as in `--pull lid:0,0,0.2`.

    The file's names come first, then plain ones (drawer_1, lid, door_left) for what the file leaves nameless. Where a
    file has no joints, they are found as `neurok articulate` finds them. A name stands for the point where a person
    would take hold of the part: the end that is farthest from its hinge, the front of what slides, else the end that is
    farthest from where it is attached.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file with a mesh; one with joints (URDF, USD, PartNet-Mobility folder or zip) has their links"""
    output: Annotated[str, word("PICTURE.png"), hint("default: none", aliases=("-o",))] = ""
    """a picture in which every part has a colour and its name"""
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.articulate.part_list import list_parts
        from neurok.commands.measures import open_measured
        from neurok.commands.say import counted, progress, say, say_json, written_facts, written_lines
        from neurok.errors import InputError
        from neurok.files.registry import check_output

        if self.output:
            check_output(self.output, (".png",))
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        if asset.mesh.face_count == 0:
            raise InputError(f"{Path(self.input).name} has no faces", "give a surface")
        with progress("searching") as report:
            found = list_parts(asset.mesh, asset.articulation, report)
            rows = [_describe_part(part, asset.mesh) for part in found.parts]
        written = [_draw_parts(asset.mesh, found, Path(self.output))] if self.output else []
        if self.json:
            facts = {"input": self.input, "parts_from": found.origin, "metres_per_unit": asset.mesh.unit}
            say_json(facts | {"parts": rows, "outputs": written_facts(written)})
            return
        say(f"{Path(self.input).name}: {counted(len(rows), 'name')}, from {found.origin}")
        for line in (*_format_rows(rows), *written_lines(written)):
            say(line)


Parts = ListParts  # as the command line finds it: the verb's name, in capitals


def _describe_part(part: "NamedPart", mesh: "Mesh") -> dict[str, Any]:
    """What is told of a part; lengths in file units."""
    lower, upper = part.bounds
    return {
        "name": part.name, "from": part.source, "other_names": list(part.other_names), "motion": part.motion,
        "joint": part.joint, "on": part.carrier, "faces": len(part.faces), "size": (upper - lower).tolist(),
        "centre": ((lower + upper) / 2).tolist(), "taken_at": list(part.place_grasp(mesh)),
    }  # fmt: skip


def _format_rows(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each part: its name, how it moves, its size, where it is and where it is taken hold of."""
    cells = [("name", "moves", "size", "centre", "taken at")]
    for row in rows:
        numbers = [",".join(f"{x + 0.0:.3g}" for x in row[key]) for key in ("size", "centre", "taken_at")]
        cells.append((row["name"], _describe_motion(row), *numbers))
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return ["  " + "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in cells]


def _describe_motion(row: dict[str, Any]) -> str:
    if row["motion"] in ("", "fixed"):
        return "-" if not row["motion"] else f"fixed to {row['on']}" if row["on"] else "stands still"
    return f"{row['motion']} on {row['on']}"


def _draw_parts(mesh: "Mesh", found: "PartList", path: Path) -> Path:
    from neurok.files.labels import render_labelled
    from neurok.files.pictures import save_picture

    return save_picture(render_labelled(mesh, _choose_regions(mesh, found)), path)


def _choose_regions(mesh: "Mesh", found: "PartList") -> "list[LabelledRegion]":
    """Every part in a colour of its own, small ones over the large ones that hold them; what carries all is grey."""
    import numpy as np

    from neurok.articulate.painting import PALETTE, make_color
    from neurok.files.labels import LabelledRegion
    from neurok.geometry.triangles import face_areas

    areas = face_areas(mesh.vertices, mesh.faces)
    parts = sorted(found.parts, key=lambda part: -float(areas[part.faces].sum()))[:MAX_LABELS]
    whole: dict[bytes, list[str]] = {}
    for part in parts:
        whole.setdefault(np.sort(part.faces).tobytes(), []).append(part.name)
    regions: list[LabelledRegion] = []
    for part in parts:
        names = whole.pop(np.sort(part.faces).tobytes(), None)
        if names is None:  # the same faces under another name
            continue
        moves = part.motion not in ("", "fixed")
        shade = 0 if part.stands else 1 + sum(r.color is not None for r in regions) % (len(PALETTE) - 1)
        text = " = ".join(names) + (f" ({part.motion})" if moves else "")
        regions.append(LabelledRegion(text, part.faces, make_color(PALETTE[shade])))
    return regions
