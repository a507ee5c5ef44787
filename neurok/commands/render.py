"""neurok render: a film strip of a motion, a row for each joint of an object, a turntable, or a picture of a mesh."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, AllowOutside, UpAxis, hint, number, whole, word
from neurok.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neurok.files.camera import CameraView
    from neurok.files.registry import Asset
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion
    from neurok.geometry.moving_parts import JointedPart


@dataclass(frozen=True)
class Render:
    """Draw a motion as a strip of frames at even times, with the seconds below, or a mesh as one picture.

    An object with joints gets a row for each joint, from its lower to its upper limit; so do files with a clip for each
    joint, as `neurok articulate` and `neurok states` write them. It is seen from the front where its joints tell it.
    Needs no screen; a film is `neurok convert MOTION film.mp4`.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """a file with a motion or with joints, or any mesh"""
    output: Annotated[str, word("OUT.png"), hint(aliases=("-o",))] = ""
    """where to write"""
    show_moving: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """tint what moves, with its axes and a faint ghost of where it is at rest"""
    turntable: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """turn the object once about its upward axis, while its motion plays: .mp4, .gif, or a .png strip"""
    at_rest: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """draw one picture of the object as it stands, whatever joints or motions it has"""
    edit: Annotated[str | None, word("FILE.json"), hint("default: none")] = None
    """draw the joints of this file, as `neurok articulate INPUT -o FILE.json` wrote them"""
    frames: Annotated[int, whole("--frames"), hint("default: 6")] = 6
    """how many frames a strip has"""
    size: Annotated[int | None, whole("--size"), hint("default: 400, 300 for joints, or 900 for a mesh")] = None
    """pixels of one frame's height and width"""
    azimuth: Annotated[float | None, number("--azimuth", "DEG"), hint("default: a three-quarter view")] = None
    """where to look from, in degrees about the upward axis: 0 is the front, 90 its right side"""
    elevation: Annotated[float, number("--elevation", "DEG"), hint("default: 20")] = 20.0
    """degrees above the horizon"""
    clip: Annotated[str | None, word("NAME|INDEX"), hint("default: the first")] = None
    """which clip of an animated file, by its name or its number from 0"""
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False

    def run(self) -> None:
        self.check()
        from neurok.commands.files import open_input
        from neurok.commands.say import progress, say, written_lines

        if self.edit is None:
            asset = open_input(self.input, up=self.up, allow_outside=self.allow_outside)
        else:
            asset = self.open_edited()
        with progress("drawing"):
            said = self.draw(asset)
        say(f"{Path(self.input).name}: {said}")
        for line in written_lines([Path(self.output)]):
            say(line)

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        if not self.output:
            raise OptionError("nothing says where the picture goes", "add -o OUT.png")
        if not 1 <= self.frames <= 60:
            raise OptionError(f"--frames is {self.frames}", "give a number from 1 to 60")
        if self.size is not None and not 16 <= self.size <= 2000:
            raise OptionError(f"--size is {self.size}", "give a number from 16 to 2000")
        if Path(self.input).suffix.lower() == ".json":
            name = Path(self.input).name
            raise OptionError(f"{name} holds joints and no surface", f"use `neurok render MESH --edit {name}`")
        for option, other in (("turntable", "show_moving"), ("at_rest", "show_moving"), ("at_rest", "edit")):
            if getattr(self, option) and getattr(self, other):
                words = [f"--{name.replace('_', '-')}" for name in (option, other)]
                raise OptionError(f"{words[0]} and {words[1]} exclude each other", "leave one of them away")
        from neurok.files.registry import check_output
        from neurok.files.turntable import SUFFIXES

        check_output(self.output, SUFFIXES if self.turntable else (".png",))

    def open_edited(self) -> "Asset":
        """The object with the joints of a file that `neurok articulate` wrote for it."""
        from neurok.articulate.editing import apply_edit, read_edit
        from neurok.commands.articulate import Articulate
        from neurok.files.registry import Asset

        opened = Articulate(self.input, edit=self.edit, up=self.up, allow_outside=self.allow_outside)
        entry = read_edit(self.edit or "")
        mesh, found = opened.find_parts()
        joints = apply_edit(mesh, found.parts, entry)
        return Asset(joints.mesh, articulation=joints)

    def draw(self, asset: "Asset") -> str:
        """Write the picture; what is in it, in words."""
        from neurok.commands.convert import choose_content, describe_faces
        from neurok.commands.drawn_joints import list_drawn, write_joints
        from neurok.commands.say import note
        from neurok.geometry.motion import Motion

        if self.at_rest:
            return self.write_still(asset.mesh, asset.articulation) + describe_faces(asset.mesh)
        rows = None if self.turntable or self.clip is not None or self.show_moving else list_drawn(asset)
        if rows is not None:
            view = self.view(rows.mesh, [row.part for row in rows.rows])
            return write_joints(rows, Path(self.output), view, self.size)
        if self.show_moving and not asset.motions:
            name = Path(self.input).name
            if asset.articulation is not None:
                raise InputError(f"{name} has joints and no motion",
                                 "leave --show-moving away, which gives each joint a row, or make a motion with "
                                 "`neurok animate`")  # fmt: skip
            raise InputError(f"{name} has nothing that moves", "leave --show-moving away")
        thing, kind, remark = choose_content(asset, Path(self.input).name, ".png", self.clip)
        if remark and asset.articulation is None:
            note(remark)
        if isinstance(thing, Motion):
            self.write_motion(thing)
            return kind
        return self.write_still(asset.mesh, asset.articulation) + describe_faces(asset.mesh)

    def write_still(self, mesh: "Mesh", joints: "Articulation | None") -> str:
        from neurok.files.pictures import render_mesh, save_picture
        from neurok.geometry.moving_parts import list_joint_parts

        view = self.view(mesh, [] if joints is None else list_joint_parts(joints))
        if self.turntable:
            self.write_turn(mesh, view)
        else:
            size = (self.size, self.size) if self.size else (1200, 900)
            save_picture(render_mesh(mesh, view, size), Path(self.output))
        return ""

    def write_motion(self, motion: "Motion") -> None:
        from neurok.files.pictures import render_film_strip, save_picture
        from neurok.geometry.moving_parts import list_moving_parts

        parts = list_moving_parts(motion)
        view = self.view(motion.mesh, parts)
        if self.turntable:
            return self.write_turn(motion, view)
        size = self.size or 400
        shown = parts if self.show_moving else ()
        save_picture(render_film_strip(motion, view, self.frames, (size, size), parts=shown), Path(self.output))

    def write_turn(self, thing: "Mesh | Motion", view: "CameraView") -> None:
        from neurok.files.registry import save_written
        from neurok.files.turntable import write_turn

        size = self.size or (400 if self.output.lower().endswith(".png") else 480)
        side = size + size % 2  # even, as films demand
        save_written(
            Path(self.output),
            lambda folder, name: write_turn(thing, folder / name, (side, side), view, count=self.frames),
        )

    def view(self, mesh: "Mesh", parts: "Sequence[JointedPart]") -> "CameraView":
        """The direction that was asked for, about the front where the joints tell it."""
        from neurok.files.facing_view import face_front

        return face_front(mesh, parts, self.azimuth, self.elevation)
