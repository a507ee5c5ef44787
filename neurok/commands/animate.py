"""neurok animate: conditions in, a simulated motion out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from neurok.commands.condition_options import (
    parse_obstacle,
    parse_pin,
    parse_pull,
    parse_pull_to,
    parse_push,
    parse_start,
    parse_velocity,
)
from neurok.commands.joint_options import JointFile
from neurok.commands.material_options import MaterialFile, MaterialName, NoPredict, PartStatements
from neurok.commands.options import (
    PLAIN_FLAG,
    REPEATS,
    AllowOutside,
    Outputs,
    Spaces,
    Strict,
    Unit,
    UpAxis,
    Weights,
    choice,
    default_hint,
    hint,
    number,
    parsed,
    random_seed,
    vector,
    word,
)
from neurok.commands.particles import Engine, EngineDemand, plan_particles
from neurok.errors import OptionError
from neurok.materials.part_properties import join_statements, merge_parts
from neurok.mechanics.conditions import (
    BASES,
    INTEGRATORS,
    Conditions,
    Obstacle,
    Pin,
    Pull,
    Push,
    Start,
    Vector,
    Velocity,
)

# Options that set a field of Conditions of the same name, and those that add to one.
SET_FIELDS = ("gravity", "wind", "ground_height", "stiffness", "damping", "friction", "density", "mass",
       "material", "materials", "restitution", "seconds", "fps", "dt", "integrator", "base", "seed")  # fmt: skip
ADDED_FIELDS = {"pull": "pulls", "pull_to": "pulls", "push": "pushes", "start": "starts", "velocity": "velocities",
         "pin": "pins", "obstacle": "obstacles"}  # fmt: skip


@dataclass(frozen=True)
class Animate:
    """Make an object move and write the motion.

    A point is X,Y,Z and means the nearest point of the surface at rest, or the name of a part (`neurok parts INPUT`
    lists them) and means where a person would take hold of it. Points, displacements and velocities are in the
    input file's axes and units; forces, gravity, wind, masses and densities are in SI units. With no
    condition at all, the object is released from one sampled state.
    """

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file with a mesh; one with joints (URDF, USD, PartNet-Mobility folder or zip) moves by them"""
    output: Outputs = ()
    """where to write: .glb .gltf .usd .usda .usdc .npz .html .mp4 or .png"""
    states: Annotated[str | None, word("FILE.json"), hint()] = None
    """where to write the coordinates over time, as JSON: times, names, units and a row of numbers for each frame"""
    joints: JointFile = None
    conditions: Annotated[str | None, word("FILE.json"), hint()] = None
    """conditions from a file, read first; options are added to it, or replace its values"""
    pull: Annotated[
        UseAppendAction[tuple[Annotated[Pull, parsed("--pull", "POINT:DX,DY,DZ[@T0,T1]", parse_pull)], ...]],
        REPEATS,
    ] = ()
    """move a point by D in a straight line from T0 to T1 seconds (default: 0 to a third of the whole), then let go"""
    pull_to: Annotated[
        UseAppendAction[tuple[Annotated[Pull, parsed("--pull-to", "POINT:TX,TY,TZ[@T0,T1]", parse_pull_to)], ...]],
        REPEATS,
    ] = ()
    """the same, to the place T"""
    push: Annotated[
        UseAppendAction[tuple[Annotated[Push, parsed("--push", "POINT:FX,FY,FZ[@T0,T1]", parse_push)], ...]],
        REPEATS,
    ] = ()
    """a force on a point, in newtons, from T0 to T1 seconds (default: 0 to 0.2)"""
    start: Annotated[
        UseAppendAction[tuple[Annotated[Start, parsed("--start", "POINT:DX,DY,DZ", parse_start)], ...]],
        REPEATS,
    ] = ()
    """begin with a point already displaced by D"""
    velocity: Annotated[
        UseAppendAction[tuple[Annotated[Velocity, parsed("--velocity", "POINT:VX,VY,VZ", parse_velocity)], ...]],
        REPEATS,
    ] = ()
    """begin with a point moving, in file units a second"""
    pin: Annotated[UseAppendAction[tuple[Annotated[Pin, parsed("--pin", "POINT", parse_pin)], ...]], REPEATS] = ()
    """a point that stays where it is"""
    gravity: Annotated[
        Vector | None,
        vector("--gravity", "GX,GY,GZ"),
        hint("default: none, or 9.81 downwards with --ground or --base free"),
    ] = None
    """m/s^2, in the file's axes"""
    wind: Annotated[Vector | None, vector("--wind", "WX,WY,WZ"), hint("default: none")] = None
    """velocity of the air, m/s"""
    ground: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """a floor just below the object at rest"""
    ground_height: Annotated[float | None, number("--ground-height", "H"), hint("file units")] = None
    """put that floor at this height instead"""
    obstacle: Annotated[
        UseAppendAction[tuple[Annotated[Obstacle, parsed("--obstacle", "KIND:X,Y,Z:...", parse_obstacle)], ...]],
        REPEATS,
    ] = ()
    """a fixed body: plane:X,Y,Z:NX,NY,NZ or sphere:X,Y,Z:RADIUS or box:X,Y,Z:SX,SY,SZ, with @FRICTION if wanted"""
    seconds: Annotated[float | None, number("--seconds", "S"), default_hint("seconds")] = None
    """how long"""
    fps: Annotated[float | None, number("--fps", "N"), default_hint("fps")] = None
    """frames a second in the outputs"""
    seed: Annotated[int | None, random_seed(), default_hint("seed")] = None
    """of everything that is drawn at random; the same seed gives the same bytes"""
    damping: Annotated[float | None, number("--damping", "C"), default_hint("damping")] = None
    """rate at which motion dies out, 1/s"""
    stiffness: Annotated[
        float | None, number("--stiffness", "K"), hint("default: 1, or 0 where gravity acts on joints")
    ] = None
    """pull back to rest, a number without a unit: 1 swings at about one hertz, 0 not at all"""
    friction: Annotated[float | None, number("--friction", "M"), default_hint("friction")] = None
    """Coulomb's coefficient against ground, obstacles and other parts of the object"""
    restitution: Annotated[
        float | None, number("--restitution", "E"), hint("default: that of the material of what is rigid, else 0")
    ] = None
    """rebound over impact speed against ground and obstacles"""
    density: Annotated[float | None, number("--density", "D"), default_hint("density")] = None
    """kg/m^3"""
    mass: Annotated[float | None, number("--mass", "M"), hint("default: density x volume")] = None
    """of the whole object, kg"""
    material: MaterialName = None
    part: PartStatements = ()
    materials: MaterialFile = None
    no_predict: NoPredict = False
    no_deform: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """keep rigid what is elastic by the material of the whole"""
    no_limits: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """let joints pass their limits"""
    no_self_contact: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """let rigid parts of the object pass through each other"""
    dt: Annotated[float | None, number("--dt", "S"), default_hint("dt")] = None
    """largest time step, s"""
    integrator: Annotated[str | None, choice("--integrator", INTEGRATORS), default_hint("integrator")] = None
    """scheme of time stepping"""
    base: Annotated[str | None, choice("--base", BASES), default_hint("base")] = None
    """free lets the whole object fall, slide and tumble"""
    engine: Engine = None
    kinematics: Spaces = "given"
    weights: Weights = None
    up: UpAxis = "auto"
    unit: Unit = None
    allow_outside: AllowOutside = False
    strict: Strict = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def build_conditions(self) -> Conditions:
        """The conditions of the file, if any, with the options on top."""
        first = Conditions.load(self.conditions) if self.conditions else Conditions()
        given: dict[str, Any] = {name: getattr(self, name) for name in SET_FIELDS if getattr(self, name) is not None}
        for option, name in ADDED_FIELDS.items():
            if getattr(self, option):
                given[name] = given.get(name, getattr(first, name)) + getattr(self, option)
        if self.part:
            given["parts"] = merge_parts(first.parts, join_statements(list(self.part)))
        if self.ground or self.ground_height is not None:
            given["ground"] = True
        if self.no_limits:
            given["limits"] = False
        if self.no_self_contact:
            given["self_contact"] = False
        if self.no_deform:
            given["deforms"] = False
        return replace(first, **given)

    def run(self) -> None:
        conditions = self.build_conditions()
        if not self.output and self.states is None:
            raise OptionError("nothing says where the motion goes", "add -o OUT.glb, or another suffix")
        if self.states is not None and self.engine == "mpm":
            raise OptionError("particles have no coordinates for --states", "leave it out, or use --engine reduced")
        if self.joints is not None and self.kinematics in ("soft", "body", "learned", "articulated", "mechanism"):
            raise OptionError(f"--kinematics {self.kinematics} does not use --joints", "leave one of them out")
        from neurok.commands.choosing import add_predicted, choose_named_for_verb, list_unknown_names
        from neurok.commands.files import check_json, check_outputs, open_model, write_all
        from neurok.commands.joint_options import add_joints
        from neurok.commands.measures import open_measured
        from neurok.commands.say import note, progress, say_json, say_results
        from neurok.geometry.motion import Motion

        check_outputs(self.output, Motion)
        check_json(self.states)
        model = open_model(self.weights)  # what is wrong with them is said alone, before remarks on the input
        asset = open_measured(self.input, up=self.up, unit=self.unit, allow_outside=self.allow_outside, weighed=True)
        asset = add_joints(asset, self.joints)
        if asset.articulation is None and asset.motions:
            clips = ", ".join(repr(motion.name) for motion in asset.motions[:3])
            note(f"{Path(self.input).name} has clips of its own ({clips}), which are not used; `neurok convert` does")
        # Only now: torch takes longer to load than most faults take to find.
        from neurok.commands.doubts import Doubts
        from neurok.commands.familiar import rate_shape
        from neurok.commands.followed import list_unfollowed
        from neurok.commands.movement import collect_facts, describe_facts
        from neurok.commands.remarks import list_remarks
        from neurok.commands.state_file import write_states
        from neurok.kinematics.choose import Demand
        from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory
        from neurok.mechanics.simulate import animate
        from neurok.mechanics.trajectory import Trajectory

        Demand(self.kinematics, model=model)  # options that contradict each other are said before anything else
        names = list_unknown_names(conditions, asset.mesh)
        conditions, guessed = add_predicted(asset, self.input, conditions, aside=self.no_predict)
        doubts = Doubts(self.strict)
        plan = plan_particles(asset, conditions, names, EngineDemand(self.engine, self.kinematics))
        moved: Trajectory | None = None
        if plan is not None:
            if self.states is not None:
                raise OptionError("particles have no coordinates for --states", "leave it out, or use --engine reduced")
            conditions, why, joints, familiarity = plan.conditions, plan.why, None, None
            doubts.add(*list_remarks(conditions, asset.mesh, None))
            trajectory: Trajectory | ParticleTrajectory = plan.animate(conditions, "simulating")
        else:
            named = choose_named_for_verb(
                asset, names, model, self.kinematics, base=conditions.base, conditions=conditions, guessed=guessed
            )
            conditions, choice_made = named.locate(conditions), named.choice
            space, asset, why = choice_made.space, choice_made.asset, choice_made.why
            doubts.add(*list_remarks(conditions, asset.mesh, asset.articulation))
            with progress("simulating") as report:
                trajectory = moved = animate(space, conditions, progress=report)
            joints, familiarity = asset.articulation, rate_shape(space, asset.mesh, self.weights)
        motion = trajectory.motion()
        motion = replace(motion, mesh=conditions.state_materials(motion.mesh))
        with progress("writing") as report:
            written = write_all([(motion, path) for path in self.output], report)
            written += write_states(moved, asset.articulation, self.states) if moved is not None else []
        if not doubts.lines:  # what was said before the work is why
            doubts.add(*list_unfollowed(conditions, motion))
        given = {"input": self.input, "kinematics": why, "warnings": doubts.lines}
        found = given | collect_facts(trajectory, conditions, joints, motion, written)
        found["familiarity"] = familiarity
        if self.json:
            say_json(found)
        else:
            say_results(why, describe_facts(found), written)
        doubts.check()
