"""Wishes too strong for the smallest step: the object goes as fast as it may, where it was pushed."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.mechanics.conditions import Conditions, Push
from neurok.mechanics.scene import STRIDE
from neurok.mechanics.simulate import animate
from neurok.mechanics.stepper import HALVINGS
from tests.mechanics.objects import chain

STILL = Conditions(gravity=(0.0, 0.0, 0.0), damping=0.0, stiffness=0.0, limits=False, seconds=0.1, fps=100, dt=0.01)
FORCES = (1e2, 1e4, 1e6, 1e8, 1e12)  # the last is the strongest there is


def fastest(space: FloatingBase) -> float:
    """A stride of half the diagonal in the smallest step [unit/s]."""
    return STRIDE * space.mesh.diagonal * 2**HALVINGS / STILL.dt


def pushed(force: float, way=(1.0, 0.0, 0.0)):
    """A free block of 1 kg pushed at two opposite places, so that hardly anything turns it, over the whole time.

    Its mass is sampled, and so its centre lies a ten-thousandth beside the middle.
    """
    shift = 0.05 * np.array(way)
    places = [tuple(shift), tuple(-shift)]
    pushes = tuple(Push(place, tuple(force / 2 * np.array(way)), 0.0, STILL.seconds) for place in places)
    return animate(FloatingBase(rigid_space(box(0.1, 0.1, 0.1))), replace(STILL, base="free", mass=1.0, pushes=pushes))


def test_a_block_is_as_fast_as_newton_or_the_limit_says():
    """x = F t^2 / 2 m, and from the step on that would be too fast, the fastest there is."""
    reached = []
    for force in FORCES:
        found = pushed(force)
        limit = fastest(found.space)
        newton = 0.5 * force * STILL.seconds**2
        reached.append(found.bases[-1, 0, 3])
        if force * STILL.seconds < 0.9 * limit:
            assert reached[-1] == pytest.approx(newton, rel=1e-3) and "limited" not in found.status
        elif force * STILL.dt / 2**HALVINGS > 2 * limit:  # too fast from the first step on
            assert reached[-1] == pytest.approx(limit * STILL.seconds, rel=0.01)
            assert "as fast as" in found.status
        np.testing.assert_allclose(found.bases[-1, 1:3, 3], 0.0, atol=1e-3 * reached[-1])
    assert np.all(np.diff(reached) >= -1e-9 * reached[-1])


@pytest.mark.parametrize("way", [(0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])
def test_it_goes_where_it_was_pushed(way):
    shift = pushed(1e9, way).bases[-1, :3, 3]
    np.testing.assert_allclose(shift / np.linalg.norm(shift), way, atol=1e-3)


@pytest.mark.parametrize("force", FORCES)
def test_a_drawer_opens_to_its_end_however_hard_it_is_pushed(force):
    slide = {"kind": "prismatic", "axis": np.array([1.0, 0.0, 0.0]), "lower": 0.0, "upper": 0.4}
    space = Articulated(chain(1, **slide))
    wishes = replace(STILL, limits=True, seconds=0.3, pushes=(Push((0.0, -0.25, 0.0), (force, 0.0, 0.0), 0.0, 0.3),))
    found = animate(space, wishes)
    assert found.states[-1, 0] == pytest.approx(0.4, rel=0.02)
    assert np.all(np.isfinite(found.states)) and found.states.max() < 0.44


@pytest.mark.parametrize("speed", [1e4, 1e6])
def test_a_storm_blows_a_chair_away_without_pressing_it_into_the_ground(speed):
    seat = replace(box(0.4, 0.4, 0.8), up="z")
    wishes = Conditions(base="free", ground=True, wind=(speed, 0.0, 0.0), seconds=0.1)
    found = animate(FloatingBase(rigid_space(seat)), wishes)
    away, motion = found.bases[-1, :3, 3], found.motion()
    assert away[0] > 10.0 and np.all(np.isfinite(found.bases))
    lowest = min(motion.frame(i)[:, 2].min() for i in range(motion.frame_count))
    assert lowest > seat.vertices[:, 2].min() - 0.05 * seat.diagonal
