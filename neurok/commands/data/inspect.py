"""neurok data inspect: what a store holds."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, hint, word


@dataclass(frozen=True)
class Inspect:
    """Say what a store holds: objects and states by source, split and category; what was rejected."""

    store: Positional[Annotated[str, word("DIR"), hint()]]
    """the store"""
    output: Annotated[str | None, word("SHEET.png"), hint("default: none", aliases=("-o",))] = None
    """a contact sheet of some of its objects, each at rest and moved"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from pathlib import Path

        from neurok.commands.say import progress, say, say_json
        from neurok.data.build import format_tables
        from neurok.data.sheet import write_sheet
        from neurok.data.store import Store
        from neurok.errors import OutputError
        from neurok.files.registry import check_output

        store = Store(self.store)
        if self.output is not None:
            check_output(self.output)
            if Path(self.output).suffix.lower() != ".png":
                raise OutputError(f"{self.output} is not a picture", "name a .png file")
            with progress("drawing"):
                write_sheet(store, Path(self.output))
        if self.json:
            say_json({"recipe": store.index["recipe"], "samples": store.index["samples"],
                      "rejected": store.index["rejected"]})  # fmt: skip
            return
        for line in format_tables(store.index):
            say(line)
