"""The share of a motion beyond what was learned, against sliders whose share is known."""

import numpy as np
import pytest

from neurok.geometry.motion import rigid_skin
from neurok.geometry.primitives import box
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.extrapolation import measure_extrapolation
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.prior import sparse_prior
from neurok.kinematics.twists import Twists


def slider(usual: float | None) -> Twists:
    """A box that slides along x, a unit per deviation, up to ten of them; usually not beyond `usual`."""
    mesh = box(1.0, 1.0, 1.0)
    skin = rigid_skin(np.zeros(mesh.vertex_count, dtype=int), ("box",), np.array([-1]), np.eye(4)[None])
    basis = np.array([0.0, 0, 0, 1, 0, 0]).reshape(1, 6, 1)
    told = None if usual is None else np.full((1, 2), usual)
    return Twists(mesh, skin, basis, origin=np.zeros(3), prior=sparse_prior(np.full((1, 2), 10.0), typical=told))


@pytest.mark.parametrize(("q", "share"), [(0.0, 0.0), (2.0, 0.0), (-2.0, 0.0), (4.0, 0.5), (-8.0, 0.75)])
def test_a_slider_beyond_its_usual_side(q, share):
    assert measure_extrapolation(slider(2.0), np.array([q])) == pytest.approx(share, abs=1e-12)


def test_sides_are_usual_where_nothing_else_is_known():
    assert measure_extrapolation(slider(None), np.array([9.0])) == 0.0


def test_where_an_object_stands_was_never_learned():
    space = FloatingBase(slider(2.0))
    assert measure_extrapolation(space, np.array([99.0, 0, 0, 1, 0, 0, 4.0])) == pytest.approx(0.5)
    assert measure_extrapolation(space, np.array([99.0, 0, 0, 1, 0, 0, 1.0])) == 0.0


def test_what_has_no_learned_coordinates_is_never_beyond():
    assert measure_extrapolation(FloatingBase(rigid_space(box())), np.full(6, 9.0)) == 0.0
