"""A simulated second of a cloth and of a cushion of 5,000 vertices: ours in the learned space, and full-order engines.

MuJoCo's flex with true elasticity (`elastic2d` for the cloth, tetrahedra for the cushion, both stepped by `discrete`
and solved by CG), and Newton's VBD, each at the largest of the tried steps that ran without a warning, with finite
positions and no edge stretched beyond twice its length. MuJoCo's cheaper forms stand beside them: edges as equality
constraints, and solids on a trilinear lattice, which `lattice` compares with ours in steps of the same length, and both
with the full order. The cloth hangs by its upper edge and is blown about, the cushion lies
on its lower face and sags. All on one thread; times are the process's own. Full-order runs are short and scaled up.

Newton lives in a Python of its own (it is no dependency of ours): NEWTON_PYTHON names it, else it is left out and said.
Ours is what `neurok animate` does with the shipped weights, steps of 1/120 s, 30 frames of all vertices among it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from benchmarks.figures import Figure
from benchmarks.lattice import FPS, STEP, compare_lattices, list_bodies, run_flex, time_both
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import grid, rounded_box
from neurok.kinematics.choose import learned_space
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import animate

TIMES = 10.0
STRETCH = 2.0
STIFFNESS = 20.0  # of our cushion, that it sags as little as the others under its own weight
CLOTH = '<elasticity young="3e4" poisson="0.2" thickness="2e-3" damping="1e-3" elastic2d="both"/>'
SOLID = '<elasticity young="5e3" poisson="0.2" damping="0.02"/>'
EDGES = '<edge equality="true" damping="0.001"/>'
MODEL = """<mujoco><option integrator="{integrator}" solver="CG" iterations="100" tolerance="1e-6" timestep="{step}"
 wind="{wind}"/><size memory="400M"/><worldbody>
