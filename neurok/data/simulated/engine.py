"""One run of MuJoCo: forces and hands over time in, recorded positions out; a run that fails is Unstable.

Finite numbers prove nothing: MuJoCo starts anew by itself when accelerations explode. So a run counts only if the
engine gave no warning and its clock shows the time asked for, and if no edge of the surface is overstretched.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurok.errors import MissingExtra, NeurokError
from neurok.geometry.arrays import Array, Indices

TIME_STEP = 0.01  # s
FRAME_COUNT = 64  # recorded evenly over a run
CELL_FILLING = 0.1  # see _stiffen_corners
TEMPLATE = """<mujoco>
<option integrator="{integrator}" solver="CG" timestep="{step}" iterations="300" tolerance="1e-6"/>
<size memory="64M"/>
<worldbody>{bodies}</worldbody>
<equality>{ties}</equality>
</mujoco>"""

Force = Callable[[float, Array, Array], Array]
"""(time [s], positions [m] of the nodes [n, 3], velocities [m/s] [n, 3]) -> forces [N], [n, 3]."""
Gravity = Callable[[float], Array]
"""time [s] -> gravity [m/s^2], [3]; that of a shaken or tilted ground is felt by all that stands on it."""
Hands = Callable[[float], Array]
"""time [s] -> where the hands are [m], [h, 3]."""


class Unstable(NeurokError):
    """A run that cannot be trusted, and the reason."""


@dataclass(frozen=True)
class SimulatedScene:
    """A scene for the engine.

    bodies, ties: MJCF below <worldbody> and <equality>. Hands are the mocap bodies, in their order.
    nodes: names of the bodies forces act on and that are recorded; where empty, the vertices of the flex.
        Forces on a solid act on the nodes of its lattice; those on fixed nodes have no effect.
    settle: seconds before the recording begins, when time is negative. duration: of the recording [s].
    """

    bodies: str
    duration: float
    ties: str = ""
    nodes: tuple[str, ...] = ()
    force: Force | None = None
    hands: Hands | None = None
    settle: float = 0.0
    gravity: Gravity | None = None
    integrator: str = "discrete"
    step: float = TIME_STEP


@dataclass(frozen=True)
class EngineRecording:
    """time: [s], [t]. positions: of the nodes [m], [t, n, 3]. turns: rotations of the bodies, [t, b, 3, 3]."""

    time: Array
    positions: Array
    turns: Array


def run_scene(scene: SimulatedScene) -> EngineRecording:
    """Run the scene; raises Unstable where the engine warns or does not reach the end."""
    mujoco = _import_engine()
    with _silence_warnings(mujoco):
        return _run(mujoco, scene)


def _run(mujoco: Any, scene: SimulatedScene) -> EngineRecording:
    text = TEMPLATE.format(integrator=scene.integrator, step=scene.step, bodies=scene.bodies, ties=scene.ties)
    model = mujoco.MjModel.from_xml_string(text)
    _stiffen_corners(model)
    data = mujoco.MjData(model)
    nodes = _Nodes(model, scene.nodes)
    before, steps = round(scene.settle / scene.step), round(scene.duration / scene.step)
    wanted = set(np.unique(np.linspace(0, steps, FRAME_COUNT).astype(int)).tolist())
    mujoco.mj_forward(model, data)
    frames, last = [], nodes.pushed(data)
    for i in range(-before, steps + 1):
        time = i * scene.step
        if i in wanted:
            frames.append((time, nodes.positions(data), nodes.turns(data)))
        if i < steps:
            if scene.gravity is not None:
                model.opt.gravity[:] = scene.gravity(time)
            if scene.hands is not None:
                data.mocap_pos[:] = scene.hands(max(time, 0.0))
            if scene.force is not None:
                now = nodes.pushed(data)
                nodes.push(data, scene.force(time, now, (now - last) / scene.step))
                last = now
            mujoco.mj_step(model, data)
    _check_run(mujoco, data, (before + steps) * scene.step, scene.step)
    times, positions, turns = zip(*frames)
    return EngineRecording(np.array(times), np.stack(positions), np.stack(turns))


def check_stretch(positions: Array, edges: Indices, max_ratio: float) -> None:
    """Raise Unstable where an edge [e, 2] exceeds max_ratio times its length in the first of the frames [t, n, 3]."""
    lengths = np.linalg.norm(positions[:, edges[:, 0]] - positions[:, edges[:, 1]], axis=2)
    if not np.all(np.isfinite(lengths)):
        raise Unstable("its positions are not finite")
    ratio = float((lengths / np.maximum(lengths[0], 1e-9)).max())
    if ratio > max_ratio:
        raise Unstable(f"it was stretched to {ratio:.2f} of its length, more than {max_ratio:.2f}")


class _Nodes:
    """The recorded nodes: named bodies, or the vertices of the only flex; their positions and the forces on them."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        self.flex = not names
        self.bodies = np.array([model.body(name).id for name in names], dtype=int)
        if self.flex:
            self.bodies = model.flex_nodebodyid if model.nflexnode else model.flex_vertbodyid
            self.free = (model.body_dofnum[self.bodies] == 3) & (self.bodies > 0)
            self.dofs = model.body_dofadr[self.bodies][self.free][:, None] + np.arange(3)

    def positions(self, data: Any) -> Array:
        return (data.flexvert_xpos if self.flex else data.xpos[self.bodies]).copy()

    def turns(self, data: Any) -> Array:
        return data.xmat[self.bodies].reshape(-1, 3, 3)

    def pushed(self, data: Any) -> Array:
        """The points where the forces act [m], [n, 3]."""
        return data.xpos[self.bodies]

    def push(self, data: Any, forces: Array) -> None:
        if self.flex:  # its bodies slide along x, y and z of the world
            data.qfrc_applied[self.dofs] = forces[self.free]
        else:
            data.xfrc_applied[self.bodies, :3] = forces


def _stiffen_corners(model: Any) -> None:
    """Add CELL_FILLING of the stiffness of a full lattice cell to every cell.

    The engine scales the stiffness of a cell by the share of it that the surface encloses; nodes that only barely
    filled cells share would be almost loose, and would drag the surface there along.
    """
    if not model.nflexnode:
        return
    cells = model.flex_stiffness.reshape(-1, 24 * 24)  # a view: eight nodes of three coordinates each
    trace = np.abs(cells[:, :: 24 + 1].sum(axis=1))  # the engine keeps them negative
    cells[trace > 0] += CELL_FILLING * cells[trace.argmax()]


def _check_run(mujoco: Any, data: Any, asked: float, step: float) -> None:
    warned = [mujoco.mjtWarning(i).name for i, w in enumerate(data.warning) if w.number]
    if warned:
        kinds = ", ".join(name.removeprefix("mjWARN_").lower() for name in warned)
        raise Unstable(f"the engine warned ({kinds})")
    if abs(data.time - asked) > 0.5 * step:
        raise Unstable(f"the engine's clock shows {data.time:.2f} s of {asked:.2f} s")


def _import_engine() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("simulating soft objects", "data") from None
    return mujoco


@contextmanager
def _silence_warnings(mujoco: Any) -> Iterator[None]:
    """The engine's warnings are counted and given as reasons; it would also print them and write MUJOCO_LOG.TXT."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
