"""neurok materials: what the parts of an object are probably made of."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, AllowOutside, UpAxis, hint, word
from neurok.errors import InputError, OptionError, unknown

if TYPE_CHECKING:
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.parts import Parts
    from neurok.materials.library import MaterialLibrary
    from neurok.materials.prediction.driving import DrivingMaterials
    from neurok.materials.prediction.prediction import MatterPrediction, PartMatter

OUTPUT_SUFFIXES = (".json", ".glb", ".gltf")


@dataclass(frozen=True)
class Materials:
    """Say what each part of an object is probably made of, how sure that is, and why.

    Told by shapes, colours and textures, the names of parts and of the object; whatever of these is absent is said. A
    .json holds everything, with the conditions that `neurok animate` takes, and can be changed and fed back with
    --edit; a .glb shows the parts in the looks of their materials. Plausible, not measured.
    """

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """any file with a mesh"""
    output: Annotated[
        UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))
    ] = ()
    """where to write: .json .glb or .gltf"""
    edit: Annotated[str | None, word("FILE.json"), hint("default: none")] = None
    """take materials from this file, as written to .json and changed"""
    called: Annotated[str | None, word("WORDS"), hint("default: the file's name")] = None
    """what the object is, as in "office chair"; '' for nothing"""
    materials: Annotated[str | None, word("FILE.toml"), hint("default: neurok's own")] = None
    """further materials that --edit may name"""
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of a table"""

    def run(self) -> None:
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.materials.prediction.document import describe_prediction

        self.check()
        with progress("finding parts"):
            mesh, joints, parts, origin = self.find_parts()
        with progress("looking at them"):
            prediction, library = self.predict(mesh, parts)
            driving = self.drive(mesh, joints, prediction, library)
        with progress("writing"):
            written = _write_outputs(mesh, prediction, driving, library, self.output)
        if self.json:
            facts = describe_prediction(prediction, driving)
            say_json({"input": self.input, "parts_from": origin} | facts | {"outputs": written_facts(written)})
            return
        for line in (*_list_lines(Path(self.input).name, origin, prediction), *written_lines(written)):
            say(line)

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        from neurok.commands.files import check_json, check_outputs
        from neurok.geometry.mesh import Mesh

        for path in self.output:
            if Path(path).suffix.lower() not in OUTPUT_SUFFIXES:
                raise unknown("output suffix", Path(path).suffix or path, OUTPUT_SUFFIXES)
            if Path(path).suffix.lower() == ".json":
                check_json(path)
        check_outputs([path for path in self.output if Path(path).suffix.lower() != ".json"], Mesh)
        if self.called is not None and len(self.called) > 200:
            raise OptionError("--called is longer than 200 letters", "say it in a few words")

    def find_parts(self) -> "tuple[Mesh, Articulation | None, Parts, str]":
        """The mesh, its joints, its parts cut where their surface changes, and where they are from."""
        from neurok.articulate.parts import choose_parts
        from neurok.commands.files import open_input
        from neurok.geometry.parts import read_piece_parts
        from neurok.materials.prediction.coats import split_coats

        asset = open_input(self.input, up=self.up, allow_outside=self.allow_outside)
        mesh = asset.mesh if asset.articulation is None else asset.articulation.mesh
        if mesh.face_count == 0:
            raise InputError(f"{Path(self.input).name} has no faces", "give a surface")
        if asset.articulation is not None:
            return (
                mesh,
                asset.articulation,
                split_coats(mesh, read_piece_parts(asset.articulation)),
                "the links of the file",
            )
        found = choose_parts(mesh)
        return mesh, None, split_coats(mesh, found.parts), found.origin

    def predict(self, mesh: "Mesh", parts: "Parts") -> "tuple[MatterPrediction, MaterialLibrary]":
        """What the network says, and what --edit says instead."""
        from neurok.materials.library import load_library
        from neurok.materials.prediction.document import correct_prediction, read_corrections
        from neurok.materials.prediction.observation import observe_matter
        from neurok.materials.prediction.prediction import predict_matter
        from neurok.materials.prediction.weights import load_network

        library = load_library(self.materials)
        corrections = None if self.edit is None else read_corrections(self.edit)
        prediction = predict_matter(parts, observe_matter(mesh, parts, self.title), load_network(), library)
        if corrections is not None:
            prediction = correct_prediction(prediction, corrections, library)
        return prediction, library

    @property
    def title(self) -> str:
        """What the object is called."""
        return Path(self.input).stem if self.called is None else self.called

    def drive(
        self, mesh: "Mesh", joints: "Articulation | None", prediction: "MatterPrediction", library: "MaterialLibrary"
    ) -> "DrivingMaterials":
        """What of it drives a motion: of the parts that the file names, or of the whole where it names none."""
        from neurok.materials.part_properties import PartProperties
        from neurok.materials.prediction.driving import list_named, predict_driving, state_driving

        if self.edit is None and list_named(mesh, joints).count == 1:
            return predict_driving(mesh, joints, self.title, library=library)
        return state_driving(mesh, joints, prediction, {}, PartProperties(), library)


def _write_outputs(
    mesh: "Mesh",
    prediction: "MatterPrediction",
    driving: "DrivingMaterials",
    library: "MaterialLibrary",
    outputs: tuple[str, ...],
) -> list[Path]:
    from neurok.commands.files import write_all, write_text
    from neurok.commands.say import as_json
    from neurok.materials.prediction.document import describe_prediction
    from neurok.materials.prediction.painting import paint_materials

    texts = [Path(path) for path in outputs if Path(path).suffix.lower() == ".json"]
    shown = [path for path in outputs if Path(path).suffix.lower() != ".json"]
    painted: list[tuple[Any, str]] = [(paint_materials(mesh, prediction, library), path) for path in shown]
    content = as_json(describe_prediction(prediction, driving))
    return write_all(painted) + [write_text(content, path) for path in texts]


def _list_lines(name: str, origin: str, prediction: "MatterPrediction") -> list[str]:
    """The table: one line a part, parts that are alike in everything shown once."""
    from neurok.commands.say import counted
    from neurok.materials.prediction.observation import INPUT_WORDS

    rows = [_list_cells(part) for part in prediction.matter]
    head = ("part", "material", "chance", "behaves as", "chance", "E [Pa]", "nu", "density [kg/m3]", "told by")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (head, *rows)]
    told = prediction.matter
    absent = [words for name, words in INPUT_WORDS.items() if all(name in part.absent for part in told)]
    said = [f"absent in all parts, and done without: {', '.join(absent)}"] if absent else []
    return [f"{name}: {counted(len(rows), 'part')} from {origin}", *lines, *said]


def _list_cells(part: "PartMatter") -> tuple[str, ...]:
    def span(quantity: str) -> str:
        found = part.ranges.get(quantity)
        return "-" if found is None else f"{found.typical:.3g} ({found.low:.2g} to {found.high:.2g})"

    why = "a person" if part.stated else ", ".join(part.reasons[:3]) or "what is common"
    return (
        part.name, part.material, f"{part.chance:.2f}", str(part.behaviour), f"{part.behaviour_chance:.2f}",
        span("young"), span("poisson"), span("density"), why,
    )  # fmt: skip
