"""Training views: what training sees of an object from one first frame, points of its surface and where they go.

The first frame is merged and put into the canonical place (centred on its box, diagonal 1, +Z up); patches and
components are read off that merged surface, never off files or labels. Links, where the store knows them, only serve
to move points exactly: a point of a rigid part follows its transforms, any other keeps its own displacements and
rotations. Everything a network is shown is made from `position`, `normal`, `area`, `patch`, `component` and `border`.
"""

from dataclasses import dataclass, fields

import numpy as np

from neurok.data.sample import MotionSample
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import observe_surface
from neurok.geometry.rotation import quaternion_from_matrix
from neurok.geometry.surface import SurfacePoints

VIEW_POINT_COUNT = 1024  # of which a training step takes some


@dataclass(frozen=True)
class TrainingView:
    """n points of a first frame and t states of them; lengths in units of the first frame's diagonal.

    position, normal: [n, 3]. area: the share of the surface each point stands for, [n], sums to one.
    patch, component: [n]. border: how p patches meet, see `patch_borders`, in whole steps of 1/255, [p, p, 4].
    link: the rigid part, [n], -1 where the point belongs to none.
    transforms: of each part from the first frame to each state, [t, L, 3, 4].
    soft: the s points that belong to no part; shift: their displacements, [t, s, 3]; turn: their rotations as
        quaternions, [t, s, 4].
    """

    position: np.ndarray
    normal: np.ndarray
    area: np.ndarray
    patch: np.ndarray
    component: np.ndarray
    border: np.ndarray
    link: np.ndarray
    transforms: np.ndarray
    soft: np.ndarray
    shift: np.ndarray
    turn: np.ndarray

    @property
    def state_count(self) -> int:
        return len(self.transforms)


ARRAY_TYPES = {
    "position": np.float32, "normal": np.float16, "area": np.float32, "patch": np.uint8, "component": np.uint16,
    "border": np.uint8, "link": np.int16, "transforms": np.float32, "soft": np.int16, "shift": np.float16,
    "turn": np.float16,
}  # fmt: skip
assert tuple(ARRAY_TYPES) == tuple(f.name for f in fields(TrainingView))


def make_view(
    sample: MotionSample, first: int, rng: np.random.Generator, count: int = VIEW_POINT_COUNT
) -> TrainingView:
    """The object as seen from state `first`; its other states follow in the order of the sample, `first` left out."""
    observation = observe_surface(Mesh(sample.frame(first), sample.faces, up=sample.facts.up), count, rng)
    where, place = observation.samples, observation.place
    states = [i for i in range(sample.state_count) if i != first]
    link = _common_link(sample.link[where.corners])
    soft = np.flatnonzero(link < 0)
    shift, turn = _follow(sample, where.subset(soft), first, states, place)
    arrays = {
        "position": where.position, "normal": where.normal, "area": where.area / where.area.sum(),
        "patch": observation.patch, "component": np.minimum(observation.component, 65535),
        "border": np.rint(255 * observation.border), "link": link,
        "transforms": _relative(sample.transforms, first, states, place), "soft": soft, "shift": shift, "turn": turn,
    }  # fmt: skip
    return TrainingView(
        **{name: np.ascontiguousarray(value, dtype=ARRAY_TYPES[name]) for name, value in arrays.items()}
    )


def _common_link(corners: Indices) -> Indices:
    """The link that all three corners [m, 3] of a face belong to, or -1, [m]."""
    return np.where((corners == corners[:, :1]).all(axis=1), corners[:, 0], -1)


def _relative(transforms: np.ndarray, first: int, states: list[int], place: Array) -> Array:
    """The parts' motions from one state to others, in the canonical place, [t, L, 3, 4]."""
    T = np.zeros((*transforms.shape[:2], 4, 4))
    T[..., :3, :] = transforms
    T[..., 3, 3] = 1.0
    if T.shape[1] == 0:
        return T[states][..., :3, :]
    return (place @ T[states] @ np.linalg.inv(T[first]) @ np.linalg.inv(place))[..., :3, :]


def _follow(
    sample: MotionSample, where: SurfacePoints, first: int, states: list[int], place: Array
) -> tuple[Array, Array]:
    """Displacements [t, s, 3] and rotations [t, s, 4] of points from one state to others, in the canonical place."""
    shift, turn = np.zeros((len(states), where.count, 3)), np.zeros((len(states), where.count, 4))
    if where.count == 0:
        return shift, turn
    before = _edges(sample.frame(first)[where.corners] @ place[:3, :3].T)
    undo = np.linalg.pinv(before)  # a face without area has no inverse, and turns with what it has
    start = np.einsum("sk,ska->sa", where.weights, sample.frame(first)[where.corners])
    for row, state in enumerate(states):
        corners = sample.frame(state)[where.corners]
        shift[row] = (np.einsum("sk,ska->sa", where.weights, corners) - start) @ place[:3, :3].T
        turn[row] = quaternion_from_matrix(_polar(_edges(corners @ place[:3, :3].T) @ undo))
    return shift, turn


def _edges(corners: Array) -> Array:
    """Two edges and the normal, as long as they are on average, of triangles [s, 3, 3], as columns, [s, 3, 3]."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(a, b)
    normal /= np.maximum(np.sqrt(np.linalg.norm(normal, axis=1, keepdims=True)), 1e-12)
    return np.stack([a, b, normal], axis=2)


def _polar(F: Array) -> Array:
    """The rotation nearest to each matrix [s, 3, 3]."""
    U, _, Vt = np.linalg.svd(F)
    U[:, :, 2] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    return U @ Vt
