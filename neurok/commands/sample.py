"""neurok sample: several plausible states of an object."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from neurok.commands.options import (
    AllowOutside,
    Outputs,
    Spaces,
    Unit,
    UpAxis,
    Weights,
    hint,
    random_seed,
    whole,
    word,
)
from neurok.errors import OptionError, OutputError


@dataclass(frozen=True)
class Sample:
    """Draw plausible states of an object from its state space: its joints, or those found for a plain mesh."""

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """any file with a mesh, with joints or without"""
    count: Annotated[int, whole("-n"), hint("default: 8", aliases=("-n",))] = 8
    """how many"""
    output: Outputs = ()
    """a .png sheet, a .glb .usdc or other motion through them, or a folder for one .glb each"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states are drawn"""
    kinematics: Spaces = "given"
    weights: Weights = None
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False

    def run(self) -> None:
        if not self.output:
            raise OptionError("nothing says where the states go", "add -o OUT.png, -o OUT.glb or -o FOLDER")
        if not 1 <= self.count <= 200:
            raise OptionError(f"-n is {self.count}", "give a number from 1 to 200")
        from neurok.commands.choosing import choose_for_verb
        from neurok.commands.files import check_outputs, open_model, write_all
        from neurok.commands.measures import open_measured
        from neurok.commands.say import counted, progress, say, say_results
        from neurok.geometry.motion import Motion

        folders = [path for path in self.output if not Path(path).suffix]
        check_outputs([path for path in self.output if Path(path).suffix], Motion)
        for folder in folders:
            if Path(folder).exists() and not Path(folder).is_dir() or not Path(folder).resolve().parent.is_dir():
                raise OutputError(f"the folder {folder} cannot be made", "name another place")
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        from neurok.articulate.valid_states import draw_valid_states
        from neurok.commands.familiar import describe_shape
        from neurok.files.pictures import render_states_sheet, save_picture
        from neurok.mechanics.showing import move_through, show_states

        chosen = choose_for_verb(asset, model, self.kinematics)
        space, asset = chosen.space, chosen.asset
        with progress("drawing states") as report:
            states = draw_valid_states(space, self.count, seed=self.seed, progress=report)
        still = show_states(space, states)
        written = []
        for path in self.output:
            with progress(f"writing {Path(path).name}") as report:
                if path in folders:
                    Path(path).mkdir(exist_ok=True)
                    names = [str(Path(path) / f"state-{i + 1:02d}.glb") for i in range(self.count)]
                    written += write_all([(still.mesh_at(i), name) for i, name in enumerate(names)], report)
                elif Path(path).suffix.lower() == ".png":
                    written.append(save_picture(render_states_sheet(still), Path(path)))
                else:
                    written += write_all([(move_through(space, states), path)], report)
        say(f"{Path(self.input).name}: {counted(self.count, 'state')} of {counted(space.size, 'coordinate')}")
        say_results(chosen.why, describe_shape(space, asset.mesh, self.weights), written)
