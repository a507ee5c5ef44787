"""The Python verbs that take any object that neurok can open: sample, fit, animate and parts.

An object is what `neurok.load` or `neurok.kinematics` returned, the path of a file, a mesh of another package, or
(vertices, faces); see `neurok.foreign`. Names of parts may stand for points.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neurok.foreign import read_foreign
from neurok.opening import NamedChoice, choose_named, locate_parts, read_content

if TYPE_CHECKING:
    from neurok.geometry.arrays import Array
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.named_parts import NamedPart
    from neurok.geometry.surface import SurfacePoints
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.inverse import FitResult
    from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory
    from neurok.mechanics.places import Place
    from neurok.mechanics.trajectory import Trajectory


def animate(
    thing: Any,
    conditions: "Conditions",
    *,
    engine: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> "Trajectory | ParticleTrajectory":
    """Simulate an object's motion under conditions; progress: called with the share done, 0 to 1.

    engine: 'reduced' for few coordinates, 'mpm' for particles that yield and flow (extra `mpm`); where None, particles
    if a material yields or flows and no state space was given. The status of the trajectory says which it was.
    """
    from neurok.kinematics.kinematics import Kinematics
    from neurok.mechanics.mpm.engine_choice import choose_engine
    from neurok.mechanics.simulate import animate

    mesh, joints = read_content(_content_of(thing))
    known = {part.name for part in mesh.parts}
    names = [*conditions.place_names, *(name for name in conditions.parts if name not in known)]
    wanted = "reduced" if engine is None and isinstance(thing, Kinematics) else engine
    found = choose_engine(mesh, conditions, wanted, joints)
    if found.engine == "mpm":
        from neurok.mechanics.mpm.simulate_particles import animate_particles

        return animate_particles(*locate_parts(_content_of(thing), names, conditions), progress=progress)
    chosen = _choose(thing, names, base=conditions.base)
    moved = animate(chosen.choice.space, chosen.locate(conditions), progress=progress)
    why = found.why.replace("as asked", "since a state space was given") if engine is None else found.why
    return replace(moved, status=f"{moved.status} {why[0].upper()}{why[1:]}.") if why else moved


def fit(
    thing: Any,
    target: "Any" = None,
    *,
    corresponding: bool = False,
    where: "SurfacePoints | None" = None,
    pulls: "Sequence[tuple[Place, Sequence[float]]]" = (),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> "FitResult":
    """The state whose shape comes nearest to a target: see `neurok.mechanics.inverse.fit`.

    pulls: instead of a target, pairs (point or name of a part, displacement) [file units].
    """
    from neurok.mechanics.inverse import fit

    names = [place for place, _ in pulls if isinstance(place, str)]
    chosen = _choose(thing, names, purpose="fit")
    points = [(chosen.place(place) if isinstance(place, str) else place, by) for place, by in pulls]
    goal = None if target is None else _read_target(target)
    return fit(
        chosen.choice.space, goal, corresponding=corresponding, where=where, pulls=points, seed=seed, progress=progress
    )


def sample(thing: Any, count: int, *, seed: int = 0) -> "Array":
    """Plausible states of an object, drawn from its prior, [count, k]; the same for the same seed."""
    from neurok.articulate.valid_states import draw_valid_states

    return draw_valid_states(_choose(thing, ()).choice.space, count, seed=seed)


def parts(thing: Any, *, progress: Callable[[float], None] | None = None) -> "tuple[NamedPart, ...]":
    """The parts of an object that have a name or get one, the file's names first."""
    from neurok.articulate.part_list import list_parts

    return list_parts(*read_content(_content_of(thing)), progress).parts


def _choose(thing: Any, names: Sequence[str], *, purpose: str = "move", base: str = "fixed") -> NamedChoice:
    """The state space of an object, its own where it is one, and the parts that are named."""
    from neurok.kinematics.choose import Choice
    from neurok.kinematics.kinematics import Kinematics

    if not isinstance(thing, Kinematics):
        return choose_named(read_foreign(thing), names, purpose=purpose, base=base)
    choice = Choice(thing, thing.mesh, "the state space that was given")
    if not names:
        return NamedChoice(choice)
    from neurok.articulate.part_list import list_parts

    return NamedChoice(choice, list_parts(*read_content(_content_of(thing))))


def _content_of(thing: Any) -> Any:
    """What a state space was made of: its joints, or its mesh; anything else as an asset, a mesh or joints."""
    from neurok.kinematics.articulated import Articulated
    from neurok.kinematics.kinematics import Kinematics

    if not isinstance(thing, Kinematics):
        return read_foreign(thing)
    inner: Kinematics = thing.without_base()
    return inner.articulation if isinstance(inner, Articulated) else inner.mesh


def _read_target(target: Any) -> "Mesh | Array":
    """A mesh, also of another package, or positions [n, 3]."""
    if hasattr(target, "shape"):
        return target
    return read_content(read_foreign(target))[0]
