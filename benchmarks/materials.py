"""What deforms by its material, reduced (ours) against full order (MuJoCo's flex): the same E, nu, rho and friction.

Blocks of the library's soft materials go through the tests of `neurok test`. Told are Sim-CD, the Chamfer distance of
the surfaces at the same instants, its mean over two seconds (a throw: while it flies) in diagonals, and how many times
faster ours runs. First a control: the flex as a cantilever against beam theory, since linear cells bend too stiffly.
Loss becomes MuJoCo's damping so that the slowest vibration loses alike. Wind is left out: a flex feels no air. To these
come the time from a mesh of 100,000 faces to its materials and vibrations, and that of each test.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import torch
from scipy.spatial import cKDTree

from benchmarks.figures import Figure
from benchmarks.spaces import refined
from neurok.data.procedural import make
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.kinematics.kinematics import Kinematics
from neurok.materials.library import load_library
from neurok.materials.prediction.driving import predict_driving
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.named_tests import TESTS, build_test
from neurok.mechanics.simulate import animate
from neurok.opening import assign_by, choose_kinematics

SIM_CD = 0.02  # diagonals
SECONDS = 15.0  # from a mesh to its materials and vibrations
TEST_SECONDS = 10.0
HELD_NODES = 12  # of the flex about the point that is dragged: one alone would be torn out
FLIGHT = 1.79  # of what is thrown, 2 sqrt(0.8), in times of a fall of half its size
FLEX_TESTS = ("drop", "throw", "tilt", "drag")
MODEL = """<mujoco><option integrator="discrete" solver="CG" iterations="100" tolerance="1e-8" timestep="{step}"
 cone="elliptic" impratio="20" gravity="{gravity}"/><size memory="400M"/><worldbody>{ground}{hand}
<flexcomp name="f" type="grid" dim="3" count="{count}" spacing="{spacing}" mass="{mass}" radius="0.0005">
<elasticity young="{young}" poisson="{poisson}" damping="{damping}"/>
<contact selfcollide="none" {contact}/>{pin}</flexcomp></worldbody>{equality}</mujoco>"""


@dataclass(frozen=True)
class Block:
    """A block of a material of the library: its edges [m] and how many nodes the flex has along each."""

    material: str
    edges: tuple[float, float, float]
    nodes: tuple[int, int, int]


BLOCKS = (
    Block("foam", (0.4, 0.3, 0.2), (9, 7, 5)),
    Block("foam", (0.6, 0.4, 0.1), (13, 9, 4)),
    Block("memory_foam", (0.5, 0.3, 0.12), (11, 7, 4)),
    Block("fibre_filling", (0.4, 0.4, 0.12), (9, 9, 4)),
    Block("polyurethane", (0.2, 0.1, 0.05), (9, 6, 4)),
    Block("flesh", (0.3, 0.1, 0.1), (10, 4, 4)),
)


@dataclass(frozen=True)
class Sizes:
    """blocks: the first so many; seconds: of each test; faces: of the large mesh; step [s] of the flex."""

    blocks: int = len(BLOCKS)
    seconds: float = 2.0
    faces: int = 100_000
    step: float = 0.002


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    figures = [control(sizes)]
    for block in BLOCKS[: sizes.blocks]:
        figures += compare(block, sizes)
    return [*figures, *time_large(sizes), *time_tests(sizes)]


def control(sizes: Sizes) -> Figure:
    """The tip of a flex cantilever of foam under a little weight, over rho g A L^4 / (8 E I) and the shear's part."""
    block = Block("foam", (0.4, 0.05, 0.05), (33, 5, 5))
    row = load_library().find(block.material)
    L, _, t = block.edges
    g = 0.05
    E, nu, rho = (row.find_typical(name) or 0.0 for name in ("young", "poisson", "density"))
    sag = rho * g * L**4 * 12 / (8 * E * t**2) + rho * g * L**2 * 2 * (1 + nu) * 1.2 / (2 * E)
    held = " ".join(map(str, range(block.nodes[1] * block.nodes[2])))
    made = flex_model(block, (0.0, 0.0, -g), sizes.step, damping=0.5 / find_rate(block), pin=f'<pin id="{held}"/>')
    data = mujoco.MjData(made)
    for _ in range(int(3.0 / sizes.step)):
        mujoco.mj_step(made, data)
    tip = np.asarray(data.flexvert_xpos)[-block.nodes[1] * block.nodes[2] :, 2].mean()
    start = lattice(block)[-block.nodes[1] * block.nodes[2] :, 2].mean()
    return Figure("control: sag of a flex cantilever over beam theory", float((start - tip) / sag))


