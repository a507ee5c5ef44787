"""neurok data show: one object of a store as a file."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, hint, word


@dataclass(frozen=True)
class Show:
    """Write one object of a store, its states one after another as a motion."""

    store: Positional[Annotated[str, word("DIR"), hint()]]
    """the store"""
    name: Positional[Annotated[str, word("ID"), hint()]]
    """the object, as `neurok data inspect DIR --json` names it"""
    output: Annotated[str, word("OUT"), hint("required", aliases=("-o",))] = ""
    """the file to write; its suffix is the format"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.files import check_outputs, write_all
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.data.store import Store
        from neurok.errors import OptionError
        from neurok.geometry.motion import Motion

        if not self.output:
            raise OptionError("there is no output", "name one with -o, for example -o x.glb")
        check_outputs([self.output], Motion)
        sample = Store(self.store).read(self.name)
        with progress("writing") as report:
            written = write_all([(sample.motion(), self.output)], report)
        facts = sample.facts
        if self.json:
            known = {"name": facts.name, "category": facts.category, "split": facts.split, "licence": facts.licence}
            say_json({**known, "states": sample.state_count, "outputs": written_facts(written)})
            return
        say(f"{facts.name}: {facts.category}, {sample.state_count} states, {facts.split}, {facts.licence}")
        for line in written_lines(written):
            say(line)
