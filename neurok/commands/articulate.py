"""neurok articulate: which parts of a mesh move and how, written as simulators and people want it."""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.material_options import NoPredict
from neurok.commands.options import PLAIN_FLAG, AllowOutside, Unit, UpAxis, choice, hint, number, word
from neurok.errors import InputError, OptionError, unknown

if TYPE_CHECKING:
    from neurok.articulate.parts import FoundParts
    from neurok.geometry.articulation import Articulation, Joint
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.parts import Parts

PART_SOURCES = ("auto", "file", "geometry", "motion")
PREDICTORS = ("auto", "search", "network", "both")  # articulate.predict.PREDICTORS, without loading it
COLLIDERS = ("hull", "coacd")
BASES = ("fixed", "free")
SIMULATOR_SUFFIXES = (".urdf", ".xml", ".usd", ".usda", ".usdc")  # formats that hold colliders
OUTPUT_SUFFIXES = (*SIMULATOR_SUFFIXES, ".glb", ".gltf", ".json")
# What files in single precision can hold, and simulators bear.
OPTION_BOUNDS = {"density": (1e-3, 1e6), "mass": (1e-6, 1e9), "damping": (0, 1e9), "friction": (0, 1e9)}


@dataclass(frozen=True)
class Articulate:
    """Find the joints of a mesh and write it as .urdf, .xml (MJCF), .usd, .glb or .json.

    Parts are those the file names (glTF nodes, OBJ groups), else those the geometry suggests. Each is moved by many
    candidate hinges and slides; what collides or comes away is dropped, and the likeliest of the rest is taken, with
    its range and parent. Masses and inertias come from volumes, colliders are convex. A .glb gets one clip for each
    joint; a .json can be changed by hand and fed back with --edit.
    """

    input: Positional[Annotated[str, word("MESH"), hint()]]
    """the mesh"""
    output: Annotated[
        UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))
    ] = ()
    """where to write: .urdf .xml .usd .usda .usdc .glb .gltf or .json"""
    edit: Annotated[str | None, word("FILE.json"), hint("default: none")] = None
    """take parts and joints from this file, as written to .json and changed, instead of searching"""
    parts: Annotated[str, choice("--parts", PART_SOURCES), hint("default: auto")] = "auto"
    """where parts come from: the names in the file, the geometry, what moves together in the learned state space, or
    the first of these that gives several"""
    predictor: Annotated[str, choice("--predictor", PREDICTORS), hint("default: auto")] = "auto"
    """what says how parts move: motions tried and ranked, a network alone (nothing is tried), or the network as the
    judge of what was tried; auto: both, and where they hold all found parts still, as these were found to move"""
    colliders: Annotated[str, choice("--colliders", COLLIDERS), hint("default: hull")] = "hull"
    """a convex hull per link, decomposed where hulls of different links overlap; or all decomposed (slow)"""
    base: Annotated[str, choice("--base", BASES), hint("default: fixed")] = "fixed"
    """whether the base is held in the world"""
    density: Annotated[float | None, number("--density", "KG/M3"), hint("default: of their materials, else 500")] = None
    """of what the links are made of"""
    mass: Annotated[float | None, number("--mass", "KG"), hint("default: from the density")] = None
    """of the whole object"""
    no_predict: NoPredict = False
    damping: Annotated[float | None, number("--damping", "D"), hint("default: by what a joint moves")] = None
    """of every joint, N m s/rad or N s/m"""
    friction: Annotated[float | None, number("--friction", "F"), hint("default: by what a joint moves")] = None
    """of every joint, N m or N"""
    faces: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """list in a .json which faces of the mesh each link has, as runs of their numbers, for programs that split it"""
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.say import counted, note, progress, say, say_json, written_facts, written_lines

        self.check()
        begin = time.perf_counter()
        with progress("searching") as report:
            mesh, chosen = self.find_parts()
            parts, origin = chosen.parts, chosen.origin
            found, settled = self.find_joints(mesh, chosen, report)
        found, remarks = self.add_physics(found, settled)
        for remark in remarks:
            note(remark)
        with progress("writing"):
            written = _write_outputs(found, parts, self.output, with_faces=self.faces)
        seconds = time.perf_counter() - begin
        facts = {
            "input": self.input, "parts": parts.count, "parts_from": origin, "links": len(found.links),
            "joints": _list_joints(found), "seconds": seconds, "notes": remarks, "outputs": written_facts(written),
        }  # fmt: skip
        if self.json:
            say_json(facts)
            return
        joints = counted(len(found.joints), "joint")
        say(f"{Path(self.input).name}: {counted(parts.count, 'part')} from {origin}, {joints}, {seconds:.1f} s")
        for line in (*_describe_joints(found), *written_lines(written)):
            say(line)

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        from neurok.commands.files import check_json, check_outputs
        from neurok.geometry.articulation import Articulation

        if not self.output:
            raise OptionError("there is no output", "name one with -o OUT.urdf")
        for path in self.output:
            if Path(path).suffix.lower() not in OUTPUT_SUFFIXES:
                raise unknown("output suffix", Path(path).suffix or path, OUTPUT_SUFFIXES)
            if Path(path).suffix.lower() == ".json":
                check_json(path)
        check_outputs([path for path in self.output if Path(path).suffix.lower() != ".json"], Articulation)
        for option, (least, most) in OPTION_BOUNDS.items():
            value = getattr(self, option)
            if value is not None and not least <= value <= most:
                raise OptionError(f"--{option} is {value:g}", f"give a number from {least:g} to {most:g}")

    def find_parts(self) -> "tuple[Mesh, FoundParts]":
        """The mesh and its parts."""
        from neurok.articulate.learned_parts import find_any_parts, find_learned_parts
        from neurok.articulate.parts import FoundParts, find_moving_parts, read_link_parts
        from neurok.commands.measures import open_measured
        from neurok.commands.say import note
        from neurok.geometry.parts import read_parts

        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside, weighed=True)
        if asset.articulation is not None and asset.articulation.mesh.face_count and self.parts != "geometry":
            if self.edit is None and asset.articulation.coordinate_freedoms:
                name = Path(self.input).name
                note(f"{name} has joints of its own, which are found anew here; `neurok convert {name} OUT` keeps them")
            links = read_link_parts(asset.articulation, split_fixed=False)[0]
            return asset.articulation.mesh, FoundParts(links, "the links of the file")
        mesh = asset.mesh
        if mesh.face_count == 0:
            raise InputError(f"{Path(self.input).name} has no faces", "give a surface")
        if self.parts == "geometry":
            return mesh, find_moving_parts(mesh)
        if self.parts == "motion":
            return mesh, FoundParts(find_learned_parts(mesh), "the learned state space")
        if self.parts == "file":
            given = read_parts(mesh)
            if given is None:
                raise InputError(f"{Path(self.input).name} names no parts", "use --parts geometry")
            return mesh, FoundParts(given, "the file's own parts")
        return mesh, find_any_parts(mesh)

    def find_joints(self, mesh: "Mesh", found: "FoundParts", report: Any) -> "tuple[Articulation, set[str]]":
        """The joints, and the names of those whose resistance is stated."""
        from neurok.articulate.editing import apply_edit, find_resisting, read_edit
        from neurok.articulate.predict import predict_articulation

        if self.edit is not None:
            entry = read_edit(self.edit)
            return apply_edit(mesh, found.parts, entry), find_resisting(entry)
        return predict_articulation(
            mesh,
            found.parts,
            motions=found.motions,
            predictor=self.predictor,
            name=Path(self.input).stem,
            progress=report,
        ), set()

    def add_physics(self, found: "Articulation", settled: set[str]) -> "tuple[Articulation, list[str]]":
        """With masses, resistance and colliders; and what is worth saying about them."""
        from neurok.articulate.colliders import add_colliders
        from neurok.articulate.couplings import unify_limits
        from neurok.articulate.painting import paint_links
        from neurok.articulate.physics import add_physics
        from neurok.files.inertias import DENSITY

        remarks = list(found.notes)
        if self.density is not None and any(link.inertia is not None for link in found.links):
            remarks.append(
                f"--density is left aside where {Path(self.edit or '').name} states a mass; null there obeys it"
            )
        density = DENSITY if self.density is None else self.density
        found, said = self.add_materials(found)
        remarks += [said] if said else []
        found = add_physics(
            unify_limits(found), density=density, mass=self.mass, damping=self.damping, friction=self.friction,
            settled=settled,
        )  # fmt: skip
        found = replace(paint_links(found), floating=self.base == "free")
        if any(Path(path).suffix.lower() in SIMULATOR_SUFFIXES for path in self.output):
            found, said = add_colliders(found, everywhere=self.colliders == "coacd")
            remarks += [said] if said else []
        if found.floating and any(Path(path).suffix.lower() == ".urdf" for path in self.output):
            remarks.append("URDF leaves it to the simulator whether the base is held; MJCF and USD say it")
        return found, remarks

    def add_materials(self, found: "Articulation") -> "tuple[Articulation, str]":
        """With predicted materials where nobody states any, and what is said of them."""
        from neurok.articulate.part_list import label_links
        from neurok.materials.library import load_library
        from neurok.materials.part_properties import PartProperties
        from neurok.materials.prediction.driving import predict_driving
        from neurok.materials.stated_parts import state_parts

        if self.no_predict:
            return found, ""
        found = label_links(found)
        whole = PartProperties(density=self.density)
        driving = predict_driving(found.mesh, found, Path(self.input).stem, whole=whole)
        if not driving.told:
            return found, ""
        mesh = state_parts(found.mesh, driving.parts, driving.whole, load_library())
        said = f"materials: {driving.describe_materials()}; --no-predict leaves them out"
        return replace(found, mesh=mesh), said