def find_rate(block: Block) -> float:
    """About the slowest rate [rad/s]: that of a bar in compression along its longest edge."""
    row = load_library().find(block.material)
    return (
        np.pi / max(block.edges) * float(np.sqrt((row.find_typical("young") or 0) / (row.find_typical("density") or 1)))
    )


def lattice(block: Block) -> Array:
    """The nodes of a flex grid [m], [n, 3], in MuJoCo's order."""
    axes = [np.linspace(-e / 2, e / 2, n) for e, n in zip(block.edges, block.nodes)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=3).reshape(-1, 3)


def skin(block: Block) -> tuple[Mesh, Array]:
    """The surface of the block through the flex's own nodes, and which nodes these are, [s]."""
    number = np.arange(np.prod(block.nodes)).reshape(block.nodes)
    faces = []
    for axis in range(3):
        for end, flip in ((0, axis != 1), (-1, axis == 1)):
            side = np.take(number, end, axis=axis)
            a, b, c, d = side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]
            quads = np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3)
            faces.append(quads[:, ::-1] if flip else quads)
    used, corners = np.unique(np.concatenate(faces), return_inverse=True)
    return Mesh(lattice(block)[used], corners.reshape(-1, 3), up="z"), used


def flex_model(
    block: Block, gravity: tuple[float, float, float], step: float, *, damping: float, pin: str = "", ground: str = "",
    hand: str = "", equality: str = "", friction: float = 0.5,
) -> mujoco.MjModel:  # fmt: skip
    """A block as a flex of linear cells."""
    row = load_library().find(block.material)
    mass = (row.find_typical("density") or 0) * float(np.prod(block.edges))
    return mujoco.MjModel.from_xml_string(
        MODEL.format(
            step=step,
            gravity=" ".join(map(str, gravity)),
            ground=ground,
            hand=hand,
            pin=pin,
            equality=equality,
            count=" ".join(map(str, block.nodes)),
            mass=mass,
            young=row.find_typical("young"),
            spacing=" ".join(str(e / (n - 1)) for e, n in zip(block.edges, block.nodes)),
            poisson=min(row.find_typical("poisson") or 0.3, 0.45),
            damping=damping,
            contact=f'friction="{friction} 0.005 0.0001" condim="3" solref="0.004 1"',
        )  # fmt: skip
    )


def compare(block: Block, sizes: Sizes) -> Iterator[Figure]:
    """Sim-CD and the ratio of times, test by test and over all."""
    mesh, used = skin(block)
    whole = Conditions(material=block.material)
    choice = choose_kinematics(mesh, base="free", assign=assign_by(whole))
    words = f"{block.material} {' x '.join(f'{edge:g}' for edge in block.edges)} m"
    apart, faster = [], []
    for name in FLEX_TESTS:
        conditions = replace(build_test(name, mesh, whole), seconds=sizes.seconds)
        if name == "throw":  # as long as it flies: upon which side a block falls is a matter of a hair
            conditions = replace(conditions, seconds=min(sizes.seconds, FLIGHT * np.sqrt(mesh.diagonal / 9.81)))
        start = time.process_time()
        motion = animate(choice.space, conditions).motion()
        ours = np.stack([motion.frame(index) for index in range(motion.frame_count)])
        mine = time.process_time() - start
        start = time.process_time()
        theirs = run_flex(block, conditions, used, len(ours), sizes)
        cost = time.process_time() - start
        if not np.isfinite(theirs).all():
            print(f"{block.material} {name}: the flex is not stable at {sizes.step:g} s", file=sys.stderr)
            continue
        apart.append(float(np.mean([chamfer(a, b) for a, b in zip(ours, theirs)])) / mesh.diagonal)
        faster.append(cost / mine)
        yield Figure(f"{words}, {name}: Sim-CD", apart[-1], " diagonals", most=SIM_CD)
    if apart:
        yield Figure(f"{words}: Sim-CD, mean of {len(apart)} tests", float(np.mean(apart)), " diagonals", most=SIM_CD)
        yield Figure(f"{words}: MuJoCo flex / ours", float(np.exp(np.mean(np.log(faster)))), "x")


