"""Kit: puts links, joints and soft pieces together into an object. The tool of every category.

How to write a category (see objects/bucket.py for a rigid and objects/plant.py for a soft one)
------------------------------------------------------------------------------------------------
A category is one file `objects/<name>.py` with a docstring and `def draw(kit: Kit) -> None`, and one line in
CATEGORIES (procedural/__init__.py).

Frame: metres, +z up, standing on z = 0, centred near x = y = 0, front towards -y. All pieces are given where
they are at rest; rest (all joints zero) is the shut, folded or natural pose, and zero lies within every range.

Randomness: only `kit.between(a, b)`, `kit.count(a, b)` (both ends possible), `kit.pick(...)`, `kit.chance(p)`,
`kit.material(...)` or `kit.rng`. Vary proportions and style (how many, which handle, which legs), so that no two look
alike. Each draw says what it decides in words for people, `name="handle"`: by it one asks for it (choices.py).
`kit.ask(default, low, high, name=...)` is a count that only a wish changes; a new choice of that kind leaves every old
seed as it was.

Pieces: `shapes` (block, ball, rod, pipe, lathe, hoop, tube, ribbon, plate, tray, frame; curve, fillet) and
`fittings` (bar_handle, knob, make_panelled_front, legs, feet, wheel, barrel, knuckles), plates with openings from
`plates`, placed by `placing` (translate, rotate, mirror, align, repeat_around) and coloured by
`paint(kit.material("wood"), piece, [pieces], ...)`. Within one link pieces may overlap freely and should (a handle sunk
into its door); every piece must be closed.

Links and joints: the first link is the base; `kit.link(name, *painted)`, then one joint per further link
(`hinge`, `slide`, `spin`, `screw`), its name that of the child; `kit.add_swung` does both for what rests part open.
`kit.follow(child, leader, multiplier)` couples two.

What the check demands (check.py; an object that fails is drawn anew, at most twenty times):
- a child touches its parent (within 1 % of the diagonal), at rest and over the whole range: give hinges a barrel or
  pin on the axis, slides a rail or a close fit;
- parent and child may overlap where they are joined, but only by what is round about the axis (or straight along the
  slide), so that the overlap does not grow; what slides into something needs a hole (`pipe`, `tray`);
- all other pairs of links keep apart (leave gaps of 0.3 % of the diagonal or more), at any combination of joints;
  pairs that close a loop are named by `kit.allow_contact(a, b)`;
- at most MAX_FACES triangles; no part is paper thin (thickness at least 0.4 % of the diagonal).

Soft pieces: `kit.bend(name, parent, mesh, path, ...)` skins a mesh smoothly over a chain of hinged bones along a path
from its root on the parent; `kit.stretch(...)` does so with sliding bones; anything else is `kit.bone(name)` (a link
without shape) joined like any link, and `kit.skin(mesh, {bone: weights [n]})`. Rigid links may be joined to bones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from neurok.data.procedural.choices import ChoiceLog, Wish, describe_option
from neurok.data.procedural.palette import draw_material
from neurok.data.procedural.placing import Vector, direction, label, rotate, translate
from neurok.data.procedural.procedural import ProceduralObject
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation, Joint, Link, Mimic
from neurok.geometry.links import link_skin
from neurok.geometry.mesh import Material, Mesh, Part, merge
from neurok.geometry.motion import Skin

Option = TypeVar("Option")
MAX_WEIGHTS = 4  # bones that a vertex follows: the number that glTF and USD support


@dataclass
class PlannedJoint:
    """A joint of an object that is not built yet, given in the object's frame at rest.

    lower, upper: limits [rad, or m where it slides]. pitch: metres per radian of a screw.
    leader, multiplier: the link whose joint it follows, and the factor; no leader where it moves by itself.
    """

    kind: str
    parent: str
    at: Vector
    axis: str | Vector
    lower: float
    upper: float
    pitch: float = 0.0
    leader: str | None = None
    multiplier: float = 1.0


class Kit:
    """Collects an object's links, joints and soft pieces; `build` puts them together."""

    def __init__(
        self, category: str, rng: np.random.Generator, wishes: Mapping[str, Wish] | None = None,
        *, labelled: bool = False,
    ) -> None:  # fmt: skip
        """labelled: whether the pieces of the object keep the names of what they are, or those of their materials."""
        self.category, self.rng, self.labelled = category, rng, labelled
        self.choices = ChoiceLog(wishes)
        self.meshes: dict[str, list[Mesh]] = {}  # link -> its rigid pieces
        self.skins: list[tuple[Mesh, Mapping[str, Array]]] = []
        self.joints: dict[str, PlannedJoint] = {}  # child -> the joint above it
        self.contacts: list[tuple[str, str]] = []

    # ------------------------------------------------------------ chance

    def between(self, low: float, high: float, *, name: str = "") -> float:
        return self.choices.settle_number(name, float(self.rng.uniform(low, high)), low, high)

    def count(self, low: int, high: int, *, name: str = "") -> int:
        """A whole number, both ends possible."""
        return self.choices.settle_count(name, int(self.rng.integers(low, high + 1)), low, high)

    def pick(self, *options: Option, name: str = "") -> Option:
        words = tuple(describe_option(option) for option in options)
        return options[self.choices.settle_option(name, int(self.rng.integers(len(options))), words)]

    def chance(self, probability: float, *, name: str = "") -> bool:
        return self.choices.settle_chance(name, bool(self.rng.random() < probability))

    def material(self, *families: str, name: str = "") -> Material:
        """A material of one of these families (palette.FAMILIES)."""
        drawn = draw_material(families[int(self.rng.integers(len(families)))], self.rng)
        return self.choices.settle_material(name, drawn, families)

    def ask(self, default: int, low: int, high: int, *, name: str) -> int:
        """A count that is never drawn: what is asked for within a range, else the default."""
        return self.choices.settle_count(name, default, low, high)

    # ------------------------------------------------------------ links and joints

    def link(self, name: str, *pieces: Mesh) -> str:
        """A rigid part, its pieces given in the object's frame at rest."""
        self._fresh(name)
        self.meshes[name] = list(pieces)
        return name

    def bone(self, name: str) -> str:
        """A link without shape, for skins to follow or joints to meet at."""
        return self.link(name)

    def hinge(self, parent: str, child: str, *, at: Vector, axis: str | Vector, lower: float, upper: float) -> None:
        """Turns about an axis through a point [m], between limits in degrees (right-handed about the axis)."""
        low, high = np.radians(lower), np.radians(upper)
        self._join(child, PlannedJoint("revolute", parent, at, axis, float(low), float(high)))

    def add_swung(
        self, parent: str, name: str, pieces: Sequence[Mesh], *, at: Vector, axis: str | Vector, upper: float,
        back: float = 0.0, rest: float,
    ) -> str:  # fmt: skip
        """A link on a hinge that rests at an angle; its pieces and its range (-back to upper) are given at zero."""
        self.link(name, *(rotate(piece, axis, rest, at) for piece in pieces))
        self.hinge(parent, name, at=at, axis=axis, lower=-rest - back, upper=upper - rest)
        return name

    def slide(self, parent: str, child: str, *, axis: str | Vector, lower: float = 0.0, upper: float) -> None:
        """Slides along an axis between limits [m]."""
        self._join(child, PlannedJoint("prismatic", parent, (0.0, 0.0, 0.0), axis, lower, upper))

    def spin(self, parent: str, child: str, *, at: Vector, axis: str | Vector) -> None:
        """Turns about an axis without end."""
        self._join(child, PlannedJoint("continuous", parent, at, axis, -np.inf, np.inf))

    def screw(
        self, parent: str, child: str, *, at: Vector, axis: str | Vector, pitch: float, lower: float = 0.0, upper: float
    ) -> None:
        """Turns about an axis between limits in degrees, and rises by `pitch` [m] with each whole turn."""
        low, high = np.radians(lower), np.radians(upper)
        self._join(child, PlannedJoint("screw", parent, at, axis, float(low), float(high), pitch / (2 * np.pi)))

    def follow(self, child: str, leader: str, multiplier: float = 1.0) -> None:
        """The joint above `child` does what the joint above `leader` does, times the multiplier."""
        self.joints[child].leader, self.joints[child].multiplier = leader, multiplier

    def allow_contact(self, a: str, b: str) -> None:
        """These two links meet without a joint, as the ends of a closed loop do; they may overlap as at rest."""
        self.contacts.append((a, b))

    def _fresh(self, name: str) -> None:
        if name in self.meshes:
            raise ValueError(f"{self.category} has two links named {name}")

    def _join(self, child: str, joint: PlannedJoint) -> None:
        if child in self.joints or joint.parent not in self.meshes or child not in self.meshes:
            raise ValueError(
                f"{self.category}: cannot join {child} to {joint.parent}: make both links first, join once"
            )
        if not joint.lower <= 0.0 <= joint.upper or joint.lower >= joint.upper:
            raise ValueError(f"{self.category}: the range of {child} must contain rest, which is zero, and more")
        self.joints[child] = joint

    # ------------------------------------------------------------ soft pieces

    def skin(self, mesh: Mesh, weights: Mapping[str, Array]) -> None:
        """A soft piece whose vertices follow bones (or rigid links) by these weights, [n] each; normalised here."""
        self.skins.append((mesh, weights))

    def bend(
        self, name: str, parent: str, mesh: Mesh, path: Array, *, axis: str | Vector, lower: float, upper: float,
        bones: int = 3, together: bool = True,
    ) -> list[str]:  # fmt: skip
        """A soft piece that bends like a stalk: hinged bones along a path [p, 3] from its root on the parent.

        axis: what it bends about; limits in degrees of each single bone. together: all bones bend alike, one
        coordinate; else each by itself. Returns the bones' names.
        """
        spots = find_bone_starts(path, bones)
        names = self._chain(name, bones)
        for i, bone in enumerate(names):
            above = parent if i == 0 else names[i - 1]
            self.hinge(above, bone, at=spots[i], axis=axis, lower=lower, upper=upper)
            if together and i:
                self.follow(bone, names[0])
        self.skin(mesh, compute_bend_weights(mesh, path, [parent, *names]))
        return names

    def stretch(
        self, name: str, parent: str, mesh: Mesh, path: Array, *, lower: float, upper: float, bones: int = 4,
        together: bool = True,
    ) -> list[str]:  # fmt: skip
        """A soft piece that grows and shrinks along a straight path from its root on the parent.

        Limits [m] of each single bone's slide along the path's direction; `together` as in `bend`.
        """
        names = self._chain(name, bones)
        way = np.asarray(path[-1]) - np.asarray(path[0])
        for i, bone in enumerate(names):
            self.slide(parent if i == 0 else names[i - 1], bone, axis=way, lower=lower, upper=upper)
            if together and i:
                self.follow(bone, names[0])
        self.skin(mesh, compute_stretch_weights(mesh, path, [parent, *names]))
        return names

    def _chain(self, name: str, bones: int) -> list[str]:
        return [self.bone(f"{name}_{i + 1}") for i in range(bones)]

    # ------------------------------------------------------------ together

    def build(self, seed: int = 0, rejected: int = 0) -> ProceduralObject:
        """The object, set down on z = 0; its vertices are the links' in their order, then the soft pieces'."""
        self._set_down()
        index = {name: i for i, name in enumerate(self.meshes)}
        finish = _name_rest if self.labelled else _drop_labels
        rigid = [
            (name, merge([finish(piece, name) for piece in pieces])) for name, pieces in self.meshes.items() if pieces
        ]
        meshes = [mesh for _, mesh in rigid] + [finish(mesh, self.category) for mesh, _ in self.skins]
        names = [name for name, _ in rigid] + [f"soft_{i + 1}" for i in range(len(self.skins))]
        rows = [([index[name]], np.ones((mesh.vertex_count, 1))) for name, mesh in rigid]
        rows += [([index[b] for b in weights], np.stack(list(weights.values()), axis=1)) for _, weights in self.skins]
        joints, weights = (np.concatenate(x) for x in zip(*(_keep_strongest(*row) for row in rows)))
        soft = np.repeat(np.arange(len(meshes)) >= len(rigid), [m.vertex_count for m in meshes])
        places, joint_rows = self._joints(index)
        articulation = Articulation(
            merge(meshes, names=names), joints[:, 0], tuple(Link(n, places[i]) for n, i in index.items()),
            joint_rows, name=self.category,
        )  # fmt: skip
        contacts = tuple((index[a], index[b]) for a, b in self.contacts)
        skin = _build_skin(articulation, joints, weights) if self.skins else None
        return ProceduralObject(self.category, seed, articulation, soft, skin, contacts, rejected)

    def _set_down(self) -> None:
        every = [mesh for pieces in self.meshes.values() for mesh in pieces] + [mesh for mesh, _ in self.skins]
        low = min(float(mesh.vertices[:, 2].min()) for mesh in every)
        self.meshes = {name: [translate(mesh, z=-low) for mesh in pieces] for name, pieces in self.meshes.items()}
        self.skins = [(translate(mesh, z=-low), weights) for mesh, weights in self.skins]
        for joint in self.joints.values():
            joint.at = np.asarray(joint.at, dtype=np.float64) - (0.0, 0.0, low)

    def _joints(self, index: Mapping[str, int]) -> tuple[Array, tuple[Joint, ...]]:
        """T_world_link at rest, [L, 4, 4], and the joints; a link's frame sits at its joint, axes as the object's."""
        places = np.tile(np.eye(4), (len(index), 1, 1))
        for child, joint in self.joints.items():
            places[index[child], :3, 3] = joint.at
        number = {child: i for i, child in enumerate(self.joints)}
        rows = []
        for child, joint in self.joints.items():
            origin = np.linalg.inv(places[index[joint.parent]]) @ places[index[child]]
            mimic = Mimic(number[joint.leader], joint.multiplier) if joint.leader is not None else None
            rows.append(
                Joint(
                    child, joint.kind, index[joint.parent], index[child], origin, direction(joint.axis),
                    lower=joint.lower, upper=joint.upper, pitch=joint.pitch, mimic=mimic,
                )
            )  # fmt: skip
        return places, tuple(rows)


