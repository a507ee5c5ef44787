"""neurok render: a film strip of a motion, or a picture of a mesh."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from neurok.commands.options import AllowOutside, UpAxis, hint, number, whole, word
from neurok.errors import OptionError

if TYPE_CHECKING:
    from neurok.files.camera import CameraView


@dataclass(frozen=True)
class Render:
    """Draw a motion as a strip of frames at even times, with the seconds below, or a mesh as one picture.

    Needs no screen; a film is `neurok convert MOTION film.mp4`.
    """

    input: Positional[Annotated[str, word("MOTION"), hint()]]
    """a file with a motion, or any mesh"""
    output: Annotated[str, word("OUT.png"), hint(aliases=("-o",))] = ""
    """where to write"""
    frames: Annotated[int, whole("--frames"), hint("default: 6")] = 6
    """how many frames the strip has"""
    size: Annotated[int | None, whole("--size"), hint("default: 400, or 900 for a mesh")] = None
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
        if not self.output:
            raise OptionError("nothing says where the picture goes", "add -o OUT.png")
        if not 1 <= self.frames <= 60:
            raise OptionError(f"--frames is {self.frames}", "give a number from 1 to 60")
        if self.size is not None and not 16 <= self.size <= 2000:
            raise OptionError(f"--size is {self.size}", "give a number from 16 to 2000")
        from neurok.commands.convert import choose_content
        from neurok.commands.files import open_input
        from neurok.commands.say import note, progress, say, written_lines
        from neurok.files.pictures import render_film_strip, render_mesh, save_picture
        from neurok.files.registry import check_output
        from neurok.geometry.motion import Motion

        check_output(self.output, (".png",))
        asset = open_input(self.input, up=self.up, allow_outside=self.allow_outside)
        thing, kind, remark = choose_content(asset, Path(self.input).name, ".png", self.clip)
        if remark:
            note(remark)
        with progress("drawing"):
            if isinstance(thing, Motion):
                size = self.size or 400
                pixels = render_film_strip(thing, self.view(), self.frames, (size, size))
            else:
                pixels = render_mesh(asset.mesh, self.view(), (self.size, self.size) if self.size else (1200, 900))
        written = save_picture(pixels, Path(self.output))
        say(f"{Path(self.input).name}: {kind}")
        for line in written_lines([written]):
            say(line)

    def view(self) -> "CameraView":
        from neurok.files.camera import CameraView

        return CameraView(azimuth=self.azimuth, elevation=self.elevation)
