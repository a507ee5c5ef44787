"""Write glTF: a static object, moving nodes, a skin, or morph targets, whichever the motion is.

An articulation, and a motion whose vertices each follow one bone, become a tree of
nodes that stand on their joints. Other skins become glTF skins. A dense motion becomes
morph targets within MORPH_TOLERANCE of the diagonal; the error reached is said in `asset.extras`.
Bones whose poses are not translation, rotation and scale cannot be played as such and
become morph targets too. Several motions of one mesh become clips that share all of it.

The numbers of buffers are single floats. An object so far from the origin that they would blur it is written about its
own place, which the root node states (in JSON, so in double): it stands above joints as well, since a skinned mesh
follows nothing but them.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.gltf.part_table import state_node, write_part_table
from neurok.files.gltf.writing.animation import BoneTracks, add_bone_clip, add_morph_clip, compute_bone_tracks
from neurok.files.gltf.writing.bone_tree import GltfBones, faces_span_bones, plan_bone_nodes, plan_skinned_nodes
from neurok.files.gltf.writing.builder import GltfBuilder, JsonObject
from neurok.files.gltf.writing.morphs import compress_frames
from neurok.files.gltf.writing.normals import carry_directions, choose_frame_step
from neurok.files.gltf.writing.pieces import GltfPiece, cut_pieces, is_in_order
from neurok.files.gltf.writing.skins import add_skin, is_convex, pack_influence
from neurok.files.gltf.writing.surface import GltfSurface
from neurok.files.gltf.writing.tree import PlannedNode, list_pieces, plan_part_nodes, walk_nodes
from neurok.files.near import bring_motions_near, bring_near, seat_bones
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh, split_corners
from neurok.geometry.motion import Motion, Skin, rigid_skin
from neurok.geometry.placement import quarter_turn

MORPH_TOLERANCE = 1e-4  # of the diagonal: how far morph targets may leave a vertex from its place


def write(thing: Mesh | Motion | Articulation | Sequence[Motion], folder: Path, name: str) -> None:
    """Write name (.glb, or .gltf with .bin and images beside it) into folder."""
    stem, builder = Path(name).stem, GltfBuilder()
    if isinstance(thing, Articulation):
        machine, builder.place = bring_near(thing)
        _write_articulation(builder, machine)
        write_part_table(builder, machine.mesh.parts)
    elif isinstance(thing, Mesh):
        mesh, builder.place = bring_near(thing)
        _write_static(builder, split_corners(mesh)[0], stem)
        write_part_table(builder, mesh.parts)
    else:
        clips, builder.place = bring_motions_near([thing] if isinstance(thing, Motion) else list(thing))
        _write_motions(builder, clips, stem)
        write_part_table(builder, clips[0].mesh.parts)
    builder.save(Path(folder), name)


def _write_static(builder: GltfBuilder, mesh: Mesh, stem: str) -> None:
    places = plan_part_nodes(mesh.parts, cut_pieces(mesh), stem)
    _write_nodes(builder, GltfSurface(builder, mesh), places, _write_root(builder, mesh))


def _write_articulation(builder: GltfBuilder, articulation: Articulation) -> None:
    """Write one node per link at its joint, with the joint's kind, axis and limits in the node's extras."""
    mesh, source = split_corners(articulation.mesh)
    links, parents = articulation.links, articulation.link_parents
    frames = np.stack([link.T_world_link for link in links]).astype(np.float64)
    extras = {}
    for joint in articulation.joints:
        frames[joint.child] = links[joint.parent].T_world_link @ joint.origin
        limits = {k: float(v) for k, v in (("lower", joint.lower), ("upper", joint.upper)) if np.isfinite(v)}
        axis = np.asarray(joint.axis, dtype=np.float64).tolist()
        extras[joint.child] = {"joint": joint.name, "kind": joint.kind, "axis": axis, **limits}
    skin = rigid_skin(articulation.vertex_link[source], tuple(link.name for link in links), parents, frames)
    skin = skin if builder.place is None else seat_bones(skin, mesh.diagonal)
    tracks = compute_bone_tracks(skin.frames, parents, [])
    if tracks is None or faces_span_bones(mesh.faces, skin.leader):
        raise OutputError("the links of the object share faces or have frames that shear", "repair the joints first")
    _write_rigid(builder, mesh, skin, tracks, {link: {"extras": entry} for link, entry in extras.items()})


def _write_motions(builder: GltfBuilder, motions: list[Motion], stem: str) -> None:
    first = motions[0]
    if not first.mesh.vertex_count:
        raise OutputError(f"the mesh of '{first.name}' has no vertices", "give one that has")
    for other in motions[1:]:
        if not _same_mesh(first.mesh, other.mesh):
            raise OutputError(f"clip '{other.name}' moves another mesh than '{first.name}'", "write it to its own file")
    mesh, source = split_corners(first.mesh)
    skin = first.skin
    if skin is not None and all(m.skin is not None and _same_skin(m.skin, skin) for m in motions):
        skin = replace(skin, joints=skin.joints[source], weights=skin.weights[source])
        tracks = _find_tracks(skin, motions)
        if tracks is not None and is_convex(skin):
            return _write_bones(builder, mesh, skin, motions, tracks, stem)
        fault = "have weights that are not shares of one" if tracks is not None else "shear what they move"
        _warn(builder, f"the bones {fault}, which glTF cannot play; the motion is written as morph targets")
    _write_morphs(builder, mesh, source, motions, stem)


def _find_tracks(skin: Skin, motions: list[Motion]) -> BoneTracks | None:
    """Poses of the bones below their parents, or side by side where a parent's stretch would shear a child."""
    clips = [np.asarray(m.transforms, dtype=np.float64) for m in motions]
    tracks = compute_bone_tracks(skin.frames, skin.parents, clips)
    return tracks or compute_bone_tracks(skin.frames, np.full(skin.bone_count, -1), clips)


