"""Whether a verb simulates an object by particles, which is said in one line."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from neurok.commands.options import choice, hint
from neurok.commands.say import note
from neurok.errors import OptionError

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.geometry.mesh import Mesh
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory

USUAL_SPACES = ("given", "auto")  # the default of --kinematics, and its former name
ENGINES = ("reduced", "mpm")  # engine_choice.ENGINES, without loading numpy
Engine = Annotated[
    str | None, choice("--engine", ENGINES),
    hint(
        "default: mpm where a material yields or flows",
        help="what simulates: few coordinates of the object (reduced), or particles that yield, flow and keep dents "
        "(mpm; needs the extra mpm)",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class ParticlePlan:
    """An object and conditions, with points for names, that are to be simulated by particles, and why."""

    mesh: "Mesh"
    conditions: "Conditions"
    why: str

    def animate(self, conditions: "Conditions", label: str) -> "ParticleTrajectory":
        """The motion; label: what the progress says."""
        from neurok.commands.say import progress
        from neurok.mechanics.mpm.simulate_particles import animate_particles

        with progress(label) as report:
            return animate_particles(self.mesh, conditions, progress=report)


@dataclass(frozen=True)
class EngineDemand:
    """What the options say of the engine; space: the kind of state space; said: lines that need not be said again."""

    engine: str | None
    space: str
    said: set[str] = field(default_factory=set)

    @property
    def wanted(self) -> str | None:
        """Whoever names a kind of state space means few coordinates."""
        if self.space in USUAL_SPACES:
            return self.engine
        if self.engine == "mpm":
            raise OptionError(f"particles have no state space '{self.space}'", "leave out --kinematics or --engine")
        return "reduced"


def plan_particles(
    asset: "Asset", conditions: "Conditions", names: Iterable[str], demand: EngineDemand
) -> ParticlePlan | None:
    """What is to be simulated by particles; None for few coordinates."""
    from neurok.mechanics.mpm.engine_choice import choose_engine, list_flowing

    if demand.wanted != "mpm" and not list_flowing(asset.mesh, conditions):
        return None
    from neurok.opening import locate_parts

    found = choose_engine(asset.mesh, conditions, demand.wanted, asset.articulation)
    if found.why not in demand.said:
        note(found.why)
        demand.said.add(found.why)
    if found.engine != "mpm":
        return None
    mesh, located = locate_parts(asset, names, conditions)
    return ParticlePlan(mesh, located, found.why.removeprefix("engine: "))
