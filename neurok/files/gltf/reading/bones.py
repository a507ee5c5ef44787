"""Bones: the nodes and joints that carry vertices, as one skin for the whole scene.

A vertex v of a block, in the block's own axes, is shown at

    x(t) = sum_b w_b W_b(t) B_b v,

with W_b the world matrix of the bone's node and B_b the inverse bind matrix of
a joint (or the way from the block's node to the nearest moving node above it).
A Skin wants one reference shape r instead: r = P v with an invertible P for
each group of bones, and X_b(t) = W_b(t) B_b P^-1. P is chosen as W B of the
default pose, taken at the joint that carries most: where the default pose is
the bind pose, the reference is the displayed mesh.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from neurok.files.gltf.reading.animation import GltfClip
from neurok.files.gltf.reading.attributes import carry_attributes, join_attributes
from neurok.files.gltf.reading.blocks import GltfBlock
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.pose import GltfModel, apply_morphs, compute_clip_worlds
from neurok.files.gltf.reading.scene import GltfScene, compute_world_matrices
from neurok.files.names import make_unique
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin

STILL_NODE = -1  # the node of what no clip moves
MAX_CONDITION = 1e6
EVEN_LENGTH_TOLERANCE = 5e-6  # relative difference of lengths that is rounding


@dataclass(frozen=True)
class GltfBone:
    """X(t) = W_node(t) from_reference; frame is T_world_bone at reference; all [4, 4]."""

    node: int
    from_reference: Array
    frame: Array


@dataclass
class _Binder:
    """The bones found so far, each numbered once."""

    model: GltfModel
    worlds: list[Array]
    keys: dict[tuple[int, bytes, int], int] = field(default_factory=dict)
    bones: list[GltfBone] = field(default_factory=list)

    def bone(self, node: int, bind: Array, placing: Array, group: int) -> int:
        key = (node, bind.tobytes(), group)
        if key not in self.keys:
            self.keys[key] = len(self.bones)
            frame = _normalise_size(placing @ np.linalg.inv(bind) if _is_invertible(bind) else placing)
            self.bones.append(GltfBone(node, bind @ np.linalg.inv(placing), frame))
        return self.keys[key]


def bind_skin(document: GltfDocument, model: GltfModel, mesh: Mesh) -> tuple[Mesh, Skin, tuple[GltfBone, ...]]:
    """The reference mesh, its skin, and the bones that move it; mesh: the displayed scene."""
    binder = _Binder(model, compute_world_matrices(model.scene))
    carriers = _find_carriers(model)
    placings, groups = _find_placings(model, binder.worlds)
    count = model.starts[-1]
    width = max(b.skin.influence.joints.shape[1] if b.skin else 1 for b in model.blocks)
    vertices = np.empty((count, 3))
    joints, weights = np.zeros((count, width), dtype=np.int64), np.zeros((count, width))
    columns = []
    for block, start, end in zip(model.blocks, model.starts, model.starts[1:]):
        own = apply_morphs(block, block.influences, "position")
        if block.skin is None:
            bone, matrix = _bind_rigid(binder, block, *carriers[block.node])
            joints[start:end, 0], weights[start:end, 0] = bone, 1.0
        else:
            binding, influence = block.skin.binding, block.skin.influence
            group = groups[id(binding)]
            matrix = placings[group]
            bound = zip(binding.joints, binding.inverse_binds)
            numbers = [binder.bone(node, bind, matrix, group) for node, bind in bound]
            some = slice(0, influence.joints.shape[1])
            joints[start:end, some] = np.array(numbers)[influence.joints]
            weights[start:end, some] = influence.weights
        vertices[start:end] = own @ matrix[:3, :3].T + matrix[:3, 3]
        columns.append(carry_attributes(block, matrix[:3, :3]))
    skin, bones = _sort_skin(model.scene, binder, joints, weights)
    attributes = join_attributes(document, columns, np.diff(model.starts).tolist())
    return replace(mesh, vertices=vertices, attributes=attributes), skin, bones


def compute_bone_transforms(scene: GltfScene, bones: tuple[GltfBone, ...], clip: GltfClip, times: Array) -> Array:
    """World motions of the bones relative to reference, [t, b, 4, 4]."""
    worlds = compute_clip_worlds(scene, clip, times)
    transforms = np.empty((len(times), len(bones), 4, 4))
    for b, bone in enumerate(bones):
        transforms[:, b] = bone.from_reference if bone.node == STILL_NODE else worlds[bone.node] @ bone.from_reference
    return transforms


def _normalise_size(frame: Array) -> Array:
    """A bone's frame without the size of its axes, [4, 4]: rigid where they were equally long.

    A size common to all axes passes through rotations and scales, so that a bone below another is still
    translation, rotation and scale. Uneven axes must stay: a bone below them would be sheared without.
    """
    linear = frame[:3, :3]
    linear = linear / np.cbrt(np.linalg.det(linear))
    u, size, v = np.linalg.svd(linear)
    result = frame.copy()
    result[:3, :3] = u @ v if np.ptp(size) < EVEN_LENGTH_TOLERANCE else linear
    return result


def _is_invertible(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    singular = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return bool(singular[0] < MAX_CONDITION * singular[-1])


def _find_carriers(model: GltfModel) -> list[tuple[int, Array]]:
    """The nearest node, from each node upwards, that some clip moves (or STILL_NODE), and T_carrier_node [4, 4]."""
    moved = {c.node for clip in model.clips for c in clip.channels if c.path != "weights"}
    carriers: list[tuple[int, Array]] = []
    for i, node in enumerate(model.scene.nodes):
        if i in moved:
            carriers.append((i, np.eye(4)))
        else:
            above, way = carriers[node.parent] if node.parent >= 0 else (STILL_NODE, np.eye(4))
            carriers.append((above, way @ node.matrix))
    return carriers


def _bind_rigid(binder: _Binder, block: GltfBlock, carrier: int, way: Array) -> tuple[int, Array]:
    """The bone of a rigid block, and the way from the block's axes to the reference, [4, 4]; way: T_carrier_node."""
    if carrier == STILL_NODE:
        return binder.bone(STILL_NODE, np.eye(4), np.eye(4), 0), binder.worlds[block.node]
    # A node that is shrunk to nothing by default has no inverse: its own axes serve as the reference.
    placing = binder.worlds[carrier] if _is_invertible(binder.worlds[carrier]) else np.eye(4)
    return binder.bone(carrier, np.eye(4), placing, 0), placing @ way