def _write_bones(
    builder: GltfBuilder, mesh: Mesh, skin: Skin, motions: list[Motion], tracks: BoneTracks, stem: str
) -> None:
    is_split = skin.is_rigid and not skin.stays_skin and not faces_span_bones(mesh.faces, skin.leader)
    pieces = cut_pieces(mesh, skin.leader) if is_split else []
    if pieces and _fits_nodes(pieces):
        named = {part.name for part in mesh.parts}
        bare = {piece.bone for piece in pieces if piece.part < 0}
        still = {b for b in tracks.still(mesh.diagonal) if skin.names[b] not in named and b not in bare}
        nodes = _write_rigid(builder, mesh, skin, tracks, {}, still=frozenset(still))
    else:
        nodes = _write_skin(builder, mesh, skin, tracks, stem)
    for clip, motion in enumerate(motions):
        add_bone_clip(builder, motion, nodes, tracks, clip, mesh.diagonal)


def _fits_nodes(pieces: list[GltfPiece]) -> bool:
    """Whether nodes can carry the pieces: each has faces to show, and no named part is torn between bones."""
    named = [piece.part for piece in pieces if piece.part >= 0]
    return all(len(piece.faces) for piece in pieces) and len(set(named)) == len(named)


def _write_rigid(
    builder: GltfBuilder,
    mesh: Mesh,
    skin: Skin,
    tracks: BoneTracks,
    extras: dict[int, JsonObject],
    *,
    still: frozenset[int] = frozenset(),
) -> dict[int, int]:
    """Write a tree of bone nodes that carry their pieces; returns the node of each bone."""
    entries = [pose.entry() | extras.get(bone, {}) for bone, pose in enumerate(tracks.rest)]
    places = plan_bone_nodes(
        mesh.parts, cut_pieces(mesh, skin.leader), GltfBones(skin.names, tracks.parents, entries, still)
    )
    return _write_nodes(builder, GltfSurface(builder, mesh), places, _write_root(builder, mesh), frames=skin.frames)


def _write_skin(builder: GltfBuilder, mesh: Mesh, skin: Skin, tracks: BoneTracks, stem: str) -> dict[int, int]:
    """Write a skin over bone nodes, with the parts that it moves beside the bones; returns the node of each bone."""
    bones = GltfBones(skin.names, tracks.parents, [pose.entry() for pose in tracks.rest])
    tree, shown = plan_skinned_nodes(mesh.parts, cut_pieces(mesh), stem, bones)
    nodes = _write_nodes(builder, None, tree, _write_root(builder, mesh))
    index = add_skin(builder, skin, [nodes[bone] for bone in range(skin.bone_count)])
    _write_nodes(builder, GltfSurface(builder, mesh, influence=pack_influence(skin)), shown, None, skin=index)
    return nodes


