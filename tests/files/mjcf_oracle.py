"""MuJoCo itself as the judge of what was read of an MJCF file: where bodies and geoms are, and what bodies weigh."""

import mujoco
import numpy as np

from neurok.geometry.articulation import Articulation
from neurok.geometry.links import link_motions

FREE = ["moves along x", "moves along y", "moves along z", "turns about x", "turns about y", "turns about z"]


def name_body(model: mujoco.MjModel, body: int) -> str:
    """A body's name, or what ours is called that has none."""
    return model.body(body).name or f"body_{body}"


def draw_states(model: mujoco.MjModel, joints: Articulation, count: int, generator) -> tuple[np.ndarray, np.ndarray]:
    """The same random states as MuJoCo has them [c, nq] and as ours [c, k]; couplings are left to the caller."""
    from scipy.spatial.transform import Rotation

    names = joints.coordinate_names
    ours = generator.uniform(-1.2, 1.2, (count, len(names)))
    theirs = np.tile(model.qpos0, (count, 1))
    for index in range(model.njnt):
        name, kind, at = model.joint(index).name, int(model.jnt_type[index]), model.jnt_qposadr[index]
        body = name_body(model, model.jnt_bodyid[index])
        if kind in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)):
            if name in names:
                theirs[:, at] += ours[:, names.index(name)]
        elif kind == int(mujoco.mjtJoint.mjJNT_BALL):
            turns = ours[:, [names.index(f"{name} {axis}") for axis in "xyz"]]
            theirs[:, at : at + 4] = Rotation.from_euler("XYZ", turns).as_quat(scalar_first=True)
        elif not joints.floating:
            own = ours[:, [names.index(f"{body} {words}") for words in FREE]]
            start = Rotation.from_quat(model.qpos0[at + 3 : at + 7], scalar_first=True)
            theirs[:, at : at + 3] += start.apply(own[:, :3])
            turned = start * Rotation.from_euler("XYZ", own[:, 3:])
            theirs[:, at + 3 : at + 7] = turned.as_quat(scalar_first=True)
    return theirs, ours


def compare_poses(model: mujoco.MjModel, joints: Articulation, count: int = 5, seed: int = 0) -> float:
    """The greatest difference between entries of the bodies' poses, in random states."""
    theirs, ours = draw_states(model, joints, count, np.random.default_rng(seed))
    for joint in joints.joints:  # what follows is set by hand, as MuJoCo's solver would
        if joint.mimic is not None:
            lead = joints.joints[joint.mimic.joint].name
            at, to = (model.jnt_qposadr[model.joint(n).id] for n in (joint.name, lead))
            theirs[:, at] = (
                model.qpos0[at] + joint.mimic.offset + joint.mimic.multiplier * (theirs[:, to] - model.qpos0[to])
            )
    names = [link.name for link in joints.links]
    motions, worst, data = link_motions(joints, ours), 0.0, mujoco.MjData(model)
    for state, moved in zip(theirs, motions):
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        for body in range(1, model.nbody):
            link = names.index(name_body(model, body))
            T = moved[list(joints.order).index(link)] @ joints.links[link].T_world_link
            worst = max(worst, np.abs(T[:3, 3] - data.xpos[body]).max())
            worst = max(worst, np.abs(T[:3, :3] - data.xmat[body].reshape(3, 3)).max())
    return float(worst)


def compare_weights(model: mujoco.MjModel, joints: Articulation) -> float:
    """The greatest difference of masses, centres and tensors, each as a share of what it should be."""
    from scipy.spatial.transform import Rotation

    worst = 0.0
    names = [link.name for link in joints.links]
    for body in range(1, model.nbody):
        inertia, mass = joints.links[names.index(name_body(model, body))].inertia, model.body_mass[body]
        if inertia is None:
            worst = max(worst, mass)
            continue
        R = Rotation.from_quat(model.body_iquat[body], scalar_first=True).as_matrix()
        tensor = R @ np.diag(model.body_inertia[body]) @ R.T
        worst = max(worst, abs(inertia.mass - mass) / mass)
        worst = max(worst, np.abs(inertia.centre - model.body_ipos[body]).max())
        worst = max(worst, np.abs(inertia.tensor - tensor).max() / max(np.abs(tensor).max(), 1e-12))
    return float(worst)
