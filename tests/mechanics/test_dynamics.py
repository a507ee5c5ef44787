"""Lagrangian dynamics against closed forms, textbook equations and the explicit Christoffel sum."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from neurok.geometry.articulation import Inertia
from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.mechanics.conditions import Conditions, PartProperties, Push
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.lagrangian import compute_momenta, compute_pose_terms, evaluate
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import State, animate, simulate
from tests.kinematics.particles import Particles
from tests.kinematics.test_kinematics import twists
from tests.mechanics.objects import chain
from tests.mechanics.oracles import Sphere, christoffel_term, measured_bodies

G = 9.81
SWING = Conditions(gravity=(0.0, -G, 0.0), damping=0.0, stiffness=0.0, limits=False)


def run(space, conditions, q, v):
    scene = build_scene(space, conditions)
    return scene, simulate(scene, State(space, np.array(q, float), np.array(v, float), 0.0), conditions)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("make", [lambda: Articulated(chain(4)), lambda: FloatingBase(Articulated(chain(2)))])
def test_velocity_term_equals_christoffel_sum(make, dense):
    space = make()
    scene = build_scene(space, SWING, dense=dense, mass_count=200)
    rng = np.random.default_rng(1)
    q, v = 0.5 * rng.normal(size=space.size), rng.normal(size=space.size)
    ours = evaluate(scene.system, space, q, v, 0.0).velocity_term
    masses = torch.from_numpy(scene.masses.mass)
    explicit = christoffel_term(
        lambda s: space.positions(s, scene.masses.where), masses, torch.from_numpy(q), torch.from_numpy(v)
    )
    np.testing.assert_allclose(ours, explicit, atol=1e-8 * np.abs(explicit).max())


def test_bones_and_points_give_the_same_terms():
    """The skin's 4 x 4 moments are exact: every term equals that of the points themselves."""
    space = FloatingBase(Articulated(chain(3)))
    conditions = replace(SWING, stiffness=1.0, damping=0.7, wind=(3.0, 0.0, 1.0), limits=True)
    q = np.random.default_rng(0).normal(size=space.size) * 0.3
    v = np.random.default_rng(1).normal(size=space.size)
    systems = [build_scene(space, conditions, dense=dense, mass_count=300).system for dense in (False, True)]
    fast, slow = (evaluate(system, space, q, v, 0.0) for system in systems)
    for name in ("mass", "velocity_term", "force", "damping", "stiffness", "kinetic", "potential"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-9, atol=1e-12, err_msg=name)
    fast, slow = (compute_momenta(system, space, q, v, 0.0) for system in systems)
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: Articulated(chain(3)),
        lambda: FloatingBase(Articulated(chain(2))),
        twists,
        lambda: FloatingBase(twists()),
    ],
)
def test_momenta_are_those_of_the_mass_matrix_and_the_slope_of_the_energy(make, dense):
    """p = M v; its rate is the slope of the kinetic energy, by differences, and what `evaluate` says of forces."""
    space = make()
    parts = {space.mesh.parts[0].name: PartProperties(damping=0.3)} if space.mesh.parts else {}
    push = Push((0.0, 0.0, 0.0), (1.0, -2.0, 0.5), 0.0, 1.0)
    conditions = replace(
        SWING, stiffness=1.0, damping=0.7, wind=(3.0, 0.0, 1.0), limits=True, pushes=(push,), parts=parts
    )
    system = build_scene(space, conditions, dense=dense, mass_count=100).system
    q, v = np.random.default_rng(0).normal(size=(2, space.size)) * np.array([[0.3], [1.0]])
    p, rate = compute_momenta(system, space, q, v, 0.1)
    terms, s = evaluate(system, space, q, v, 0.1), 1e-6
    kinetic = [
        [0.5 * v @ compute_pose_terms(system, space, q + x * e).mass @ v for x in (-s, s)] for e in np.eye(space.size)
    ]
    slope = np.diff(kinetic, axis=1)[:, 0] / (2 * s)
    np.testing.assert_allclose(p, terms.mass @ v, rtol=1e-9, atol=1e-9 * np.abs(p).max())
    np.testing.assert_allclose(rate, terms.force + slope, rtol=1e-5, atol=1e-6 * np.abs(rate).max())


