"""What deforms by its material, reduced (ours) against full order: Newton's implicit material points, at 1/480 s.

The blocks of `benchmarks.materials` are dropped, thrown (while they fly) and tilted, with the same E, nu, rho, loss and
friction. Told are Sim-CD, the Chamfer distance of the surfaces at the same instants, its mean over the time in
diagonals, and how many times as long the particles take (the compiling of their kernels left out). Then what yields: by
how much a ball of plasticine that falls from three diameters is flatter a while later, beside one that cannot yield.

Without the extra `mpm` all of it is left out and said.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from benchmarks.figures import Figure
from benchmarks.materials import BLOCKS, FLIGHT, SIM_CD, Block, chamfer, skin
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.primitives import box, icosphere
from neurok.kinematics.kinematics import Kinematics
from neurok.materials.part_properties import PartProperties
from neurok.mechanics.conditions import Conditions, Obstacle
from neurok.mechanics.mpm.simulate_particles import animate_particles
from neurok.mechanics.mpm.solver import is_installed
from neurok.mechanics.named_tests import build_test
from neurok.mechanics.simulate import animate
from neurok.opening import assign_by, choose_kinematics

TESTS = ("drop", "throw", "tilt")
KEPT = 0.02  # of its height: a dent that anybody sees
ELASTIC = 0.015  # of its height: what it sags by its weight alone is 0.008 (Hertz)


@dataclass(frozen=True)
class Sizes:
    """blocks: which of `BLOCKS`; seconds: of each test; particles: of each block; step [s] of the particles."""

    blocks: tuple[int, ...] = (0, 2, 5)
    seconds: float = 1.0
    particles: int = 500
    step: float = 1 / 480


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    if not is_installed():
        print("material points are left out: pip install 'neurok[mpm]'", file=sys.stderr)
        return []
    run_particles(skin(BLOCKS[0])[0], Conditions(material="foam", base="free", ground=True, seconds=0.02), sizes)
    figures: list[Figure] = []
    for index in sizes.blocks:
        figures += compare(BLOCKS[index], sizes)
    return [*figures, *drop_balls(sizes), collapse_sand(sizes)]


def run_particles(mesh: Mesh, conditions: Conditions, sizes: Sizes) -> tuple[Array, float]:
    """The surface by particles [unit], [t, n, 3], and the seconds of one core that it took."""
    start = time.process_time()
    found = animate_particles(mesh, replace(conditions, dt=min(conditions.dt, sizes.step)), count=sizes.particles)
    return found.positions.astype(np.float64), time.process_time() - start


def run_reduced(space: Kinematics, conditions: Conditions) -> tuple[Array, float]:
    """The same by few coordinates."""
    start = time.process_time()
    motion = animate(space, conditions).motion()
    frames = np.stack([motion.frame(index) for index in range(motion.frame_count)])
    return frames, time.process_time() - start


def compare(block: Block, sizes: Sizes) -> Iterator[Figure]:
    """Sim-CD and the ratio of times, test by test and over all."""
    mesh, _ = skin(block)
    whole = Conditions(material=block.material)
    space: Kinematics = choose_kinematics(mesh, base="free", assign=assign_by(whole)).space
    words = f"{block.material} {' x '.join(f'{edge:g}' for edge in block.edges)} m"
    apart, slower = [], []
    for name in TESTS:
        conditions = replace(build_test(name, mesh, whole), seconds=sizes.seconds)
        if name == "throw":  # as long as it flies: upon which side a block falls is a matter of a hair
            conditions = replace(conditions, seconds=min(sizes.seconds, FLIGHT * np.sqrt(mesh.diagonal / 9.81)))
        ours, mine = run_reduced(space, conditions)
        theirs, cost = run_particles(mesh, conditions, sizes)
        apart.append(float(np.mean([chamfer(a, b) for a, b in zip(ours, theirs)])) / mesh.diagonal)
        slower.append(cost / mine)
        yield Figure(f"{words}, {name}: Sim-CD to material points", apart[-1], " diagonals", most=SIM_CD)
    yield Figure(f"{words}: Sim-CD, mean of {len(apart)} tests", float(np.mean(apart)), " diagonals", most=SIM_CD)
    yield Figure(f"{words}: material points / ours", float(np.exp(np.mean(np.log(slower)))), "x", least=10.0)


def drop_balls(sizes: Sizes) -> Iterator[Figure]:
    """How much flatter a ball of plasticine is after its fall, and one of the same that cannot yield."""
    ball = icosphere(0.1, 3)
    ball = replace(ball, up="z", parts=(Part("ball"),), face_part=np.zeros(ball.face_count, dtype=np.int64))
    seconds = min(0.6 * sizes.seconds, 0.6)
    falls = Conditions(base="free", ground=True, ground_height=-0.7, seconds=seconds, damping=0.0)
    yields = {"a": PartProperties(material="plasticine"), "b": PartProperties(young=2e6, poisson=0.46, density=1700.0)}
    for key, most, least in (("a", None, KEPT), ("b", ELASTIC, None)):
        frames, _ = run_particles(ball, replace(falls, parts={"ball": yields[key]}), sizes)
        height = np.ptp(frames[:, :, 2], axis=1)
        what = "plasticine" if key == "a" else "the same without a yield stress"
        told = f"ball of {what}, {seconds:g} s after it was let fall by 0.6 m: flatter by"
        yield Figure(told, float(1.0 - height[-1] / height[0]), " of its height", least=least, most=most)


def collapse_sand(sizes: Sizes) -> Figure:
    """The slope at which a column between smooth walls, 0.2 m wide and high, comes to rest, running out to one side."""
    column = box(0.2, 0.1, 0.2, 8)
    column = replace(column, up="z", parts=(Part("sand"),), face_part=np.zeros(column.face_count, dtype=np.int64))
    walls = (
        Obstacle("plane", (0.0, -0.05, 0.0), normal=(0.0, 1.0, 0.0), friction=0.0),
        Obstacle("plane", (0.0, 0.05, 0.0), normal=(0.0, -1.0, 0.0), friction=0.0),
        Obstacle("plane", (-0.1, 0.0, 0.0), normal=(1.0, 0.0, 0.0), friction=0.0),
    )
    sand = PartProperties(material="sand", friction_angle=33.0, friction=1.0)
    falls = Conditions(
        base="free", ground=True, obstacles=walls, parts={"sand": sand}, damping=0.0, seconds=0.7 * sizes.seconds
    )  # fmt: skip
    x = run_particles(column, falls, replace(sizes, step=1 / 240))[0][-1]
    ends = np.linspace(x[:, 0].min(), x[:, 0].max(), 9)
    tops = [x[(x[:, 0] >= a) & (x[:, 0] <= b), 2].max() for a, b in zip(ends, ends[1:])]
    middle = 0.5 * (ends[1:] + ends[:-1])
    angle = float(np.degrees(np.arctan(-np.polyfit(middle[2:7], tops[2:7], 1)[0])))
    return Figure("column of sand of 33 degrees, collapsed: slope", angle, " degrees")


if __name__ == "__main__":
    from benchmarks.figures import table

    print(table(measure(Sizes())))
