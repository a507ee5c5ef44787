"""Objects far from the origin of their file move as they do at it: the object at the origin is the oracle."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.pipeline import learn_space
from neurok.mechanics.conditions import Conditions, Obstacle, Pin, Pull, Push, Start, Velocity
from neurok.mechanics.descent import pose_mesh
from neurok.mechanics.inverse import fit
from neurok.mechanics.simulate import animate
from neurok.networks.basis import BasisSize
from neurok.networks.handles import HandlesModel
from tests.files.far_things import far
from tests.kinematics.particles import Particles
from tests.mechanics.objects import chain

# Whole numbers, and objects of whole 1024ths: the object there is the very object here, bit for bit.
AWAY = np.array([2.0**20, -(2.0**21), 2.0**19])


def rounded(thing):
    """An object with vertices at whole 1024ths."""
    return replace(thing, mesh=thing.mesh.with_vertices(np.round(thing.mesh.vertices * 1024) / 1024))


def hung(count: int):
    return rounded(chain(count))


@pytest.fixture(scope="module")
def model():
    """A network that knows nothing but that everything bends."""
    torch.manual_seed(0)
    model = HandlesModel(BasisSize(32, 2, 1, 1)).eval().requires_grad_(False)
    model.network.bends.layers[-1].bias.fill_(100.0)
    return model


def stated(articulation):
    """The chain with masses that its file states."""
    from neurok.geometry.articulation import Inertia

    own = Inertia(2.0, np.array([0.0, -0.25, 0.0]), np.diag([0.04, 0.002, 0.04]))
    return replace(articulation, links=tuple(replace(link, inertia=own) for link in articulation.links))


def check(here: Kinematics, there: Kinematics, near: Conditions, distant: Conditions, bound: float = 1e-6) -> None:
    """The same motion, shifted, to a millionth of the diagonal, in as many steps."""
    wanted, found = animate(here, near), animate(there, distant)
    assert "halved" not in wanted.status and found.status == wanted.status
    assert found.space is there or found.space.has_free_base
    first, second, size = wanted.motion(), found.motion(), here.mesh.diagonal
    moved = 0.0
    for index in range(first.frame_count):
        gap = second.frame(index) - AWAY - first.frame(index)
        assert np.abs(gap).max() < bound * size
        moved = max(moved, np.abs(first.frame(index) - here.mesh.vertices).max())
    assert moved > 1e-3 * size
    assert found.kinetic == pytest.approx(wanted.kinetic, rel=10 * bound, abs=10 * bound * wanted.kinetic.max())
    change = [t.potential - t.potential[0] for t in (wanted, found)]
    assert change[1] == pytest.approx(change[0], rel=10 * bound, abs=10 * bound * np.abs(change[0]).max())


SHORT = Conditions(seconds=0.2)


@pytest.mark.parametrize("file", [hung(2), stated(hung(2))], ids=["weighed", "stated"])
def test_joints(file):
    swing = replace(SHORT, state=(0.5, -0.3), gravity=(0.0, -9.81, 0.0))
    check(Articulated(file), Articulated(far(file, AWAY)), swing, swing)


def test_joints_of_decimals():
    """The file rounds the object to 1e-10 there, and a sample of its mass may fall on the other side of an edge."""
    file, swing = chain(2), replace(SHORT, state=(0.5, -0.3), gravity=(0.0, -9.81, 0.0))
    check(Articulated(file), Articulated(far(file, AWAY)), swing, swing, bound=1e-4)


def test_a_free_base():
    file = hung(2)
    fall = replace(SHORT, state=(0.0,) * 6 + (0.4, -0.2), rates=(0.1, 0.0, 0.2, 1.0, 2.0, 0.5, 0.0, 1.0), base="free")
    check(Articulated(file), Articulated(far(file, AWAY)), fall, fall)


def test_learned_states(model):
    bar = box(1.0, 0.125, 0.125, cells=8)
    space = learn_space(bar, model)
    start = np.zeros(space.size)
    start[space.size // 2] = 1.0
    swing = replace(SHORT, state=tuple(start))
    check(space, learn_space(far(bar, AWAY), model), swing, swing)
    tumble = replace(swing, state=(0.0,) * 6 + swing.state, base="free")
    check(space, learn_space(far(bar, AWAY), model), tumble, tumble)


def test_a_space_without_a_way_of_its_own_to_be_moved():
    bar = box(1.0, 0.125, 0.125, cells=4)
    start = tuple(np.random.default_rng(0).normal(size=24) * 0.02)
    swing = replace(SHORT, state=start)
    check(Particles(bar, 8), Particles(far(bar, AWAY), 8), swing, swing)


def conditions(at: np.ndarray) -> dict[str, Conditions]:
    """Everything that names a place of the file, about an object that stands at a place."""

    def place(x: float, y: float, z: float) -> tuple[float, float, float]:
        return tuple(np.add((x, y, z), at).tolist())

    end, middle = place(0.0, -1.0, 0.0), place(0.0, -0.5, 0.0)
    # From a bent chain: a straight one gives way to no pull along it, and would be torn at.
    bent = replace(SHORT, state=(0.5, -0.8))
    path = tuple((t, *place(0.094 + 0.2 * t, -0.916 + 0.1 * t, 0.0)) for t in (0.0, 0.1, 0.2))
    fall = replace(SHORT, base="free", ground=True, ground_height=float(at[1]) - 1.005)
    ball = Obstacle("sphere", place(0.15, -0.9, 0.0), radius=0.12)
    return {
        "pull by": replace(bent, pulls=(Pull(end, by=(0.05, 0.05, 0.0), end=0.2),)),
        "pull to": replace(bent, pulls=(Pull(end, to=place(0.15, -0.85, 0.0), end=0.2),)),
        "pull along": replace(bent, pulls=(Pull(end, path=path),)),
        "push": replace(SHORT, pushes=(Push(end, (20.0, 0.0, 0.0)),)),
        "start": replace(SHORT, starts=(Start(end, (0.15, 0.05, 0.0)),)),
        "pin": replace(SHORT, starts=(Start(end, (0.1, 0.02, 0.0)),), pins=(Pin(middle),)),
        "velocity": replace(SHORT, velocities=(Velocity(end, (1.0, 0.0, 0.0)),)),
        "wind": replace(SHORT, wind=(8.0, 0.0, 1.0)),
        "ground": fall,
        "obstacle": replace(SHORT, velocities=(Velocity(end, (2.0, 0.0, 0.0)),), obstacles=(ball,)),
    }


@pytest.mark.parametrize("name", conditions(np.zeros(3)))
def test_conditions_at_places_of_the_file(name):
    file = hung(2)
    here, there = (Articulated(far(file, at)) for at in (np.zeros(3), AWAY))
    check(here, there, conditions(np.zeros(3))[name], conditions(AWAY)[name])


def test_fits():
    """Pulled points, corresponding vertices and an unordered surface: the same states."""
    file = hung(2)
    here, there = (Articulated(far(file, at)) for at in (np.zeros(3), AWAY))
    target = pose_mesh(here, np.array([0.6, -0.4]))
    point, by = np.array([0.0, -1.0, 0.0]), (0.2, 0.1, 0.0)
    pairs = [
        (1e-6, fit(here, pulls=[(point, by)]), fit(there, pulls=[(point + AWAY, by)])),
        (1e-6, fit(here, target, corresponding=True), fit(there, far(target, AWAY), corresponding=True)),
        (1e-5, fit(here, target), fit(there, far(target, AWAY))),  # itself 3e-5 from the state that was posed
    ]
    for bound, wanted, found in pairs:
        assert found.state == pytest.approx(wanted.state, abs=bound)
        assert np.abs(found.mesh.vertices - AWAY - wanted.mesh.vertices).max() < bound * here.mesh.diagonal
