"""What a part is made of, the air, and windows of time, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.errors import OptionError
from neurok.geometry.articulation import Inertia
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box, sphere
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.mechanics.candidates import contact_points, hull_corners, outermost
from neurok.mechanics.conditions import Conditions, Obstacle, PartProperties, Pin, Pull, Push, Velocity
from neurok.mechanics.forces import AIR, DRAG
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build
from neurok.mechanics.simulate import State, animate, simulate
from tests.mechanics.objects import chain

G = 9.81
STILL = Conditions(gravity=(0.0, 0.0, 0.0), damping=0.0, stiffness=0.0, limits=False)
TIP = (0.0, -0.5, 0.0)


def two_blocks() -> Mesh:
    """Two cubes side by side as one rigid body, named left and right."""
    cube = box(0.1, 0.1, 0.1)
    sides = [cube.with_vertices(cube.vertices + [x, 0.0, 0.0]) for x in (-0.2, 0.2)]
    return replace(merge(sides, names=["left", "right"]), up="z")


# ---------------------------------------------------------------- parts


def test_density_of_a_part_is_its_mass_over_its_volume():
    wishes = replace(STILL, parts={"bar 0": PartProperties(density=1200.0)})
    scene = build(Articulated(chain(2)), wishes)
    leader = scene.system.space.skin.leader[scene.masses.where.corners[:, 0]]
    mass = np.bincount(leader, scene.masses.mass)
    volume = 0.05 * 0.5 * 0.08
    np.testing.assert_allclose(mass, [500 * 0.1**3, 1200 * volume, 500 * volume], rtol=0.02)


def test_stiffness_of_a_part_is_that_of_its_joint():
    """One hertz at stiffness 1, so two hertz where the part's is 4: the other joint swings as before."""
    space = Articulated(chain(2))
    plain, stiff = (
        np.diagonal(build(space, replace(STILL, stiffness=1.0, parts=parts)).system.stiffness)
        for parts in ({}, {"bar 1": PartProperties(stiffness=4.0)})
    )
    assert stiff[1] == pytest.approx(4 * plain[1], rel=1e-9)  # the second joint carries the second bar alone
    assert plain[0] < stiff[0] < 4 * plain[0]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_damping_of_a_turning_bar_decays_exponentially(integrator):
    """M v' = -alpha M v: v = v0 exp(-alpha t), whatever the mass."""
    space, rate = Articulated(chain(1)), 1.7
    wishes = replace(STILL, damping=rate, seconds=1.0, integrator=integrator, velocities=(Velocity(TIP, (1.0, 0, 0)),))
    motion = animate(space, wishes)
    expected = motion.velocities[0, 0] * np.exp(-rate * motion.time)
    # The first-order scheme: (1 + alpha h)^-n, ahead of the exponential by alpha^2 h t / 2.
    slack = rate**2 / 240 / 2 if integrator == "euler" else 1e-4
    np.testing.assert_allclose(motion.velocities[:, 0], expected, rtol=1.1 * slack)
    assert np.all(np.diff(motion.total) < 0)


def test_damping_of_a_part_damps_that_part_alone():
    space = Articulated(chain(2))
    wishes = replace(STILL, stiffness=1.0, parts={"bar 1": PartProperties(damping=2.0)})
    system = build(space, wishes).system
    still = evaluate(system, space, np.zeros(2), np.zeros(2), 0.0)
    # Turning the first joint against the second so that bar 1 only shifts, or not at all, changes what is lost.
    assert still.damping[1, 1] > 2.0 * 0.99 * still.mass[1, 1]
    first_only = build(space, replace(wishes, parts={"bar 0": PartProperties(damping=2.0)})).system
    assert evaluate(first_only, space, np.zeros(2), np.zeros(2), 0.0).damping[1, 1] == 0.0
    assert not first_only.stiffness_damping[1].any() and first_only.wall_damping[1] == 0.0


