"""neurok data procedural: an object of ours from a category and a seed."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, choice, hint, whole, word
from neurok.errors import OptionError, OutputError

if TYPE_CHECKING:
    from neurok.data.procedural.procedural import ProceduralObject as Made
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.motion import Motion

VARIANTS = ("plain", "fused", "noisy")


@dataclass(frozen=True)
class Procedural:
    """Make an object of a category from a seed: the same seed, the same object.

    Formats that hold a motion get one that sweeps every joint through its range; .urdf and .xml (MJCF) get the joints.
    Soft objects have bones instead of joints, so they go to .glb, .usdc and the like only.
    """

    category: Positional[Annotated[str | None, word("CATEGORY"), hint()]] = None
    """what to make; --list prints the names"""
    output: Annotated[
        UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))
    ] = ()
    """the file to write; its suffix is the format"""
    seed: Annotated[int, whole("--seed"), hint("default: 0")] = 0
    """which of the category's objects"""
    variant: Annotated[str, choice("--variant", VARIANTS), hint("default: plain")] = "plain"
    """fused: one connected surface; noisy: that, meshed anew and uneven, as a scan"""
    list: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print the categories and leave"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.files import check_outputs, write_all
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.data import procedural
        from neurok.geometry.articulation import Articulation
        from neurok.geometry.mesh import Mesh
        from neurok.geometry.motion import Motion

        if self.list:
            names = procedural.list_categories()
            say_json({"categories": names}) if self.json else [say(name) for name in names]
            return
        if self.category is None:
            raise OptionError("data procedural needs CATEGORY", "`neurok data procedural --list` prints them")
        if not self.output:
            raise OptionError("there is no output", "name one with -o, for example -o bucket.glb")
        check_outputs(self.output, Mesh, Motion, Articulation)
        with progress("making"):
            thing = procedural.make(self.category, self.seed)
            parts = [(self._content(thing, path), path) for path in self.output]
        with progress("writing") as report:
            written = write_all(parts, report)
        if self.json:
            say_json({**facts(thing), "variant": self.variant, "outputs": written_facts(written)})
            return
        say(sentence(thing))
        for line in written_lines(written):
            say(line)

    def _content(self, thing: "Made", path: str) -> "Articulation | Mesh | Motion":
        """What of the object goes into a file."""
        from neurok.data.procedural import variants
        from neurok.files.registry import WRITERS
        from neurok.geometry.mesh import Mesh
        from neurok.geometry.motion import Motion

        suffix = Path(path).suffix.lower()
        holds = WRITERS[suffix][1]
        if Motion not in holds and Mesh not in holds:
            if thing.is_soft:
                raise OutputError(f"{thing.category} is soft, and {suffix} holds rigid links only", "use .glb or .usdc")
            if self.variant != "plain":
                raise OutputError(
                    f"{self.variant} links are one surface, which {suffix} cannot hold", "use .glb or .usdc"
                )
            return thing.articulation
        motion = variants.VARIANTS[self.variant](thing).motion(thing.sweep())
        return motion if Motion in holds else motion.mesh


def facts(thing: "Made") -> dict[str, object]:
    """What a program wants to know of an object."""
    lower, upper = thing.limits
    names = thing.names
    return {
        "category": thing.category,
        "seed": thing.seed,
        "soft": thing.is_soft,
        "faces": thing.mesh.face_count,
        "links": [link.name for link in thing.articulation.links],
        "coordinates": [{"name": n, "lower": a, "upper": b} for n, a, b in zip(names, lower, upper)],
        "rejected": thing.rejected,
    }


def sentence(thing: "Made") -> str:
    from neurok.commands.say import counted

    kind = "bones" if thing.is_soft else "links"
    moves = counted(len(thing.names), "coordinate")
    shape = f"{len(thing.articulation.links)} {kind}, {moves}, {thing.mesh.face_count} faces"
    again = f"; {counted(thing.rejected, 'draw')} before it did not fit together" if thing.rejected else ""
    return f"{thing.category} {thing.seed}: {shape}{again}"
