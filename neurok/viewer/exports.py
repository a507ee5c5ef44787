"""Exports: what a session recorded, or the pose it shows, as a file."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.errors import InputError, OptionError, unknown
from neurok.files.registry import save_files
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.mechanics.descent import posed
from neurok.viewer.session import Session

# what the page asks for -> (suffix, type of the download)
KINDS = {
    "glb": (".glb", "model/gltf-binary"),
    "usdc": (".usdc", "application/octet-stream"),
    "mp4": (".mp4", "video/mp4"),
    "html": (".html", "text/html"),
    "strip.png": (".png", "image/png"),
    "json": (".json", "application/json"),
}


def export(session: Session, kind: str, first: int, last: int) -> tuple[bytes, str, str]:
    """A file's bytes, its name and its type; frames first to last of what was recorded (-1: to the end)."""
    if kind not in KINDS:
        raise unknown("export", kind, KINDS)
    suffix, mime = KINDS[kind]
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in session.body.title) + suffix
    if kind == "json":
        return session.conditions(first, last).to_json().encode(), name, mime
    thing = recorded(session, first, last)
    if isinstance(thing, Mesh) and kind == "mp4":
        raise InputError("nothing has been recorded yet", "press Run, or throw the object, then export the film")
    if isinstance(thing, Mesh) and kind == "html":
        thing = Motion(session.body.mesh, np.zeros(1), positions=thing.vertices[None].astype(np.float32))
    with tempfile.TemporaryDirectory(prefix="neurok-") as folder:
        path = Path(folder) / f"export{suffix}"
        save_files(thing, path)
        return path.read_bytes(), name, mime


def recorded(session: Session, first: int, last: int) -> Motion | Mesh:
    """Frames first to last of what was recorded, from time zero on; the present pose where nothing was."""
    motion = session.motion()
    if motion is None:
        return posed(session.space, session.drag.q)
    last = motion.frame_count - 1 if last < 0 else min(last, motion.frame_count - 1)
    if not 0 <= first <= last:
        raise OptionError(f"frames {first} to {last} are not in the recording", "trim it again")
    cut = slice(first, last + 1)
    facts = {k: v[cut] if isinstance(v, list) and len(v) == motion.frame_count else v for k, v in motion.facts.items()}
    return replace(
        motion,
        time=motion.time[cut] - motion.time[first],
        positions=None if motion.positions is None else motion.positions[cut],
        transforms=None if motion.transforms is None else motion.transforms[cut],
        name=session.body.title,
        facts=facts,
    )
