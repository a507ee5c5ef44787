"""neurok sample: several plausible states of an object."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import (
    PLAIN_FLAG,
    UPS,
    Outputs,
    Spaces,
    Unit,
    Weights,
    choice,
    hint,
    random_seed,
    whole,
    word,
)
from neurok.errors import OptionError, OutputError


@dataclass(frozen=True)
class Sample:
    """Draw plausible states of an object from its state space: its joints, or what was learned for a plain mesh."""

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """any file with a mesh, with joints or without"""
    count: Annotated[int, whole("-n"), hint("default: 8", aliases=("-n",))] = 8
    """how many"""
    output: Outputs = ()
    """a .png sheet, a .glb .usdc or other motion through them, or a folder for one .glb each"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """which states are drawn"""
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
            raise OptionError("nothing says where the states go", "add -o OUT.png, -o OUT.glb or -o FOLDER")
        if not 1 <= self.count <= 200:
            raise OptionError(f"-n is {self.count}", "give a number from 1 to 200")
        from neurok.commands.choosing import choose_for_verb
        from neurok.commands.files import check_outputs, open_model, write_all
        from neurok.commands.measures import open_measured
        from neurok.commands.say import counted, say, written_lines
        from neurok.geometry.motion import Motion

        folders = [path for path in self.output if not Path(path).suffix]
        check_outputs([path for path in self.output if Path(path).suffix], Motion)
        for folder in folders:
            if Path(folder).exists() and not Path(folder).is_dir() or not Path(folder).resolve().parent.is_dir():
                raise OutputError(f"the folder {folder} cannot be made", "name another place")
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        from neurok.commands.familiar import familiar_lines
        from neurok.files.pictures import render_states_sheet, save_picture
        from neurok.mechanics.showing import in_states, sample, through

        chosen = choose_for_verb(asset, model, self.kinematics)
        space, asset = chosen.space, chosen.asset
        states = sample(space, self.count, seed=self.seed)
        still = in_states(space, states)
        written = []
        for path in self.output:
            if path in folders:
                Path(path).mkdir(exist_ok=True)
                names = [str(Path(path) / f"state-{i + 1:02d}.glb") for i in range(self.count)]
                written += write_all([(still.mesh_at(i), name) for i, name in enumerate(names)])
            elif Path(path).suffix.lower() == ".png":
                written.append(save_picture(render_states_sheet(still), Path(path)))
            else:
                written += write_all([(through(space, states), path)])
        say(f"{Path(self.input).name}: {counted(self.count, 'state')} of {counted(space.size, 'coordinate')}")
        for line in (
            f"kinematics: {chosen.why}",
            *familiar_lines(space, asset.mesh, self.weights),
            *written_lines(written),
        ):
            say(line)
