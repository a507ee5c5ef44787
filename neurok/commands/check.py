"""neurok check: a simulator's file tried out in MuJoCo."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, hint, word
from neurok.errors import InputError


@dataclass(frozen=True)
class Check:
    """Load a .urdf or .xml (MJCF) file in MuJoCo, drop it, sweep every joint, weigh it; exit code 2 where it fails.

    It fails where links that no joint connects penetrate by more than 1 % of the diagonal at rest, the base drifts
    more than a millimetre in two seconds when it is let go without gravity and with its joints locked, anything
    explodes when it is dropped on the ground, a mass is wrong, or a limit is never reached. It also fails where a
    joint, moved through its range, drives a part more than 1 % of the diagonal into another (whatever pairs the file
    excludes from contact), takes it away from all that it touched at rest, or moves nothing.
    """

    input: Positional[Annotated[str, word("FILE"), hint()]]
    """the file"""
    expect_moving: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """fail also where no joint moves a part"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.articulate.check import check_file
        from neurok.commands.say import note, progress, say, say_json

        with progress("sweeping joints") as report:
            found = check_file(self.input, report, expect_moving=self.expect_moving)
        name = Path(self.input).name
        if self.json:
            say_json({"input": self.input, "passed": found.passed, "faults": found.faults,
                      "remarks": found.remarks, **found.figures})  # fmt: skip
        else:
            for remark in found.remarks:
                note(remark)
            for fault in found.faults:
                say(f"{name}: {fault}")
        if not found.passed:
            raise InputError(f"{name} fails {len(found.faults)} of its checks", "mend what is named above")
        if not self.json:
            figures = found.figures
            say(f"{name}: sound; {figures['mass']:.4g} kg, penetration {figures['penetration']:.2%} of the diagonal, "
                f"base drift {1e3 * figures['base_drift']:.2g} mm")  # fmt: skip
