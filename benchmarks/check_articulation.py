"""`make check-articulation`: exported objects tried out in MuJoCo, PyBullet and USD.

Every PartNet-Mobility object of a split, twice: with joints found by `neurok articulate` on its links, and with those
it came with; and procedural objects of all jointed categories, with joints found on their links, or their own (in
turn). Each is written as URDF, MJCF and USD, then
- `neurok check` must pass on URDF and MJCF;
- every link must weigh what trimesh makes of its mesh, within 1 %;
- USD must have no validation errors, and the masses, inertias, joints, limits and damping of the MJCF;
- PyBullet must load the URDF, and weigh, limit and place its links as MuJoCo does.

    python -m benchmarks.check_articulation [--data DIR] [--split dev] [--made 200] [--predictor both] [-o TABLE.txt]

Leaves with code 1 where an object fails, or where a judge is not installed.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from benchmarks.second_opinions import mass_opinion, pybullet_opinion, usd_against_mjcf
from neurok.articulate.check import check_file
from neurok.articulate.colliders import add_colliders
from neurok.articulate.couplings import unify_limits
from neurok.articulate.parts import read_link_parts
from neurok.articulate.physics import add_physics
from neurok.articulate.predict import predict_articulation
from neurok.data import procedural
from neurok.errors import NeurokError
from neurok.files.inertias import DENSITY, SHELL_THICKNESS
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation

JUDGES = ("urdf", "mjcf", "mass", "usd", "bullet")


@dataclass
class Verdict:
    """What was found about one object: faults by judge; lengths as shares of the diagonal, drift [m]."""

    source: str
    category: str
    name: str
    joints: str
    faults: dict[str, list[str]] = field(default_factory=lambda: {judge: [] for judge in JUDGES})
    links: int = 0
    penetration: float = 0.0
    drift: float = 0.0
    pieces: int = 0
    seconds: float = 0.0

    @property
    def sentences(self) -> list[str]:
        return [f"{judge}: {fault}" for judge in JUDGES for fault in self.faults[judge]]


@dataclass(frozen=True)
class Candidate:
    """An object to be judged; its joints are found anew, or its own."""

    source: str
    category: str
    name: str
    joints: str
    place: Path | Articulation

    def articulation(self, predictor: str) -> Articulation:
        thing = load(self.place).articulation if isinstance(self.place, Path) else self.place
        if self.joints == "found":
            thing = predict_articulation(
                thing.mesh, read_link_parts(thing, split_fixed=False)[0], name=thing.name, predictor=predictor
            )
        return thing


def judge(candidate: Candidate, predictor: str = "search") -> Verdict:
    """Export an object and ask everybody."""
    verdict = Verdict(candidate.source, candidate.category, candidate.name, candidate.joints)
    begin = time.perf_counter()
    try:
        thing = candidate.articulation(predictor)
        bare = replace(thing, links=tuple(replace(link, inertia=None) for link in thing.links))
        thing, _ = add_colliders(add_physics(unify_limits(bare)))
    except NeurokError as fault:
        verdict.faults["urdf"].append(str(fault))
        return verdict
    verdict.links = len(thing.links)
    verdict.pieces = sum(len(link.colliders) if link.colliders is not None else 1 for link in thing.links)
    with tempfile.TemporaryDirectory() as folder:
        paths = {suffix: Path(folder) / f"object.{suffix}" for suffix in ("urdf", "xml", "usda")}
        try:
            for path in paths.values():
                save(thing, path)
        except NeurokError as fault:
            verdict.faults["urdf"].append(str(fault))
            return verdict
        verdict.seconds = time.perf_counter() - begin
        _try_out(verdict, paths)
        shell = SHELL_THICKNESS * thing.mesh.diagonal * thing.mesh.unit
        masses = [link.inertia.mass if link.inertia else 0.0 for link in thing.links]
        verdict.faults["mass"] += mass_opinion(thing, masses, DENSITY, shell)
        verdict.faults["usd"] += _usd_faults(paths)
        if find_spec("pybullet") is None:
            verdict.faults["bullet"].append("PyBullet is not installed: pip install pybullet")
        else:
            verdict.faults["bullet"] += pybullet_opinion(paths["urdf"], paths["xml"])
    return verdict


def _try_out(verdict: Verdict, paths: dict[str, Path]) -> None:
    for judge_, suffix in (("urdf", "urdf"), ("mjcf", "xml")):
        try:
            found = check_file(paths[suffix])
        except NeurokError as fault:
            verdict.faults[judge_].append(str(fault))
            continue
        verdict.faults[judge_] += found.faults
        verdict.penetration = max(verdict.penetration, found.figures["penetration"])
        verdict.drift = max(verdict.drift, found.figures["base_drift"])


def _usd_faults(paths: dict[str, Path]) -> list[str]:
    from neurok.files.usd.check import find_topology_faults, find_validation_errors

    alone = [*find_validation_errors(paths["usda"]), *find_topology_faults(paths["usda"])]
    return alone + usd_against_mjcf(paths["usda"], paths["xml"])


# ---------------------------------------------------------------- the objects


def real_objects(data: Path, split: str) -> Iterator[Candidate]:
    index = json.loads((data / "index.json").read_text())["partnet_mobility"]
    for joints in ("found", "given"):
        for row in index[split]:
            yield Candidate("real", row["category"], row["id"], joints, data / "partnet_mobility" / row["id"])


def made_objects(count: int, first: int, only: Collection[str] = ()) -> Iterator[Candidate]:
    """Round by round through the jointed categories; with joints found and its own in turn."""
    jointed = [name for name in procedural.list_categories() if not only or name in only]
    seed, number = first, 0
    while number < count and jointed:
        for place, category in enumerate(tuple(jointed)):
            thing = procedural.make(category, seed)
            if thing.is_soft:
                jointed.remove(category)
            elif number < count:
                joints = ("found", "given")[(place + seed) % 2]
                yield Candidate("made", category, f"{category} {seed}", joints, thing.articulation)
                number += 1
        seed += 1


def table(verdicts: list[Verdict]) -> list[str]:
    """A line per source, kind of joints and category; the faults; the sums."""
    head = "| objects | joints | category | number | links | pieces | penetration, % | drift, mm |"
    lines = [f"{head} {' | '.join(f'{judge} passes' for judge in JUDGES)} | s each |", "|---" * (9 + len(JUDGES)) + "|"]
    groups = sorted({(v.source, v.joints, v.category) for v in verdicts})
    wholes = sorted({(v.source, v.joints, "all") for v in verdicts})
    for source, joints, category in [*groups, *wholes]:
        mine = [v for v in verdicts if (v.source, v.joints) == (source, joints) and category in (v.category, "all")]
        row = [
            source, joints, category, len(mine), sum(v.links for v in mine), sum(v.pieces for v in mine),
            f"{100 * max(v.penetration for v in mine):.2f}", f"{1e3 * max(v.drift for v in mine):.3f}",
            *(f"{sum(not v.faults[judge] for v in mine)} of {len(mine)}" for judge in JUDGES),
            f"{sum(v.seconds for v in mine) / len(mine):.1f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(str, row)) + " |")
    lines += [f"{v.source} {v.name} ({v.joints}): {fault}" for v in verdicts for fault in v.sentences]
    bad = sum(bool(v.sentences) for v in verdicts)
    lines.append(f"{len(verdicts)} objects, {bad} at fault")
    return lines


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="check_articulation", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None, help="folder with partnet_mobility/ and index.json")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--made", type=int, default=200, help="procedural objects")
    parser.add_argument("--first", type=int, default=20_000, help="their first seed")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these objects or categories alone")
    parser.add_argument("--predictor", default="both", help="what finds joints: as `neurok articulate` does by default")
    parser.add_argument("-o", "--output", type=Path, default=None)
    options = parser.parse_args(words)
    if options.data is None:
        print("no --data: objects of PartNet-Mobility are left out", file=sys.stderr)
    chosen = set(options.only)
    real = [*real_objects(options.data, options.split)] if options.data else []
    real = [c for c in real if not chosen or {c.name, c.category} & chosen]
    verdicts: list[Verdict] = []
    for candidate in chain(real, made_objects(options.made, options.first, chosen)):
        verdicts.append(judge(candidate, options.predictor))
        for fault in verdicts[-1].sentences:
            print(f"{candidate.source} {candidate.name} ({candidate.joints}): {fault}", file=sys.stderr, flush=True)
        if len(verdicts) % 20 == 0:
            print(f"{len(verdicts)} of {len(real) + options.made} ...", file=sys.stderr, flush=True)
        if options.output is not None:  # as far as it has come, so that a sweep that is cut off has said something
            options.output.write_text(
                "\n".join([*table(verdicts), f"{len(verdicts)} of {len(real) + options.made} judged"]) + "\n"
            )
    print("\n".join(table(verdicts)))
    return 1 if any(v.sentences for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
