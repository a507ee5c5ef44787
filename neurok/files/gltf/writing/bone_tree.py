"""The node tree to be written where bones move the parts.

A node stands in the frame of one bone, or of the world. Bones hang on bones; a part hangs
on the nearest part above it that stands in the same frame, else on its bone. Where bones
and parts are nodes of one tree already, as in a glTF file that was read, that very tree
comes out. A part whose faces follow several bones has a node below each.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from neurok.files.gltf.writing.builder import JsonObject
from neurok.files.gltf.writing.pieces import GltfPiece
from neurok.files.gltf.writing.tree import PlannedNode
from neurok.files.part_tree import order_parents_first
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Part

WORLD_FRAME = -1  # the bone of what no bone carries


@dataclass(frozen=True)
class GltfBones:
    """Names, parents and own fields of the bones; the still ones are the world itself and need no node."""

    names: Sequence[str]
    parents: Indices
    entries: Sequence[JsonObject]
    still: frozenset[int] = frozenset()

    def frame(self, bone: int) -> int:
        """The frame of a bone; the world's for a bone that never moves."""
        return WORLD_FRAME if bone < 0 or bone in self.still else int(bone)

    def above(self, bone: int) -> int:
        return self.frame(self.parents[bone])


def plan_bone_nodes(parts: Sequence[Part], pieces: Sequence[GltfPiece], bones: GltfBones) -> list[PlannedNode]:
    """The tree of bones and parts; each piece is shown by the node of its part, else by that of its bone."""
    forest = _Forest(parts, pieces, bones)
    for piece in pieces:
        frame = bones.frame(piece.bone)
        carrier = forest.placed[piece.part, frame] if piece.part >= 0 else forest.bones[frame]
        if carrier.piece is not None:  # the bone is a part that has faces; those without a part hang below
            carrier.children.append(PlannedNode(carrier.name))
            carrier = carrier.children[-1]
        carrier.piece = piece
    return forest.roots


def plan_skinned_nodes(
    parts: Sequence[Part], pieces: Sequence[GltfPiece], rest_name: str, bones: GltfBones
) -> tuple[list[PlannedNode], list[PlannedNode]]:
    """The bones among the groups without faces, under one root; and the parts that the skin moves, side by side.

    glTF wants those at the root, as what is above them does not move them.
    """
    tree = _Forest(parts, (), bones, left_out={piece.part for piece in pieces}).roots
    if len(tree) > 1:
        tree = [PlannedNode("skeleton", children=tree)]  # joints need a common root
    return tree, [PlannedNode(parts[p.part].name if p.part >= 0 else rest_name, p) for p in pieces]


def faces_span_bones(faces: Indices, vertex_bone: Indices) -> bool:
    """Whether a face has corners on different bones, so that no node could carry it."""
    bones = vertex_bone[faces]
    return bool(np.any(bones != bones[:, :1]))