def run_flex(block: Block, conditions: Conditions, used: Array, frames: int, sizes: Sizes) -> Array:
    """The surface nodes of the flex at each frame of a test [m], [frames, s, 3]."""
    row = load_library().find(block.material)
    height = -block.edges[2] / 2 if conditions.ground_height is None else conditions.ground_height
    friction = row.find_typical("friction") or 0.5
    ground = f'<geom type="plane" size="20 20 1" pos="0 0 {height - 0.0005}" friction="{friction} 0.005 0.0001"/>'
    nodes, hand, equality, target = lattice(block), "", "", None
    if conditions.pulls:
        pull = conditions.pulls[0]
        at = np.argsort(np.linalg.norm(nodes - np.array(pull.point), axis=1))[:HELD_NODES]
        hand = f'<body name="hand" mocap="true" pos="{" ".join(map(str, pull.point))}"/>'
        rows = (
            f'<connect body1="hand" body2="f_{k}" anchor="{" ".join(map(str, nodes[k] - np.array(pull.point)))}"/>'
            for k in at
        )
        equality = f"<equality>{''.join(rows)}</equality>"
        target = np.array(pull.by)
    gravity = conditions.gravity or (0.0, 0.0, 0.0)
    damping = (row.find_typical("loss") or 0.0) / find_rate(block)
    model = flex_model(
        block, gravity, sizes.step, damping=damping, ground=ground, hand=hand, equality=equality, friction=friction
    )
    data = mujoco.MjData(model)
    if conditions.velocities:
        data.qvel[:] = fit_velocity(nodes, conditions)[: model.nv // 3].ravel()
    mujoco.mj_forward(model, data)
    found = [np.asarray(data.flexvert_xpos)[used].copy()]
    while len(found) < frames:
        while data.time < len(found) / conditions.fps - 1e-9:
            if target is not None:
                end = conditions.pulls[0].end or 1.0
                data.mocap_pos[0] = model.body_pos[model.body("hand").id] + target * min(data.time / end, 1.0)
                data.eq_active[:HELD_NODES] = data.time < end
            mujoco.mj_step(model, data)
        found.append(np.asarray(data.flexvert_xpos)[used].copy())
    return np.stack(found)


def fit_velocity(nodes: Array, conditions: Conditions) -> Array:
    """The rigid velocity of all nodes that the conditions state at some points [m/s], [n, 3]."""
    points = np.array([each.point for each in conditions.velocities])
    wanted = np.array([each.velocity for each in conditions.velocities])
    rows = np.concatenate([np.concatenate([np.eye(3), -cross_matrix(p)], axis=1) for p in points])
    twist = np.linalg.lstsq(rows, wanted.ravel(), rcond=None)[0]
    return twist[:3] + np.cross(twist[3:], nodes)


def cross_matrix(p: Array) -> Array:
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def chamfer(a: Array, b: Array) -> float:
    """Half the sum of the mean distances from each set of points to the other."""
    return 0.5 * float(cKDTree(b).query(a)[0].mean() + cKDTree(a).query(b)[0].mean())


def time_large(sizes: Sizes) -> Iterator[Figure]:
    """A teddy bear of so many faces: what it is made of, and how it vibrates."""
    bear = make("teddy_bear", 0).mesh
    mesh = refined(bear, sizes.faces // 2)
    part = np.repeat(bear.face_part, 1)
    while len(part) < mesh.face_count:
        part = np.tile(part, 4)
    mesh = replace(mesh, parts=bear.parts, face_part=part)
    start = time.process_time()
    driving = predict_driving(mesh, None, "teddy bear")
    told = time.process_time() - start
    yield Figure(f"materials of {mesh.face_count} faces", told, " s", most=2.0)
    start = time.process_time()
    materials = Conditions().add_materials(driving.parts, driving.whole)
    choose_kinematics(mesh, base="free", assign=assign_by(replace(materials, material="foam", parts={})))
    yield Figure("  and its vibrations", told + time.process_time() - start, " s", most=SECONDS)


def time_tests(sizes: Sizes) -> Iterator[Figure]:
    """Each test of a foam block, in a state space that is there."""
    block = BLOCKS[0]
    mesh, _ = skin(block)
    whole = Conditions(material=block.material)
    space: Kinematics = choose_kinematics(mesh, base="free", assign=assign_by(whole)).space
    for name in TESTS:
        conditions = replace(build_test(name, mesh, whole), seconds=sizes.seconds)
        start = time.process_time()
        animate(space, conditions)
        yield Figure(
            f"{name}, {sizes.seconds:g} s of {block.material}", time.process_time() - start, " s", most=TEST_SECONDS
        )


if __name__ == "__main__":
    from benchmarks.figures import table

    print(table(measure(Sizes())))
