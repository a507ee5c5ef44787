"""A cushion that is pressed, folded and pulled by its corners."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.limbs import cell_centres, tint_faces
from neurok.data.procedural.placing import Vector
from neurok.data.procedural.shapes import ball, slab, tube
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import rotation

CELLS = 25  # points of the grid along each side


def draw(kit: Kit) -> None:
    width = kit.between(0.35, 0.6, name="width")
    depth = width * (1.0 if kit.chance(0.6, name="square") else kit.between(0.6, 0.8, name="depth share"))
    thick = 0.5 * (width + depth) * kit.between(0.22, 0.36, name="thickness share")
    tilt = kit.pick(0.0, kit.between(45, 70, name="tilt share"), name="tilt")  # lying, or leaning as against a back
    R = rotation(np.radians([0.0, 0.0, kit.between(-25, 25, name="r share")])) @ rotation(np.radians([tilt, 0.0, 0.0]))
    kit.bone("core")
    lift = 0.5 * thick if tilt == 0.0 else 0.5 * depth * np.sin(np.radians(tilt)) + 0.2 * thick
    add_cushion(kit, "core", width, depth, thick, at=(0.0, 0.0, lift), R=R, fold=kit.between(16, 26, name="core fold"))


@dataclass(frozen=True)
class _Plan:
    """Square coordinates (-1 to 1) of the grid and where they lie in the cushion's own plane, [r, c] each."""

    u: Array
    v: Array
    x: Array
    y: Array
    height: Array  # from the lower to the upper face


def add_cushion(
    kit: Kit, parent: str, width: float, depth: float, thick: float, *, at: Vector, R: Array | None = None,
    fold: float = 0.0, name: str = "cushion",
) -> None:  # fmt: skip
    """Sews a cushion to a parent: its middle at a point [m], its own axes turned by R [3, 3].

    fold: how far its halves fold upwards [degrees]; with none it lies on something hard, only pressed and its
    corners lifted.
    """
    R = np.eye(3) if R is None else R
    disc = kit.chance(0.2, name="round")
    four = tuple((u, v) for u in (-0.42, 0.42) for v in (-0.42, 0.42))
    tufts = kit.pick(((0.0, 0.0),), four, name="tufts") if disc else kit.pick((), (), ((0.0, 0.0),), four, name="tufts")
    plan = _plan(kit, width, depth, thick, tufts, disc)
    centre = np.asarray(at, dtype=np.float64)
    grid = np.stack([plan.x, plan.y, 0.0 * plan.x], axis=2)
    pieces = [slab(grid, np.maximum(plan.height, 0.05 * thick))]
    if disc or kit.chance(0.7, name="piping"):
        pieces.append(tube(_border(grid), 0.045 * thick, sides=8, closed=True))  # piping along the seam
    for u, v in tufts:
        pieces.append(ball((0.13 * thick, 0.13 * thick, 0.08 * thick), (0.5 * width * u, 0.5 * depth * v, 0.0), 12))
    bones = _bones(kit, name, parent, width, depth, thick, centre, R, fold)
    cloth, trim = (
        kit.material("fabric", "fabric", "plastic", "leather", "paper", name="add cushion cloth"),
        kit.material("fabric", "paper", "black", name="add cushion trim"),
    )
    for i, piece in enumerate(pieces):
        local = piece.vertices
        if 0 < i and i >= len(pieces) - len(tufts):  # a tuft sits in its dimple on the upper face
            u, v = tufts[i - len(pieces) + len(tufts)]
            near = np.argmin((plan.u - u) ** 2 + (plan.v - v) ** 2)
            local = local + (0.0, 0.0, 0.5 * plan.height.ravel()[near])
            piece = piece.with_vertices(local)
        weights = _weights(local, width, depth, thick, parent, bones)
        placed = piece.with_vertices(local @ R.T + centre)
        choice = _pattern(kit, piece, width) if i == 0 else np.ones(piece.face_count, dtype=int)
        kit.skin(tint_faces(placed, (cloth, trim), choice), weights)


