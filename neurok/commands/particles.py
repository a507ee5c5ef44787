"""Whether a verb simulates an object by particles, which is said in one line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from neurok.commands.options import choice, hint
from neurok.commands.say import note

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.geometry.mesh import Mesh
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory

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


def plan_particles(
    asset: "Asset", conditions: "Conditions", names: Iterable[str], wanted: str | None
) -> ParticlePlan | None:
    """What is to be simulated by particles; None for few coordinates."""
    from neurok.mechanics.mpm.engine_choice import choose_engine, list_flowing

    flowing = list_flowing(asset.mesh, conditions)
    if wanted != "mpm" and not flowing:
        return None
    from neurok.opening import locate_parts

    found = choose_engine(asset.mesh, conditions, wanted, asset.articulation)
    note(found.why)
    if found.engine != "mpm":
        return None
    mesh, located = locate_parts(asset, names, conditions)
    return ParticlePlan(mesh, located, found.why.removeprefix("engine: "))
