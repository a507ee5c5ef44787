"""The number of candidates of a part is bounded."""

import numpy as np

from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.proposals.candidates import propose_candidates
from neurok.proposals.sampling import SampledShape, find_contact, sample_shape
from tests.boxes import join_parts, make_open_case, place_box


def _count_candidates(whole: SampledShape, number: int) -> int:
    points, normals, _ = whole.rest(number)
    return propose_candidates(whole.pieces[number], find_contact(whole.pieces[number], points, normals)).count


def test_the_number_of_candidates_does_not_grow_with_the_number_of_parts():
    few = join_parts(make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0))
    tiles = [place_box(0.05, 0.05, 0.05, 0.06 * (i % 20), 0.06 * (i // 20), 0.5) for i in range(100)]
    mesh = merge([make_open_case(), *tiles])
    mesh = Mesh(mesh.vertices, mesh.faces, up="z")
    many = sample_shape(mesh, Parts(np.repeat(np.arange(101), [60] + [12] * 100), tuple(f"p{i}" for i in range(101))))
    most = max(_count_candidates(many, i) for i in (1, 50, 100))
    assert most <= 2 * _count_candidates(sample_shape(*few), 1)
