"""A sheet of the joints of an object: a row for each, from its lower to its upper limit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.arrows import draw_axes
from neurok.files.camera import Camera, CameraView
from neurok.files.captions import draw_caption
from neurok.files.colors import RGBA
from neurok.files.ghost import Highlighter
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.moving_parts import JointedPart, list_joint_parts, list_moving_parts

MAX_ROWS = 8  # joints that are drawn
COLUMNS = 5  # pictures of each
OPEN_SLIDE = 0.2  # of the diagonal: how far either way a slide without limits is shown
ALL_ROUND = 2.0 * math.pi  # [rad]: what a hinge without limits is shown to do
ROW_SIZE = (300, 300)  # pixels of one picture
KIND_WORDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "screw": "screw"}


@dataclass(frozen=True)
class JointRow:
    """A part on its joint; caption: its name, kind and range; shapes: of the object from the lower to the upper end of
    its way [unit], [n, 3] each."""

    part: JointedPart
    caption: str
    shapes: Sequence[Array]


def list_rows(articulation: Articulation, columns: int = COLUMNS) -> list[JointRow]:
    """A row for each coordinate of an articulation."""
    skin, found = link_skin(articulation), []
    for index, part in enumerate(list_joint_parts(articulation)):
        freedom = articulation.freedoms[articulation.coordinate_freedoms[index]]
        lower, upper = _choose_range(freedom.lower, freedom.upper, freedom.turns, articulation.mesh.diagonal)
        motions = link_motions(articulation, _list_states(articulation, index, np.linspace(lower, upper, columns)))
        shapes = [skin.blend(X, articulation.mesh.vertices) for X in motions]
        kind = KIND_WORDS.get(articulation.joints[freedom.joint].kind, "hinge" if freedom.turns else "slide")
        words = describe_range(freedom.lower, freedom.upper, freedom.turns, articulation.mesh.unit)
        found.append(JointRow(part, f"{part.name}: {kind}, {words}", shapes))
    return found


def list_clip_rows(motions: Sequence[Motion], columns: int = COLUMNS) -> list[JointRow]:
    """A row for each clip; none unless each moves one part along one axis, as clips of joints do."""
    found = []
    for motion in motions:
        parts = list_moving_parts(motion)
        if len(parts) != 1 or parts[0].axis is None or parts[0].values is None:
            return []
        part, turns, values = parts[0], parts[0].axis.turns, parts[0].values
        ends = np.linspace(part.lower, part.upper, columns)
        shapes = [motion.frame(int(np.abs(values - end).argmin())) for end in ends]
        words = describe_range(part.lower, part.upper, turns, motion.mesh.unit)
        found.append(JointRow(part, f"{motion.name}: {'hinge' if turns else 'slide'}, {words}", shapes))
    return found


def render_joints(
    mesh: Mesh, rows: Sequence[JointRow], colors: Sequence[RGBA],
    view: CameraView | None = None, size: tuple[int, int] = ROW_SIZE, *, share: float = 1.0,
) -> NDArray[np.uint8]:  # fmt: skip
    """Each row below its caption, [h, w, 3]; colors: of what each row moves; share: how much they cover of its look."""
    camera = Camera.framing([shape for row in rows for shape in row.shapes], mesh.up, size[0] / size[1], view)
    found = []
    with Renderer(*size, fineness=2) as renderer:
        for row, color in zip(rows, colors):
            highlighter = Highlighter(mesh, row.part.vertices, color=color, share=share, ghost=False)
            axes = [] if row.part.axis is None else [row.part.axis]
            pictures = [draw_axes(highlighter.picture(renderer, s, camera), camera, axes) for s in row.shapes]
            strip = np.concatenate(pictures, axis=1)
            found += [draw_caption(row.caption, strip.shape[1], max(size[1] // 9, 14)), strip]
    return np.concatenate(found)


def fade_colors(mesh: Mesh, color: RGBA, share: float) -> Mesh:
    """The mesh with its plain materials drawn towards one colour: what moves then stands out against it."""

    def mix(own: tuple[float, ...]) -> RGBA:
        r, g, b = ((1 - share) * x + share * y for x, y in zip(own[:3], color[:3]))
        return r, g, b, own[3]

    return replace(mesh, materials=tuple(replace(m, base_color=mix(m.base_color)) for m in mesh.materials))


def describe_range(lower: float, upper: float, turns: bool, unit: float) -> str:
    """A range in words: degrees, or lengths; unit: metres per unit of the file."""
    if not np.isfinite([lower, upper]).any():
        return "without end"
    ends = [_name_end(x, turns, unit) for x in (lower, upper)]
    return " to ".join(ends) if all(ends) else f"from {ends[0]}" if ends[0] else f"up to {ends[1]}"


def _name_end(value: float, turns: bool, unit: float) -> str:
    """An end of a range in words, none where it has none."""
    if not np.isfinite(value):
        return ""
    return f"{round(math.degrees(value))}°" if turns else _name_length(value * unit)


def _name_length(metres: float) -> str:
    if metres == 0:
        return "0"
    return f"{100 * metres:.3g} cm" if abs(metres) < 1 else f"{metres:.3g} m"


def _list_states(articulation: Articulation, coordinate: int, values: Array) -> Array:
    """All coordinates at some values of one, [c, k]: the others at rest, or at the limit nearest to it."""
    freedoms = [articulation.freedoms[d] for d in articulation.coordinate_freedoms]
    rest = np.array([min(max(0.0, freedom.lower), freedom.upper) for freedom in freedoms])
    states = np.tile(rest, (len(values), 1))
    states[:, coordinate] = values
    return states


def _choose_range(lower: float, upper: float, turns: bool, diagonal: float) -> tuple[float, float]:
    """From where to where a coordinate is shown: once round, or some way to either side, where it has no end."""
    if np.isfinite([lower, upper]).all():
        return lower, upper
    low, high = (0.0, ALL_ROUND) if turns else (-OPEN_SLIDE * diagonal, OPEN_SLIDE * diagonal)
    if np.isfinite(lower):
        return lower, lower + high - low
    return (upper - (high - low), upper) if np.isfinite(upper) else (low, high)
