"""A page shows what a file states of materials: foam gives way, and a child finds the same space as this process."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import merge
from neurok.geometry.primitives import box
from neurok.geometry.rigid import apply, rigid_from_points
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.stated_parts import state_parts
from neurok.viewer import messages as m
from neurok.viewer.session import Session
from neurok.viewer.spaces import find_space_in_child
from neurok.viewer.viewed_object import ViewedObject, find_space
from tests.viewer.client import elsewhere


def _stool():
    """A foam seat of 40 cm on an oak block, without any symmetry: no vibration has two signs or a twin."""
    seat, block = box(0.4, 0.33, 0.12), box(0.4, 0.33, 0.2)
    seat = seat.with_vertices(seat.vertices * (1 + seat.vertices @ [[0.0, 0.5, 1.0], [0.9, 0.0, 0.3], [0.4, 0.7, 0.0]]))
    mesh = merge([block, seat.with_vertices(seat.vertices + [0, 0, 0.16])], names=["block", "seat"])
    stated = {"seat": PartProperties(material="foam"), "block": PartProperties(material="oak")}
    return state_parts(replace(mesh, up="z"), stated, PartProperties(), load_library())


@pytest.fixture(scope="module")
def asset(tmp_path_factory):
    return load(save(_stool(), tmp_path_factory.mktemp("stool") / "stool.glb"))


def _bend(rest, now):
    """How far points are from any rigid motion of theirs, at most."""
    return float(np.abs(now - apply(rigid_from_points(rest, now), rest)).max())


def test_a_seat_of_foam_gives_way_in_a_session(asset):
    session = Session(ViewedObject(asset, "stool"), "token")
    space = session.state.space
    assert space.elasticity is not None and space.elasticity.is_elastic.any()
    settings = session.state.environment.settings
    session.receive(replace(settings, gravity=9.81))
    session.receive(m.RunMessage())
    for _ in range(20):
        session.tick()
    recording = session.state.playback.recording
    motion = recording.make_trajectory().motion()
    rest, now = motion.mesh.vertices, motion.frame(motion.frame_count - 1)
    seat = np.unique(motion.mesh.faces[motion.mesh.face_part == [p.name for p in motion.mesh.parts].index("seat")])
    assert _bend(rest[seat], now[seat]) > 1e-6
    assert session.state.environment.make_conditions(space).gravity is not None


@pytest.mark.parametrize("jointed", [False, True])
def test_a_child_finds_the_same_elastic_space(asset, jointed):
    mesh = asset.mesh
    if jointed:
        links = (Link("block", np.eye(4)), Link("seat", np.eye(4)))
        owner = np.zeros(mesh.vertex_count, dtype=np.int64)
        owner[np.unique(mesh.faces[mesh.face_part == [p.name for p in mesh.parts].index("seat")])] = 1
        hinge = Joint("hinge", "revolute", 0, 1, np.eye(4), np.array([1.0, 0, 0]), lower=0.0, upper=1.0)
        asset = replace(asset, articulation=Articulation(mesh, owner, links, (hinge,)))
    here, there = find_space(asset, "stool").space, elsewhere(find_space_in_child(asset, "stool")).space
    assert type(here) is type(there) and here.names == there.names
    q = here.prior.sample(1, torch.Generator().manual_seed(0))[0]
    np.testing.assert_allclose(here.transforms(q), there.transforms(q), atol=1e-6)
    np.testing.assert_allclose(here.elasticity.stiffness, there.elasticity.stiffness, rtol=1e-6)
    np.testing.assert_allclose(here.stated_masses.inertia.toarray(), there.stated_masses.inertia.toarray())
