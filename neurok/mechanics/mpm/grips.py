"""Grips: particles that are held and moved, for pins, pulls and a fixed base. While held they weigh infinitely much."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import find_nearest
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.holds import build_pulls
from neurok.mechanics.mpm.particles import Particles
from neurok.mechanics.places import Place, require_point

GRIP_COUNT = 12  # particles nearest to a point: about what is within a cell of it
FOOT = 0.02  # of its height: how far above its lowest matter a fixed body is held, as an elastic one


@dataclass(frozen=True)
class Grip:
    """Particles [g] held from start to end [s]; place(t, origin): where their point should be [m], [3].

    offset [m]: from their mean to that point, [3].
    """

    particle: Indices
    start: float
    end: float
    place: Callable[[float, Array], Array]
    offset: Array

    def is_active(self, t: float, h: float) -> bool:
        return self.start < t + h and t < self.end


@dataclass(frozen=True)
class PointLoad:
    """A force [N], [3], shared by particles [g] from start to end [s]."""

    particle: Indices
    force: Array
    start: float
    end: float


def build_grips(mesh: Mesh, conditions: Conditions, particles: Particles) -> tuple[Grip, ...]:
    """The pulls, pins and foot of an object."""
    tree, grips = cKDTree(particles.position), []
    pulls = build_pulls(conditions, np.zeros((len(conditions.pulls), 0)))
    for pull, held in zip(conditions.pulls, pulls):
        near, offset = _find_near(mesh, tree, pull.point)
        grips.append(Grip(near, held.start, held.end, _scale(held.place, mesh.unit), offset))
    for pin in conditions.pins:
        near, offset = _find_near(mesh, tree, pin.point)
        grips.append(Grip(near, 0.0, np.inf, _stay, offset))
    if conditions.base == "fixed":
        height = particles.position @ mesh.up_axis
        reach = max(FOOT * float(np.ptp(height)), 0.5 * particles.spacing)
        grips.append(Grip(np.flatnonzero(height <= height.min() + reach), 0.0, np.inf, _stay, np.zeros(3)))
    return tuple(grips)


def build_loads(mesh: Mesh, conditions: Conditions, particles: Particles) -> tuple[PointLoad, ...]:
    """The pushes of the conditions."""
    tree = cKDTree(particles.position)
    return tuple(
        PointLoad(_find_near(mesh, tree, push.point)[0], np.array(push.force), push.start, push.end)
        for push in conditions.pushes
    )


def _find_near(mesh: Mesh, tree: cKDTree, point: Place) -> tuple[Indices, Array]:
    """The particles about a point of the surface, and how far that is from their mean [m]."""
    named = np.array([require_point(point)], dtype=np.float64)
    place = find_nearest(mesh, named).position[0] * mesh.unit
    near = np.atleast_1d(tree.query(place, k=min(GRIP_COUNT, tree.n))[1])
    return near, place - np.asarray(tree.data)[near].mean(axis=0)


def _scale(place: Callable[[float, Array], Array], unit: float) -> Callable[[float, Array], Array]:
    return lambda t, origin: unit * place(t, origin / unit)


def _stay(t: float, origin: Array) -> Array:
    return origin