def test_terms_after_a_pose_are_those_of_one_go():
    space = FloatingBase(twists())
    system = build_scene(space, replace(SWING, stiffness=1.0, damping=0.7)).system
    q, v = np.random.default_rng(0).normal(size=(2, space.size)) * 0.3
    whole, after = (evaluate(system, space, q, v, 0.0, known=k) for k in (None, compute_pose_terms(system, space, q)))
    for name in ("mass", "velocity_term", "force", "damping", "kinetic", "potential"):
        np.testing.assert_allclose(getattr(after, name), getattr(whole, name), rtol=1e-9, atol=1e-12, err_msg=name)


def test_force_is_minus_the_slope_of_the_potential():
    space = Articulated(chain(3, lower=-0.3, upper=0.3))
    scene = build_scene(space, replace(SWING, stiffness=1.0, limits=True))
    q, zero, h = np.array([0.2, 0.5, -0.6]), np.zeros(3), 1e-6
    force = evaluate(scene.system, space, q, zero, 0.0).force
    for i in range(3):
        step = h * np.eye(3)[i]
        up, down = (evaluate(scene.system, space, x, zero, 0.0).potential for x in (q + step, q - step))
        assert force[i] == pytest.approx(-(up - down) / (2 * h), rel=1e-6)


def test_pendulum_period_is_the_elliptic_integral():
    theta = 1.2
    scene, motion = run(Articulated(chain(1)), replace(SWING, seconds=3.0, fps=240.0), [theta], [0.0])
    ((m, centre, tensor),) = measured_bodies(scene, ["bar 0"])
    lever = np.linalg.norm(centre[:2])
    inertia = tensor[2, 2] + m * lever**2
    phase = np.arctan2(centre[0], -centre[1])  # samples are not quite symmetric about the bar
    period = 4 * np.sqrt(inertia / (m * G * lever)) * ellipk(np.sin((theta + phase) / 2) ** 2)
    # The speed at each turning point changes sign; three of them span one period.
    speed, time = motion.velocities[:, 0], motion.time
    flips = np.flatnonzero((speed[1:-1] > 0) != (speed[2:] > 0)) + 1
    turns = [time[i] - speed[i] * (time[i + 1] - time[i]) / (speed[i + 1] - speed[i]) for i in flips]
    assert turns[1] == pytest.approx(period, rel=1e-4)


def test_double_pendulum_follows_its_textbook_equations():
    scene, motion = run(
        Articulated(chain(2)), replace(SWING, integrator="rk4", dt=1 / 960, seconds=2.0), [1.1, -0.4], [0.5, -1.0]
    )
    (m1, c1, i1), (m2, c2, i2) = measured_bodies(scene, ["bar 0", "bar 1"])
    l1, lc1, lc2 = 0.5, c1[:2], c2[:2] - np.array([0.0, -0.5])

    def textbook(_, y):
        """Absolute angles a = q1, b = q1 + q2; centres rotate rigidly: r1 = R(a) lc1, r2 = R(a)(0,-l1) + R(b) lc2."""
        a, b, da, db = y
        hinge = np.array([0.0, -l1])

        def turn(t):
            return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])

        quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
        u1, p, u2 = turn(a) @ lc1, turn(a) @ hinge, turn(b) @ lc2
        M = np.array(
            [
                [i1[2, 2] + m1 * lc1 @ lc1 + m2 * l1**2, m2 * p @ u2],
                [m2 * p @ u2, i2[2, 2] + m2 * lc2 @ lc2],
            ]
        )
        cross = m2 * (p @ (quarter @ u2))
        rhs = np.array([-db * db * cross, da * da * cross])
        rhs += np.array([-m1 * G * u1[0] - m2 * G * p[0], -m2 * G * u2[0]])
        return np.concatenate([[da, db], np.linalg.solve(M, rhs)])

    start = [1.1, 0.7, 0.5, -0.5]
    exact = solve_ivp(textbook, (0, 2.0), start, t_eval=motion.time, rtol=1e-12, atol=1e-13, method="DOP853").y
    ours = np.stack([motion.states[:, 0], motion.states.sum(axis=1)])
    assert np.abs(ours - exact[:2]).max() < 1e-6
    assert np.abs(exact[1] - exact[1, 0]).max() > 1.0