def _name_rest(piece: Mesh, owner: str) -> Mesh:
    """A painted piece, what has no name of its own in it called after its owner."""
    materials = {material.name for material in piece.materials}
    plain = owner.rstrip("_0123456789")
    return replace(piece, parts=tuple(Part(plain if p.name in materials else p.name, p.parent) for p in piece.parts))


def _drop_labels(piece: Mesh, owner: str) -> Mesh:
    """A painted piece as one part, called after its material."""
    if len(piece.materials) != 1 or not piece.parts:
        return piece
    return label(piece.materials[0].name, piece)


def find_bone_starts(path: Array, bones: int) -> Array:
    """Where the bones of a chain begin [m]: evenly along a path [p, 3], [bones, 3]."""
    path = np.asarray(path, dtype=np.float64)
    reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = reach[-1] * np.arange(bones) / bones
    return np.stack([np.interp(at, reach, path[:, i]) for i in range(3)], axis=1)


def compute_bend_weights(mesh: Mesh, path: Array, bones: Sequence[str]) -> dict[str, Array]:
    """Weights of a bending piece: past the beginning of a bone (evenly along the path) that bone takes over smoothly.

    The first name is what the path's root is fixed to.
    """
    u = _project_on_path(mesh, path) * (len(bones) - 1)
    ramps = [np.clip(u - i + 0.5, 0.0, 1.0) for i in range(len(bones) - 1)]
    return _split_weights([r * r * (3 - 2 * r) for r in ramps], bones)