def test_friction_of_a_part_brakes_that_side():
    """A sledge with one rough runner turns towards it; its deceleration is that of half its weight."""
    wishes = Conditions(
        base="free",
        ground=True,
        friction=0.0,
        damping=0.0,
        seconds=0.2,
        parts={"left": PartProperties(friction=0.4)},
        velocities=tuple(Velocity((x, 0.0, 0.0), (0.0, 1.0, 0.0)) for x in (-0.2, 0.2)),
    )
    motion = animate(rigid_space(two_blocks()), wishes)
    slowed = (motion.velocities[0, 1] - motion.velocities[-1, 1]) / motion.time[-1]
    assert slowed == pytest.approx(0.4 * G / 2, rel=0.1)
    assert motion.velocities[-1, 5] > 0.1  # counter-clockwise from above: the right side gets ahead
    even = animate(rigid_space(two_blocks()), replace(wishes, parts={}))
    assert even.velocities[-1, 1] == pytest.approx(1.0, rel=1e-3) and abs(even.velocities[-1, 5]) < 1e-3


@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_friction_of_an_obstacle_holds_instead_of_the_objects(friction):
    mesh = replace(box(0.2, 0.2, 0.1), up="z")
    floor = Obstacle("box", (0.0, 0.0, -0.15), size=(9.0, 9.0, 0.2), friction=friction)
    wishes = Conditions(
        base="free",
        obstacles=(floor,),
        friction=0.9,
        damping=0.0,
        seconds=0.4,
        velocities=tuple(Velocity((x, 0.0, 0.0), (2.0, 0.0, 0.0)) for x in (-0.1, 0.1)),
    )
    motion = animate(rigid_space(mesh), wishes)
    slowed = (motion.velocities[0, 0] - motion.velocities[-1, 0]) / motion.time[-1]
    assert slowed == pytest.approx(friction * G, rel=0.02)


# ---------------------------------------------------------------- air


def test_wind_carries_a_free_body_along():
    """Nothing but drag: the body takes on the speed of the air, m v' = rho C A (w - v)^2 / 2 on the way."""
    mesh, wind, mass = box(0.02, 1.0, 1.0), 8.0, 0.5
    wishes = replace(STILL, base="free", wind=(wind, 0.0, 0.0), mass=mass, seconds=2.0)
    motion = animate(FloatingBase(rigid_space(mesh)), wishes)
    rate = AIR * DRAG * 1.0 / 2 / mass
    np.testing.assert_allclose(motion.velocities[:, 0], wind * (1 - 1 / (1 + rate * wind * motion.time)), rtol=0.01)


def test_falling_plate_reaches_its_terminal_velocity():
    """m g = rho C A v^2 / 2, with the air blowing upwards at that speed: the plate hovers."""
    mesh, mass = replace(box(1.0, 1.0, 0.02), up="z"), 0.5
    terminal = np.sqrt(2 * mass * G / (AIR * DRAG * 1.0))
    wishes = replace(STILL, gravity=(0.0, 0.0, -G), base="free", wind=(0.0, 0.0, terminal), mass=mass, seconds=1.0)
    motion = animate(FloatingBase(rigid_space(mesh)), wishes)
    assert np.abs(motion.velocities[:, 2]).max() < 0.02 * terminal


# ---------------------------------------------------------------- windows of time


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_push_shorter_than_a_step_gives_its_whole_impulse(integrator):
    wishes = replace(
        STILL,
        base="free",
        mass=2.0,
        seconds=0.1,
        integrator=integrator,
        pushes=tuple(Push((x, 0.0, 0.0), (30.0, 0.0, 0.0), 0.0011, 0.0021) for x in (-0.05, 0.05)),
    )
    motion = animate(rigid_space(box(0.1, 0.1, 0.1)), wishes)
    assert motion.velocities[-1, 0] == pytest.approx(60.0 * 0.001 / 2.0, rel=1e-4)


def test_pull_lets_go_at_its_end_between_two_steps():
    """A slider drawn at constant speed keeps that speed from the very moment it is let go."""
    space = Articulated(chain(1, kind="prismatic", axis=np.array([1.0, 0.0, 0.0])))
    end, speed = 0.1234, 0.5
    wishes = replace(STILL, seconds=0.5, pulls=(Pull(TIP, by=(speed * end, 0.0, 0.0), end=end),))
    motion = animate(space, wishes)
    np.testing.assert_allclose(motion.states[:, 0], speed * motion.time, atol=1e-6)
    assert motion.pull_force[motion.time > end + 1 / 30].max() == 0.0