def test_particle_on_a_sphere_follows_a_great_circle():
    space = Sphere()
    scene = build_scene(space, replace(SWING, gravity=(0.0, 0.0, 0.0), mass=1.0), mass_count=4)
    conditions = replace(SWING, gravity=(0.0, 0.0, 0.0), seconds=3.0, integrator="rk4", dt=1 / 60)
    motion = simulate(scene, State(space, np.array([0.2, 0.5]), np.array([0.9, -0.6]), 0.0), conditions)
    where = scene.masses.where.subset([0])
    x = np.stack([space.positions(torch.from_numpy(q), where).numpy()[0] for q in motion.states])
    normal = np.cross(x[0], x[1]) / np.linalg.norm(np.cross(x[0], x[1]))
    assert np.abs(x @ normal).max() < 1e-7
    angle = np.unwrap(np.arctan2(np.cross(normal, x[0]) @ x.T, x @ x[0]))
    speed = np.hypot(0.9 * np.cos(0.5), 0.6)
    np.testing.assert_allclose(angle, speed * motion.time, atol=1e-7)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_measured_order_is_the_declared_order(name):
    space = Articulated(chain(2))
    conditions = replace(SWING, seconds=0.5, fps=2.0, integrator=name, stiffness=1.0, damping=0.5)
    # Steps small enough for the asymptotic range, large enough to stay above rounding.
    counts = {1: (256, 512, 1024), 2: (32, 64, 128), 4: (32, 64, 128)}[INTEGRATORS[name].order]
    ends = []
    for count in (*counts, 2048):
        scheme = "rk4" if count == 2048 else name
        _, motion = run(space, replace(conditions, dt=0.5 / count, integrator=scheme), [0.9, -0.7], [0.0, 1.0])
        assert "halved" not in motion.status
        ends.append(np.concatenate([motion.states[-1], motion.velocities[-1]]))
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    slope = np.polyfit(np.log([0.5 / c for c in counts]), np.log(errors), 1)[0]
    assert slope == pytest.approx(INTEGRATORS[name].order, abs=0.25)


def test_midpoint_keeps_energy():
    _, motion = run(Articulated(chain(3)), replace(SWING, seconds=10.0), [0.8, -0.5, 0.4], [0, 0, 0])
    assert motion.drift < 1e-3
    assert np.ptp(motion.potential) > 0.5 * motion.kinetic.max()