<flexcomp name="f" type="grid" dim="{dim}" count="{count}" spacing="{spacing}" mass="{mass}" radius="0.001"
 pos="0 0 1" {more}>
{body}<contact selfcollide="none" contype="0" conaffinity="0"/>{pin}</flexcomp></worldbody></mujoco>"""


@dataclass(frozen=True)
class Sizes:
    """side, nodes: along an edge of cloth and cushion; steps: tried, the largest first; count: of steps.

    seconds, rounds: of the comparison with lattices.
    """

    side: int = 71
    nodes: int = 17
    steps: tuple[float, ...] = (0.02, 0.01, 0.005, 0.002)
    count: int = 12
    seconds: float = 1.0
    rounds: int = 9


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    figures = []
    for name, forms in (("cloth", cloth_forms(sizes)), ("cushion", cushion_forms(sizes))):
        mine = ours(name, sizes)
        figures.append(Figure(f"{name}: ours, a simulated second", mine, " s"))
        for words, values, bound in forms:
            cost, step = largest(values, sizes)
            told = f"{name}: {words} at {step:g} s / ours" if step else f"{name}: {words} / ours (no step was stable)"
            figures.append(Figure(told, cost / mine, "x", least=TIMES if bound else None))
        cost, step = newton(name, sizes)
        if step:
            figures.append(Figure(f"{name}: Newton VBD at {step:.4g} s / ours", cost / mine, "x", least=TIMES))
        else:
            print(f"Newton is left out for the {name}: {cost}", file=sys.stderr)
    return [*figures, *compare_lattices(sizes.nodes, sizes.side, sizes.seconds, sizes.rounds), *time_learned(sizes)]


def time_learned(sizes: Sizes) -> Iterator[Figure]:
    """Ours in the learned spaces, once they are prepared, against lattices that carry as many vertices."""
    for body in list_bodies(sizes.nodes, sizes.side):
        mesh = cloth(sizes) if body.is_sheet else cushion(sizes)
        firm = None if body.is_sheet else STIFFNESS
        wishes = Conditions(seconds=sizes.seconds, dt=STEP, fps=FPS, gravity=(0.0, 0.0, -9.81), stiffness=firm)
        scene = build_scene(learned_space(mesh), wishes)
        _, model = run_flex(body, 1.0, STEP, 0, is_lattice=True)
        yield from time_both(f"{body.name}, lattice / ours in its learned space", scene, wishes, model, sizes.rounds)


def ours(name: str, sizes: Sizes) -> float:
    """Seconds of this process for a simulated one, its 30 frames of vertices among it."""
    space = learned_space(cloth(sizes) if name == "cloth" else cushion(sizes))
    wind = (0.0, 2.0 if name == "cloth" else 0.0, 0.0)
    firm = STIFFNESS if name == "cushion" else None
    wishes = Conditions(seconds=1.0, dt=1 / 120, fps=30, gravity=(0.0, 0.0, -9.81), wind=wind, stiffness=firm)
    start = time.process_time()
    motion = animate(space, wishes).motion()
    for index in range(motion.frame_count):
        motion.frame(index)
    return time.process_time() - start


def cloth(sizes: Sizes) -> Mesh:
    """A hanging sheet of side x side vertices."""
    sheet = grid(1.0, 1.0, sizes.side - 1, sizes.side - 1)
    x, y, _ = sheet.vertices.T
    return Mesh(np.stack([x, 0.02 * np.sin(12 * x) * (0.5 - y), y], axis=1), sheet.faces, up="z")


def cushion(sizes: Sizes) -> Mesh:
    """A pillow of about as many vertices."""
    cells = max(int(np.sqrt(sizes.side**2 / 6)) // 2, 2)
    return Mesh(*_plain(rounded_box(0.5, 0.4, 0.15, 0.07, cells)), up="z")


def _plain(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    return mesh.vertices, mesh.faces


def cloth_forms(sizes: Sizes) -> list[tuple[str, dict[str, str], bool]]:
    n = sizes.side
    pin = f'<pin id="{" ".join(str(i * n) for i in range(n))}"/>'
    base = {"dim": "2", "count": f"{n} {n} 1", "spacing": f"{1 / (n - 1)} {1 / (n - 1)} 0.01", "mass": "0.25",
            "pin": pin, "wind": "0 2 0", "more": ""}  # fmt: skip
    return [
        ("MuJoCo elastic2d", base | {"integrator": "discrete", "body": CLOTH}, True),
        ("MuJoCo equality edges", base | {"integrator": "implicitfast", "body": EDGES}, False),
    ]


def cushion_forms(sizes: Sizes) -> list[tuple[str, dict[str, str], bool]]:
    n = sizes.nodes
    pin = f'<pin id="{" ".join(str(i * n) for i in range(n * n))}"/>'
    spacing = " ".join(f"{length / (n - 1)}" for length in (0.5, 0.4, 0.15))
    base = {"dim": "3", "count": f"{n} {n} {n}", "spacing": spacing, "mass": "2.4", "wind": "0 0 0",
            "integrator": "discrete", "body": SOLID}  # fmt: skip
    return [
        ("MuJoCo solid", base | {"pin": pin, "more": ""}, True),
        ("MuJoCo trilinear lattice", base | {"pin": '<pin id="0 2 4 6"/>', "more": 'dof="trilinear"'}, False),
    ]


def largest(values: dict[str, str], sizes: Sizes) -> tuple[float, float]:
    """Seconds for a simulated one at the largest stable step, and that step; (nan, 0) where none is."""
    for step in sizes.steps:
        cost = mujoco_cost(MODEL.format(**values, step=step), step, sizes)
        if cost is not None:
            return cost, step
    return float("nan"), 0.0


def mujoco_cost(text: str, step: float, sizes: Sizes) -> float | None:
    """Seconds for a simulated one; None where the run cannot be trusted."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    first = data.flexvert_xpos.copy()
    edges = model.flex_edge
    length = np.linalg.norm(first[edges[:, 0]] - first[edges[:, 1]], axis=1)
    start = time.process_time()
    for _ in range(sizes.count):
        mujoco.mj_step(model, data)
    cost = (time.process_time() - start) / (sizes.count * step)
    now = np.linalg.norm(data.flexvert_xpos[edges[:, 0]] - data.flexvert_xpos[edges[:, 1]], axis=1)
    warned = any(data.warning[i].number for i in range(len(data.warning)))
    stable = np.isfinite(now).all() and not warned and (now <= STRETCH * length).all()
    return cost if stable and abs(data.time - (sizes.count + 1) * step) < 1e-6 else None


def newton(name: str, sizes: Sizes) -> tuple[object, float]:
    """Seconds for a simulated one and the step of Newton's VBD; else why not, and zero."""
    python = os.environ.get("NEWTON_PYTHON")
    if not python:
        return "NEWTON_PYTHON names no Python with newton", 0.0
    script = Path(__file__).with_name("newton_vbd.py")
    job = json.dumps({"name": name, "side": sizes.side, "nodes": sizes.nodes, "count": sizes.count,
                      "steps": sizes.steps})  # fmt: skip
    done = subprocess.run([python, str(script), job], capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
        return float(found["cost"]), float(found["step"])
    except (IndexError, ValueError, KeyError):
        return done.stderr.strip().splitlines()[-1:] or "it gave no answer", 0.0
