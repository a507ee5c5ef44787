"""`make check-procedural`: a thousand procedural objects of all categories, judged anew by other means.

Each object is made (draws that its own check refuses do not count), then
- its parts are tried at joint states drawn anew: what they share, and the gaps between joined ones (solids.py);
- a jointed one is written as URDF and loaded by MuJoCo, which must say nothing and put every link where we do;
- its vertices, rounded, are compared with those of all others: no two objects may be identical.

    python -m benchmarks.check_procedural [COUNT] [--only CATEGORY ...] [--first SEED] [--workers N]

Leaves with code 1 where an object fails.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.alone import THREADS
from benchmarks.solids import Solids
from neurok.data import procedural
from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import NeurokError
from neurok.geometry.arrays import Array

# Lengths are shares of the diagonal.
OVERLAP = 0.002  # thickness that two links may share beyond what joined ones share at rest
SOFT_OVERLAP = 0.005  # by which what a soft piece shares may grow thicker than at rest
GAP = 0.01  # between the two links of a joint
ROUNDING = 1e-4  # objects whose vertices agree to this are identical
STATES = 12  # half of them anywhere within the limits, half with every joint at one of its ends
SOFT_STATES = 4


@dataclass
class Verdict:
    """What was found about one object; lengths as shares of its diagonal."""

    category: str
    seed: int
    faults: list[str] = field(default_factory=list)
    jointed: bool = False
    loaded: bool = False
    rejected: int = 0  # draws before this one
    overlap: float = 0.0
    soft_overlap: float = 0.0
    gap: float = 0.0
    digest: str = ""
    seconds: float = 0.0


def judge(category: str, seed: int) -> Verdict:
    """Make an object and try everything."""
    start = time.perf_counter()
    verdict = Verdict(category, seed)
    try:
        thing = procedural.make(category, seed)
    except NeurokError as fault:
        verdict.faults.append(str(fault))
        return verdict
    verdict.rejected, verdict.jointed = thing.rejected, not thing.is_soft
    verdict.digest = digest(thing)
    judge_shape(verdict, thing)
    if verdict.jointed:
        judge_file(verdict, thing)
    verdict.seconds = time.perf_counter() - start
    return verdict


def digest(thing: ProceduralObject) -> str:
    """Of the vertices in units of the diagonal, rounded."""
    return hashlib.sha256(np.round(thing.mesh.vertices / thing.mesh.diagonal / ROUNDING).astype(np.int32)).hexdigest()


def drawn_states(thing: ProceduralObject, count: int) -> Array:
    """[count, k]"""
    rng = np.random.default_rng([thing.seed, 20_27])
    lower, upper = thing.limits
    anywhere = rng.uniform(lower, upper, (count // 2, len(lower)))
    ends = np.where(rng.random((count - count // 2, len(lower))) < 0.5, lower, upper)
    return np.concatenate([anywhere, ends])


def judge_shape(verdict: Verdict, thing: ProceduralObject) -> None:
    solids, states = Solids.of(thing), drawn_states(thing, STATES)
    names = [link.name for link in thing.articulation.links]
    overlaps = solids.overlaps(np.concatenate([0 * states[:1], states]))
    gaps = solids.gaps(states, 2 * GAP)
    verdict.overlap, verdict.gap = max(overlaps.values(), default=0.0), max(gaps.values(), default=0.0)
    verdict.soft_overlap = solids.soft_overlaps(states[:: max(1, STATES // SOFT_STATES)])
    for (a, b), thickness in overlaps.items():
        if thickness > OVERLAP:
            verdict.faults.append(f"{names[a]} and {names[b]} share {100 * thickness:.2f} % of the diagonal")
    for (a, b), gap in gaps.items():
        if gap > GAP:
            verdict.faults.append(f"{names[b]} is {100 * gap:.2f} % of the diagonal or more away from {names[a]}")
    if verdict.soft_overlap > SOFT_OVERLAP:
        verdict.faults.append(f"a soft piece sinks {100 * verdict.soft_overlap:.2f} % of the diagonal")


def judge_file(verdict: Verdict, thing: ProceduralObject) -> None:
    """Write the URDF, load it in MuJoCo, and compare where it puts the links at one state."""
    import mujoco

    from neurok.files.registry import save

    with tempfile.TemporaryDirectory() as folder:
        path = save(thing.articulation, Path(folder) / "object.urdf")
        with standard_error() as said:
            try:
                model = mujoco.MjModel.from_xml_path(str(path))
            except ValueError as fault:
                verdict.faults.append(f"MuJoCo refuses it: {fault}")
                return
            data = mujoco.MjData(model)
            state = drawn_states(thing, 2)[0]
            place(model, data, thing, state)
            mujoco.mj_forward(model, data)
        verdict.loaded = True
        verdict.faults += [f"MuJoCo says: {line}" for line in said if line]
        verdict.faults += [f"MuJoCo counts a warning ({w})" for w in range(len(data.warning)) if data.warning[w].number]
    far = distance(model, data, thing, state) / thing.mesh.diagonal
    if far > 1e-5:
        verdict.faults.append(f"MuJoCo puts a link {100 * far:.3g} % of the diagonal elsewhere")


def place(model: object, data: object, thing: ProceduralObject, state: Array) -> None:
    """Set MuJoCo's joints, a screw's slide among them, by name."""
    A, b = thing.articulation.coupling
    for freedom, value in zip(thing.articulation.freedoms, A @ state + b):
        joint = thing.articulation.joints[freedom.joint]
        data.qpos[model.joint(joint.name).qposadr[0]] = value
        if joint.kind == "screw":
            data.qpos[model.joint(f"{joint.name}_slide").qposadr[0]] = joint.pitch * value


def distance(model: object, data: object, thing: ProceduralObject, state: Array) -> float:
    """The furthest that a link's frame in MuJoCo lies from ours [m], its axes a diagonal long."""
    X, worst = thing.transforms(state[None])[0], 0.0
    for row, link in enumerate(thing.articulation.order):
        own = X[row] @ thing.articulation.links[link].T_world_link
        body = data.body(thing.articulation.links[link].name)
        turned = np.abs(body.xmat.reshape(3, 3) - own[:3, :3]).max() * thing.mesh.diagonal
        worst = max(worst, turned, float(np.abs(body.xpos - own[:3, 3]).max()))
    return worst


