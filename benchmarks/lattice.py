"""Few coordinates against few coordinates: ours and MuJoCo's trilinear lattice, beside the same body at full order.

A cushion held at its lower face and a cloth held at one edge begin at rest under a slanting gravity, with the same E,
nu, rho and, for the cushion, a loss by which the slowest vibration fades alike. The lattice moves its eight corners,
four of them held: 12 coordinates. Ours has as many, and then the 16 of every soft body. Both take the same steps; the
times of a simulated second are taken in turn, and the median of their ratios told. Ours is the steps and 30 frames of
all vertices; the lattice's is `mj_step`, which moves its vertices in each step. What is prepared once is told apart.

The error is the mean distance of the surface from that of the full order at the same instants, over the mean distance
by which the full order moves; it steps by `discrete` as well, at a quarter of the step. No vibrations carry a cloth as
limp as this: under its own weight it leaves where they hold, and is told without a bound. The cloth that is timed is
that of `rivals`, in its learned space.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import RegularGridInterpolator

from benchmarks.figures import Figure
from benchmarks.materials import Block, skin
from neurok.elastic.joined import MAX_VIBRATIONS
from neurok.elastic.matter import FaceMaterials, Hooke
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import grid
from neurok.kinematics.elastic_space import elastic_space
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import Scene, build_scene
from neurok.mechanics.simulate import find_first_state, simulate

STEP = 1 / 120
FPS = 30
AS_FAST = 0.85  # of the lattice's time at least: a median of ratios wavers by a tenth on a busy machine
FINER = 4  # steps of the full order in one of ours
MODEL = """<mujoco><option integrator="discrete" solver="CG" iterations="100" tolerance="1e-8" timestep="{step}"
 gravity="{gravity}"/><size memory="400M"/><worldbody>
