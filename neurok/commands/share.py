"""neurok share: a motion as one page that anyone can open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, AllowOutside, UpAxis, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class Share:
    """Write a motion as one self-contained HTML file.

    It opens in any browser without a network, plays, can be looked at from all sides, scrubbed and trimmed, and
    shows the energies where the motion has them. `neurok animate ... -o share.html` writes the same.
    """

    input: Positional[Annotated[str, word("MOTION"), hint()]]
    """a file with a motion: .glb .gltf .usd .usdc .npz ..."""
    output: Annotated[str, word("OUT.html"), hint(aliases=("-o",))] = ""
    """where to write"""
    clip: Annotated[str | None, word("NAME|INDEX"), hint("default: the first")] = None
    """which clip of an animated file, by its name or its number from 0"""
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        if not self.output:
            raise OptionError("nothing says where the page goes", "add -o OUT.html")
        from neurok.commands.convert import choose_content
        from neurok.commands.files import open_input, write_all
        from neurok.commands.say import note, progress, say, say_json, written_facts, written_lines
        from neurok.files.registry import check_output

        check_output(self.output, (".html",))
        asset = open_input(self.input, up=self.up, allow_outside=self.allow_outside)
        motion, kind, remark = choose_content(asset, Path(self.input).name, ".html", self.clip)
        if remark:
            note(remark)
        with progress("writing") as report:
            written = write_all([(motion, self.output)], report)
        if self.json:
            say_json({"input": self.input, "holds": kind, "note": remark, "outputs": written_facts(written)})
            return
        say(f"{Path(self.input).name}: {kind}")
        for line in written_lines(written):
            say(line)