def test_pull_follows_a_path_of_places():
    space = Articulated(chain(1, kind="prismatic", axis=np.array([1.0, 0.0, 0.0])))
    path = tuple((t, x, *TIP[1:]) for t, x in ((0.0, 0.0), (0.3, 0.2), (0.5, 0.2), (1.0, -0.1)))
    motion = animate(space, replace(STILL, seconds=1.0, pulls=(Pull(TIP, path=path),)))
    places = np.interp(motion.time, [row[0] for row in path], [row[1] for row in path])
    np.testing.assert_allclose(motion.states[:, 0], places, atol=1e-5)


def test_status_tells_of_a_pull_that_could_not_be_followed():
    space = Articulated(chain(1, lower=-0.1, upper=0.1))
    far, near = (
        animate(space, replace(STILL, limits=True, seconds=0.5, pulls=(Pull(TIP, by=(x, 0.0, 0.0)),)))
        for x in (0.4, 0.02)
    )
    assert "could not follow pull 1" in far.status
    assert "could not follow" not in near.status


@pytest.mark.parametrize("window", [{"start": 0.5, "end": 0.5}, {"start": -1.0, "end": 1.0}, {"end": np.nan}])
def test_wishes_that_last_no_time_are_refused(window):
    with pytest.raises(OptionError, match="pull"):
        Pull(TIP, by=(0.1, 0.0, 0.0), **window)


def test_released_state_respects_pins():
    space = Articulated(chain(2))
    motion = animate(space, Conditions(pins=(Pin(TIP),), seconds=0.3))  # the lower end of the first bar
    assert np.abs(motion.states[:, 0]).max() < 1e-4
    assert np.ptp(motion.states[:, 1]) > 0.01


# ---------------------------------------------------------------- masses


def with_inertia(tensor: float) -> Articulated:
    tree = chain(1)
    stated = Inertia(2.0, np.array([0.0, -0.25, 0.0]), tensor * np.eye(3))
    return Articulated(replace(tree, links=(tree.links[0], replace(tree.links[1], inertia=stated))))


def test_status_tells_where_the_mass_comes_from():
    wishes = replace(STILL, seconds=0.1)
    assert "mass 2 kg (stated by the file)" in animate(with_inertia(0.02), wishes).status
    assert "link 'bar 0' does not fit its shape" in animate(with_inertia(5.0), wishes).status
    assert "fit its shape" not in animate(with_inertia(5.0), replace(wishes, mass=3.0)).status
    assert "asked for" in animate(with_inertia(5.0), replace(wishes, mass=3.0)).status


def test_status_tells_a_volume_from_a_shell():
    """A closed cube weighs density x volume; without its last face, density x area x 0.5 % of its diagonal."""
    cube, wishes = box(0.2, 0.2, 0.2), replace(STILL, base="free", density=1000.0, seconds=0.1)
    whole = animate(rigid_space(cube), wishes).status
    assert "mass 8 kg (density x volume)" in whole
    opened = animate(rigid_space(Mesh(cube.vertices, cube.faces[:-1])), wishes).status
    kilograms = 1000 * (6 - 0.5) * 0.04 * 0.005 * 0.2 * np.sqrt(3)
    assert f"mass {kilograms:.3g} kg (density x area x 0.5% of the diagonal, as a thin shell" in opened
    assert "volume" not in opened


def test_status_counts_links_that_are_shells():
    tree = chain(2)
    kept = np.arange(tree.mesh.face_count) != tree.mesh.face_count - 1  # the last bar is open
    opened = replace(tree, mesh=select_faces(tree.mesh, kept))
    found = animate(Articulated(opened), replace(STILL, seconds=0.1)).status
    assert "density x volume, and 1 of 3 links as thin shells" in found


