"""Motion: one mesh over time, as frames or as a skin with moving bones."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh


@dataclass(frozen=True)
class Skin:
    """Which bones a vertex follows, and how much.

    x_v = sum_j weights[v, j] X[joints[v, j]] x_v(reference): linear blend skinning.

    joints: bone indices, [n, w]; weights: [n, w], rows sum to one.
    names: one per bone; parents: bone indices, [b], -1 for a root, parents before children.
    frames: where each bone sits at reference, T_world_bone, [b, 4, 4] rigid (stretched where the bone of a
        file is, by a volume of one); only exports need it (a hinge's frame lies on its axis, so that key
        frames interpolate along the arc).
    stays_skin: whether glTF gets it as a skin, also where parts could be moving nodes.
    """

    joints: Indices
    weights: Array
    names: tuple[str, ...]
    parents: Indices
    frames: Array
    stays_skin: bool = False

    @property
    def bone_count(self) -> int:
        return len(self.names)

    @property
    def is_rigid(self) -> bool:
        """Whether every vertex follows exactly one bone, so that parts can be moving nodes."""
        return bool(np.all(np.max(self.weights, axis=1) == 1.0))

    @property
    def leader(self) -> Indices:
        """The bone of greatest weight of each vertex, [n]."""
        return np.take_along_axis(self.joints, self.weights.argmax(axis=1)[:, None], axis=1)[:, 0]

    def blend(self, transforms: Array, vertices: Array) -> Array:
        """Vertices [n, 3] carried by the bones' motions [b, 4, 4] (or [b, 3, 4]), [n, 3]."""
        rows = np.swapaxes(np.asarray(transforms, dtype=np.float64)[:, :3], 1, 2).reshape(-1, 3)
        return self._shares(vertices) @ rows

    def _shares(self, vertices: Array) -> csr_matrix:
        """h with x_v = sum_(b, c) h[v, 4 b + c] X[b, :, c], [n, 4 b]; cached for as long as the vertices are the same.

        A frame is one product with it: thirty times as fast as gathering the bones' matrices vertex by vertex.
        """
        kept = self.__dict__.get("_kept")
        if kept is None or kept[0] is not vertices:
            count, width = self.joints.shape
            homogeneous = np.concatenate([vertices, np.ones((count, 1))], axis=1)
            values = (self.weights[:, :, None] * homogeneous[:, None]).ravel()
            columns = (4 * self.joints[:, :, None] + np.arange(4)).astype(np.int32).ravel()
            ends = np.arange(0, 4 * width * count + 1, 4 * width)
            shape = (count, 4 * self.bone_count)
            counted = np.repeat(self.weights.ravel() != 0, 4)
            if not counted.all():  # most vertices of rigid parts follow one bone
                ends = np.concatenate([[0], np.cumsum(4 * np.count_nonzero(self.weights, axis=1))])
                values, columns = values[counted], columns[counted]
            kept = self.__dict__["_kept"] = vertices, csr_matrix((values, columns, ends), shape=shape)
        return kept[1]


def rigid_skin(vertex_link: Indices, names: tuple[str, ...], parents: Indices, frames: Array) -> Skin:
    """A skin whose vertices each follow one link; vertex_link [n]."""
    return Skin(
        joints=np.asarray(vertex_link, dtype=np.int64)[:, None],
        weights=np.ones((len(vertex_link), 1)),
        names=tuple(names),
        parents=np.asarray(parents, dtype=np.int64),
        frames=np.asarray(frames, dtype=np.float64),
    )


@dataclass(frozen=True)
class Motion:
    """A mesh whose vertices move; the topology is fixed.

    mesh: the reference shape. time: seconds, [t], increasing.
    positions: vertices over time [unit of the mesh], [t, n, 3], or None where a skin moves it.
    skin, transforms: the skin and its bones' world motions relative to reference, [t, b, 4, 4]
        (identity leaves the reference shape); frames are then computed on demand.
    name: of the clip.
    """

    mesh: Mesh
    time: Array
    positions: NDArray | None = None
    skin: Skin | None = None
    transforms: Array | None = None
    name: str = "motion"
    facts: dict[str, object] = field(default_factory=dict)  # e.g. energies, status: written where a format has room

    def __post_init__(self) -> None:
        time = np.asarray(self.time, dtype=np.float64)
        object.__setattr__(self, "time", time)
        if time.ndim != 1 or len(time) == 0 or np.any(np.diff(time) <= 0) or not np.all(np.isfinite(time)):
            raise InputError("the times of a motion must be finite and increasing", "sort them and drop repeats")
        if (self.positions is None) == (self.skin is None):
            raise InputError("a motion needs either positions or a skin", "give exactly one of them")
        if self.positions is not None and self.positions.shape != (len(time), self.mesh.vertex_count, 3):
            raise InputError(
                f"positions have shape {self.positions.shape}",
                f"give [{len(time)} times, {self.mesh.vertex_count} vertices, 3]",
            )
        if self.skin is not None:
            expected = (len(time), self.skin.bone_count, 4, 4)
            if self.transforms is None or self.transforms.shape != expected:
                raise InputError("the bone transforms do not match the skin", f"give an array of shape {expected}")
            if len(self.skin.joints) != self.mesh.vertex_count:
                raise InputError("the skin does not match the mesh", "give one row of weights per vertex")

    @property
    def frame_count(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        return float(self.time[-1] - self.time[0])

    @property
    def skinning(self) -> tuple[Skin, Array]:
        """The skin and the motions of its bones, [t, b, 4, 4]; an error for a motion that is stored as positions."""
        if self.skin is None or self.transforms is None:
            raise InputError("this motion has no skin: it is stored as positions", "use its frames instead")
        return self.skin, self.transforms

    def frame(self, index: int) -> Array:
        """Vertices at one time [unit], [n, 3]."""
        if self.positions is not None:
            return np.asarray(self.positions[index], dtype=np.float64)
        skin, transforms = self.skinning
        return skin.blend(transforms[index], self.mesh.vertices)

    @property
    def frames(self) -> NDArray:
        """Vertices at all times [unit], [t, n, 3]; computed anew for a skin."""
        if self.positions is not None:
            return self.positions
        return np.stack([self.frame(i) for i in range(self.frame_count)])

    def mesh_at(self, index: int) -> Mesh:
        return self.mesh.with_vertices(self.frame(index))
