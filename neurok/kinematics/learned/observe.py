"""Observe: what the network sees of an object, from several sides, and whether it takes it for a soft body."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handle_metric import HandleMetric, measure_handles
from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import Observation, observe_surface
from neurok.geometry.rotation import rotation
from neurok.kinematics.learned.options import LearnedOptions
from neurok.networks.basis import Basis, check_basis
from neurok.networks.handles import HandlesModel
from neurok.networks.shapes import Shapes, shapes_from_input


@dataclass(frozen=True)
class RotatedView:
    """What the network says of the object turned by R, [3, 3]."""

    R: Array
    shapes: Shapes
    basis: Basis


@dataclass(frozen=True)
class ObservedObject:
    """An object in its canonical place, its handles with their metric, and views of it."""

    surface: Observation
    handles: Handles
    metric: HandleMetric
    views: tuple[RotatedView, ...]

    @property
    def soft_logit(self) -> float:
        """The log odds that it is a body that bends, as the views have it on average."""
        return float(np.mean([float(view.basis.soft_logit) for view in self.views]))

    @property
    def is_soft(self) -> bool:
        """Whether the views take it for a body that bends."""
        return self.soft_logit > 0.0

    @property
    def anchor(self) -> Array:
        """Where each handle sits, [h, 3]."""
        return self.surface.samples.position[self.handles.anchor]

    @property
    def handle_patch(self) -> Indices:
        """The crease patch of each handle, [h]."""
        return self.surface.patch[self.handles.anchor]


def observe_object(mesh: Mesh, model: HandlesModel, options: LearnedOptions) -> ObservedObject:
    """Sample the surface, place handles on it, and let the network see it.

    A soft body that is to be moved gets fewer handles: so few bend it no finer than its coordinates can, and each
    handle costs time. Whether it is one may be known only after a first look.
    """
    surface = observe_surface(mesh, options.point_count, np.random.default_rng(0))
    fewer = options.handle_count if options.is_for_fits else min(options.handle_count, options.soft_handle_count)
    seen = _view_surface(surface, model, fewer if options.is_soft else options.handle_count, options.view_count)
    if options.is_soft is None and seen.is_soft and fewer < options.handle_count:
        return _view_surface(surface, model, fewer, options.view_count)
    return seen


def _view_surface(surface: Observation, model: HandlesModel, handle_count: int, view_count: int) -> ObservedObject:
    handles = surface.place_handles(handle_count)
    where = surface.samples
    metric = measure_handles(where.position, where.area, handles.owner, handles.count)
    views = []
    for turn in range(view_count):
        R = np.asarray(rotation(np.array([0.0, 0.0, 2.0 * np.pi * turn / view_count])))
        shapes = shapes_from_input(surface.rotate_samples(R).network_input(handles))
        views.append(RotatedView(R, shapes, check_basis(model.basis(shapes))))
    return ObservedObject(surface, handles, metric, tuple(views))