def test_two_joints_about_one_axis_are_no_singularity():
    """Nothing hangs between them: the mass matrix alone does not say which of the two turns."""
    tree = chain(2)
    origin = tree.links[1].T_world_link
    links = (tree.links[0], tree.links[1], replace(tree.links[2], T_world_link=origin))
    joints = (tree.joints[0], replace(tree.joints[1], origin=np.eye(4)))
    of_links = np.where(tree.vertex_link == 1, 2, tree.vertex_link)
    space = Articulated(replace(tree, links=links, joints=joints, vertex_link=of_links))
    motion = animate(space, replace(STILL, gravity=(G, 0.0, 0.0), seconds=0.5, velocities=(Velocity(TIP, (1, 0, 0)),)))
    assert np.all(np.isfinite(motion.states)) and "limited" not in motion.status
    assert np.ptp(motion.states.sum(axis=1)) > 0.1


# ---------------------------------------------------------------- contact


def test_corners_of_every_link_are_candidates():
    tree = chain(3)
    points = contact_points(Articulated(tree), seed=0).position
    for corner in tree.mesh.vertices:
        assert np.linalg.norm(points - corner, axis=1).min() < 1e-12


def test_hull_corners_of_solid_flat_straight_and_single():
    rng = np.random.default_rng(0)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    inside = rng.uniform(0.1, 0.9, size=(50, 3))
    assert set(hull_corners(np.concatenate([corners, inside]))) == set(range(8))
    flat = np.concatenate([corners[:4], inside[:5] * [0, 1, 1]])  # x = 0: a square and points within
    assert set(hull_corners(flat)) == {0, 1, 2, 3}
    line = np.outer([0.3, 0.0, 1.0, 0.5], [1.0, 2.0, 3.0])
    assert set(hull_corners(line)) == {1, 2}
    assert list(hull_corners(np.zeros((3, 3)))) == [0]


def test_outermost_points_of_a_ball_keep_it_round():
    ball = sphere(1.0).vertices
    some = ball[outermost(ball, 512)]
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    # Every direction is within a tenth of a radian of one of 512 even ones: cos 0.1 = 0.995.
    assert np.max((ball @ directions.T).max(axis=0) - (some @ directions.T).max(axis=0)) < 5e-3


def test_many_joints_land_without_sinking_or_gaining_energy():
    """A long chain dropped flat: more contacts than any fixed few, no damping, and energy only ever falls."""
    tree = chain(12, length=0.1)
    mesh = tree.mesh
    lying = Articulated(replace(tree, mesh=replace(mesh, up="z")))
    wishes = Conditions(base="free", ground=True, ground_height=-0.4, damping=0.0, seconds=1.0)
    trajectory = animate(lying, wishes)
    motion = trajectory.motion()
    lowest = min(motion.frame(i)[:, 2].min() for i in range(motion.frame_count))
    assert lowest > -0.4 - 1e-3 * mesh.diagonal
    assert np.diff(trajectory.total).max() < 1e-3 * trajectory.kinetic.max()
    assert trajectory.kinetic[-1] < 1e-6 * trajectory.kinetic.max()


def test_body_within_an_obstacle_comes_out_of_it():
    mesh = replace(box(0.2, 0.2, 0.2), up="z")
    block = Obstacle("box", (0.0, 0.0, -0.5), size=(1.0, 1.0, 0.9))  # its top at -0.05, within the body
    motion = animate(rigid_space(mesh), Conditions(base="free", obstacles=(block,), seconds=1.0))
    assert motion.motion().frame(-1)[:, 2].min() > -0.05 - 1e-3
    assert "limited" not in motion.status and motion.kinetic[-1] < 1e-6


def test_first_time_is_zero_whatever_the_state_says():
    space = Articulated(chain(1))
    wishes = replace(STILL, gravity=(0.0, -G, 0.0), seconds=0.2)
    scene = build(space, wishes)
    runs = [simulate(scene, State(space, np.array([0.3]), np.zeros(1), t), wishes).states for t in (0.0, 7.0)]
    assert np.array_equal(*runs)
