"""What moved, how far, and what became of the energy: the facts of a simulated motion, and their sentences."""

from pathlib import Path
from typing import Any

import numpy as np

from neurok.commands.say import counted, written_facts
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.geometry.reach import measure_farthest
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.proposed import PartScrews
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.mpm.particle_trajectory import ParticleTrajectory
from neurok.mechanics.trajectory import Trajectory

ROUNDING_TOLERANCE = 1e-9  # of the diagonal


def collect_facts(
    trajectory: Trajectory | ParticleTrajectory, conditions: Conditions, joints: Articulation | None, motion: Motion,
    written: list[Path],
) -> dict[str, Any]:  # fmt: skip
    """Everything `animate` reports, ready for JSON. Lengths in file units, energies in joules."""
    mesh = motion.mesh
    reach, looked_at = measure_farthest(motion)
    diagonal = mesh.diagonal
    return {
        "status": trajectory.status,
        "frames": motion.frame_count,
        "seconds": motion.duration,
        "engine": "reduced" if isinstance(trajectory, Trajectory) else "mpm",
        "learned": isinstance(trajectory, Trajectory) and is_learned(trajectory.space),
        "coordinates": _list_coordinates(trajectory, joints) if isinstance(trajectory, Trajectory) else [],
        "moved": {
            "largest": float(reach.max(initial=0.0)),
            "largest_of_diagonal": float(reach.max(initial=0.0) / diagonal) if diagonal > 0 else None,
            "parts": _list_parts(motion, reach, looked_at),
        },
        "diagonal": diagonal,
        "metres_per_unit": mesh.unit,
        "energy": _summarise_energy(trajectory, conditions),
        "frames_in_contact": int(np.count_nonzero(np.asarray(trajectory.contacts))),
        "outputs": written_facts(written),
    }


def label_parts(mesh: Mesh) -> Indices:
    """The part of each vertex, [n], -1 for none; a vertex of several parts counts for the last."""
    labels = np.full(mesh.vertex_count, -1)
    labels[mesh.faces.reshape(-1)] = np.repeat(mesh.face_part, 3)
    return labels


def _list_parts(motion: Motion, reach: Array, looked_at: Indices) -> list[dict[str, object]]:
    """The named pieces and how far they get, farthest first: the bones of a skin, else the parts of the mesh."""
    if motion.skin is not None:
        names, labels = motion.skin.names, motion.skin.leader[looked_at]
    else:
        names, labels = tuple(p.name for p in motion.mesh.parts), label_parts(motion.mesh)[looked_at]
    largest = np.full(len(names) + 1, -1.0)  # the last place gathers vertices without a part
    np.maximum.at(largest, labels, reach)
    found = [(name, float(distance)) for name, distance in zip(names, largest[:-1]) if distance >= 0]
    return [{"name": name, "largest": distance} for name, distance in sorted(found, key=lambda part: -part[1])]


def _list_coordinates(trajectory: Trajectory, joints: Articulation | None) -> list[dict[str, Any]]:
    """How far each coordinate swings. Those of a free base are increments, and are left to the parts to tell."""
    space = trajectory.space
    units = find_coordinate_units(space, joints)
    found = []
    for name, q in list(zip(space.names, trajectory.states.T))[space.base_count :]:
        found.append(
            {"name": name, "unit": units[name], "first": q[0], "last": q[-1], "least": q.min(), "most": q.max()}
        )
    return found


def find_coordinate_units(space: Kinematics, joints: Articulation | None) -> dict[str, str]:
    """What each coordinate of a state is measured in: 'rad', 'unit' for lengths in the file's unit, or, where it was
    learned, 'deviation' of the prior."""
    turning = set()
    if joints is not None:
        freedoms = [joints.freedoms[d] for d in joints.coordinate_freedoms]
        turning = {name for name, freedom in zip(joints.coordinate_names, freedoms) if freedom.turns}
    turning |= {name for name in space.names[: space.base_count] if name.startswith("turn")}
    inner = space.without_base()
    if isinstance(inner, PartScrews):
        turning |= {name for name, turns in zip(inner.names, inner.turns) if turns}
    learned = set(space.names[space.base_count :]) if is_learned(space) else set()
    if space.elasticity is not None:
        learned = {name for name, is_elastic in zip(space.names, space.elasticity.is_elastic) if is_elastic}
    return {name: "rad" if name in turning else "deviation" if name in learned else "unit" for name in space.names}


