"""Exports: what a session recorded, or the pose it shows, as a file.

What is to be written is read from the session at once; writing takes its time in a process of its own, so that
drags are not kept waiting and a file nobody waits for any more is not made.
"""

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neurok.errors import InputError, OptionError, unknown
from neurok.files.registry import Asset
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.reach import is_still
from neurok.mechanics.descent import pose_mesh
from neurok.viewer.children import run_child
from neurok.viewer.session import Session

WRITE_SECONDS = 120.0  # of the processor's time that a file may take
# what the page asks for -> (suffix, type of the download)
EXPORT_KINDS = {
    "glb": (".glb", "model/gltf-binary"),
    "usdc": (".usdc", "application/octet-stream"),
    "mp4": (".mp4", "video/mp4"),
    "html": (".html", "text/html"),
    "strip.png": (".png", "image/png"),
    "json": (".json", "application/json"),
}


@dataclass(frozen=True)
class ExportOrder:
    """A file to be made: its name and type, and what it holds (its text, where that is known already).

    warning: what a person might not expect of it, '' for nothing.
    """

    name: str
    mime: str
    thing: Motion | Mesh | str
    warning: str = ""


def make_order(session: Session, kind: str, first: int, last: int) -> ExportOrder:
    """What is to be written; frames first to last of what was recorded (-1: to the end)."""
    if kind not in EXPORT_KINDS:
        raise unknown("export", kind, EXPORT_KINDS)
    suffix, mime = EXPORT_KINDS[kind]
    title = "".join(c if c.isalnum() or c in "-_ ()." else "_" for c in session.state.shown.title)
    name = (title.strip(" .") or "object") + suffix
    if kind == "json":
        return ExportOrder(name, mime, session.state.make_conditions(first, last).to_json())
    thing = cut_recording(session, first, last)
    if isinstance(thing, Mesh) and kind == "mp4":
        raise InputError("nothing has been recorded yet", "press Run, or throw the object, then export the film")
    if isinstance(thing, Mesh) and kind == "html":
        thing = Motion(
            session.state.shown.mesh, np.zeros(1), positions=thing.vertices[None].astype(choose_frame_dtype(thing))
        )
    return ExportOrder(name, mime, thing, warn_still(thing))


def warn_still(thing: Motion | Mesh) -> str:
    """A sentence where a file has no motion that anybody would see, '' where it has one."""
    if isinstance(thing, Mesh):
        return "It holds this shape alone: nothing was recorded. Press Run, or throw the object, for a motion."
    return "Nothing moves in it: the recording is still." if is_still(thing) else ""


async def write_export(order: ExportOrder) -> bytes:
    """The bytes of an order's file."""
    if isinstance(order.thing, str):
        return order.thing.encode()
    from neurok.files.usd.transfer import pack

    thing = order.thing
    asset = Asset(thing) if isinstance(thing, Mesh) else Asset(thing.mesh, (thing,))
    with tempfile.TemporaryDirectory(prefix="neurok-") as folder:
        await asyncio.to_thread(pack, asset, Path(folder))
        try:
            await run_child("neurok.viewer.writing", Path(folder), order.name, seconds=WRITE_SECONDS)
        except TimeoutError:
            raise InputError(f"the file took more than {WRITE_SECONDS:.0f} s to make", "trim the recording") from None
        return await asyncio.to_thread((Path(folder) / "out" / order.name).read_bytes)


def cut_recording(session: Session, first: int, last: int) -> Motion | Mesh:
    """Frames first to last of what was recorded, from time zero on; the present pose where nothing was."""
    motion = session.state.make_motion()
    if motion is None:
        return pose_mesh(session.state.space, session.state.dragging.q)
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
        name=session.state.shown.title,
        facts=facts,
    )
