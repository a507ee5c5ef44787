"""Animated assets: skins, morphs and moving nodes of any folder of glTF files become samples.

The rigid motion of the whole object (walking off, turning) is removed from every frame, near-duplicate frames are
thinned, all clips of a file are joined, and files with the same rig are recognised, so that splits go by rig.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.data.frames import apply_rigid_motions, fit_rigid_motions, thin_frames
from neurok.data.sample import Facts, MotionSample, sample_from_motion
from neurok.data.splits import choose_split
from neurok.data.store import Rejected
from neurok.errors import InputError, NeurokError
from neurok.files.registry import load
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion
from neurok.geometry.surface import at_vertices

SOURCE = "animated"
MAX_STATES = 48
MAX_FRAMES = 240  # read per file, evenly over all clips
DUPLICATE_DISTANCE = 0.01  # of the diagonal (RMS): of two frames that are nearer, one is dropped
MIN_MOTION = 0.01  # of the diagonal, after the rigid motion of the whole is removed


def list_files(folder: Path) -> list[str]:
    """All glTF files below a folder (Objaverse keeps them in numbered subfolders), as relative names."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", "name the folder that holds the glTF files")
    found = [p for p in folder.rglob("*") if p.suffix.lower() in (".glb", ".gltf")]
    if not found:
        raise InputError(f"{folder} holds no glTF file", "name the folder that holds the .glb files")
    return sorted(p.relative_to(folder).as_posix() for p in found)


def build_sample(
    folder: Path, name: str, split: str, *, licence: str, category: str, rig: str | None
) -> MotionSample | Rejected:
    """The states of one file, or the reason for its rejection."""
    label = f"{SOURCE}/{name.rsplit('.', 1)[0]}"
    try:
        asset = load(folder / name)
    except NeurokError as fault:
        return Rejected(label, SOURCE, str(fault))
    clips = [m for m in asset.motions if m.frame_count > 1]
    group = f"{SOURCE}/{rig or (identify_rig(clips[0]) if clips else '')}"
    facts = Facts(label, SOURCE, licence, category, group, split or choose_split(group), notes=asset.notes)
    return sample_from_clips(facts, clips)


def sample_from_clips(facts: Facts, clips: list[Motion]) -> MotionSample | Rejected:
    """The states of all clips of one file, without the rigid motion of the whole, or the reason for its rejection."""
    if not clips:
        return Rejected(facts.name, facts.source, "it has no clip with more than one frame")
    frames, bones = _collect_states(clips)
    diagonal = float(np.linalg.norm(np.ptp(frames[0], axis=0)))
    if not diagonal > 0:
        return Rejected(facts.name, facts.source, "its shape has no extent")
    rest = clips[0].mesh.with_vertices(frames[0])
    area = at_vertices(rest).area
    if not area.sum() > 0:
        return Rejected(facts.name, facts.source, "its surface has no area")
    whole = fit_rigid_motions(frames, area)
    frames = apply_rigid_motions(frames, whole)
    kept = thin_frames(frames, DUPLICATE_DISTANCE * diagonal, MAX_STATES)
    apart = np.linalg.norm(frames[kept] - frames[0], axis=2)
    if apart.max() < MIN_MOTION * diagonal:
        return Rejected(facts.name, facts.source, "it moves as a whole only, or by less than 1 % of the diagonal")
    time = np.arange(len(kept), dtype=float)
    if bones is not None:
        relative = (whole[:, None] @ bones)[kept] @ np.linalg.inv(bones[0])
        motion = Motion(rest, time, skin=clips[0].skin, transforms=relative)
    else:
        motion = Motion(rest, time, positions=frames[kept])
    return sample_from_motion(replace(facts, up=rest.up), motion)


def identify_rig(motion: Motion) -> str:
    """A name that files with the same rig share: a hash of the bones and their tree, or of the faces."""
    skin = motion.skin
    if skin is not None and skin.bone_count > 1:
        text = "|".join(f"{n}<{p}" for n, p in zip(skin.names, skin.parents))
        return f"skin:{skin.bone_count}:{hashlib.sha256(text.encode()).hexdigest()[:10]}"
    return f"mesh:{motion.mesh.vertex_count}:{hashlib.sha256(motion.mesh.faces.tobytes()).hexdigest()[:10]}"


def _collect_states(clips: list[Motion]) -> tuple[Array, Array | None]:
    """Frames [t, n, 3] spread over all clips, and the bones' motions [t, b, 4, 4] where the parts are rigid."""
    rigid = all(m.skin is not None and m.skin.is_rigid for m in clips)
    share = max(MAX_FRAMES // len(clips), 2)
    frames, bones = [], []
    for clip in clips:
        for i in np.unique(np.linspace(0, clip.frame_count - 1, share).astype(int)):
            frames.append(clip.frame(i))
            if rigid:
                bones.append(clip.skinning[1][i])
    regular = rigid and np.abs(np.linalg.det(bones[0][:, :3, :3])).min() > 1e-9
    return np.stack(frames), np.stack(bones) if regular else None
