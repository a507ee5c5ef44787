"""Real objects: joint states recovered, energy kept, and MuJoCo as an independent engine."""

import json

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from neurok.files.registry import load
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.inverse import fit, pose_mesh
from neurok.mechanics.lagrangian import evaluate
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import State, simulate
from tests.mechanics.oracles import measured_bodies

pytestmark = pytest.mark.data

# The first moving joint is revolute in each; the first five have revolute chains of depth 2.
CHAINS = ("8893", "101613", "102301", "8867", "14605")
SINGLES = ("10098", "10707", "12249", "45850", "7221")


def first_joint_across_gravity(space):
    """Gravity [m/s^2] across the first coordinate's axis."""
    axis = space.articulation.freedoms[space.articulation.coordinate_freedoms[0]].screw[3:]
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    across = np.cross(axis, helper)
    return -9.81 * across / np.linalg.norm(across)


def swinging(folder, name, seconds):
    """The object's scene, its first state and conditions: gravity across the first axis, nothing else."""
    space = Articulated(load(folder / "partnet_mobility" / name).articulation)
    gravity = first_joint_across_gravity(space)
    conditions = Conditions(
        gravity=tuple(gravity),
        damping=0.0,
        stiffness=0.0,
        limits=False,
        self_contact=False,
        mass=5.0,
        seconds=seconds,
        fps=60.0,
        dt=1 / 240,
    )
    scene = build_scene(space, conditions)
    # Out of the hanging position of all joints by 30 degrees of the first.
    zero = np.zeros(space.size)

    def energy(q):
        terms = evaluate(scene.system, space, q, zero, 0.0)
        return terms.potential, -terms.force

    starts = [zero, *np.random.default_rng(0).uniform(-np.pi, np.pi, size=(8, space.size))]
    q = min((minimize(energy, x, jac=True) for x in starts), key=lambda r: r.fun).x
    q[0] += np.pi / 6
    return scene, State(space, q, np.zeros(space.size), 0.0), conditions


@pytest.mark.parametrize("name", CHAINS + SINGLES)
def test_midpoint_keeps_energy_for_ten_seconds(shared_data, name):
    scene, state, conditions = swinging(shared_data, name, 10.0)
    motion = simulate(scene, state, conditions)
    assert np.ptp(motion.states[:, 0]) > np.deg2rad(20)
    assert motion.drift < 1e-3


@pytest.mark.parametrize("name", CHAINS + SINGLES)
def test_mujoco_swings_alike(shared_data, name):
    """The same links with the inertias of our own point masses, in MuJoCo's RK4 at a small step."""
    import mujoco

    from neurok.files.mjcf import build_document
    from neurok.geometry.articulation import Inertia

    scene, state, conditions = swinging(shared_data, name, 2.0)
    space = state.space
    ours = simulate(scene, state, conditions)
    inertias = []
    for link in space.articulation.links:
        bodies = measured_bodies(scene, [link.name])
        mass, centre, tensor = bodies[0]
        if not mass > 0:
            inertias.append(Inertia(1e-9, np.zeros(3), 1e-12 * np.eye(3)))
            continue
        T = np.linalg.inv(link.T_world_link)
        R = T[:3, :3]
        inertias.append(Inertia(float(mass), R @ centre + T[:3, 3], R @ tensor @ R.T))
    text, assets = build_document(
        space.articulation,
        inertias,
        gravity=conditions.gravity,
        timestep=1 / 4800,
        integrator="RK4",
        collide=False,
        limits=False,
    )
    model = mujoco.MjModel.from_xml_string(text, assets)
    data = mujoco.MjData(model)
    address = [model.joint(n).qposadr[0] for n in space.names]
    data.qpos[address] = state.q
    theirs = [state.q]
    for _ in range(len(ours.time) - 1):
        for _ in range(80):
            mujoco.mj_step(model, data)
        theirs.append(data.qpos[address].copy())
    theirs = np.array(theirs)
    swing = np.ptp(theirs, axis=0)
    assert swing[0] > np.deg2rad(20)
    error = np.abs(ours.states - theirs).max(axis=0)
    allowed = np.where(swing > np.deg2rad(1), 0.01 * swing, np.deg2rad(0.01))
    assert np.all(error <= allowed), f"{error / np.maximum(swing, 1e-12)} of the swings {np.rad2deg(swing)} deg"


def test_states_of_all_dev_objects_are_recovered(shared_data):
    index = json.loads((shared_data / "index.json").read_text())["partnet_mobility"]["dev"]
    worst = {}
    for entry in index:
        space = Articulated(load(shared_data / "partnet_mobility" / entry["id"]).articulation)
        q = space.prior.sample(1, torch.Generator().manual_seed(int(entry["id"])))[0].numpy()
        found = fit(space, pose_mesh(space, q), corresponding=True)
        miss = found.state - q
        turns = np.array([space.articulation.freedoms[d].turns for d in space.articulation.coordinate_freedoms])[
            [space.articulation.coordinate_names.index(n) for n in space.names]
        ]
        open_ended = turns & ~np.isfinite(space.lower.numpy())
        miss = np.where(open_ended, (miss + np.pi) % (2 * np.pi) - np.pi, miss)
        worst[entry["id"]] = float(np.abs(miss / (2 * space.prior.deviation)).max())
    bad = {k: v for k, v in worst.items() if v > 1e-4}
    assert not bad, bad
    assert len(worst) == 46
