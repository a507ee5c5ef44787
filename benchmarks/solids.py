"""Overlaps and gaps of an object's parts by exact booleans of solids: a second opinion on what makes an object valid.

Nothing here is shared with the check that accepts objects (neurok/data/procedural/check.py), which tests sampled points
by winding numbers. Here each part is the union of its closed pieces, and two parts overlap by the solid that both
contain, at joint states drawn anew.

The thickness of a solid is 2 V / S, with its volume V [m^3] and surface S [m^2]: that of a wide plate, half that of a
long square bar, a third of a ball's diameter. Links that are joined may share what they share at rest, wherever either
of them takes it: only what else they share counts, the thickest component of it. A soft piece has no one place to
which it takes what it shares at rest: for it counts by how much the sum over all components grows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.geometry.arrays import Array, Indices

SPARE = 1e-9  # volumes below this share of the diagonal cubed are rounding


@dataclass(frozen=True)
class Solids:
    """The parts of an object; lengths as shares of its diagonal.

    rigid: the solid of each link at rest (a manifold3d.Manifold); soft: the faces of each soft piece, [m, 3].
    """

    thing: ProceduralObject
    rigid: dict[int, Any]
    soft: list[Indices]

    @classmethod
    def of(cls, thing: ProceduralObject) -> "Solids":
        mesh, link = thing.mesh, thing.articulation.vertex_link
        owner = np.where(thing.soft, -1, link)[mesh.faces[:, 0]]
        rigid = {int(k): solid(mesh.vertices, mesh.faces[owner == k]) for k in np.unique(owner[owner >= 0])}
        top = np.arange(len(mesh.parts))
        for index, part in enumerate(mesh.parts):
            top[index] = index if part.parent < 0 else top[part.parent]
        piece = np.where(owner == -1, top[mesh.face_part], -1)
        return cls(thing, rigid, [mesh.faces[piece == k] for k in np.unique(piece[piece >= 0])])

    @cached_property
    def joined(self) -> set[tuple[int, int]]:
        """Pairs that may share at rest what they share: joint by joint, and contacts."""
        pairs = [(j.parent, j.child) for j in self.thing.articulation.joints] + list(self.thing.contacts)
        return {(min(pair), max(pair)) for pair in pairs}

    @cached_property
    def row(self) -> dict[int, int]:
        return {link: i for i, link in enumerate(self.thing.articulation.order)}

    def overlaps(self, states: Array) -> dict[tuple[int, int], float]:
        """The thickest that each pair of links shares beyond its share at rest, over the states [t, k]."""
        X = self.thing.transforms(states)
        boxes = {a: self._boxes(a, X) for a in self.rigid}
        worst: dict[tuple[int, int], float] = {}
        for a in self.rigid:
            for b in self.rigid:
                if a >= b:
                    continue
                meet = np.all((boxes[a][0] <= boxes[b][1]) & (boxes[b][0] <= boxes[a][1]), axis=1)
                poses = _different(np.linalg.solve(X[meet, self.row[b]], X[meet, self.row[a]]))
                if len(poses):
                    worst[a, b] = max(self._overlap(a, b, T) for T in poses)
        return worst

    def _boxes(self, link: int, X: Array) -> tuple[Array, Array]:
        """Lower and upper corner of a link's box in each state, [t, 3] each."""
        points = self.rigid[link].to_mesh64().vert_properties[:, :3]
        placed = np.einsum("tij,nj->tni", X[:, self.row[link], :3, :3], points) + X[:, self.row[link], None, :3, 3]
        return placed.min(axis=1), placed.max(axis=1)

    def _overlap(self, a: int, b: int, T: Array) -> float:
        """Thickness of what a, moved by T in the frame of b, shares with b."""
        shared = _moved(self.rigid[a], T) ^ self.rigid[b]
        if (a, b) in self.joined and shared.volume() > 0:
            own = self.rigid[a] ^ self.rigid[b]
            shared = shared - own - _moved(own, T)
        return max(self.thicknesses(shared), default=0.0)

    def thicknesses(self, shared: Any) -> list[float]:
        """Of a solid's components [share of the diagonal]."""
        diagonal = self.thing.mesh.diagonal
        if shared.volume() < SPARE * diagonal**3:
            return []
        parts = [part for part in shared.decompose() if part.volume() > SPARE * diagonal**3]
        return [2 * part.volume() / part.surface_area() / diagonal for part in parts]

    def soft_overlaps(self, states: Array) -> float:
        """By how much what soft pieces share with each other and with links grows thicker than at rest, [t, k]."""
        if not self.soft:
            return 0.0
        moved = [self._soft_thickness(X) for X in self.thing.transforms(np.concatenate([0 * states[:1], states]))]
        return max((t - moved[0].get(pair, 0.0) for other in moved[1:] for pair, t in other.items()), default=0.0)

    def _soft_thickness(self, X: Array) -> dict[tuple[int, int], float]:
        """Summed thickness of what each pair shares at motions [b, 4, 4] of the bones; soft pieces are -1, -2, ..."""
        vertices = self.thing.skin.blend(X, self.thing.mesh.vertices)
        pieces = {-1 - i: solid(vertices, faces) for i, faces in enumerate(self.soft)}
        bodies = {link: _moved(body, X[self.row[link]]) for link, body in self.rigid.items()} | pieces
        boxes = {name: np.reshape(body.bounding_box(), (2, 3)) for name, body in bodies.items()}
        found = {}
        for a in pieces:
            for b in bodies:
                if b > a and np.all((boxes[a][0] <= boxes[b][1]) & (boxes[b][0] <= boxes[a][1])):
                    found[a, b] = sum(self.thicknesses(bodies[a] ^ bodies[b]))
        return found

    def gaps(self, states: Array, reach: float) -> dict[tuple[int, int], float]:
        """The widest gap between the two links of each joint, as far as `reach`, over the states [t, k]."""
        X, diagonal = self.thing.transforms(states), self.thing.mesh.diagonal
        worst = {}
        for joint in self.thing.articulation.joints:
            a, b = joint.child, joint.parent
            if a not in self.rigid or b not in self.rigid:
                continue
            poses = _different(np.linalg.solve(X[:, self.row[b]], X[:, self.row[a]]))
            gaps = [_moved(self.rigid[a], T).min_gap(self.rigid[b], reach * diagonal) for T in poses]
            worst[b, a] = max(gaps) / diagonal
        return worst