def _find_placings(model: GltfModel, worlds: list[Array]) -> tuple[dict[int, Array], dict[int, int]]:
    """P of each group of skins, and the group of each skin (by identity); skins that share a bone share a group."""
    bindings = {id(b.skin.binding): b.skin.binding for b in model.blocks if b.skin is not None}
    groups: dict[int, int] = {}
    owner: dict[tuple[int, bytes], int] = {}
    for number, (key, binding) in enumerate(bindings.items(), start=1):
        bones = [(node, bind.tobytes()) for node, bind in zip(binding.joints, binding.inverse_binds)]
        met = {owner[bone] for bone in bones if bone in owner}
        group = min(met, default=number)
        if len(met) > 1:
            groups = {k: group if g in met else g for k, g in groups.items()}
            owner = {k: group if g in met else g for k, g in owner.items()}
        groups[key] = group
        owner.update(dict.fromkeys(bones, group))
    load: dict[int, dict[tuple[int, bytes], float]] = {}
    matrices: dict[tuple[int, bytes], Array] = {}
    for block in model.blocks:
        if block.skin is None:
            continue
        binding, influence = block.skin.binding, block.skin.influence
        total = np.bincount(influence.joints.ravel(), influence.weights.ravel(), minlength=len(binding.joints))
        loads = load.setdefault(groups[id(binding)], {})
        for node, bind, share in zip(binding.joints, binding.inverse_binds, total):
            bone = (node, bind.tobytes())
            loads[bone] = loads.get(bone, 0.0) + share
            matrices[bone] = bind
    placings = {}
    for group, loads in load.items():
        heaviest = sorted((k for k in loads if loads[k] > 0), key=lambda k: -loads[k])
        placings[group] = _choose_placing([worlds[k[0]] @ matrices[k] for k in heaviest])
    return placings, groups


def _choose_placing(candidates: list[Array]) -> Array:
    """The first matrix that can be inverted and is not tiny beside the others (joints may be shrunk by default)."""
    usable = [m for m in candidates if _is_invertible(m)]
    sizes = [np.cbrt(abs(np.linalg.det(m[:3, :3]))) for m in usable]
    return next((m for m, size in zip(usable, sizes) if size > 0.1 * max(sizes)), np.eye(4))


def _sort_skin(scene: GltfScene, binder: _Binder, joints: Indices, weights: Array) -> tuple[Skin, tuple[GltfBone, ...]]:
    """The skin with parents before children, and its bones in that order."""
    order = sorted(range(len(binder.bones)), key=lambda b: binder.bones[b].node)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    bones = tuple(binder.bones[b] for b in order)
    first: dict[int, int] = {}
    for b, bone in enumerate(bones):
        first.setdefault(bone.node, b)
    above = _find_nearest_above(scene, set(first) - {STILL_NODE})
    parents = [first[above[b.node]] if b.node != STILL_NODE and above[b.node] != STILL_NODE else -1 for b in bones]
    used = max(1, int(np.max(np.nonzero(weights.any(axis=0))[0], initial=0)) + 1)
    skin = Skin(
        joints=rank[joints[:, :used]],
        weights=weights[:, :used],
        names=_name_bones(scene, bones),
        parents=np.array(parents, dtype=np.int64),
        frames=np.stack([bone.frame for bone in bones]),
    )
    return skin, bones


def _find_nearest_above(scene: GltfScene, nodes: set[int]) -> list[int]:
    """For each node the nearest strictly above it that is in the set, or STILL_NODE."""
    above: list[int] = []
    for node in scene.nodes:
        up = node.parent
        above.append(STILL_NODE if up < 0 else up if up in nodes else above[up])
    return above


def _name_bones(scene: GltfScene, bones: tuple[GltfBone, ...]) -> tuple[str, ...]:
    """Node names, numbered where several bones would share one."""
    return tuple(make_unique("still" if bone.node == STILL_NODE else scene.nodes[bone.node].name for bone in bones))
