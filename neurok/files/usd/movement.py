"""Reading clips: a skin where meshes follow prims or joints, positions over time otherwise."""

from dataclasses import replace

import numpy as np
from pxr import Usd, UsdGeom

from neurok.errors import InputError
from neurok.files.usd.bones import read_skin
from neurok.files.usd.pieces import UsdPiece, UsdPoses, find_moving_attributes
from neurok.files.usd.shading import parse_kept_dictionary
from neurok.files.usd.skins import UsdSkins
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

MAX_POSITION_BYTES = 8 << 30  # of positions over time
MAX_TIME_CODES = 100_000


def read_motions(
    poses: UsdPoses, pieces: list[UsdPiece], mesh: Mesh, rows: Indices, notes: list[str]
) -> tuple[Motion, ...]:
    """The clips of a stage: the variants of the set `clip` in a file of ours, one clip otherwise.

    poses: at reference. rows: the read vertex in each place of the mesh, [n].
    """
    clips = _read_clip_names(poses.stage)
    if len(clips) < 2:
        motion = _read_motion(poses, pieces, mesh, rows, notes, bool(clips))
        return () if motion is None else (_name_motion(motion, next(iter(clips.values()), {})),)
    variants = poses.stage.GetDefaultPrim().GetVariantSet("clip")
    motions = []
    for variant, facts in clips.items():
        if variant not in variants.GetVariantNames():
            continue
        variants.SetVariantSelection(variant)
        fresh = UsdPoses(UsdSkins(poses.stage), poses.time, poses.T_object_stage)
        motion = _read_motion(fresh, pieces, mesh, rows, notes, True)
        if motion is not None:
            motions.append(_name_motion(motion, facts))
    return tuple(motions)


def _read_motion(
    poses: UsdPoses, pieces: list[UsdPiece], mesh: Mesh, rows: Indices, notes: list[str], ours: bool
) -> Motion | None:
    codes = _list_time_codes(poses.stage)
    if len(codes) < (1 if ours else 2):
        return None
    time = codes / _read_rate(poses.stage)
    if not np.isfinite(time).all() or np.any(np.diff(time) <= 0):
        notes.append("the stage's time samples are not finite numbers; the motion is left out")
        return None
    skin = read_skin(poses, pieces, codes, mesh)
    if skin is not None:
        bones, transforms = skin
        ordered = replace(bones, joints=bones.joints[rows], weights=bones.weights[rows])
        return Motion(mesh, time, skin=ordered, transforms=transforms)
    kind = choose_frame_dtype(mesh)
    if len(codes) * mesh.vertex_count * 3 * np.dtype(kind).itemsize > MAX_POSITION_BYTES:
        raise InputError(
            f"the motion has {len(codes)} frames of {mesh.vertex_count} vertices, more than fits into memory",
            "export fewer frames",
        )
    positions = _read_positions(poses, pieces, codes, rows, notes, kind)
    return None if positions is None else Motion(mesh, time, positions=positions)


def _read_positions(
    poses: UsdPoses, pieces: list[UsdPiece], codes: Array, rows: Indices, notes: list[str], kind: type[np.floating]
) -> Array | None:
    """Vertices over time [unit], [t, n, 3] of a kind of floats; None where points come and go."""
    result = np.empty((len(codes), len(rows), 3), dtype=kind)
    for index, code in enumerate(codes):
        now = poses.at(Usd.TimeCode(code))
        frame = []
        for piece in pieces:
            attribute = UsdGeom.Mesh(poses.stage.GetPrimAtPath(piece.path)).GetPointsAttr()
            points = None
            if attribute.GetNumTimeSamples():
                points = np.array(attribute.Get(code), dtype=np.float64).reshape(-1, 3)
                if len(points) != piece.count:
                    notes.append(f"the number of points of {piece.path} changes over time; the motion is left out")
                    return None
            frame.append(now.vertices(piece, points))
        result[index] = np.concatenate(frame)[rows]
        if not np.isfinite(result[index]).all():
            notes.append(f"at time code {code:g} some points are not finite numbers; the motion is left out")
            return None
    return result


def _list_time_codes(stage: Usd.Stage) -> Array:
    """All time codes at which something that moves has a sample, ascending."""
    codes = {code for attribute in find_moving_attributes(stage) for code in attribute.GetTimeSamples()}
    if len(codes) > MAX_TIME_CODES:
        raise InputError(f"the stage has {len(codes)} time samples", "export fewer frames")
    return np.array(sorted(codes), dtype=np.float64)


def _read_rate(stage: Usd.Stage) -> float:
    rate = float(stage.GetTimeCodesPerSecond())
    return rate if np.isfinite(rate) and rate > 0 else 24.0


def _read_clip_names(stage: Usd.Stage) -> dict[str, dict]:
    """In a file of ours: variant -> name and facts of the clip, in the order they were written."""
    root = stage.GetDefaultPrim()
    clips = root.GetCustomDataByKey("neurok:clips") if root else None
    if not isinstance(clips, dict):
        return {}
    known = {name: clip for name, clip in clips.items() if isinstance(clip, dict)}
    numbers = {name: clip.get("number") for name, clip in known.items()}
    ranks = {name: number if isinstance(number, int) else len(known) for name, number in numbers.items()}
    return {name: known[name] for name in sorted(known, key=ranks.__getitem__)}


def _name_motion(motion: Motion, clip: dict) -> Motion:
    facts = parse_kept_dictionary(clip.get("facts"))
    name = clip.get("name")
    return Motion(
        motion.mesh, motion.time, motion.positions, motion.skin, motion.transforms,
        name if isinstance(name, str) else motion.name, facts,
    )  # fmt: skip
