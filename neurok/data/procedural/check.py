"""The check of a procedural object: finite, few faces, in contact at its joints, without collisions elsewhere.

Links are compared in pairs. Surface points of one link are transformed into the frame of the other, for every
different relative pose of the trial states, and tested against its closed surface: the winding number says which
points are inside, the distance to the surface how deep. Two joined links may overlap as much as they do at rest, plus
a tolerance.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.data.procedural.buried import find_burials
from neurok.data.procedural.procedural import ProceduralObject
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import sample_uniform

# Lengths are shares of the diagonal.
MAX_FACES = 20_000
MAX_GAP = 0.01  # between a child and its parent
MAX_DEPTH = 0.005  # of a point of one link inside another
CONTACT_DEPTH = 0.001  # from which on a point inside another link counts as a contact
MAX_CONTACT_SHARE = 0.01  # of the points of a link
MAX_JOINT_OVERLAP = 0.04  # depth to which joined links may overlap at rest
MAX_SOFT_CONTACT_SHARE = 0.05  # of the points of a soft piece: one that bends leans into its parent at its root
MAX_STRETCH = 4.0  # factor by which an edge of a soft piece may grow or shrink
LINK_POINT_COUNT = 250  # area-uniform points per link, beside as many of its vertices
COMBINATION_COUNT = 4  # trial states in which all joints move, for each joint up to four


@dataclass(frozen=True)
class _LinkBody:
    """The rigid surface of a link at rest, sample points of it, its row among the bones, and boxes around it."""

    name: str
    mesh: Mesh
    points: Array
    row: int

    @cached_property
    def bounds(self) -> Array:
        return self.mesh.bounds

    @cached_property
    def boxes(self) -> tuple[tuple[Array, Array, Array], ...]:
        """(axes [3, 3], lower, upper) of the upright box and of the one along the principal axes."""
        vertices = self.mesh.vertices
        axes = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=False)[2]
        turned = vertices @ axes.T
        return (np.eye(3), *self.bounds), (axes, turned.min(axis=0), turned.max(axis=0))

    @cached_property
    def corners(self) -> Array:
        """Of the upright box, [8, 3]."""
        return np.stack(np.meshgrid(*self.bounds.T, indexing="ij"), axis=-1).reshape(-1, 3)

    def near(self, points: Array, margin: float = 0.0) -> Mask:
        """Which points [..., 3] lie in both boxes, grown by a margin [m]."""
        inside = np.ones(points.shape[:-1], dtype=bool)
        for axes, lower, upper in self.boxes:
            seen = points @ axes.T
            inside &= np.all((seen >= lower - margin) & (seen <= upper + margin), axis=-1)
        return inside


def find_faults(thing: ProceduralObject) -> list[str]:
    """The faults of an object, one sentence each; empty where it is valid."""
    mesh = thing.mesh
    if not np.all(np.isfinite(mesh.vertices)):
        return ["some vertices are not finite numbers"]
    if mesh.face_count > MAX_FACES:
        return [f"it has {mesh.face_count} faces; {MAX_FACES} are allowed"]
    states = draw_trial_states(thing)
    motions = thing.transforms(states)
    bodies = _collect_bodies(thing)
    found = _find_collisions(thing, bodies, motions, states) + _find_gaps(thing, bodies, motions, states)
    return found + (_find_soft_faults(thing, bodies, motions, states) if thing.is_soft else [])


def draw_trial_states(thing: ProceduralObject) -> Array:
    """Rest, every joint by itself at its ends and two places between, and combinations, [t, k]."""
    rng = np.random.default_rng(0)
    lower, upper = thing.limits
    k = len(lower)
    rows: list[Array] = [np.zeros((1, k))]
    for share in (0.0, 0.3, 0.7, 1.0):
        rows.append(np.diag(lower + share * (upper - lower)))
    half = COMBINATION_COUNT * min(k, 4) // 2
    ends = rng.random((half, k)) < 0.5
    rows += [lower[None], upper[None], np.where(ends, lower, upper), rng.uniform(lower, upper, (half, k))]
    return np.concatenate(rows)


def _collect_bodies(thing: ProceduralObject) -> dict[int, _LinkBody]:
    """The links with a rigid surface, by number."""
    articulation, mesh = thing.articulation, thing.mesh
    row = {link: i for i, link in enumerate(articulation.order)}
    owner = np.where(thing.soft, -1, articulation.vertex_link)[mesh.faces[:, 0]]
    bodies = {}
    for link in np.unique(owner[owner >= 0]):
        used, faces = np.unique(mesh.faces[owner == link], return_inverse=True)
        own = Mesh(mesh.vertices[used], faces.reshape(-1, 3), up="z")
        even = own.vertices[np.linspace(0, own.vertex_count - 1, min(LINK_POINT_COUNT, own.vertex_count)).astype(int)]
        points = np.concatenate(
            [even, sample_uniform(own, LINK_POINT_COUNT, np.random.default_rng(int(link))).position]
        )
        bodies[int(link)] = _LinkBody(articulation.links[link].name, own, points, row[link])
    return bodies


def _find_relative_motions(motions: Array, a: int, b: int) -> tuple[Array, Indices]:
    """The distinct motions of bone a relative to bone b, rest first, [u, 4, 4], and a state with each, [u]."""
    seen = np.linalg.solve(motions[:, b], motions[:, a])
    _, first = np.unique(np.round(seen.reshape(len(seen), 16), 9), axis=0, return_index=True)
    first = np.sort(first)
    return seen[first], first


def _carry_points(T: Array, points: Array) -> Array:
    """Points [p, 3] transformed by each of the motions [u, 4, 4], [u, p, 3]."""
    return points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]


def _measure_depths(body: _LinkBody, points: Array) -> Array:
    """How deep points [p, 3] lie inside a body, zero outside, [p]."""
    import igl

    depth = np.zeros(len(points))
    near = np.flatnonzero(body.near(points))
    if len(near):
        vertices, faces = body.mesh.vertices, body.mesh.faces
        inside = near[igl.fast_winding_number(vertices, faces, points[near]) > 0.5]
        if len(inside):
            depth[inside] = np.sqrt(igl.point_mesh_squared_distance(points[inside], vertices, faces)[0])
    return depth


def _find_collisions(thing: ProceduralObject, bodies: dict[int, _LinkBody], motions: Array, states: Array) -> list[str]:
    joined = _find_joined_pairs(thing)
    found = []
    for b, other in bodies.items():
        seen = {a: _find_meetings(motions, body, other) for a, body in bodies.items() if a != b}
        seen = {a: poses for a, poses in seen.items() if len(poses[1])}
        if not seen:
            continue
        clouds = {a: _carry_points(T, bodies[a].points) for a, (T, _) in seen.items()}
        depths = _measure_depths(other, np.concatenate([cloud.reshape(-1, 3) for cloud in clouds.values()]))
        start = 0
        for a, cloud in clouds.items():
            own = depths[start : start + cloud.shape[0] * cloud.shape[1]].reshape(cloud.shape[:2])
            start += own.size
            fault = _find_collision(own / thing.mesh.diagonal, frozenset((a, b)) in joined)
            if fault is not None:
                state, words = seen[a][1][fault[0]], fault[1]
                found.append(f"{bodies[a].name} {words} {other.name} {_describe_pose(thing, states[state])}")
    return found


def _find_meetings(motions: Array, body: _LinkBody, other: _LinkBody) -> tuple[Array, Indices]:
    """As `_find_relative_motions`, but only rest and the poses with overlapping boxes; none where no boxes overlap."""
    T, first = _find_relative_motions(motions, body.row, other.row)
    corners = _carry_points(T, body.corners)
    lower, upper = other.bounds
    meet = np.all((corners.max(axis=1) >= lower) & (corners.min(axis=1) <= upper), axis=1)
    if not meet.any():
        return T[:0], first[:0]
    meet[0] = True
    return T[meet], first[meet]


def _find_collision(depth: Array, joined: bool, max_share: float = MAX_CONTACT_SHARE) -> tuple[int, str] | None:
    """The worst pose that collides, and how; depth: of each point in each pose, rest first, [u, p]."""
    deepest, crowd = depth.max(axis=1), np.mean(depth > CONTACT_DEPTH, axis=1)
    if joined and deepest[0] > MAX_JOINT_OVERLAP:
        return 0, f"is sunk {100 * deepest[0]:.1f} % of the diagonal into"
    allowed, dense = (deepest[0], crowd[0]) if joined else (0.0, 0.0)
    bad = (deepest > allowed + MAX_DEPTH) | (crowd > dense + max_share)
    if not bad.any():
        return None
    worst = int(np.argmax(np.where(bad, deepest + crowd, -1.0)))
    return worst, f"goes {100 * deepest[worst]:.1f} % of the diagonal deep ({100 * crowd[worst]:.0f} % of it) into"


def _find_joined_pairs(thing: ProceduralObject) -> set[frozenset[int]]:
    pairs = {frozenset((joint.parent, joint.child)) for joint in thing.articulation.joints}
    return pairs | {frozenset(pair) for pair in thing.contacts}


def _find_gaps(thing: ProceduralObject, bodies: dict[int, _LinkBody], motions: Array, states: Array) -> list[str]:
    """Joints whose two links come apart."""
    import igl

    found = []
    reach = MAX_GAP * thing.mesh.diagonal
    for joint in thing.articulation.joints:
        if joint.parent not in bodies or joint.child not in bodies:
            continue
        parent, child = bodies[joint.parent], bodies[joint.child]
        T_parent_child, first = _find_relative_motions(motions, child.row, parent.row)
        touches = np.zeros(len(first), dtype=bool)
        for still, moving, T in ((parent, child, T_parent_child), (child, parent, np.linalg.inv(T_parent_child))):
            cloud = _carry_points(T, moving.points)
            pose, point = np.nonzero(still.near(cloud, reach) & ~touches[:, None])
            if len(pose):
                points, mesh = cloud[pose, point], still.mesh
                squared = igl.point_mesh_squared_distance(points, mesh.vertices, mesh.faces)[0]
                touches[pose[squared <= reach**2]] = True
        if not touches.all():
            where = _describe_pose(thing, states[first[np.argmin(touches)]])
            found.append(
                f"{child.name} is more than {100 * MAX_GAP:g} % of the diagonal away from {parent.name} {where}"
            )
    return found


def _find_soft_faults(
    thing: ProceduralObject, bodies: dict[int, _LinkBody], motions: Array, states: Array
) -> list[str]:
    """Soft pieces that tear, crumple, or bend into rigid links or into each other."""
    mesh, diagonal = thing.mesh, thing.mesh.diagonal
    faces = mesh.faces[thing.soft[mesh.faces[:, 0]]]
    sides = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    soft = np.flatnonzero(thing.soft)
    soft = soft[np.linspace(0, len(soft) - 1, min(4 * LINK_POINT_COUNT, len(soft))).astype(int)]
    frames = np.stack([thing.bones.blend(X, mesh.vertices) for X in motions])
    found = []
    lengths = np.linalg.norm(frames[:, sides[:, 0]] - frames[:, sides[:, 1]], axis=2)
    lengths = np.maximum(lengths, 1e-3 * diagonal)
    ratio = np.abs(np.log(lengths / lengths[0])).max(axis=1)
    if ratio.max() > np.log(MAX_STRETCH):
        worst = int(np.argmax(ratio))
        pose = _describe_pose(thing, states[worst])
        found.append(f"a soft piece is stretched or crumpled {np.exp(ratio[worst]):.1f} times {pose}")
    for body in bodies.values():
        X = motions[:, body.row]
        local = np.einsum("tba,tnb->tna", X[:, :3, :3], frames[:, soft] - X[:, None, :3, 3])
        moving = np.abs(local - local[0]).max(axis=2) > 1e-6 * diagonal
        depth = np.tile(_measure_depths(body, local[0]), (len(local), 1))
        depth[moving] = _measure_depths(body, local[moving])
        depth /= diagonal
        fault = _find_collision(depth, True, MAX_SOFT_CONTACT_SHARE)
        if fault is not None:
            found.append(f"a soft piece {fault[1]} {body.name} {_describe_pose(thing, states[fault[0]])}")
    for state, share in find_burials(thing, motions):
        found.append(f"{100 * share:.0f} % of a soft piece sinks into soft ones {_describe_pose(thing, states[state])}")
    return found


def _describe_pose(thing: ProceduralObject, state: Array) -> str:
    moved = [f"{name} {value:.3g}" for name, value in zip(thing.names, state) if value != 0.0]
    return f"at {', '.join(moved)}" if moved else "at rest"
