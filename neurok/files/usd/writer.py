"""Writing stages: which kind of motion becomes which kind of prim.

Points and the translations of a skeleton are single floats. A mesh or motion so far from the origin that they would
blur it is written about its own place, which the root prim states in double. Links of an articulation state theirs.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from pxr import Tf, Usd

from neurok.errors import OutputError
from neurok.files.near import bring_motions_near, bring_near
from neurok.files.skinned import require_skin
from neurok.files.usd.blocks import UsdBlock, split_groups, split_parts
from neurok.files.usd.layout import Placed, place_by_parts, write_order
from neurok.files.usd.materials import write_materials
from neurok.files.usd.matter import write_matter
from neurok.files.usd.names import make_identifier
from neurok.files.usd.nodes import animate_nodes, compute_node_poses, place_on_bones
from neurok.files.usd.physics import write_articulation
from neurok.files.usd.skeleton import JointPoses, bind_skin, compute_skeleton_poses, write_animation, write_skeleton
from neurok.files.usd.stage import make_time_codes, new_stage, set_time
from neurok.files.usd.surface import UsdSurface, set_points
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin


def write(thing: Mesh | Motion | Articulation | list[Motion], folder: Path, name: str) -> None:
    """A mesh, one motion, several motions of one mesh (a variant set `clip`), or an articulated object."""
    try:
        if isinstance(thing, Mesh):
            write_mesh(thing, folder, name)
        elif isinstance(thing, Articulation):
            write_articulation(thing, folder, name)
        else:
            write_motions([thing] if isinstance(thing, Motion) else list(thing), folder, name)
    except Tf.ErrorException as fault:
        raise OutputError(f"{name} cannot be written ({_first_line(fault)})", "choose another place or name") from fault


def write_mesh(mesh: Mesh, folder: Path, name: str) -> None:
    """A static mesh as the tree of its parts."""
    mesh, place = bring_near(mesh)
    stage, root = new_stage(mesh, folder, name, place=place)
    surface = UsdSurface(stage, mesh, write_materials(stage, mesh, root, folder, Path(name).stem))
    placed = place_by_parts(surface, root, split_parts(mesh))
    for prim, block in placed:
        set_points(prim, mesh.vertices[block.vertices])
    write_matter(stage, mesh, placed)
    write_order(stage, mesh, placed)
    stage.Save()


def write_motions(motions: list[Motion], folder: Path, name: str) -> None:
    """Moving prims for a rigid skin, a skeleton for any other, time-sampled points otherwise."""
    _check_clips(motions, name)
    motions, place = bring_motions_near(motions)
    first = motions[0]
    if first.skin is not None and first.skin.is_rigid:
        blocks = split_groups(first.mesh, first.skin.leader)
        poses = [pose for motion in motions if (pose := compute_node_poses(motion)) is not None]
        if blocks is not None and len(poses) == len(motions):
            return _write_nodes(motions, poses, blocks, folder, name, place)
    if first.skin is not None:
        joints = [local for motion in motions if (local := compute_skeleton_poses(motion)) is not None]
        if len(joints) == len(motions):
            return _write_skeleton(motions, joints, folder, name, place)
    return _write_points(motions, folder, name, place)


def _write_nodes(
    motions: list[Motion], poses: list[Array], blocks: list[UsdBlock], folder: Path, name: str, place: Array | None
) -> None:
    mesh, (skin, _) = motions[0].mesh, require_skin(motions[0])
    stage, root = new_stage(mesh, folder, name, place=place)
    surface = UsdSurface(stage, mesh, write_materials(stage, mesh, root, folder, Path(name).stem))
    prims, placed = place_on_bones(surface, root, skin, blocks)
    rate = set_time(stage, [motion.time for motion in motions])
    for index, _ in _author_clips(root, motions):
        animate_nodes(prims, motions[index], poses[index], rate)
    write_matter(stage, mesh, placed)
    write_order(stage, mesh, placed)
    stage.Save()


def _write_skeleton(
    motions: list[Motion], poses: list[JointPoses], folder: Path, name: str, place: Array | None
) -> None:
    mesh, (skin, _) = motions[0].mesh, require_skin(motions[0])
    stage, root = new_stage(mesh, folder, name, "SkelRoot", place)
    surface = UsdSurface(stage, mesh, write_materials(stage, mesh, root, folder, Path(name).stem))
    placed = place_by_parts(surface, root, split_parts(mesh))
    for prim, block in placed:
        set_points(prim, mesh.vertices[block.vertices])
    skeleton = write_skeleton(stage, root, skin)
    bind_skin(placed, skin, skeleton)
    rate = set_time(stage, [motion.time for motion in motions])
    for index, clip in _author_clips(root, motions):
        write_animation(skeleton, motions[index], poses[index], rate, clip)
    write_matter(stage, mesh, placed)
    write_order(stage, mesh, placed)
    stage.Save()


def _write_points(motions: list[Motion], folder: Path, name: str, place: Array | None) -> None:
    mesh = motions[0].mesh
    stage, root = new_stage(mesh, folder, name, place=place)
    materials = write_materials(stage, mesh, root, folder, Path(name).stem)
    placed = place_by_parts(UsdSurface(stage, mesh, materials, keep_normals=False), root, split_parts(mesh))
    rate = set_time(stage, [motion.time for motion in motions])
    for index, _ in _author_clips(root, motions):
        _sample_points(placed, motions[index], rate)
    write_matter(stage, mesh, placed)
    write_order(stage, mesh, placed)
    stage.Save()


def _sample_points(placed: Placed, motion: Motion, rate: float) -> None:
    for prim, block in placed:
        set_points(prim, motion.mesh.vertices[block.vertices])
    for index, code in enumerate(make_time_codes(motion.time, rate)):
        frame = motion.frame(index)
        if not np.isfinite(frame).all():
            raise OutputError(f"frame {index} of the motion has values that are not finite", "simulate it anew")
        for prim, block in placed:
            set_points(prim, frame[block.vertices], code)


# ---------------------------------------------------------------- clips


def _author_clips(root: Usd.Prim, motions: list[Motion]) -> Iterator[tuple[int, str]]:
    """Each clip in turn, with the stage set to author it: several become the variants of a set `clip`.

    The first stays selected. Values that differ between clips must be authored in the loop alone,
    because a value outside the variants would hide theirs.
    """
    taken: set[str] = set()
    names = [make_identifier(motion.name or "motion", taken) for motion in motions]
    for index, (motion, name) in enumerate(zip(motions, names)):
        root.SetCustomDataByKey(f"neurok:clips:{name}:number", index)  # USD sorts variants by name
        root.SetCustomDataByKey(f"neurok:clips:{name}:name", motion.name)
        facts = json.dumps(motion.facts, sort_keys=True, default=_to_plain)
        root.SetCustomDataByKey(f"neurok:clips:{name}:facts", facts)
    if len(motions) == 1:
        yield 0, names[0]
        return
    variants = root.GetVariantSets().AddVariantSet("clip")
    for index, name in enumerate(names):
        variants.AddVariant(name)
        with _select_variant(variants, name):
            yield index, name
    variants.SetVariantSelection(names[0])


@contextmanager
def _select_variant(variants: Usd.VariantSet, name: str) -> Iterator[None]:
    variants.SetVariantSelection(name)
    with variants.GetVariantEditContext():
        yield


def _check_clips(motions: list[Motion], name: str) -> None:
    first = motions[0]
    for motion in motions[1:]:
        same = motion.mesh is first.mesh or (
            np.array_equal(motion.mesh.vertices, first.mesh.vertices)
            and np.array_equal(motion.mesh.faces, first.mesh.faces)
        )
        if not same or (motion.skin is None) != (first.skin is None):
            raise OutputError(f"the motions for {name} are of different objects", "write one file per motion")
        if motion.skin is not None and first.skin is not None and not _same_skin(motion.skin, first.skin):
            raise OutputError(f"the motions for {name} have different skins", "write one file per motion")


def _same_skin(a: Skin, b: Skin) -> bool:
    pairs = ((a.joints, b.joints), (a.weights, b.weights), (a.parents, b.parents), (a.frames, b.frames))
    return a is b or (a.names == b.names and all(np.array_equal(one, other) for one, other in pairs))


def _to_plain(value: object) -> object:
    """What JSON does not know: arrays as lists, anything else as text."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)


def _first_line(fault: Exception) -> str:
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    return lines[-1] if lines else type(fault).__name__
