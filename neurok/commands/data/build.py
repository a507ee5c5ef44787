"""neurok data build: a store of motions from a recipe."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, choice, hint, whole, word
from neurok.errors import OptionError

ENGINES = ("local", "ray")


@dataclass(frozen=True)
class Build:
    """Build a store of motions to learn from. A build that was cut off goes on when the same command is run again.

    Recipes: tiny (a few objects of our own), open (all our own objects, made and simulated, free to redistribute),
    full (those and the folders given with --partnet and --animated; an index.json in or beside a folder says which
    objects are dev).
    """

    recipe: Positional[Annotated[str, word("RECIPE"), hint()]]
    """tiny, open or full"""
    output: Annotated[str, word("DIR"), hint("required", aliases=("-o",))] = ""
    """the folder to make; it must not be there yet"""
    partnet: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """a folder of objects in the SAPIEN layout (PartNet-Mobility)"""
    animated: Annotated[str | None, word("DIR"), hint("default: none")] = None
    """a folder of animated glTF files"""
    sources: Annotated[
        UseAppendAction[tuple[Annotated[str, word("SOURCE")], ...]], hint("may be repeated; default: all")
    ] = ()
    """only this source: procedural, simulated, partnet or animated"""
    limit: Annotated[int | None, whole("--limit"), hint("default: all")] = None
    """at most so many objects of each source"""
    workers: Annotated[int | None, whole("--workers"), hint("default: one per core")] = None
    """processes to work with"""
    engine: Annotated[str, choice("--engine", ENGINES), hint("default: local")] = "local"
    """local processes, or a Ray cluster (the one RAY_ADDRESS names)"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """which objects and states are drawn"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from collections import Counter

        from neurok.commands.say import counted, progress, say, say_json
        from neurok.data.build import build

        if not self.output:
            raise OptionError("there is no output", "name the store's folder with -o, for example -o data")
        with progress("building") as report:
            index = build(
                self.recipe, self.output, partnet=self.partnet, animated=self.animated, sources=self.sources,
                limit=self.limit, workers=self.workers, engine=self.engine, seed=self.seed, progress=report,
            )  # fmt: skip
        samples, rejected = index["samples"], index["rejected"]
        if self.json:
            say_json({"store": self.output, "objects": len(samples), "rejected": rejected, "shards": index["shards"]})
            return
        by_source = ", ".join(f"{n} {s}" for s, n in sorted(Counter(e["source"] for e in samples).items()))
        say(f"{self.output}: {counted(len(samples), 'object')} ({by_source}) in {len(index['shards'])} shards")
        for entry in rejected[:20]:
            say(f"  rejected {entry['name']}: {entry['reason']}")
        if len(rejected) > 20:
            say(f"  and {len(rejected) - 20} more; README.md in the store names them all")