def compute_stretch_weights(mesh: Mesh, path: Array, bones: Sequence[str]) -> dict[str, Array]:
    """Weights of a stretching piece: linear between the bones, so that all of it stretches evenly."""
    u = _project_on_path(mesh, path) * (len(bones) - 1)
    return _split_weights([np.clip(u - i, 0.0, 1.0) for i in range(len(bones) - 1)], bones)


def _split_weights(ramps: list[Array], bones: Sequence[str]) -> dict[str, Array]:
    """From how far each bone has taken over (decreasing along the chain) to weights that sum to one."""
    steps = [np.ones_like(ramps[0]), *ramps, np.zeros_like(ramps[0])]
    return {bone: steps[i] - steps[i + 1] for i, bone in enumerate(bones)}


def _project_on_path(mesh: Mesh, path: Array) -> Array:
    """The arc length share (0 to 1) of the nearest point of the path, for each vertex, [n]."""
    path = np.asarray(path, dtype=np.float64)
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    reach = np.concatenate([[0.0], np.cumsum(lengths)])
    sides = np.diff(path, axis=0)
    offset = mesh.vertices[:, None] - path[None, :-1]
    t = np.clip(np.einsum("nsd,sd->ns", offset, sides) / lengths**2, 0.0, 1.0)
    gap = np.linalg.norm(offset - t[:, :, None] * sides, axis=2)
    best = np.argmin(gap, axis=1)
    return (reach[best] + t[np.arange(len(t)), best] * lengths[best]) / reach[-1]


def _keep_strongest(links: Sequence[int], weights: Array) -> tuple[Indices, Array]:
    """The links of greatest weight first and their weights, normalised, [n, MAX_WEIGHTS] each."""
    weights = np.pad(weights, ((0, 0), (0, max(MAX_WEIGHTS - weights.shape[1], 0))))
    padded = np.pad(np.asarray(links), (0, weights.shape[1] - len(links)), mode="edge")
    order = np.argsort(-weights, axis=1, kind="stable")[:, :MAX_WEIGHTS]
    chosen = np.take_along_axis(weights, order, axis=1)
    return padded[order], chosen / chosen.sum(axis=1, keepdims=True)


def _build_skin(articulation: Articulation, joints: Indices, weights: Array) -> Skin:
    bones = link_skin(articulation)
    row = np.empty(len(articulation.links), dtype=np.int64)
    row[list(articulation.order)] = np.arange(len(articulation.links))
    return Skin(row[joints], weights, bones.names, bones.parents, bones.frames)
