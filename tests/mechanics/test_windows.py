"""Windows of steps: against single steps, one momentum at a time, and the plain inverse."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.twists import Twists
from neurok.mechanics import free_run, windows
from neurok.mechanics.conditions import Conditions, Pull, Push
from neurok.mechanics.free_run import FreeRun
from neurok.mechanics.integrators import StepFailed
from neurok.mechanics.lagrangian import compute_many_momenta, compute_momenta, evaluate
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import animate, find_first_state
from neurok.mechanics.trajectory import Trajectory
from neurok.mechanics.windows import WINDOW_STEPS, WindowSolver, WindowStart
from tests.kinematics.test_kinematics import twists
from tests.mechanics.objects import chain

SAME = 1e-5  # of the greatest value: what windows may differ from single steps
FALL = Conditions(
    seconds=0.5, dt=1 / 240, gravity=(0.0, -2.0, -9.0), state=(0.3, -0.2, 0.1, 0.2), stiffness=1.0, damping=0.3
)


@pytest.fixture
def counted(monkeypatch) -> list[int]:
    """How many steps each free run took."""
    counts: list[int] = []
    plain = FreeRun.run

    def run(self, state, step, last):
        found = plain(self, state, step, last)
        counts.append(0 if found is None else found.count)
        return found

    monkeypatch.setattr(FreeRun, "run", run)
    return counts


def animate_singly(space: Twists, conditions: Conditions) -> Trajectory:
    """The slow twin: the same simulation step by step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FreeRun, "run", lambda *_: None)
        return animate(space, conditions)


def assert_same(found: Trajectory, wanted: Trajectory) -> None:
    for name in ("states", "velocities", "kinetic", "potential", "pull_force"):
        a, b = getattr(found, name), getattr(wanted, name)
        np.testing.assert_allclose(a, b, atol=SAME * max(np.abs(b).max(), 1e-12), err_msg=name)
    assert found.status == wanted.status
    np.testing.assert_array_equal(found.time, wanted.time)


@pytest.mark.parametrize("wind", [(0.0, 0.0, 0.0), (3.0, 1.0, 0.0)])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_windows_are_single_steps(wind, damping, counted):
    conditions = replace(FALL, wind=wind, damping=damping)
    found = animate(twists(), conditions)
    assert sum(counted) > 0.8 * conditions.seconds / conditions.dt
    assert_same(found, animate_singly(twists(), conditions))


def test_windows_end_where_pushes_and_pulls_do(counted):
    space = twists()
    where = tuple(space.mesh.vertices[0])
    push = Push(point=where, force=(0.0, 0.5, 0.0), start=0.11, end=0.2)
    pull = Pull(point=where, by=(0.02, 0.0, 0.0), start=0.3, end=0.35)
    conditions = replace(FALL, pushes=(push,), pulls=(pull,))
    found = animate(space, conditions)
    assert sum(counted) > 0.5 * conditions.seconds / conditions.dt
    assert_same(found, animate_singly(space, conditions))


def test_limits_are_left_to_single_steps(counted):
    """A swing that runs into them, and would go on through without."""
    conditions = replace(FALL, gravity=(0.0, 0.0, 0.0), rates=(14.0, 0.0, 0.0, 0.0), stiffness=0.1)
    found = animate(twists(), conditions)
    assert np.abs(found.states).max() > 0.99 * float(twists().upper[0])
    assert 0 < sum(counted) < 0.95 * conditions.seconds / conditions.dt
    assert_same(found, animate_singly(twists(), conditions))


def test_what_cannot_be_solved_is_left_to_single_steps(monkeypatch, counted):
    def fail(*_):
        raise StepFailed

    wanted = animate_singly(twists(), FALL)
    monkeypatch.setattr(WindowSolver, "solve", fail)
    found = animate(twists(), FALL)
    assert sum(counted) == 0
    assert_same(found, wanted)


def test_what_makes_energy_is_not_trusted(monkeypatch, counted):
    monkeypatch.setattr(free_run, "ENERGY_SHARE", -1e9)
    animate(twists(), FALL)
    assert sum(counted) == 0


def test_other_schemes_and_spaces_take_single_steps(counted):
    animate(twists(), replace(FALL, integrator="rk4", seconds=0.1))
    animate(Articulated(chain(2)), Conditions(seconds=0.1, gravity=(0.0, 0.0, -9.81)))
    animate(twists(), replace(FALL, ground=True, seconds=0.1))
    assert sum(counted) == 0


@pytest.mark.parametrize("space", [twists(), Articulated(chain(3))], ids=["twists", "chain"])
@pytest.mark.parametrize("wind", [(0.0, 0.0, 0.0), (3.0, 1.0, 0.0)])
def test_many_momenta_are_each_ones(space, wind):
    push = Push(point=tuple(space.mesh.vertices[0]), force=(0.0, 0.5, 0.0), start=0.0, end=1.0)
    scene = build_scene(space, Conditions(wind=wind, damping=0.4, gravity=(0.0, 1.0, -9.0), pushes=(push,)))
    states, velocities = 0.3 * np.random.default_rng(0).normal(size=(2, 5, space.size))
    found = compute_many_momenta(scene.system, space, states, velocities, 0.5)
    for i, (q, v) in enumerate(zip(states, velocities)):
        p, rate = compute_momenta(scene.system, space, q, v, 0.5)
        np.testing.assert_allclose(found.p[i], p, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found.rate[i], rate, rtol=1e-9, atol=1e-11)
        terms = evaluate(scene.system, space, q, v, 0.5)
        np.testing.assert_allclose(found.find_energy()[:, i], [terms.kinetic, terms.potential], rtol=1e-10)


def test_inverse_is_that_of_the_whole_system():
    k = 3
    own, drag, stiff = (x @ x.T + np.eye(k) for x in np.random.default_rng(0).normal(size=(3, k, k)))
    matrix = np.zeros((WINDOW_STEPS, k, WINDOW_STEPS, k))
    for n in range(WINDOW_STEPS):
        for j in range(n + 1):
            matrix[n, :, j] = drag + (n - j) * stiff if j < n else 5.0 * own
    found = windows._invert_triangular(5.0 * own, drag, stiff)
    size = WINDOW_STEPS * k
    np.testing.assert_allclose(found @ matrix.reshape(size, size), np.eye(size), atol=1e-6)


def test_a_window_of_a_linear_system_needs_no_correction():
    """Handles that only slide: the guess is the solution, up to rounding, and what is told is the midpoint rule's."""
    space = slide_only(twists())
    conditions = replace(FALL, limits=False)
    scene = build_scene(space, conditions)
    first = find_first_state(scene, conditions)
    now = evaluate(scene.system, space, first.q, first.v, 0.0)
    solver = WindowSolver.linearise(scene.system, space, now, 0.01)
    steps = solver.solve(WindowStart(first.q, now.mass @ first.v, now.force, first.q, first.v), 0.0, WINDOW_STEPS)
    assert steps.corrections == 1
    middle = 0.5 * (np.concatenate([first.q[None], steps.q[:-1]]) + steps.q)
    force = now.force - (middle - first.q) @ now.stiffness - (steps.w - first.v) @ now.damping
    momenta = np.concatenate([(now.mass @ first.v)[None], steps.p])
    np.testing.assert_allclose(np.diff(momenta, axis=0), 0.01 * force, rtol=1e-7, atol=1e-10)


def slide_only(space: Twists) -> Twists:
    basis = space.basis.copy()
    basis[:, :3] = 0.0
    mesh = Mesh(space.mesh.vertices, space.mesh.faces, up=space.mesh.up)
    return Twists(mesh, space.skin, basis, origin=space.origin)
