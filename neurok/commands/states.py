"""neurok states: what each coordinate of an object's state space does."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from neurok.commands.options import AllowOutside, Outputs, Spaces, Unit, UpAxis, Weights, hint, word
from neurok.errors import OptionError


@dataclass(frozen=True)
class States:
    """Move each coordinate of an object's state space alone, one clip each, so that a person sees what it does."""

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """any file with a mesh, with joints or without"""
    output: Outputs = ()
    """where to write: .glb or .gltf with one clip each, or a .png sheet"""
    kinematics: Spaces = "given"
    weights: Weights = None
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False

    def run(self) -> None:
        if not self.output:
            raise OptionError("nothing says where the clips go", "add -o OUT.glb or -o OUT.png")
        from neurok.commands.choosing import choose_for_verb
        from neurok.commands.files import check_outputs, open_model, write_all
        from neurok.commands.measures import open_measured
        from neurok.commands.say import counted, progress, say, say_results
        from neurok.geometry.motion import Motion

        check_outputs(self.output, Motion)
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        import numpy as np

        from neurok.commands.familiar import describe_shape
        from neurok.files.pictures import render_states_sheet, save_picture
        from neurok.mechanics.showing import SWING_DEVIATIONS, show_states, show_swings

        chosen = choose_for_verb(asset, model, self.kinematics)
        space, asset = chosen.space, chosen.asset
        written = []
        for path in self.output:
            with progress(f"writing {Path(path).name}") as report:
                if Path(path).suffix.lower() == ".png":
                    sides = np.concatenate(
                        [SWING_DEVIATIONS * np.eye(space.size), -SWING_DEVIATIONS * np.eye(space.size)], axis=1
                    )
                    rows = sides.reshape(-1, space.size) * space.prior.deviation + space.rest.numpy()
                    rows = np.clip(rows, space.lower.numpy(), space.upper.numpy())
                    captions = [f"{name} {sign}" for name in space.names for sign in "+-"]
                    written.append(save_picture(render_states_sheet(show_states(space, rows), captions), Path(path)))
                else:
                    written += write_all([(show_swings(space), path)], report)
        say(f"{Path(self.input).name}: {counted(space.size, 'coordinate')}, one clip each: {', '.join(space.names)}")
        say_results(chosen.why, describe_shape(space, asset.mesh, self.weights), written)
