"""What bounds a volume together is one body, whatever its pieces are called."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.elastic.body import fill_body
from neurok.elastic.matter import FaceMaterials, Hooke
from neurok.elastic.pieces import label_bodies
from neurok.geometry.mesh import Part, merge
from neurok.geometry.primitives import box

FOAM, OAK = Hooke(1e5, 0.3, 30.0), Hooke(1e10, 0.3, 700.0)


def _striped():
    """A box of 0.3 x 0.3 x 0.1 whose faces belong in turn to two pieces."""
    mesh = box(0.3, 0.3, 0.1)
    return replace(mesh, parts=(Part("red"), Part("white")), face_part=np.arange(mesh.face_count) // 2 % 2)


@pytest.mark.parametrize("same", [True, False])
def test_stripes_of_one_material_weigh_what_the_whole_does(same):
    mesh = _striped()
    materials = (FOAM, Hooke(1e5, 0.3, 30.0) if same else OAK)
    made = FaceMaterials(mesh.face_part, np.full(mesh.face_count, 0.001), materials)
    assert len(np.unique(label_bodies(mesh, made))) == (1 if same else 2)
    matter, kinds = fill_body(mesh, made)
    if same:
        assert kinds == ("solid",) and matter.mass.sum() == pytest.approx(30.0 * 0.3 * 0.3 * 0.1, rel=0.02)


def test_pieces_that_do_not_touch_stay_apart():
    cube = box(0.1, 0.1, 0.1)
    both = merge([cube, cube.with_vertices(cube.vertices + 1.0)], names=["a", "b"])
    made = FaceMaterials(np.zeros(both.face_count, dtype=int), np.full(both.face_count, 0.01), (FOAM,))
    assert len(np.unique(label_bodies(both, made))) == 2
