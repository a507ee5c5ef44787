"""neurok doctor: what this installation has, and the command that adds what it lacks."""

from dataclasses import asdict, dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff

from neurok.commands.options import PLAIN_FLAG, Strict

MARKS = {"ok": "ok     ", "missing": "MISSING", "absent": "absent "}


@dataclass(frozen=True)
class Doctor:
    """Say what this installation has: versions, graphics, browser, threads, weights, extras; and what adds the rest.

    `neurok inspect` does the same for a file.
    """

    strict: Strict = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of lines"""

    def run(self) -> None:
        from neurok.commands.doubts import Doubts
        from neurok.commands.health import check_health
        from neurok.commands.say import progress, say, say_json

        with progress("asking"):
            found = list(check_health())
        if self.json:
            say_json({"checks": [asdict(one) for one in found]})
        else:
            for one in found:
                say(f"{MARKS[one.state]} {one.name}: {one.found}")
                if one.remedy:
                    say(f"            -> {one.remedy}")
        doubts = Doubts(self.strict)
        doubts.add(*(f"{one.name} does not work: {one.remedy}" for one in found if one.state == "missing"))
        doubts.check()
