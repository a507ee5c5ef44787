"""What bends is not cut into parts with joints."""

import pytest

from neurok.articulate import softness
from neurok.articulate.find_joints import find_joints
from neurok.data.procedural import make
from neurok.geometry.mesh import Mesh


@pytest.mark.parametrize(("kind", "is_soft"), [("fish", True), ("cushion", True), ("laptop", False), ("safe", False)])
def test_bodies_are_told_from_things_with_parts(kind, is_soft):
    mesh = make(kind, 0).mesh
    joints, why = find_joints(mesh, False)
    assert (joints is None) is is_soft and ("bends" in why) is is_soft


def test_a_part_that_surely_moves_outweighs_the_network(monkeypatch):
    mesh = Mesh(make("safe", 0).mesh.vertices, make("safe", 0).mesh.faces, up="z")
    surest = softness.measure_surest_part(mesh)
    assert surest > 0
    for share in (0.9, 1.1):
        logit = share * softness.LOG_ODDS_RATIO * surest
        monkeypatch.setattr(softness, "measure_softness", lambda mesh, logit=logit: logit)
        assert softness.looks_soft(mesh) is (share > 1)
