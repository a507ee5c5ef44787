"""Pairs: a plain mesh in one state, and where its surface is in another.

The plain mesh is what a person would hand over: all visual meshes in state a merged into one, vertices welded at
1e-5 of the diagonal, faces in random order and vertices numbered as those faces come, so that nothing of files,
joints or labels is left. It is centred on its bounding box and has diagonal 1. A welded vertex may belong to two
parts that go different ways, so the other state is kept per corner of each face: the true surface, torn there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.components import face_components, weld_map
from neurok.geometry.mesh import Mesh

WELD_DISTANCE = 1e-5  # of the diagonal
OPEN_ANGLE = np.pi / 2  # either way, of joints that turn without limits [rad]
OPEN_SLIDE = 0.2  # either way, of joints that slide without limits, of the diagonal
MIN_TRAVEL_SHARE = 0.4  # of its range: how far the joint of pair 0 goes at least
PAIR_COUNT = 4
SEPARABLE, FUSED, SOFT = "separable", "fused", "soft"
OBJECT_KINDS = (SEPARABLE, FUSED, SOFT)


@dataclass(frozen=True)
class Pair:
    """State a as a plain mesh, state b as its surface; both in units of a's diagonal, centred on a's box.

    name, category: of the object. index: which of its pairs. mesh: state a.
    target: where the corners of each face are in state b, [m, 3, 3].
    fused: whether a welded component of this mesh spans bodies that move apart; None where no body is known.
    body: a number per face, the same where faces cannot move against each other, [m]; None likewise.
    truth: the object with its joints, for the oracle alone: zero is state a, and face i is face i of `mesh`.
    """

    name: str
    category: str
    index: int
    mesh: Mesh
    target: Array
    fused: bool | None = None
    truth: Articulation | None = None
    body: Indices | None = None

    @property
    def rest(self) -> Array:
        """The corners of each face in state a, [m, 3, 3]."""
        return self.mesh.vertices[self.mesh.faces]


def unweld_corners(corners: Array, up: str = "y") -> Mesh:
    """Faces that share no vertex, from their corners [m, 3, 3]."""
    return Mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), up=up)


@dataclass(frozen=True)
class PlainMesh:
    """How a file's faces became a plain mesh: `face` [m] is the file's face behind each of its faces."""

    mesh: Mesh
    face: Indices
    centre: Array
    scale: float  # of a length in the file

    def to_corners(self, vertices: Array, faces: Indices) -> Array:
        """Vertices of the file [n, 3] in another state, at the plain mesh's corners and in its units, [m, 3, 3]."""
        return (vertices[faces[self.face]] - self.centre) * self.scale


def make_plain_mesh(vertices: Array, faces: Indices, up: str, generator: np.random.Generator) -> PlainMesh:
    """Weld, shuffle the faces, number the vertices as these come, and bring the diagonal to 1."""
    used = vertices[np.unique(faces)]
    diagonal = float(np.linalg.norm(np.ptp(used, axis=0)))
    welded = weld_map(vertices, WELD_DISTANCE * diagonal)
    first = np.full(int(welded.max()) + 1, len(vertices))
    np.minimum.at(first, welded, np.arange(len(vertices)))
    order = generator.permutation(len(faces))
    corners = welded[faces[order]]
    distinct, met, number = np.unique(corners, return_index=True, return_inverse=True)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(met)] = np.arange(len(distinct))
    places = np.empty((len(distinct), 3))
    places[rank] = vertices[first[distinct]]
    centre = 0.5 * (places.min(axis=0) + places.max(axis=0))
    scale = 1.0 / float(np.linalg.norm(np.ptp(places, axis=0)))
    mesh = Mesh((places - centre) * scale, rank[number.reshape(-1)].reshape(-1, 3), up=up)
    return PlainMesh(mesh, order, centre, scale)


def spans_bodies(mesh: Mesh, body: Indices) -> bool:
    """Whether a connected component has faces of two bodies; body [m] of each face."""
    count, component = face_components(mesh)
    lowest, highest = np.full(count, body.max(initial=0)), np.zeros(count, dtype=body.dtype)
    np.minimum.at(lowest, component, body)
    np.maximum.at(highest, component, body)
    return bool(np.any(lowest != highest))


def classify_object(pairs: Sequence[Pair]) -> str:
    """Separable where no welded component of any of an object's pairs spans two bodies, else fused; or soft."""
    if any(pair.fused is None for pair in pairs):
        return SOFT
    return FUSED if any(pair.fused for pair in pairs) else SEPARABLE


# ---------------------------------------------------------------- joint values


def fill_open_limits(lower: Array, upper: Array, turns: Array, diagonal: float) -> tuple[Array, Array]:
    """The ranges of joints that values are drawn from: the limits, and a usual reach where there are none; [k] each."""
    reach = np.where(turns, OPEN_ANGLE, OPEN_SLIDE * diagonal)
    return np.where(np.isfinite(lower), lower, -reach), np.where(np.isfinite(upper), upper, reach)


def draw_joint_pairs(lower: Array, upper: Array, generator: np.random.Generator) -> list[tuple[Array, Array]]:
    """The values of all joints in states a and b of the four pairs; joints whose range is empty are left alone.

    0: all nearest zero; one random joint at a random value at least 40 % of its range away.
    1: all nearest zero; all random. 2: all random; all random.
    3: all at one end of their range, by coin; all at the other.
    """
    rest = np.clip(0.0, lower, upper)
    moving = np.flatnonzero(upper > lower)
    low, high = lower[moving], upper[moving]

    def draw_values() -> Array:
        return _replace_values(rest, moving, generator.uniform(low, high))

    one = rest.copy()
    joint = moving[generator.integers(len(moving))]
    while abs(one[joint] - rest[joint]) < MIN_TRAVEL_SHARE * (upper[joint] - lower[joint]):
        one[joint] = generator.uniform(lower[joint], upper[joint])
    pairs = [(rest, one), (rest, draw_values()), (draw_values(), draw_values())]
    coin = generator.random(len(moving)) < 0.5
    return [
        *pairs,
        (
            _replace_values(rest, moving, np.where(coin, low, high)),
            _replace_values(rest, moving, np.where(coin, high, low)),
        ),
    ]


def _replace_values(values: Array, index: Indices, new: Array) -> Array:
    result = values.copy()
    result[index] = new
    return result
