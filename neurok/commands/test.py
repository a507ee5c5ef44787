"""neurok test: drop, throw, tilt, drag or blow at an object, in conditions that fit its size."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.material_options import MaterialFile, MaterialName, NoPredict, PartStatements
from neurok.commands.options import (
    PLAIN_FLAG,
    AllowOutside,
    Outputs,
    Spaces,
    Strict,
    Unit,
    UpAxis,
    Weights,
    choice,
    hint,
    number,
    random_seed,
    word,
)
from neurok.commands.particles import Engine, EngineDemand, ParticlePlan, plan_particles
from neurok.errors import OptionError
from neurok.materials.part_properties import join_statements
from neurok.mechanics.conditions import Conditions

if TYPE_CHECKING:
    from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory
    from neurok.mechanics.trajectory import Trajectory

NAMES = ("drop", "throw", "tilt", "drag", "wind", "all")  # named_tests.TESTS, without loading numpy


@dataclass(frozen=True)
class Test:
    """Put an object to a test that shows what it is made of, and write the motion.

    drop: from half its size. throw: up and forwards, turning. tilt: on a ground that leans by 30 degrees. drag: drawn
    aside by its outermost point and let go. wind: in a strong breeze. all: one after another, on one sheet. Each lasts
    two seconds; the object is free, under gravity, on a ground. `--save-conditions` writes what was done, to be
    changed and given to `neurok animate`.
    """

    name: Positional[Annotated[str, choice("TEST", NAMES), hint()]]
    """which test"""
    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file with a mesh"""
    output: Outputs = ()
    """where to write: .glb .gltf .usd .usda .usdc .npz .html .mp4 or .png; of all tests, a .png"""
    material: MaterialName = None
    part: PartStatements = ()
    materials: MaterialFile = None
    no_predict: NoPredict = False
    seconds: Annotated[float | None, number("--seconds", "S"), hint("default: 2")] = None
    """how long each test lasts"""
    seed: Annotated[int, random_seed(), hint("default: 0")] = 0
    """of everything that is drawn at random; the same seed gives the same bytes"""
    save_conditions: Annotated[str | None, word("FILE.json"), hint()] = None
    """also write the conditions of the test, as `neurok animate --conditions` reads them"""
    engine: Engine = None
    kinematics: Spaces = "given"
    weights: Weights = None
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False
    strict: Strict = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def build_common(self) -> Conditions:
        """What holds in every test."""
        parts = join_statements(list(self.part))
        return Conditions(material=self.material, materials=self.materials, parts=parts, seed=self.seed)

    def run(self) -> None:
        common = self.build_common()
        self._check_outputs()
        from neurok.commands.choosing import add_predicted, choose_for_verb
        from neurok.commands.files import open_model
        from neurok.commands.measures import open_measured
        from neurok.commands.say import note

        model = open_model(self.weights)
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside, weighed=True)
        common, guessed = add_predicted(asset, self.input, common, aside=self.no_predict)
        stated = any("material" in part.properties for part in asset.mesh.parts) or common.material
        if not stated and not any(part.material for part in common.parts.values()):
            note("nobody says what it is made of, so it weighs and slides as wood does; say --material or --part")
        demand = EngineDemand(self.engine, self.kinematics)
        plans = {name: self._plan(name, asset, common, demand) for name in self._list_names()}
        choice_made = None
        if None in plans.values():
            choice_made = choose_for_verb(
                asset, model, self.kinematics, base="free", conditions=common, guessed=guessed
            )  # fmt: skip
        runs = dict(self._run_tests(plans, choice_made, common))
        if self.name == "all":
            self._write_sheet(runs)
        else:
            plan = plans[self.name]
            why = plan.why if plan is not None else choice_made.why if choice_made is not None else ""
            joints = choice_made.asset.articulation if choice_made is not None else None
            self._write_motion(*runs[self.name], why, joints)

    def _list_names(self) -> tuple[str, ...]:
        if self.name != "all":
            return (self.name,)
        left_out = ("all", "wind") if self.engine == "mpm" else ("all",)  # particles feel no wind
        return tuple(name for name in NAMES if name not in left_out)

    def _plan(self, name: str, asset: Any, common: Conditions, demand: EngineDemand) -> ParticlePlan | None:
        """What a test simulates by particles; None for few coordinates."""
        from neurok.mechanics.named_tests import build_test

        return plan_particles(asset, build_test(name, asset.mesh, common), (), demand)

    def _check_outputs(self) -> None:
        """Refuse, before the work begins, what cannot be written."""
        if not self.output:
            raise OptionError("nothing says where the result goes", "add -o OUT.glb, or another suffix")
        from neurok.commands.files import check_outputs
        from neurok.files.registry import check_output
        from neurok.geometry.motion import Motion

        if self.name != "all":
            return check_outputs(self.output, Motion)
        if self.save_conditions:
            raise OptionError("--save-conditions has no one test to write", "name one, as in neurok test drop")
        for path in self.output:
            check_output(path, (".png",))

    def _run_tests(
        self, plans: dict[str, ParticlePlan | None], choice_made: Any, common: Conditions
    ) -> Iterator[tuple[str, tuple["Trajectory | ParticleTrajectory", Conditions]]]:
        from neurok.commands.say import progress
        from neurok.mechanics.named_tests import build_test
        from neurok.mechanics.simulate import animate

        for name, plan in plans.items():
            conditions = build_test(name, choice_made.asset.mesh if plan is None else plan.mesh, common)
            if self.seconds is not None:
                conditions = replace(conditions, seconds=self.seconds)
            if plan is not None:
                yield name, (plan.animate(conditions, name), conditions)
                continue
            with progress(name) as report:
                yield name, (animate(choice_made.space, conditions, progress=report), conditions)

    def _write_motion(
        self, trajectory: "Trajectory | ParticleTrajectory", conditions: Conditions, why: str, joints: Any
    ) -> None:
        from neurok.commands.doubts import Doubts
        from neurok.commands.files import write_all
        from neurok.commands.followed import NOTHING_MOVED
        from neurok.commands.movement import collect_facts, describe_facts
        from neurok.commands.say import progress, say_json, say_results
        from neurok.geometry.reach import is_still

        motion = trajectory.motion()
        motion = replace(motion, mesh=conditions.state_materials(motion.mesh))
        with progress("writing") as report:
            written = write_all([(motion, path) for path in self.output], report)
        if self.save_conditions:
            Path(self.save_conditions).write_text(conditions.to_json(), encoding="utf-8")
            written.append(Path(self.save_conditions))
        given = {"input": self.input, "test": self.name, "kinematics": why}
        found = given | collect_facts(trajectory, conditions, joints, motion, written)
        doubts = Doubts(self.strict)
        doubts.add(*([NOTHING_MOVED] if is_still(motion) else []))
        if self.json:
            say_json(found | {"warnings": doubts.lines})
        else:
            say_results(why, describe_facts(found), written)
        doubts.check()

    def _write_sheet(self, runs: dict[str, tuple["Trajectory | ParticleTrajectory", Conditions]]) -> None:
        from neurok.commands.say import progress, say, say_json, written_facts, written_lines
        from neurok.files.pictures import render_film_sheet, save_picture

        with progress("drawing"):
            pixels = render_film_sheet({name: trajectory.motion() for name, (trajectory, _) in runs.items()})
        written = [save_picture(pixels, Path(path)) for path in self.output]
        status = {name: trajectory.status for name, (trajectory, _) in runs.items()}
        if self.json:
            return say_json({"input": self.input, "tests": status, "outputs": written_facts(written)})
        for name, line in status.items():
            say(f"{name}: {line}")
        for line in written_lines(written):
            say(line)
