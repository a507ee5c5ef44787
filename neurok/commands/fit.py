"""neurok fit: the state in which the object takes the shape of a target, or follows a few dragged points."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.condition_options import parse_pull, parse_unit
from neurok.commands.joint_options import JointFile
from neurok.commands.options import (
    PLAIN_FLAG,
    REPEATS,
    Outputs,
    Spaces,
    Strict,
    UpAxis,
    Weights,
    choice,
    default_hint,
    hint,
    parsed,
    random_seed,
    word,
)
from neurok.errors import InputError, OptionError, OutputError
from neurok.mechanics.conditions import BASES, Conditions, Pull
from neurok.mechanics.places import Vector, require_point

if TYPE_CHECKING:
    from neurok.geometry.mesh import Mesh
    from neurok.kinematics.kinematics import Kinematics
    from neurok.mechanics.inverse import FitResult


def parse_drag(option: str, text: str) -> Pull:
    """'X,Y,Z:DX,DY,DZ': a pull without times, which mean nothing here."""
    if "@" in text:
        raise OptionError(f"{option} has times, and fit knows none", "leave the part behind '@' away")
    return parse_pull(option, text)


# Of the motion: 32 states of made objects asked for 0.13 at most, seven of nine other things for more.
MAX_EXTRAPOLATION = 0.15
MAX_DISTANCE_LEFT = 0.5  # of the distance between the surfaces at rest; set by hand
SAME_PLACE = "check that the target is the same thing in the same place, axes and units (--base free, --up, --unit)"
MIN_SEPARATION = 1.05  # times the floor: how far from rest the target has to be for a share of motion to mean anything


@dataclass(frozen=True)
class Fit:
    """Bring an object into the shape of a target, or drag a few of its points.

    The result has the vertices of REST in their order. TARGET is an unordered surface, unless --corresponding says
    that its vertices are those of REST, moved. An OBJ, PLY, STL or OFF target is in the axes and units of REST;
    other formats know their own.
    """

    rest: Positional[Annotated[str, word("REST"), hint()]]
    """any file with a mesh; one with joints (URDF, USD, PartNet-Mobility folder or zip) moves by them"""
    target: Positional[Annotated[str | None, word("TARGET"), hint("or --pull")]] = None
    """the shape to take: any file with a mesh"""
    output: Outputs = ()
    """where to write the shape: .ply .obj .glb .gltf .usd .usda .usdc .stl .off .npz or .png"""
    report: Annotated[str | None, word("R.json"), hint()] = None
    """write how close it came: Chamfer distances, overlaps, motion recovered"""
    pull: Annotated[
        UseAppendAction[tuple[Annotated[Pull, parsed("--pull", "POINT:DX,DY,DZ", parse_drag)], ...]], REPEATS
    ] = ()
    """instead of a target: a point, X,Y,Z or the name of a part, and by how much it moves, in file units"""
    joints: JointFile = None
    corresponding: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """the vertices of TARGET are those of REST, in the same order"""
    base: Annotated[str, choice("--base", BASES), default_hint("base")] = "fixed"
    """free lets the whole object move as well"""
    kinematics: Spaces = "given"
    seed: Annotated[int, random_seed(), default_hint("seed")] = 0
    """of everything that is drawn at random"""
    weights: Weights = None
    up: UpAxis = "auto"
    unit: Annotated[float | None, parsed("--unit", "METRES", parse_unit), hint("default: as the file says, else 1")] = (
        None
    )
    """how long REST's unit is, and TARGET's where it is of the same format: 0.001 where they count in millimetres"""
    allow_outside: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """let the files name others outside their own folder"""
    strict: Strict = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object, the report, instead of sentences"""

    def check(self) -> None:
        """Everything that can be wrong before a file is read."""
        if (self.target is None) == (not self.pull):
            raise OptionError("fit needs either a TARGET or --pull", "give one of the two")
        if self.corresponding and self.target is None:
            raise OptionError("--corresponding needs a TARGET", "give one, or leave it away")
        if not self.output and not self.report:
            raise OptionError("nothing says where the shape goes", "add -o OUT.ply, or another suffix")
        if self.report is not None:
            _check_report(Path(self.report))

    def run(self) -> None:
        self.check()
        from neurok.commands.choosing import choose_named_for_verb
        from neurok.commands.doubts import Doubts
        from neurok.commands.files import bring_into_axes, check_outputs, open_input, open_model, write_all, write_text
        from neurok.commands.joint_options import add_joints
        from neurok.commands.measures import change_unit, open_measured
        from neurok.commands.say import as_json, progress, say_json, say_results, written_facts
        from neurok.geometry.mesh import Mesh

        check_outputs(self.output, Mesh)
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        rest = open_measured(self.rest, up=self.up, unit=self.unit, allow_outside=self.allow_outside)
        rest = add_joints(rest, self.joints)
        target = None
        if self.target:
            # What one file of a format does not say, the other does not either.
            unit = self.unit if Path(self.target).suffix == Path(self.rest).suffix else None
            target = change_unit(open_input(self.target, up=self.up, allow_outside=self.allow_outside), unit).mesh
        from neurok.mechanics.inverse import fit

        dragged = Conditions(pulls=self.pull)
        named = choose_named_for_verb(
            rest, dragged.place_names, model, self.kinematics, base=self.base, purpose="fit"
        )  # fmt: skip
        chosen, dragged = named.choice, named.locate(dragged)
        space, rest = chosen.space, chosen.asset
        if target is not None and self.target is not None:
            target = bring_into_axes(target, space.mesh, self.target)
            target = _reorder_target(space.mesh, target, Path(self.target).name) if self.corresponding else target
        pulls = [(require_point(pull.point), pull.by) for pull in dragged.pulls if pull.by is not None]
        with progress("fitting") as report:
            found = fit(space, target, corresponding=self.corresponding, pulls=pulls, seed=self.seed, progress=report)
        from neurok.commands.familiar import rate_shape
        from neurok.commands.movement import find_coordinate_units
        from neurok.kinematics.extrapolation import measure_extrapolation

        space = found.space
        units = find_coordinate_units(space, rest.articulation)
        facts = (
            {"rest": self.rest, "target": self.target, "kinematics": chosen.why}
            | self._collect_facts(space, target, found, pulls)
            | {"units": units, "familiarity": rate_shape(space, rest.mesh, self.weights)}
            | {"beyond_learned": measure_extrapolation(space, found.state)}
        )
        doubts = Doubts(self.strict)
        doubts.add(*_list_doubts(facts))
        facts["warnings"] = doubts.lines
        with progress("writing") as report:
            written = write_all([(found.mesh, path) for path in self.output], report)
        if self.report is not None:
            written.append(write_text(as_json(facts), Path(self.report)))
        if self.json:
            say_json(facts | {"outputs": written_facts(written)})
        else:
            say_results(chosen.why, _describe_facts(facts, space.mesh), written)
        doubts.check()

    def _collect_facts(
        self, space: "Kinematics", target: "Mesh | None", found: "FitResult", pulls: "list[tuple[Vector, Vector]]"
    ) -> dict[str, Any]:
        import numpy as np

        state = dict(zip(space.names, np.asarray(found.state, dtype=np.float64).tolist()))
        facts = {"status": found.status, "residual": float(found.residual), "state": state}
        if target is None:
            return facts | {"pulls": _measure_pulls(space.mesh, found.mesh, pulls)}
        from neurok.geometry.metrics import deformation_report

        return facts | {"metrics": deformation_report(space.mesh, target, found.mesh, self.seed)}


