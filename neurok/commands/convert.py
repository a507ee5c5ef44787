"""neurok convert: the same object in another format."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, AllowOutside, Strict, UpAxis, hint, word
from neurok.errors import InputError, OptionError, OutputError

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion

# Formats that hold several clips side by side.
MULTI_CLIP_SUFFIXES = (".glb", ".gltf")


@dataclass(frozen=True)
class Convert:
    """Write a mesh, a motion or a jointed object in another format, chosen by the suffix.

    A file with clips keeps them all where the new format can hold several, else the first (or --clip); a format
    without motion gets the pose of the file. Joints go to .urdf, .xml (MJCF), .glb, .gltf and .usd.
    The output may be the input: it is replaced once the new file is complete.
    """

    input: Positional[Annotated[str, word("IN"), hint()]]
    """the file, PartNet-Mobility folder or zip to read"""
    output: Positional[Annotated[str, word("OUT"), hint()]]
    """the file to write"""
    clip: Annotated[str | None, word("NAME|INDEX"), hint("default: all, or the first")] = None
    """which clip of an animated file, by its name or its number from 0"""
    skeleton: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """write a jointed object to .glb or .gltf as one skin with a bone a link, for engines and modellers to import"""
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False
    strict: Strict = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.doubts import Doubts
        from neurok.commands.files import check_outputs, write_all
        from neurok.commands.measures import open_measured
        from neurok.commands.say import note, progress, say, say_json, written_facts, written_lines
        from neurok.geometry.articulation import Articulation
        from neurok.geometry.mesh import Mesh
        from neurok.geometry.motion import Motion

        check_outputs([self.output], Mesh, Motion, Articulation)
        suffix = Path(self.output).suffix.lower()
        if self.skeleton and suffix not in MULTI_CLIP_SUFFIXES:
            raise OptionError(f"--skeleton cannot be written to {suffix}", "name a .glb or .gltf")
        asset = open_measured(self.input, up=self.up, unit=None, allow_outside=self.allow_outside)
        name = Path(self.input).name
        chosen = choose_skeleton(asset, name) if self.skeleton else choose_content(asset, name, suffix, self.clip)
        thing, kind, remark = chosen
        if remark:
            note(remark)
        doubts = Doubts(self.strict)
        doubts.add(*list_losses(thing, Path(self.output)))
        with progress("writing") as report:
            written = write_all([(thing, self.output)], report)
        if self.json:
            facts = {"input": self.input, "holds": kind, "note": remark, "warnings": doubts.lines}
            say_json(facts | {"outputs": written_facts(written)})
        else:
            for line in (f"{Path(self.input).name}: {kind}", *written_lines(written)):
                say(line)
        doubts.check()


def choose_content(
    asset: "Asset", name: str, suffix: str, clip: str | None
) -> "tuple[Mesh | Motion | Articulation | Sequence[Motion], str, str]":
    """What of an asset goes into a format: the thing, what it is, and a remark about what stays behind."""
    from neurok.files.registry import WRITERS
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion

    holds = WRITERS[suffix][1]
    motions = _select_clips(asset.motions, name, clip)
    if motions and Motion in holds:
        if len(motions) == 1 or suffix in MULTI_CLIP_SUFFIXES:
            return (motions[0] if len(motions) == 1 else motions), _describe_motions(motions), ""
        left = ", ".join(repr(motion.name) for motion in motions[1:6]) + (", ..." if len(motions) > 6 else "")
        remark = f"{suffix} holds one motion: '{motions[0].name}' is taken, and --clip chooses another ({left})"
        return motions[0], _describe_motions(motions[:1]), remark
    if asset.articulation is not None and Articulation in holds:
        return asset.articulation, _describe_joints(asset.articulation), ""
    if Mesh in holds:
        remark = f"{suffix} holds no motion: the pose of the file is written, without its clips" if motions else ""
        if asset.articulation is not None:
            remark = f"{suffix} holds no joints: the object is written as one mesh in its rest pose"
        return asset.mesh, describe_faces(asset.mesh), remark
    if Motion in holds:
        raise OutputError(f"{suffix} needs a motion, and {name} has none", "make one with `neurok animate`")
    raise OutputError(f"{suffix} needs joints, and {name} has none", "use .glb, .usdc, .obj or .ply")


def choose_skeleton(asset: "Asset", name: str) -> "tuple[Sequence[Motion], str, str]":
    """The joints of an asset as a skeleton with a clip for each, what it is, and no remark."""
    if asset.articulation is None:
        raise InputError(f"{name} has no joints", "find them with `neurok articulate` first")
    from neurok.articulate.clips import make_skeleton
    from neurok.opening import call_links

    joints = call_links(asset.articulation)
    return make_skeleton(joints), f"a skeleton of {_describe_joints(joints)}", ""


def list_losses(thing: object, path: Path) -> list[str]:
    """What the next reader cannot know or see: axes and units that stand in a comment, clips in which nothing moves."""
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion
    from neurok.geometry.reach import is_still

    if isinstance(thing, Mesh):
        return _describe_axes_lost(thing, path)
    motions = [thing] if isinstance(thing, Motion) else thing if isinstance(thing, (list, tuple)) else []
    still = [motion.name for motion in motions if motion.frame_count > 1 and is_still(motion)]
    return [f"nothing moves in the clip '{name}'" for name in still]


def _describe_axes_lost(mesh: "Mesh", path: Path) -> list[str]:
    from neurok.files.axes_note import SUFFIXES_WITHOUT_AXES

    if path.suffix.lower() not in SUFFIXES_WITHOUT_AXES or (mesh.up, mesh.unit) == ("y", 1.0):
        return []
    stated = f"{path.name} says only in a comment that {mesh.up} is up and a unit is {mesh.unit:g} m"
    return [f"{stated}: neurok reads it, other programs have to be told"]


def _select_clips(motions: "tuple[Motion, ...]", name: str, clip: str | None) -> "tuple[Motion, ...]":
    """All clips, or the one that was asked for by its name, else by its number."""
    if clip is None:
        return motions
    if not motions:
        raise InputError(f"{name} has no clips", "leave --clip away")
    named = [motion for motion in motions if motion.name == clip]
    if named:
        return (named[0],)
    if clip.isdecimal() and int(clip) < len(motions):
        return (motions[int(clip)],)
    listed = ", ".join(f"{index} '{motion.name}'" for index, motion in enumerate(motions[:20]))
    raise InputError(f"{name} has no clip '{clip}'", f"its clips are: {listed}")


def _describe_motions(motions: "Sequence[Motion]") -> str:
    from neurok.commands.say import counted

    clips = ", ".join(f"'{m.name}' {m.frame_count} frames {m.duration:.4g} s" for m in motions[:5])
    more = f" and {len(motions) - 5} more" if len(motions) > 5 else ""
    return f"{counted(len(motions), 'motion')} ({clips}{more}) of {describe_faces(motions[0].mesh)}"


def _describe_joints(articulation: "Articulation") -> str:
    from neurok.commands.say import counted

    links, joints = counted(len(articulation.links), "link"), counted(len(articulation.joints), "joint")
    return f"{links} and {joints} with {describe_faces(articulation.mesh)}"


def describe_faces(mesh: "Mesh") -> str:
    from neurok.commands.say import counted

    return f"{counted(mesh.vertex_count, 'vertex', 'vertices')}, {counted(mesh.face_count, 'face')}"
