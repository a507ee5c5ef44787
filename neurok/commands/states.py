"""neurok states: what each coordinate of an object's state space does."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, UPS, Outputs, Spaces, Unit, Weights, choice, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class States:
    """Move each coordinate of an object's state space alone, one clip each, so that a person sees what it does."""

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """any file with a mesh, with joints or without"""
    output: Outputs = ()
    """where to write: .glb or .gltf with one clip each, or a .png sheet"""
    kinematics: Spaces = "given"
    """move by the file's joints, else as learned (given); by joints, if need be those that parts suggest; as learned,
    and known to have parts that move (articulated) or to bend (soft); or as it suits (auto), which is then said"""
    weights: Weights = None
    """of the learned state space, which then serves a file with joints as well"""
    up: Annotated[str, choice("--up", UPS), hint("default: auto, y")] = "auto"
    """the upward axis of an OBJ, PLY, STL or OFF file"""
    unit: Unit = None
    """how long the file's unit is: 0.001 where it counts in millimetres"""
    allow_outside: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """let the file name others outside its own folder"""

    def run(self) -> None:
        if not self.output:
            raise OptionError("nothing says where the clips go", "add -o OUT.glb or -o OUT.png")
        from neurok.commands.choosing import choose_for_verb
        from neurok.commands.files import check_outputs, open_model, write_all
        from neurok.commands.measures import open_measured
        from neurok.commands.say import counted, say, written_lines
        from neurok.geometry.motion import Motion

        check_outputs(self.output, Motion)
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        import numpy as np

        from neurok.commands.familiar import familiar_lines
        from neurok.files.pictures import render_states_sheet, save_picture
        from neurok.mechanics.showing import SWING, in_states, swings

        chosen = choose_for_verb(asset, model, self.kinematics)
        space, asset = chosen.space, chosen.asset
        written = []
        for path in self.output:
            if Path(path).suffix.lower() == ".png":
                sides = np.concatenate([SWING * np.eye(space.size), -SWING * np.eye(space.size)], axis=1)
                rows = sides.reshape(-1, space.size) * space.prior.deviation + space.rest.numpy()
                rows = np.clip(rows, space.lower.numpy(), space.upper.numpy())
                captions = [f"{name} {sign}" for name in space.names for sign in "+-"]
                written.append(save_picture(render_states_sheet(in_states(space, rows), captions), Path(path)))
            else:
                written += write_all([(swings(space), path)])
        say(f"{Path(self.input).name}: {counted(space.size, 'coordinate')}, one clip each: {', '.join(space.names)}")
        for line in (
            f"kinematics: {chosen.why}",
            *familiar_lines(space, asset.mesh, self.weights),
            *written_lines(written),
        ):
            say(line)