def _list_doubts(facts: dict[str, Any]) -> list[str]:
    """Why a state that was found is hardly one of the object, or far from what was asked; none where it is neither."""
    left = 1.0 - facts.get("metrics", {}).get("chamfer_l1_recovered", 1.0)
    doubt = ""
    if facts["beyond_learned"] > MAX_EXTRAPOLATION:
        doubt = f"{facts['beyond_learned']:.0%} of the motion lies beyond what was learned"
    elif left > MAX_DISTANCE_LEFT:
        doubt = f"{left:.0%} of the distance to the target is left"
    lines = [f"{doubt}: hardly a state of it; {SAME_PLACE}"] if doubt else []
    return lines + [line for pull in facts.get("pulls", ()) if (line := _describe_pull(pull))]


def _describe_pull(pull: dict[str, Any]) -> str:
    import numpy as np

    from neurok.commands.followed import describe_way
    from neurok.commands.remarks import format_place

    point, wanted, reached = (np.array(pull[key]) for key in ("point", "wanted", "reached"))
    return describe_way(format_place(point), wanted - point, reached - point)


def _check_report(path: Path) -> None:
    from neurok.commands.files import check_json

    if path.suffix.lower() != ".json":
        raise OutputError(f"the report {path} is JSON", "give it the suffix .json")
    check_json(str(path))