def _write_outputs(found: "Articulation", parts: "Parts", outputs: tuple[str, ...], *, with_faces: bool) -> list[Path]:
    from neurok.articulate.clips import make_clips
    from neurok.articulate.editing import describe_articulation
    from neurok.commands.files import write_all, write_text
    from neurok.commands.say import as_json

    suffix = {path: Path(path).suffix.lower() for path in outputs}
    shown = [path for path in outputs if suffix[path] in (".glb", ".gltf")] if found.coordinate_freedoms else []
    clips = make_clips(found) if shown else []
    things = [(clips if path in shown else found, path) for path in outputs if suffix[path] != ".json"]
    texts = [Path(path) for path in outputs if suffix[path] == ".json"]
    text = as_json(describe_articulation(found, parts, with_faces=with_faces)) if texts else ""
    return write_all(things) + [write_text(text, path) for path in texts]


def _list_joints(found: "Articulation") -> list[dict[str, Any]]:
    from neurok.articulate.editing import describe_joint

    return [describe_joint(found, joint) for joint in found.joints]


def _describe_joints(found: "Articulation") -> list[str]:
    if not found.joints:
        return [
            "  nothing moves against the rest; write a .json, name links and joints in it, and feed it back (--edit)"
        ]
    lines = []
    for joint, entry in zip(found.joints, _list_joints(found)):
        axis = ", ".join(f"{x:.2f}" for x in entry["axis"])
        where = f"{entry['child']}: {entry['type']} on {entry['parent']}"
        lines.append(
            f"  {where}" if joint.kind == "fixed" else f"  {where}, axis {axis}, {_describe_range(found, joint)}"
        )
    return lines


def _describe_range(found: "Articulation", joint: "Joint") -> str:
    """From where to where, as simulators get it: in degrees, or in metres."""
    slides = joint.kind == "prismatic"
    scale, unit = (found.mesh.unit, " m") if slides else (math.degrees(1.0), "°")
    ends = [joint.lower * scale, joint.upper * scale]
    if joint.kind == "continuous" or not any(map(math.isfinite, ends)):
        return "without end"
    low, high = (f"{x:.3g}{unit}" if math.isfinite(x) else "no end" for x in ends)
    return f"{low} to {high}"
