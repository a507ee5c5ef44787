"""neurok articulate: which parts of a mesh move and how, written as simulators and people want it."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.options import PLAIN_FLAG, UPS, choice, hint, number, word
from neurok.errors import InputError, OptionError

if TYPE_CHECKING:
    from neurok.articulate.parts import Parts
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh

PARTS = ("auto", "file", "geometry", "motion")
PREDICTORS = ("search", "network", "both")  # articulate.predict.PREDICTORS, without loading it
COLLIDERS = ("hull", "coacd")
BASES = ("fixed", "free")
SIMULATED = (".urdf", ".xml", ".usd", ".usda", ".usdc")  # formats that hold colliders


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
    parts: Annotated[str, choice("--parts", PARTS), hint("default: auto")] = "auto"
    """where parts come from: the names in the file, the geometry, what moves together in the learned state space, or
    the first of these that gives several"""
    predictor: Annotated[str, choice("--predictor", PREDICTORS), hint("default: both")] = "both"
    """what says how parts move: motions tried and ranked, a network alone (nothing is tried), or the network as the
    judge of what was tried"""
    colliders: Annotated[str, choice("--colliders", COLLIDERS), hint("default: hull")] = "hull"
    """a convex hull per link, decomposed where hulls of different links overlap; or all decomposed (slow)"""
    base: Annotated[str, choice("--base", BASES), hint("default: fixed")] = "fixed"
    """whether the base is held in the world"""
    density: Annotated[float | None, number("--density", "KG/M3"), hint("default: 500")] = None
    """of what the links are made of"""
    mass: Annotated[float | None, number("--mass", "KG"), hint("default: from the density")] = None
    """of the whole object"""
    damping: Annotated[float | None, number("--damping", "D"), hint("default: by what a joint moves")] = None
    """of every joint, N m s/rad or N s/m"""
    friction: Annotated[float | None, number("--friction", "F"), hint("default: by what a joint moves")] = None
    """of every joint, N m or N"""
    up: Annotated[str, choice("--up", UPS), hint("default: auto, y")] = "auto"
    """the upward axis of an OBJ, PLY, STL or OFF file"""
    allow_outside: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """let the file name others outside its own folder"""
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.say import counted, note, progress, say, say_json, written_facts, written_lines

        self.check()
        begin = time.perf_counter()
        with progress("searching") as report:
            mesh, parts, origin = self.pieces()
            found = self.joints(mesh, parts, report)
        found, remarks = self.equipped(found)
        for remark in remarks:
            note(remark)
        with progress("writing"):
            written = _write(found, parts, self.output)
        seconds = time.perf_counter() - begin
        facts = {
            "input": self.input, "parts": parts.count, "parts_from": origin, "links": len(found.links),
            "joints": _facts(found), "seconds": seconds, "notes": remarks, "outputs": written_facts(written),
        }  # fmt: skip
        if self.json:
            say_json(facts)
            return
        joints = counted(len(found.joints), "joint")
        say(f"{Path(self.input).name}: {counted(parts.count, 'part')} from {origin}, {joints}, {seconds:.1f} s")
        for line in (*_lines(found), *written_lines(written)):
            say(line)

    def check(self) -> None:
        """Everything that can be wrong before the work."""
        from neurok.commands.evaluate.deformation import check_json
        from neurok.commands.files import check_outputs
        from neurok.geometry.articulation import Articulation

        if not self.output:
            raise OptionError("there is no output", "name one with -o OUT.urdf")
        check_outputs([path for path in self.output if Path(path).suffix.lower() != ".json"], Articulation)
        for path in self.output:
            if Path(path).suffix.lower() == ".json":
                check_json(path)
        for option in ("density", "mass"):
            value = getattr(self, option)
            if value is not None and not value > 0:
                raise OptionError(f"--{option} is {value:g}", "give a number above zero")
        for option in ("damping", "friction"):
            value = getattr(self, option)
            if value is not None and value < 0:
                raise OptionError(f"--{option} is {value:g}", "give zero or more")

    def pieces(self) -> "tuple[Mesh, Parts, str]":
        """The mesh, its parts and where they are from."""
        from neurok.articulate.moving_pieces import moving_pieces
        from neurok.articulate.parts import found_parts, given_parts, link_parts, parts_of
        from neurok.commands.files import open_input

        asset = open_input(self.input, up=self.up, allow_outside=self.allow_outside)
        if asset.articulation is not None and asset.articulation.mesh.face_count and self.parts != "geometry":
            return (
                asset.articulation.mesh,
                link_parts(asset.articulation, split_fixed=False)[0],
                "the links of the file",
            )
        mesh = asset.mesh
        if mesh.face_count == 0:
            raise InputError(f"{Path(self.input).name} has no faces", "give a surface")
        if self.parts == "geometry":
            return mesh, found_parts(mesh), "the geometry"
        if self.parts == "motion":
            return mesh, moving_pieces(mesh), "the learned state space"
        if self.parts == "file":
            given = given_parts(mesh)
            if given is None:
                raise InputError(f"{Path(self.input).name} names no parts", "use --parts geometry")
            return mesh, given, "the file's own parts"
        parts, origin = parts_of(mesh)
        if parts.count == 1:
            moving = moving_pieces(mesh)
            if moving.count > 1:
                return mesh, moving, "the learned state space"
        return mesh, parts, origin

    def joints(self, mesh: "Mesh", parts: "Parts", report: Any) -> "Articulation":
        from neurok.articulate.editing import edited, load_edit
        from neurok.articulate.predict import predict

        if self.edit is not None:
            return edited(mesh, parts, load_edit(self.edit))
        return predict(mesh, parts, predictor=self.predictor, name=Path(self.input).stem, progress=report)

    def equipped(self, found: "Articulation") -> "tuple[Articulation, list[str]]":
        """With masses, resistance and colliders; and what is worth saying about them."""
        from neurok.articulate.colliders import with_colliders
        from neurok.articulate.physics import with_physics
        from neurok.files.inertias import DENSITY

        density = DENSITY if self.density is None else self.density
        found = with_physics(found, density=density, mass=self.mass, damping=self.damping, friction=self.friction)
        found = replace(found, floating=self.base == "free")
        remarks = []
        if any(Path(path).suffix.lower() in SIMULATED for path in self.output):
            found, said = with_colliders(found, everywhere=self.colliders == "coacd")
            remarks += [said] if said else []
        if found.floating and any(Path(path).suffix.lower() == ".urdf" for path in self.output):
            remarks.append("URDF leaves it to the simulator whether the base is held; MJCF and USD say it")
        return found, remarks


def _write(found: "Articulation", parts: "Parts", outputs: tuple[str, ...]) -> list[Path]:
    from neurok.articulate.clips import joint_clips
    from neurok.articulate.editing import document
    from neurok.commands.files import write_all, write_text
    from neurok.commands.say import as_json

    written: list[Path] = []
    for path in outputs:
        suffix = Path(path).suffix.lower()
        if suffix == ".json":
            written.append(write_text(as_json(document(found, parts)), Path(path)))
        elif suffix in (".glb", ".gltf") and found.joints:
            written += write_all([(joint_clips(found), path)])
        else:
            written += write_all([(found, path)])
    return written


def _facts(found: "Articulation") -> list[dict[str, Any]]:
    from neurok.articulate.editing import joint_entry

    return [joint_entry(found, joint) for joint in found.joints]


def _lines(found: "Articulation") -> list[str]:
    lines = []
    for entry in _facts(found):
        axis = ", ".join(f"{x:.2f}" for x in entry["axis"])
        unit = "" if entry["type"] == "prismatic" else "°"
        low, high = ("–" if x is None else f"{x:.3g}{unit}" for x in entry["limits"])
        lines.append(f"  {entry['child']}: {entry['type']} on {entry['parent']}, axis {axis}, {low} to {high}")
    return lines or ["  nothing moves against the rest"]