<flexcomp name="f" type="grid" dim="{dim}" count="{count}" spacing="{spacing}" mass="{mass}" radius="0.001" {form}>
<elasticity young="{young}" poisson="{poisson}" damping="{damping}" {sheet}/>
<contact selfcollide="none" contype="0" conaffinity="0"/><pin id="{pins}"/></flexcomp></worldbody></mujoco>"""


@dataclass(frozen=True)
class Body:
    """A body for all engines: its edges [m], what it is made of, and which way gravity pulls [m/s^2].

    held: along which axis the side at its lower end is held. nodes: of the full order along each edge; lattice: of
    what the lattice carries; drawn: of the surface that ours draws. damping: of MuJoCo [s], where no loss tells it.
    """

    name: str
    edges: tuple[float, float, float]
    hooke: Hooke
    gravity: tuple[float, float, float]
    held: int
    nodes: tuple[int, int, int]
    lattice: tuple[int, int, int]
    drawn: tuple[int, int, int]
    damping: float = 0.0

    @property
    def is_sheet(self) -> bool:
        return self.nodes[2] == 1

    @property
    def mass(self) -> float:
        return self.hooke.density * float(np.prod(self.edges))


@dataclass(frozen=True)
class Grid:
    """What moves on a regular grid of nodes: its axes at rest [m], and the nodes over time, [t, *nodes, 3]."""

    axes: tuple[Array, ...]
    nodes: Array

    def follow(self, points: Array) -> Array:
        """Points of the body at rest [m, 3] over time, [t, m, 3]."""
        along = np.moveaxis(self.nodes, 0, -2)
        where = points[:, : len(self.axes)]
        return np.moveaxis(RegularGridInterpolator(self.axes, along)(where), 1, 0)


def list_bodies(nodes: int, side: int) -> list[Body]:
    """The cushion and the cloth of `rivals`, as blocks, with as many vertices; nodes, side: along their edges."""
    slanting, across = 9.81 * np.sin(np.pi / 6), 9.81 * np.cos(np.pi / 6)
    foam, cotton = Hooke(5e3, 0.2, 80.0, 0.2), Hooke(3e4, 0.2, 125.0)
    few, half = max(side // 2, 3), max(round((side**2 / 2) ** 0.5), 2)
    x, y, z = (max(round(share * nodes), 3) for share in (0.8, 0.65, 0.4))
    block, sheet = (nodes,) * 3, (side, side, 1)
    drawn = (2 * nodes - 1,) * 3
    pull, lift = (slanting, 0.0, -across), (0.0, across, slanting)
    return [
        Body("cushion", (0.5, 0.4, 0.15), foam, pull, 2, (x, y, z), block, drawn),
        Body("cloth", (1.0, 1.0, 2e-3), cotton, lift, 1, (few, few, 1), (half, half, 2), sheet, damping=1e-3),
    ]


def compare_lattices(nodes: int, side: int, seconds: float, rounds: int) -> Iterator[Figure]:
    """Errors and ratios of times for both bodies, of so many seconds, timed in so many rounds."""
    for body in list_bodies(nodes, side):
        yield from compare_body(body, seconds, rounds)


def compare_body(body: Body, seconds: float, rounds: int) -> Iterator[Figure]:
    """Errors of both, and the ratio of times where ours is trusted."""
    mesh = draw_surface(body)
    conditions = Conditions(seconds=seconds, dt=STEP, fps=FPS, gravity=body.gravity, limits=False, damping=1e-9)
    start = time.process_time()
    whole = build_scene(build_space(body, mesh, MAX_VIBRATIONS), conditions)
    yield Figure(f"{body.name} by its material: preparing ours, once", time.process_time() - start, " s")
    rate, count = find_slowest(whole), round(seconds / STEP)
    truth = run_flex(body, rate, STEP / FINER, FINER * count, is_lattice=False)[0].follow(mesh.vertices)
    moved = float(np.linalg.norm(truth - truth[0], axis=2).mean())
    lattice, model = run_flex(body, rate, STEP, count, is_lattice=True)
    far = measure_error(lattice.follow(mesh.vertices), truth, moved)
    told = f"lattice of {model.nv} coordinates"
    yield Figure(f"{body.name}, {told}: error", far, " of the way")
    few = build_scene(build_space(body, mesh, int(model.nv)), conditions)
    for coordinates, scene in ((int(model.nv), few), (MAX_VIBRATIONS, whole)):
        motion = simulate(scene, find_first_state(scene, conditions), conditions).motion()
        near = measure_error(motion.frames, truth, moved)
        bound = None if body.is_sheet else far
        yield Figure(f"{body.name}, ours of {coordinates} coordinates: error", near, " of the way", most=bound)
        if not body.is_sheet:
            yield from time_both(f"{body.name}, {told} / ours of {coordinates}", scene, conditions, model, rounds)


def time_both(told: str, scene: Scene, conditions: Conditions, model: mujoco.MjModel, rounds: int) -> Iterator[Figure]:
    """The same stretch of time, by ours and by the lattice, in turn."""
    first, data = find_first_state(scene, conditions), mujoco.MjData(model)
    mine, theirs = [], []
    for _ in range(rounds):
        start = time.process_time()
        motion = simulate(scene, first, conditions).motion()
        for index in range(motion.frame_count):
            motion.frame(index)
        middle = time.process_time()
        for _ in range(round(conditions.seconds / STEP)):
            mujoco.mj_step(model, data)
        mine.append(middle - start)
        theirs.append(time.process_time() - middle)
    each = float(np.median(mine)) / conditions.seconds
    ratio = float(np.median(np.array(theirs) / np.array(mine)))
    yield Figure(f"{told}: steps of 1/{1 / STEP:.0f} s", ratio, "x", least=AS_FAST)
    yield Figure("  a second of ours", each, " s")


def draw_surface(body: Body) -> Mesh:
    """The surface that is drawn and compared; its `up` leads away from what holds it."""
    if body.is_sheet:
        sheet = grid(body.edges[0], body.edges[1], body.drawn[0] - 1, body.drawn[1] - 1)
        return Mesh(sheet.vertices, sheet.faces, up="y")
    return skin(Block("", body.edges, body.drawn))[0]


def build_space(body: Body, mesh: Mesh, coordinates: int) -> Kinematics:
    thickness = np.full(mesh.face_count, body.edges[2])
    made = FaceMaterials(np.zeros(mesh.face_count, dtype=np.int64), thickness, (body.hooke,))
    return elastic_space(mesh, made, count=coordinates)


def find_slowest(scene: Scene) -> float:
    """The rate of the slowest vibration [rad/s]."""
    springs, rest = scene.system.springs.stiffness, scene.system.space.rest.numpy()
    carrier, inertia = scene.system.carrier, scene.system.inertia
    flat = carrier.compute_jet(scene.system.space, rest, np.zeros_like(rest)).jacobian[0]
    return float(np.sqrt(springs[0, 0] / np.sum(flat * (inertia @ flat))))


def run_flex(body: Body, rate: float, step: float, count: int, *, is_lattice: bool) -> tuple[Grid, mujoco.MjModel]:
    """The frames of a flex at full order or on the lattice, and its model; rate: of the slowest vibration [rad/s]."""
    nodes = body.lattice if is_lattice else body.nodes
    axes = [np.linspace(-e / 2, e / 2, n) if n > 1 else np.zeros(1) for e, n in zip(body.edges, nodes)]
    corners = (2, 2, 2) if is_lattice else nodes
    pins = np.take(np.arange(np.prod(corners)).reshape(corners), 0, axis=body.held).ravel()
    sheet = f'thickness="{body.edges[2]}" elastic2d="both"' if nodes[2] == 1 else ""
    spacing = " ".join(str(e / max(n - 1, 1)) for e, n in zip(body.edges, nodes))
    text = MODEL.format(
        step=step, gravity=" ".join(map(str, body.gravity)), dim=2 if nodes[2] == 1 else 3,
        count=" ".join(map(str, nodes)), spacing=spacing, mass=body.mass,
        form='dof="trilinear"' if is_lattice else "", young=body.hooke.young, poisson=body.hooke.poisson,
        damping=body.damping or body.hooke.loss / rate, sheet=sheet, pins=" ".join(map(str, pins)),
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    every = round(1 / (FPS * step))
    frames = [np.array(data.flexvert_xpos)]
    for number in range(1, count + 1):
        mujoco.mj_step(model, data)
        if number % every == 0:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_flex(model, data)
            frames.append(np.array(data.flexvert_xpos))
    shape = [n for n in nodes if n > 1]
    return Grid(tuple(a for a in axes if len(a) > 1), np.array(frames).reshape(-1, *shape, 3)), model


def measure_error(found: Array, truth: Array, moved: float) -> float:
    """The mean distance, over that by which the truth moves."""
    return float(np.linalg.norm(found - truth, axis=2).mean()) / moved


if __name__ == "__main__":
    from benchmarks.figures import table

    print(table(list(compare_lattices(17, 71, 1.0, 9))))