def _write_morphs(builder: GltfBuilder, mesh: Mesh, source: Indices, motions: list[Motion], stem: str) -> None:
    reference = motions[0].mesh.vertices
    frames = [m.frames for m in motions]
    if not all(np.isfinite(clip).all() for clip in frames):
        raise OutputError("the motion has positions that are not finite numbers", "simulate again with a smaller step")
    diagonal = motions[0].mesh.diagonal
    morphs = compress_frames(reference, frames, tolerance=MORPH_TOLERANCE * diagonal)
    builder.extras["morphs"] = {
        "tolerance": MORPH_TOLERANCE * diagonal,
        "error": morphs.error,
        "targets": len(morphs.targets),
        "unit": "of the mesh as stored",
    }
    targets = morphs.targets if len(source) == len(reference) else morphs.targets[:, source]
    surface = GltfSurface(builder, mesh, targets=targets)
    _carry_directions(surface, source, frames, morphs.weights)
    _write_nodes(builder, surface, plan_part_nodes(mesh.parts, cut_pieces(mesh), stem), _write_root(builder, mesh))
    shown = [i for i, node in enumerate(builder.tables["nodes"]) if _has_targets(builder, node)]
    start = 0
    for motion in motions:
        add_morph_clip(builder, motion, shown, morphs.weights[start : start + motion.frame_count])
        start += motion.frame_count


def _carry_directions(surface: GltfSurface, source: Indices, frames: list[NDArray], weights: NDArray) -> None:
    """Add the changes of normals and tangents with the morph weights to the surface.

    Where there are too many, both are dropped: normals that stay behind would light the object wrongly.
    """
    if surface.normal is None:
        return
    if not choose_frame_step(surface.mesh.vertex_count, weights):
        surface.normal = surface.tangent = None
        return
    directions = {"NORMAL": surface.normal}
    if surface.tangent is not None:
        directions["TANGENT"] = surface.tangent[:, :3]
    moved = frames if len(source) == frames[0].shape[1] else [clip[:, source] for clip in frames]
    surface.turns = carry_directions(directions, surface.mesh, moved, weights)


def _has_targets(builder: GltfBuilder, node: JsonObject) -> bool:
    return "mesh" in node and "weights" in builder.tables["meshes"][node["mesh"]]


def _write_nodes(
    builder: GltfBuilder,
    surface: GltfSurface | None,
    places: list[PlannedNode],
    root: int | None,
    *,
    frames: Array | None = None,
    skin: int | None = None,
) -> dict[int, int]:
    """Write the planned nodes below a root node; returns the node of each bone."""
    if surface is not None:
        surface.numbered = not is_in_order(list_pieces(places), surface.mesh.vertex_count)
    nodes: dict[int, int] = {}
    bones: dict[int, int] = {}
    for place, above in walk_nodes(places):
        entry = dict(place.entry)
        shown = None if surface is None else place.piece
        if surface is not None and shown is not None:
            local = None if frames is None else np.linalg.inv(frames[shown.bone])
            entry["mesh"] = surface.piece(place.name, shown.faces, shown.vertices, local)
            if skin is not None:
                entry["skin"] = skin
        nodes[id(place)] = builder.node(place.name, parent=root if above is None else nodes[id(above)], **entry)
        if shown is not None:
            builder.node_part[nodes[id(place)]] = shown.part
            if surface is not None:
                state_node(builder, nodes[id(place)], surface.mesh, shown.part)
        if place.bone >= 0:
            bones[place.bone] = nodes[id(place)]
    return bones


def _write_root(builder: GltfBuilder, mesh: Mesh) -> int | None:
    """A root node that turns the object to +Y up and metres, and puts it to its place; None where it is so already."""
    if mesh.up == "y" and mesh.unit == 1.0:
        return None if builder.place is None else builder.node("place", translation=builder.place.tolist())
    matrix = np.eye(4)
    matrix[:3, :3] = quarter_turn(mesh.up, "y") * mesh.unit
    if builder.place is not None:
        matrix[:3, 3] = matrix[:3, :3] @ builder.place
    # A matrix and not a quaternion: the turn is a swap of axes, and stays exact.
    return builder.node("axes", matrix=matrix.T.reshape(-1).tolist())


def _same_mesh(a: Mesh, b: Mesh) -> bool:
    return a is b or (np.array_equal(a.vertices, b.vertices) and np.array_equal(a.faces, b.faces))


def _same_skin(a: Skin, b: Skin) -> bool:
    if a is b:
        return True
    pairs = ((a.joints, b.joints), (a.weights, b.weights), (a.parents, b.parents), (a.frames, b.frames))
    return a.names == b.names and all(np.array_equal(one, other) for one, other in pairs)


def _warn(builder: GltfBuilder, sentence: str) -> None:
    warnings.warn(sentence, stacklevel=4)
    builder.notes.append(sentence)
