"""Contact and friction against closed forms; conditions that must not explode."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, sphere
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.mechanics.barrier import BoxBarrier, PlaneBarrier
from neurok.mechanics.conditions import Conditions, Obstacle, Pin, Pull, Push, Start, Velocity
from neurok.mechanics.contact import Contacts
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.simulate import animate
from tests.kinematics.particles import Particles
from tests.mechanics.objects import chain

G = 9.81


def block(up: str = "z") -> Mesh:
    return replace(box(0.2, 0.2, 0.1), up=up)


def slope(angle: float) -> Conditions:
    """A block lying flat on a plane that is tilted by tilting gravity and the plane's own normal alike."""
    normal = (np.sin(angle), 0.0, np.cos(angle))
    return Conditions(
        obstacles=(Obstacle("plane", (0.0, 0.0, 0.0), normal=normal),),
        gravity=(0.0, 0.0, -G),
        damping=0.0,
        stiffness=0.0,
        base="free",
        seconds=1.0,
        fps=60.0,
    )


def on_slope(angle: float) -> Mesh:
    """The block turned so that it lies on the tilted plane through the origin."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    mesh = block()
    lifted = mesh.vertices - [0, 0, mesh.vertices[:, 2].min()]
    return mesh.with_vertices(lifted @ turn.T)


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_block_sticks_on_a_slope_below_the_friction_angle(friction):
    angle = np.arctan(0.9 * friction)
    motion = animate(rigid_space(on_slope(angle)), replace(slope(angle), friction=friction))
    assert np.linalg.norm(motion.bases[-1, :3, 3]) < 1e-3
    assert motion.kinetic[-1] < 1e-8


@pytest.mark.parametrize("friction", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_block_slides_at_its_closed_form_acceleration(friction, integrator):
    angle = np.arctan(1.5 * friction + 0.2)
    motion = animate(rigid_space(on_slope(angle)), replace(slope(angle), friction=friction, integrator=integrator))
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    speed = motion.velocities[:, :3] @ down
    acceleration = (speed[-1] - speed[10]) / (motion.time[-1] - motion.time[10])
    assert acceleration == pytest.approx(G * (np.sin(angle) - friction * np.cos(angle)), rel=0.02)
    assert np.abs(motion.bases[-1, 1, 3]) < 1e-3


def test_dropped_ball_lands_on_the_ground_and_stays():
    mesh = replace(sphere(0.1), up="z")
    conditions = Conditions(ground=True, ground_height=-0.5, base="free", seconds=1.5)
    motion = animate(rigid_space(mesh), conditions)
    impact = np.sqrt(2 * 0.4 / G)
    before = motion.time < impact - 0.02
    np.testing.assert_allclose(motion.bases[before, 2, 3], -0.5 * G * motion.time[before] ** 2, atol=0.02)
    lowest = motion.motion().frame(-1)[:, 2].min()
    assert lowest == pytest.approx(-0.5, abs=2e-3)
    assert motion.kinetic[-1] < 1e-3 * motion.kinetic.max()
    assert motion.contacts[-1] > 0


def test_nothing_sinks_through_obstacles():
    conditions = Conditions(
        obstacles=(
            Obstacle("sphere", (0.05, 0.0, -0.6), radius=0.3),
            Obstacle("box", (0.0, 0.0, -1.0), size=(4.0, 4.0, 0.2)),
        ),
        base="free",
        seconds=2.0,
    )
    motion = animate(rigid_space(block()), conditions).motion()
    for i in range(motion.frame_count):
        x = motion.frame(i)
        assert np.linalg.norm(x - [0.05, 0.0, -0.6], axis=1).min() > 0.3 - 2e-3
        assert x[:, 2].min() > -0.9 - 2e-3


def test_barrier_gaps_are_signed_distances():
    half = np.array([1.0, 2.0, 3.0])
    cube = BoxBarrier(np.zeros(3), half)
    x = np.random.default_rng(0).uniform(-4, 4, size=(500, 3))
    gap, normal = cube.measure_gap(x)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0)
    # Walking back along the normal by the gap ends on the surface.
    foot = x - gap[:, None] * normal
    assert np.abs(np.max(np.abs(foot) - half, axis=1)).max() < 1e-12
    outside = np.any(np.abs(x) > half, axis=1)
    assert np.array_equal(gap > 0, outside)


def test_pull_takes_the_point_there_and_lets_go():
    space = Articulated(chain(1))
    conditions = Conditions(pulls=(Pull((0.0, -0.5, 0.0), to=(0.3, -0.4, 0.0), end=0.5),), seconds=1.0, stiffness=1.0)
    motion = animate(space, conditions)
    held = motion.time <= 0.5
    angle = np.arctan2(0.3, 0.4)
    assert motion.states[held][-1, 0] == pytest.approx(angle, abs=1e-3)
    assert motion.pull_force[held][1:].min() > 0
    assert motion.pull_force[~held].max() == 0
    assert motion.states[-1, 0] < 0.9 * angle  # the spring takes it back


def test_pin_holds_a_point_of_a_free_body():
    space = FloatingBase(Articulated(chain(2)))
    conditions = Conditions(pins=(Pin((0.0, 0.05, 0.0)),), gravity=(3.0, -G, 0.0), seconds=1.0)
    motion = animate(space, conditions).motion()
    top = np.argmin(np.linalg.norm(space.mesh.vertices - [0.05, 0.05, 0.05], axis=1))
    pinned = np.array([0.0, 0.05, 0.0])
    distance = [np.linalg.norm(motion.frame(i)[top] - pinned) for i in range(motion.frame_count)]
    np.testing.assert_allclose(distance, distance[0], atol=1e-3)
    assert np.linalg.norm(motion.frame(-1) - motion.frame(0), axis=1).max() > 0.1


def test_limits_hold_against_pulls_and_gravity():
    space = Articulated(chain(1, lower=-0.2, upper=0.2))
    pulled = animate(space, Conditions(pulls=(Pull((0.0, -0.5, 0.0), by=(0.5, 0.2, 0.0)),), seconds=1.0))
    assert pulled.states.max() < 0.2 + 1e-3
    fallen = animate(space, Conditions(gravity=(G, 0.0, 0.0), seconds=2.0))
    assert fallen.states[-1, 0] == pytest.approx(0.2, abs=0.02)


def test_start_and_velocity_are_met():
    space = Articulated(chain(1))
    conditions = Conditions(
        starts=(Start((0.0, -0.5, 0.0), (0.3, 0.1, 0.0)),),
        velocities=(Velocity((0.0, -0.5, 0.0), (0.4, 0.3, 0.0)),),
    )
    motion = animate(space, conditions)
    assert motion.states[0, 0] == pytest.approx(np.arctan2(0.3, 0.4), abs=1e-4)
    # The tip moves along (0.4, 0.3): one unit per radian and half a metre.
    assert motion.velocities[0, 0] == pytest.approx(1.0, rel=1e-3)


WILD = {
    "stiff": Conditions(stiffness=1e6, starts=(Start((0.0, -1.0, 0.0), (0.3, 0.1, 0.0)),)),
    "damped": Conditions(damping=1e6, gravity=(G, 0, 0)),
    "storm": Conditions(wind=(300.0, 40.0, -80.0), mass=1e-3),
    "blow": Conditions(pushes=(Push((0.0, -1.0, 0.0), (1e6, 0.0, 0.0)),)),
    "fling": Conditions(velocities=(Velocity((0.0, -1.0, 0.0), (1e5, 0.0, 0.0)),)),
    "jerk": Conditions(pulls=(Pull((0.0, -1.0, 0.0), by=(50.0, 20.0, 0.0), end=0.01),)),
    "heavy": Conditions(gravity=(0.0, 1e5, 0.0), ground=True, base="free"),
    "cannon": Conditions(base="free", ground=True, velocities=(Velocity((0.0, -1.0, 0.0), (1e4, -1e4, 0.0)),)),
    "coarse": Conditions(dt=0.1, fps=10.0, gravity=(G, -G, 0)),
    "sunk": Conditions(base="free", ground=True, ground_height=0.3),
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", WILD)
def test_no_documented_option_explodes(name, integrator):
    space = Articulated(chain(2, lower=-1.5, upper=1.5))
    conditions = replace(WILD[name], integrator=integrator, seconds=0.5)
    motion = animate(space, conditions)
    assert np.all(np.isfinite(motion.states)) and np.all(np.isfinite(motion.total))
    if conditions.base == "fixed":
        assert np.abs(motion.states).max() < 1.5 * 3
    else:
        assert np.linalg.norm(motion.bases[:, :3, 3], axis=1).max() < 2e5


def test_particles_under_a_pull_stay_finite():
    motion = animate(
        Particles(block(), 12), Conditions(pulls=(Pull((0.1, 0.1, 0.05), by=(0.1, 0.0, 0.1)),), seconds=0.5)
    )
    assert np.all(np.isfinite(motion.states)) and np.abs(motion.states).max() > 0.05


def test_same_seed_same_states():
    runs = [animate(Articulated(chain(3)), Conditions(seconds=0.3, seed=7)).states for _ in range(2)]
    assert np.array_equal(*runs)
    other = animate(Articulated(chain(3)), Conditions(seconds=0.3, seed=8)).states
    assert not np.array_equal(runs[0], other)


def test_a_point_that_belongs_in_one_barrier_still_meets_the_others():
    low, high = (PlaneBarrier(np.array([0, 0, z]), np.array([0, 0, 1.0])) for z in (0.0, 1.0))
    rows = np.array([[0.2, 0.0, -0.1], [0.4, 0.0, 0.5]])  # the first is below both planes, the second below one
    within = np.array([[False, False], [True, True]])
    contacts = Contacts(csr_matrix(np.eye(2)), np.ones(2), np.zeros(2), (low, high), 1e-4, within)
    near = contacts.find_near(rows, 0.01)
    assert near.count == 1 and near.gap[0] == pytest.approx(-0.1) and near.position[0] == pytest.approx(rows[0])
    assert contacts.may_touch(rows, (np.zeros_like(rows),), 0.01)
    assert not contacts.may_touch(rows + [0, 0, 0.3], (np.zeros_like(rows),), 0.01)