def solid(vertices: Array, faces: Indices) -> Any:
    """The union of closed pieces, a manifold3d.Manifold."""
    from manifold3d import Manifold, Mesh64, OpType
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = faces[:, [0, 1, 2]].ravel(), faces[:, [1, 2, 0]].ravel()
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(vertices), len(vertices)))
    owner = connected_components(graph, directed=False)[1][faces[:, 0]]
    pieces = []
    for piece in np.unique(owner):
        used, own = np.unique(faces[owner == piece], return_inverse=True)
        mesh = Mesh64(np.array(vertices[used]), np.array(own.reshape(-1, 3), dtype=np.uint64, order="C"))
        pieces.append(Manifold(mesh))
        if pieces[-1].is_empty():
            raise ValueError(f"a piece of {len(own) // 3} faces is not closed ({pieces[-1].status()})")
    return Manifold.batch_boolean(pieces, OpType.Add)


def _moved(body: Any, T: Array) -> Any:
    return body.transform(np.ascontiguousarray(T[:3]))


def _different(T: Array) -> Array:
    """The motions [t, 4, 4] that are not the same, [u, 4, 4]."""
    if not len(T):
        return T
    first = np.unique(np.round(T.reshape(len(T), 16), 9), axis=0, return_index=True)[1]
    return T[np.sort(first)]