def test_free_fall():
    space = FloatingBase(Articulated(chain(2)))
    _, motion = run(space, replace(SWING, seconds=1.0), space.rest, [0, 1, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(motion.bases[:, 1, 3], motion.time - G / 2 * motion.time**2, atol=1e-9)
    assert np.abs(motion.states[:, 6:]).max() < 1e-9


def test_torque_free_rotation_follows_eulers_equations():
    """A block spun about its middle axis tumbles: compared with Euler's equations for the same point masses."""
    space = FloatingBase(rigid_space(box(0.3, 0.2, 0.1)))
    conditions = replace(SWING, gravity=(0.0, 0.0, 0.0), seconds=2.0, dt=1 / 480)
    scene = build_scene(space, conditions)
    m, x = scene.masses.mass, scene.masses.where.position
    centre = m @ x / m.sum()
    d = x - centre
    second = np.einsum("i,ij,ik->jk", m, d, d)
    tensor = np.trace(second) * np.eye(3) - second
    spin = np.array([0.6, 5.0, 0.4])
    v = np.concatenate([np.cross(spin, space.centre - centre), spin])  # the centre of mass stays put
    motion = simulate(scene, State(space, np.zeros(6), v, 0.0), conditions)

    def euler(_, y):
        w = y[:3]
        R = y[3:].reshape(3, 3)
        skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([np.linalg.solve(tensor, -np.cross(w, tensor @ w)), (R @ skew).ravel()])

    start = np.concatenate([spin, np.eye(3).ravel()])
    exact = solve_ivp(euler, (0, 2.0), start, t_eval=motion.time, rtol=1e-11, atol=1e-12).y[3:].T.reshape(-1, 3, 3)
    assert np.abs(motion.bases[:, :3, :3] - exact).max() < 5e-3
    assert np.abs(exact[:, 1, 1]).min() < 0.9  # it really leaves its axis
    assert motion.drift < 1e-6
    momentum = [R @ tensor @ R.T @ v[3:6] for R, v in zip(motion.bases[:, :3, :3], motion.velocities)]
    np.testing.assert_allclose(
        momentum, np.tile(momentum[0], (len(momentum), 1)), rtol=0, atol=1e-6 * np.linalg.norm(momentum[0])
    )


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_constant_force_gives_half_f_over_m_t_squared(integrator):
    force = (1.5, 0.0, 0.0)
    conditions = Conditions(
        gravity=(0.0, 0.0, 0.0),
        damping=0.0,
        stiffness=0.0,
        mass=2.0,
        seconds=1.0,
        base="free",
        integrator=integrator,
        fps=10.0,
        # Pushed through the centre from both sides at once, so that it does not turn.
        pushes=tuple(Push((x, 0.0, 0.0), force, 0.0, 10.0) for x in (-0.05, 0.05)),
    )
    motion = animate(rigid_space(box(0.1, 0.1, 0.1)), conditions)
    # The first-order scheme is ahead by exactly one step's share: t (t + h) / 2 instead of t^2 / 2.
    ahead = 1 / 240 if integrator == "euler" else 0.0
    assert motion.bases[-1, 0, 3] == pytest.approx(0.5 * (3.0 / 2.0) * (1.0 + ahead), rel=1e-4)


def test_particles_fall_together():
    space = Particles(box(0.1, 0.1, 0.1), 8)
    conditions = replace(SWING, gravity=(0.0, 0.0, -G), seconds=0.5)
    motion = animate(space, conditions)
    fallen = motion.motion().frame(-1) - space.mesh.vertices
    np.testing.assert_allclose(fallen, np.tile([0, 0, -G / 2 * 0.25], (len(fallen), 1)), atol=1e-6)


@pytest.mark.parametrize("stated", [False, True])
def test_units_do_not_matter(stated):
    """The same pendulum in small units (a power of two, so that rounding is the same too) swings the same."""
    tree = chain(1)
    if stated:  # masses that a file states are in metres, whatever its unit
        inertia = Inertia(2.0, np.array([0.0, -0.3, 0.0]), 0.01 * np.eye(3))
        tree = replace(tree, links=(tree.links[0], replace(tree.links[1], inertia=inertia)))
        assert Articulated(tree).stated_masses.moments is not None
    mesh = replace(tree.mesh, vertices=tree.mesh.vertices * 128, unit=1 / 128)
    links = tuple(replace(l, T_world_link=_scaled(l.T_world_link)) for l in tree.links)
    joints = tuple(replace(j, origin=_scaled(j.origin)) for j in tree.joints)
    conditions = replace(SWING, seconds=1.0)
    _, metres = run(Articulated(tree), conditions, [0.7], [0.0])
    _, small = run(Articulated(replace(tree, mesh=mesh, links=links, joints=joints)), conditions, [0.7], [0.0])
    np.testing.assert_allclose(small.states, metres.states, atol=1e-9)
    np.testing.assert_allclose(small.kinetic, metres.kinetic, rtol=1e-6, atol=1e-12)


def _scaled(T):
    T = T.copy()
    T[:3, 3] *= 128
    return T