def is_learned(space: Kinematics) -> bool:
    """Whether the state space comes from a model, not from joints, materials, or parts that move along screws."""
    return space.elasticity is None and not isinstance(space.without_base(), Articulated | PartScrews)


def name_unit(unit: str, length: str) -> str:
    """A coordinate's unit for people; length: what lengths are in."""
    return {"rad": "degrees", "deviation": "deviations"}.get(unit, length)


def _summarise_energy(trajectory: Trajectory | ParticleTrajectory, conditions: Conditions) -> dict[str, Any]:
    touched = bool(np.any(trajectory.contacts))
    changers = {
        "damping": conditions.damping > 0 or any(part.damping for part in conditions.parts.values()),
        "pulls": conditions.pulls,
        "pushes": conditions.pushes,
        "wind": any(conditions.wind),
        "contact": touched,
        "what is strained and yields": not isinstance(trajectory, Trajectory),
    }
    return {
        "kinetic_most": float(trajectory.kinetic.max()),
        "total_first": float(trajectory.total[0]),
        "total_last": float(trajectory.total[-1]),
        "drift": trajectory.drift,
        "changed_by": [name for name, there in changers.items() if there],
    }


def describe_facts(found: dict[str, Any]) -> list[str]:
    """The facts in a few sentences."""
    moved, energy = found["moved"], found["energy"]
    said = [found["status"]]
    if found["learned"]:
        said.append(f"states: {counted(len(found['coordinates']), 'coordinate')}, learned from the shape alone")
    if found.get("familiarity"):
        said.append(f"shape: {found['familiarity']['sentence']}")
    share = f" ({moved['largest_of_diagonal']:.1%} of the diagonal)" if moved["largest_of_diagonal"] is not None else ""
    unit = "m" if found["metres_per_unit"] == 1 else "file units"
    said.append(
        f"{counted(found['frames'], 'frame')} over {found['seconds']:.4g} s; "
        f"the farthest point gets {moved['largest']:.4g} {unit}{share} from rest"
    )
    # What is left of rounding is no motion.
    least = ROUNDING_TOLERANCE * found["diagonal"]
    parts = [f"{part['name']} {part['largest']:.4g}" for part in moved["parts"] if part["largest"] > least]
    still = len(moved["parts"]) - len(parts)
    if parts:
        more = f" and {len(parts) - 5} more" if len(parts) > 5 else ""
        said.append(f"moved: {', '.join(parts[:5])}{more}" + (f"; {still} stayed" if still else ""))
    else:
        said.append("nothing moved: no part can follow what was asked for, or a limit holds it where it is")
    swings = sorted(found["coordinates"], key=lambda c: c["least"] - c["most"])
    said += [f"  {_describe_swing(c, unit)}" for c in swings[:5] if parts and c["most"] > c["least"]]
    changed = " and ".join(energy["changed_by"])
    # A drift means something only where the total should stay; elsewhere it measures the condition_options.
    kept = f"nothing adds or takes any: drift {100 * energy['drift']:.2g} % of the largest kinetic energy"
    first, last = (format_figure(energy[key], "J", energy["kinetic_most"]) for key in ("total_first", "total_last"))
    said.append(
        f"energy: kinetic up to {energy['kinetic_most']:.4g} J; total from {first} J to {last} J "
        f"({f'changed by {changed}' if changed else kept})"
    )
    if found["frames_in_contact"]:
        said.append(f"in contact for {counted(found['frames_in_contact'], 'frame')}")
    return said


def _describe_swing(c: dict[str, Any], unit: str) -> str:
    low, high = (format_figure(c[end], c["unit"]) for end in ("least", "most"))
    return f"{c['name']}: {low} to {high} {name_unit(c['unit'], unit)}"


def format_figure(value: float, unit: str, size: float = 0.0) -> str:
    """A coordinate for people: angles in degrees; no minus before a zero, no digits of round-off next to `size`."""
    if unit == "rad":
        return f"{round(float(np.degrees(value)), 1) + 0.0:.1f}"
    return f"{0.0 if abs(value) <= 1e-9 * size else value + 0.0:.4g}"