def _reorder_target(rest: "Mesh", target: "Mesh", name: str) -> "Mesh":
    """The rest's own faces in the target's places, so that the two correspond."""
    if target.vertex_count != rest.vertex_count:
        raise InputError(
            f"{name} has {target.vertex_count} vertices and the object {rest.vertex_count}, so they do not correspond",
            "leave --corresponding away, or give the same mesh in another pose",
        )
    return rest.with_vertices(target.vertices)


def _measure_pulls(rest: "Mesh", posed: "Mesh", pulls: list[tuple[Vector, Vector]]) -> list[dict[str, Any]]:
    """Where each dragged point was wanted and where it came [file units]."""
    import numpy as np

    from neurok.geometry.surface import carry, find_nearest

    where = find_nearest(rest, np.array([point for point, _ in pulls]))
    start, end = carry(rest.vertices, where), carry(posed.vertices, where)
    wanted = start + np.array([by for _, by in pulls])
    miss = np.linalg.norm(end - wanted, axis=1)
    return [
        {"point": a.tolist(), "wanted": b.tolist(), "reached": c.tolist(), "miss": float(d)}
        for a, b, c, d in zip(start, wanted, end, miss)
    ]


def _describe_facts(facts: dict[str, Any], mesh: "Mesh") -> list[str]:
    from neurok.commands.movement import format_figure, name_unit

    lines, length = [facts["status"]], "m" if mesh.unit == 1 else "file units"
    if facts["familiarity"]:
        lines.append(f"shape: {facts['familiarity']['sentence']}")
    farthest = sorted(facts["state"].items(), key=lambda pair: -abs(pair[1]))[:10]
    for name, value in (pair for pair in facts["state"].items() if pair in farthest):
        unit = facts["units"][name]
        lines.append(f"  {name} = {format_figure(value, unit, mesh.diagonal)} {name_unit(unit, length)}")
    for pull in facts.get("pulls", ()):
        point, wanted = (
            ",".join(format_figure(x, "unit", mesh.diagonal) for x in pull[key]) for key in ("point", "wanted")
        )
        lines.append(
            f"the point {point} misses {wanted} by {format_figure(pull['miss'], 'unit', mesh.diagonal)} {length}"
        )
    metrics = facts.get("metrics", {})
    for name in ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou"):
        if name in metrics and metrics[name]["value"] is not None:
            value, floor, still = (metrics[name][key] for key in ("value", "floor", "still"))
            lines.append(f"{name}: {value:.5f} (floor {_format_metric(floor)}, not moving {_format_metric(still)})")
    # Where the target is hardly apart from rest, there is nothing to recover but the noise of samples.
    apart = metrics and metrics["chamfer_l1"]["still"] > MIN_SEPARATION * metrics["chamfer_l1"]["floor"]
    for name in ("motion_recovered", *(("chamfer_l1_recovered",) if apart else ())):
        if metrics.get(name) is not None:
            lines.append(f"{name}: {metrics[name]:.4f} (1 is perfect, 0 is not moving)")
    return lines


def _format_metric(value: float | None) -> str:
    return "none" if value is None else f"{value:.5f}"
