"""The joints of an articulation tried out, and their ranges cut where something penetrates or comes away."""

from dataclasses import replace

import numpy as np

from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.articulate.sweep.trials import JointTrial, MovedPart, SweptObject, TrialFault, count_steps
from neurok.files.bodies import split_links
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions
from neurok.geometry.mesh import Mesh


class ArticulationTrial:
    """An articulation, scaled to its diagonal, whose coordinates can be moved one at a time."""

    def __init__(self, articulation: Articulation, tolerance: float) -> None:
        self.articulation, self.size = articulation, articulation.mesh.diagonal or 1.0
        meshes = (Mesh(mesh.vertices / self.size, mesh.faces) for mesh in split_links(articulation))
        self.thing = SweptObject([SweptSurface.of(mesh) for mesh in meshes], tolerance)
        self.place = np.argsort(articulation.order)

    def find_faults(self, coordinate: int, end: float, tolerance: float) -> tuple[Array, list[TrialFault]]:
        """Move a coordinate from rest to an end: its values [k], and what goes wrong.

        The steps between contact and what goes wrong first are at most a hundredth of the way.
        """
        rough = self._move(coordinate, np.linspace(0.0, end, 9))
        values = np.linspace(0.0, end, 1 + count_steps(self.thing.surfaces, rough))
        faults = self._try_values(coordinate, values, tolerance)
        if not faults or len(values) > 100:
            return values, faults
        first = faults[0]
        before, after = values[first.contact], values[first.step]
        finer = np.linspace(before, after, 2 + int(100 * abs((after - before) / end)))
        values = np.concatenate([values[: first.contact], finer])
        return values, self._try_values(coordinate, values, tolerance)

    def _try_values(self, coordinate: int, values: Array, tolerance: float) -> list[TrialFault]:
        trial = JointTrial(values, self._move(coordinate, values), self._find_parts(coordinate))
        faults = self.thing.find_faults(trial, tolerance)
        return [
            fault for fault in faults if fault.detaches or not self._can_clear(coordinate, values, fault, tolerance)
        ]

    def _can_clear(self, coordinate: int, values: Array, fault: TrialFault, tolerance: float) -> bool:
        """Whether another joint can take one of two bodies out of the other's way before: a door before a rack."""
        for other, number in enumerate(self.articulation.coordinate_freedoms):
            freedom = self.articulation.freedoms[number]
            moves = np.any([[body in part.bodies for body in fault.pair] for part in self._find_parts(other)], axis=0)
            if other == coordinate or moves.sum() != 1:
                continue
            for end in (end for end in (freedom.lower, freedom.upper) if np.isfinite(end) and end):
                opening = np.linspace(
                    0.0, end, 1 + count_steps(self.thing.surfaces, self._move(other, np.linspace(0.0, end, 9)))
                )
                motions = np.concatenate([self._move(other, opening), self._move(coordinate, values, (other, end))])
                if not np.any(self.thing.measure_pair(fault.pair, motions) > tolerance):
                    return True
        return False

    def _find_parts(self, coordinate: int) -> tuple[MovedPart, ...]:
        """What each joint of a coordinate moves."""
        moved = np.flatnonzero(self.articulation.coupling[0][:, coordinate])
        return tuple(self._describe_part(int(number)) for number in moved)

    def _describe_part(self, number: int) -> MovedPart:
        """The links below a freedom, and its axis in diagonals where it is a plain turn."""
        freedom = self.articulation.freedoms[number]
        bodies = frozenset(map(int, np.flatnonzero(self.articulation.path[:, number])))
        v, w = freedom.screw[:3] / self.size, freedom.screw[3:]
        plain = freedom.turns and self.articulation.joints[freedom.joint].kind in ("revolute", "continuous")
        return MovedPart(bodies, (np.cross(w, v), w) if plain else None)

    def _move(self, coordinate: int, values: Array, held: tuple[int, float] | None = None) -> Array:
        """Motions of all links, in the links' order and in diagonals, [k, L, 4, 4]; held: one more and its value."""
        states = np.zeros((len(values), len(self.articulation.coordinate_freedoms)))
        if held is not None:
            states[:, held[0]] = held[1]
        states[:, coordinate] = values
        motions = np.array(link_motions(self.articulation, states)[:, self.place])
        motions[..., :3, 3] /= self.size
        return motions


def stop_ranges(articulation: Articulation, tolerance: float) -> Articulation:
    """The articulation with every range cut at contact, to a hundredth, where something goes wrong beyond it.

    A turn without limits keeps them only where a whole turn is free. A joint that can go nowhere becomes fixed, with
    a note. Joints that follow others are left to `unify_limits`.
    """
    if not articulation.coordinate_freedoms:
        return articulation
    trial, joints, notes = ArticulationTrial(articulation, tolerance), list(articulation.joints), []
    for coordinate, number in enumerate(articulation.coordinate_freedoms):
        freedom = articulation.freedoms[number]
        joint = articulation.joints[freedom.joint]
        endless = not np.isfinite([freedom.lower, freedom.upper]).any()
        if joint.kind == "cylindrical" or (endless and not freedom.turns):
            continue
        ends = [2.0 * np.pi, 0.0] if endless else [freedom.upper, freedom.lower]
        stops = [_find_stop(trial, coordinate, end, 0.5 * tolerance) for end in ends]
        if endless and stops[0] == ends[0]:
            continue
        if endless:
            stops[1] = _find_stop(trial, coordinate, -2.0 * np.pi + stops[0], 0.5 * tolerance)
        upper, lower = max(stops), min(stops)
        whole = 2.0 * np.pi if endless else max(freedom.upper - freedom.lower, 1e-12)
        if upper - lower < 0.01 * whole:
            joints[freedom.joint] = replace(joint, kind="fixed", lower=0.0, upper=0.0)
            notes.append(f"'{joint.name}' was found to move, but meets other parts at once, and is written as fixed")
        elif (upper, lower) != (freedom.upper, freedom.lower):
            kind = "revolute" if joint.kind == "continuous" else joint.kind
            joints[freedom.joint] = replace(joint, kind=kind, lower=lower, upper=upper)
    return replace(articulation, joints=tuple(joints), notes=(*articulation.notes, *notes))


def _find_stop(trial: ArticulationTrial, coordinate: int, end: float, tolerance: float) -> float:
    """The last value on the way to an end at which nothing has gone wrong."""
    if end == 0.0 or not np.isfinite(end):
        return end
    values, faults = trial.find_faults(coordinate, end, tolerance)
    return float(values[faults[0].contact]) if faults else end