def _plan(kit: Kit, width: float, depth: float, thick: float, tufts: tuple, disc: bool) -> _Plan:
    u, v = np.meshgrid(
        *(np.sin(np.linspace(-0.5, 0.5, CELLS) * np.pi * 0.96) / np.sin(0.48 * np.pi),) * 2, indexing="ij"
    )
    pinch = kit.between(0.03, 0.11, name="plan pinch")
    if disc:
        x, y = u * np.sqrt(1 - 0.5 * v**2), v * np.sqrt(1 - 0.5 * u**2)
        edge = np.sqrt(np.clip(1 - x**2 - y**2, 0.0, 1.0))
        height = edge ** kit.between(0.5, 0.9, name="plan height share")
    else:  # sides drawn in between the corners
        x, y = u * (1 - pinch * (1 - v**2)), v * (1 - pinch * (1 - u**2))
        height = ((1 - u**4) * (1 - v**4)).clip(0, 1) ** kit.between(0.4, 0.6, name="plan height share")
    for a, b in tufts:
        height = height * (1.0 - 0.4 * np.exp(-((u - a) ** 2 + (v - b) ** 2) / 0.035))
    return _Plan(u, v, 0.5 * width * x, 0.5 * depth * y, thick * height)


def _border(grid: Array) -> Array:
    loop = np.concatenate([grid[:-1, 0], grid[-1, :-1], grid[:0:-1, -1], grid[0, :0:-1]])
    return loop[np.linalg.norm(loop - np.roll(loop, 1, axis=0), axis=1) > 1e-9]


def _bones(
    kit: Kit, name: str, parent: str, width: float, depth: float, thick: float, centre: Array, R: Array, fold: float
) -> dict[str, str]:  # fmt: skip
    """Bones by role: press, left, right and four corners."""

    def hinge(above: str, role: str, at: Vector, axis: Vector, lower: float, upper: float) -> str:
        bone = kit.bone(f"{name}_{role}")
        kit.hinge(above, bone, at=R @ np.asarray(at) + centre, axis=R @ np.asarray(axis), lower=lower, upper=upper)
        return bone

    bones = {"press": kit.bone(f"{name}_press")}
    kit.slide(
        parent,
        bones["press"],
        axis=R @ (0.0, 0.0, -1.0),
        lower=-0.06 * thick,
        upper=kit.between(0.35, 0.5, name="bones opens to") * thick,
    )
    for side, s in (("left", 1.0), ("right", -1.0)):
        half = parent
        if fold:
            half = hinge(parent, side, (0.12 * s * width, 0, 0), (0, -s, 0), -0.4 * fold, fold)
        bones[side] = half
        for end, t in (("front", -1.0), ("back", 1.0)):
            axis = np.cross((s * width, t * depth, 0.0), (0.0, 0.0, 1.0))
            bones[f"{end}_{side}"] = hinge(
                half, f"{end}_{side}", (0.28 * s * width, 0.28 * t * depth, 0), axis, -12 if fold else 0, 22
            )
    return bones


def _weights(
    local: Array, width: float, depth: float, thick: float, parent: str, bones: dict[str, str]
) -> dict[str, Array]:
    u, v, z = 2 * local[:, 0] / width, 2 * local[:, 1] / depth, local[:, 2] / thick
    press = _hill(u, v) * _ramp((z + 0.5) / 0.9)
    left_over = 1.0 - press
    shares: dict[str, Array] = {bones["press"]: press}
    for side, s in (("left", 1.0), ("right", -1.0)):
        half = left_over * _ramp((s * u + 0.05) / 0.7)
        for end, t in (("front", -1.0), ("back", 1.0)):
            corner = half * _ramp((s * u + t * v - 0.85) / 0.9) * _ramp(s * u / 0.3) * _ramp(t * v / 0.3)
            shares[bones[f"{end}_{side}"]] = corner
        if bones[side] != parent:
            shares[bones[side]] = half - sum(shares[bones[f"{end}_{side}"]] for end in ("front", "back"))
    shares[parent] = np.clip(1.0 - sum(shares.values()), 0.0, 1.0)
    return shares


def _hill(u: Array, v: Array) -> Array:
    """How much of a hand's press reaches a place: one in the middle, nothing at the seams."""
    return np.exp(-2.2 * (u**2 + v**2)) * np.clip(1 - u**4, 0, 1) * np.clip(1 - v**4, 0, 1)


def _ramp(t: Array) -> Array:
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3 - 2 * t)


def _pattern(kit: Kit, mesh: Mesh, width: float) -> Indices:
    centre = cell_centres(mesh)
    style, pitch = (
        kit.pick("plain", "plain", "stripes", "checks", name="pattern"),
        width / kit.count(5, 9, name="pattern count"),
    )
    a, b = (np.floor(centre[:, i] / pitch + 0.5).astype(int) for i in (0, 1))
    return {"plain": 0 * a, "stripes": a % 2, "checks": (a + b) % 2}[style]