class _Forest:
    """The planned nodes of parts and bones, attached to each other.

    placed: the node of a part in a frame. bones: the node of each bone. left_out: parts that get no node.
    """

    def __init__(
        self, parts: Sequence[Part], pieces: Sequence[GltfPiece], bones: GltfBones, left_out: Collection[int] = ()
    ) -> None:
        self.parts = parts
        order = order_parents_first(parts)
        frames: list[set[int]] = [set() for _ in parts]  # of each part's own faces
        for piece in pieces:
            if piece.part >= 0:
                frames[piece.part].add(bones.frame(piece.bone))
        is_bone = _find_bone_parts(parts, order, frames, bones, left_out)
        homes = _find_homes(parts, order, frames, bones, is_bone)
        self.bones = {
            bone: PlannedNode(name, bone=bone, entry=dict(entry))
            for bone, (name, entry) in enumerate(zip(bones.names, bones.entries))
            if bone not in bones.still
        }
        self.placed: dict[tuple[int, int], PlannedNode] = {}  # in the order of the parts
        self.roots: list[PlannedNode] = []
        for part in order:
            for frame in sorted(homes[part]) if part not in left_out else ():
                place = self.bones[frame] if is_bone.get(part) == frame else PlannedNode("")
                place.name = parts[part].name
                self.placed[part, frame] = place
        self._hang(bones, is_bone)

    def _hang(self, bones: GltfBones, is_bone: dict[int, int]) -> None:
        """Attach every node to its parent, parts and bones in the order of the parts."""
        hung = {WORLD_FRAME, *is_bone.values()}
        for (part, frame), place in self.placed.items():
            if frame not in hung:  # a bone that is no part stands before the first part on it
                hung.add(frame)
                self._siblings(part, bones.above(frame)).append(self.bones[frame])
            upper = bones.above(frame) if is_bone.get(part) == frame else frame
            self._siblings(self.parts[part].parent, upper).append(place)
        sole = self.roots[0] if len(self.roots) == 1 and self.roots[0].bone == WORLD_FRAME else None
        for bone, place in self.bones.items():
            if bone not in hung:  # nothing stands on it: a joint of a skin
                upper = bones.above(bone)
                above = self.bones[upper] if upper != WORLD_FRAME else sole
                (self.roots if above is None else above.children).append(place)

    def _siblings(self, part: int, frame: int) -> list[PlannedNode]:
        """Children of the nearest part, from this one up, that stands in a frame; else those of the frame's bone."""
        while part >= 0 and (part, frame) not in self.placed:
            part = self.parts[part].parent
        if part >= 0:
            return self.placed[part, frame].children
        return self.roots if frame == WORLD_FRAME else self.bones[frame].children


def _find_bone_parts(
    parts: Sequence[Part], order: list[int], frames: list[set[int]], bones: GltfBones, left_out: Collection[int]
) -> dict[int, int]:
    """The parts that are bones themselves, and which: a bone of the part's name whose faces no other bone shows.

    Of several parts of that name the first below the bone's parent, and with faces on the bone at or below it.
    """
    carried = [set(own) for own in frames]  # at or below a part
    place = {part: i for i, part in enumerate(order)}
    end = dict(place)  # of the last part below
    for part in reversed(order):
        above = parts[part].parent
        if above >= 0:
            carried[above] |= carried[part]
            end[above] = max(end[above], end[part])
    named: dict[str, list[int]] = {}
    for part in order:
        named.setdefault(parts[part].name, []).append(part)
    found: dict[int, int] = {}
    part_of: dict[int, int] = {}
    for bone, name in enumerate(bones.names):
        stem, _, number = name.rpartition("_")  # readers number bones of one name
        same = named.get(name) or (named.get(stem) if number.isdigit() else None) or []
        free = [p for p in same if p not in found and p not in left_out and frames[p] <= {bone}]
        if free and bone not in bones.still:
            parent = part_of.get(bones.above(bone))
            span = range(place[parent] + 1, end[parent] + 1) if parent is not None else range(len(order))
            best = min(free, key=lambda p: (place[p] not in span, bone not in carried[p]))
            found[best], part_of[bone] = bone, best
    return found


def _find_homes(
    parts: Sequence[Part], order: list[int], frames: list[set[int]], bones: GltfBones, is_bone: dict[int, int]
) -> list[set[int]]:
    """The frames each part stands in: the bone it is, else those of its faces; a group stands in the one frame
    that all below it hang in, else in that of the part above it."""
    homes = [{is_bone[p]} if p in is_bone else set(frames[p]) for p in range(len(parts))]
    asked: list[set[int]] = [set() for _ in parts]  # of a group, by what is below it
    for part in reversed(order):
        if not homes[part] and len(asked[part]) == 1:
            homes[part] = set(asked[part])
        wish = {bones.above(is_bone[part])} if part in is_bone else homes[part] or asked[part]
        if parts[part].parent >= 0:
            asked[parts[part].parent] |= wish
    for part in order:
        above = parts[part].parent
        if not homes[part]:
            homes[part] = set(homes[above]) if above >= 0 and len(homes[above]) == 1 else {WORLD_FRAME}
    return homes
