"""The upward axis against objects whose own is known: legs, wheels, slabs, and what stands on nothing."""

import numpy as np
import pytest

from neurok.data import procedural
from neurok.files.standing import guess_up_axis, measure_support
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box

TURNED = [0, 2, 1]  # y and z change places (and so does handedness, which means nothing here)
STANDING = ("bucket", "chair_cushion", "crane", "drawer_cabinet", "kettle", "office_chair", "quadruped", "tripod")


def at(x: float, y: float, z: float, *size: float) -> Mesh:
    part = box(*size)
    return part.with_vertices(part.vertices + [x, y, z])


def chair() -> Mesh:
    """A seat at 45 cm, a back at its lowest y, and four legs of 4 cm; z is up."""
    legs = [at(x, y, 0.22, 0.04, 0.04, 0.45) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    return merge([at(0, 0, 0.45, 0.45, 0.45, 0.04), at(0, -0.21, 0.72, 0.45, 0.04, 0.5), *legs])


def turned(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices[:, TURNED], mesh.faces)


def test_four_legs_span_what_is_between_them():
    assert measure_support(chair(), 2) == pytest.approx((0.44 / 0.45) * (0.44 / 0.455), rel=1e-6)
    assert guess_up_axis(chair())[0] == "z" and guess_up_axis(turned(chair()))[0] == "y"


def test_what_would_fall_over_does_not_stand():
    tower = merge([at(0, 0, 0.05, 0.1, 0.1, 0.1), at(0.4, 0, 1.0, 1.0, 0.1, 0.1)])
    assert measure_support(tower, 2) == 0.0


@pytest.mark.parametrize("category", STANDING)
@pytest.mark.parametrize("seed", [0, 1])
def test_made_objects_stand_as_they_were_made(category, seed):
    made = procedural.draw(category, seed).mesh
    assert guess_up_axis(made)[0] == "z" and guess_up_axis(turned(made))[0] == "y"


@pytest.mark.parametrize("faces", [np.zeros((0, 3), dtype=int), np.array([[0, 1, 2]])])
def test_what_has_no_height_or_no_faces_is_left_to_custom(faces):
    flat = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]]), faces)
    assert guess_up_axis(flat) == ("y", "y is usual")
