"""Clips in: a skin where meshes follow prims or joints, positions over time otherwise."""

import numpy as np
from pxr import Usd, UsdGeom

from neurok.errors import InputError
from neurok.files.usd.bones import read_skin
from neurok.files.usd.pieces import Piece, Poses, moving_attributes
from neurok.files.usd.shading import kept_dictionary
from neurok.files.usd.skins import Skins
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

MOST_BYTES = 8 << 30  # of positions over time
MOST_CODES = 100_000


def read_motions(poses: Poses, pieces: list[Piece], mesh: Mesh, rows: Indices, notes: list[str]) -> tuple[Motion, ...]:
    """The clips of a stage: the variants of the set `clip` in a file of ours, one clip otherwise.

    poses: at reference. rows: the read vertex in each place of the mesh, [n].
    """
    clips = _clip_names(poses.stage)
    if len(clips) < 2:
        motion = _read_motion(poses, pieces, mesh, rows, notes, bool(clips))
        return () if motion is None else (_named(motion, next(iter(clips.values()), {})),)
    variants = poses.stage.GetDefaultPrim().GetVariantSet("clip")
    motions = []
    for variant, facts in clips.items():
        if variant not in variants.GetVariantNames():
            continue
        variants.SetVariantSelection(variant)
        fresh = Poses(Skins(poses.stage), poses.time, poses.T_object_stage)
        motion = _read_motion(fresh, pieces, mesh, rows, notes, True)
        if motion is not None:
            motions.append(_named(motion, facts))
    return tuple(motions)


def _read_motion(
    poses: Poses, pieces: list[Piece], mesh: Mesh, rows: Indices, notes: list[str], ours: bool
) -> Motion | None:
    codes = _codes(poses.stage)
    if len(codes) < (1 if ours else 2):
        return None
    time = codes / _rate(poses.stage)
    if not np.isfinite(time).all() or np.any(np.diff(time) <= 0):
        notes.append("the stage's time samples are not finite numbers; the motion is left out")
        return None
    skin = read_skin(poses, pieces, codes, mesh)
    if skin is not None:
        bones, transforms = skin
        return Motion(mesh, time, skin=bones.rows(rows), transforms=transforms)
    kind = choose_frame_dtype(mesh)
    if len(codes) * mesh.vertex_count * 3 * np.dtype(kind).itemsize > MOST_BYTES:
        raise InputError(
            f"the motion has {len(codes)} frames of {mesh.vertex_count} vertices, more than fits into memory",
            "export fewer frames",
        )
    positions = _positions(poses, pieces, codes, rows, notes, kind)
    return None if positions is None else Motion(mesh, time, positions=positions)


def _positions(
    poses: Poses, pieces: list[Piece], codes: Array, rows: Indices, notes: list[str], kind: type[np.floating]
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


def _codes(stage: Usd.Stage) -> Array:
    """All time codes at which something that moves has a sample, ascending."""
    codes = {code for attribute in moving_attributes(stage) for code in attribute.GetTimeSamples()}
    if len(codes) > MOST_CODES:
        raise InputError(f"the stage has {len(codes)} time samples", "export fewer frames")
    return np.array(sorted(codes), dtype=np.float64)


def _rate(stage: Usd.Stage) -> float:
    rate = float(stage.GetTimeCodesPerSecond())
    return rate if np.isfinite(rate) and rate > 0 else 24.0


def _clip_names(stage: Usd.Stage) -> dict[str, dict]:
    """In a file of ours: variant -> name and facts of the clip, in the order they were written."""
    root = stage.GetDefaultPrim()
    clips = root.GetCustomDataByKey("neurok:clips") if root else None
    if not isinstance(clips, dict):
        return {}
    known = {name: clip for name, clip in clips.items() if isinstance(clip, dict)}
    numbers = {name: clip.get("number") for name, clip in known.items()}
    order = sorted(known, key=lambda name: numbers[name] if isinstance(numbers[name], int) else len(known))
    return {name: known[name] for name in order}


def _named(motion: Motion, clip: dict) -> Motion:
    facts = kept_dictionary(clip.get("facts"))
    name = clip.get("name")
    return Motion(
        motion.mesh, motion.time, motion.positions, motion.skin, motion.transforms,
        name if isinstance(name, str) else motion.name, facts,
    )  # fmt: skip