@contextmanager
def standard_error() -> Iterator[list[str]]:
    """The lines that anything in this process, C++ included, writes to standard error meanwhile."""
    lines: list[str] = []
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            caught.seek(0)
            lines += caught.read().decode(errors="replace").splitlines()


def objects(count: int, first: int, names: list[str]) -> list[tuple[str, int]]:
    """(category, seed), round by round through the categories."""
    return [(names[i % len(names)], first + i // len(names)) for i in range(count)]


def judged(wanted: list[tuple[str, int]], workers: int) -> Iterator[Verdict]:
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if workers == 1:
        yield from (judge(*one) for one in wanted)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for job in as_completed([pool.submit(judge, *one) for one in wanted]):
            yield job.result()


def name_twins(verdicts: list[Verdict]) -> None:
    """Add a fault to every object that is identical to an earlier one."""
    seen: dict[str, Verdict] = {}
    for verdict in verdicts:
        twin = seen.setdefault(verdict.digest, verdict) if verdict.digest else verdict
        if twin is not verdict:
            verdict.faults.append(f"it is identical to {twin.category} {twin.seed}")


def report(verdicts: list[Verdict]) -> list[str]:
    """A line per category, the faults, and the sums."""
    lines = [
        "lengths in % of the diagonal, the worst over the category's objects and states",
        "| category | objects | draws rejected | links share | soft pieces sink | joints gape | in MuJoCo | faults |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for category in sorted({v.category for v in verdicts}):
        mine = [v for v in verdicts if v.category == category]
        lengths = [100 * max(getattr(v, key) for v in mine) for key in ("overlap", "soft_overlap", "gap")]
        loaded = f"{sum(v.loaded for v in mine)} of {sum(v.jointed for v in mine)}"
        row = [category, len(mine), sum(v.rejected for v in mine), *(f"{x:.2f}" for x in lengths), loaded]
        lines.append("| " + " | ".join(map(str, [*row, sum(bool(v.faults) for v in mine)])) + " |")
    lines += [f"{v.category} {v.seed}: {fault}" for v in verdicts for fault in v.faults]
    kinds, different = {v.category for v in verdicts}, {v.digest for v in verdicts if v.digest}
    loaded, jointed, rejected = (sum(getattr(v, key) for v in verdicts) for key in ("loaded", "jointed", "rejected"))
    lines.append(
        f"{len(verdicts)} objects of {len(kinds)} categories, {len(different)} different; {loaded} of {jointed} "
        f"jointed ones in MuJoCo; {rejected} draws rejected; {sum(bool(v.faults) for v in verdicts)} objects at fault"
    )
    return lines


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="check_procedural", description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=procedural.list_categories(), metavar="CATEGORY")
    parser.add_argument("--first", type=int, default=10_000, help="the first seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(words)
    verdicts: list[Verdict] = []
    for verdict in judged(objects(options.count, options.first, options.only), options.workers):
        verdicts.append(verdict)
        for fault in verdict.faults:
            print(f"{verdict.category} {verdict.seed}: {fault}", file=sys.stderr, flush=True)
        if len(verdicts) % 50 == 0:
            print(f"{len(verdicts)} of {options.count} ...", file=sys.stderr, flush=True)
    verdicts.sort(key=lambda v: (v.category, v.seed))
    name_twins(verdicts)
    print("\n".join(report(verdicts)))
    return 1 if any(v.faults for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
