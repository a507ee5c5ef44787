"""How much of the ranges that files state contact between parts leaves free: `python -m benchmarks.free_ranges DATA`.

Each joint of each object is swept alone from rest to its limits, which people have set by eye. Where contact stops it
before 95 % of the way, it is counted: a joint that cannot move is worse than one that passes through something. Objects
are those of PartNet-Mobility's train split, 60 drawn at random.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.files.registry import load
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.carrier import BoneCarrier
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import build_scene
from neurok.mechanics.self_contact import ProbeMemory, SelfContacts

STEPS = 60
FREE = 0.95


def measure_free_share(space: Articulated, contacts: SelfContacts, coordinate: int, limit: float) -> float:
    """The share of the way from rest to a limit after which contact stops a joint; 1 where nothing does."""
    contacts, carrier = replace(contacts, memory=ProbeMemory(contacts.pairs)), BoneCarrier()
    q, v = np.zeros(space.size), np.zeros(space.size)
    v[coordinate] = limit
    for step in range(STEPS):
        q[coordinate] = limit * step / STEPS
        jet = carrier.compute_jet(space, q, np.zeros_like(q))
        near = contacts.find_probes(jet.value, (np.tensordot(v, jet.jacobian, axes=1),), 1 / STEPS)
        if np.any(near.gap + near.rate / STEPS < -contacts.slop):
            return step / STEPS
    return 1.0


def main(folder: Path, count: int = 60) -> None:
    shares = []
    for name in choose_objects(folder, count):
        articulation = load(folder / "partnet_mobility" / name).articulation
        space = None if articulation is None else Articulated(articulation)
        if space is None or space.size == 0:
            continue
        contacts = build_scene(space, Conditions()).self_contacts
        for coordinate in range(space.size):
            for limit in (float(space.lower[coordinate]), float(space.upper[coordinate])):
                if np.isfinite(limit) and limit != 0.0:
                    share = 1.0 if contacts is None else measure_free_share(space, contacts, coordinate, limit)
                    shares.append(share)
    blocked = [share for share in shares if share < FREE]
    print(f"{len(blocked)} of {len(shares)} ways end before their limit, {sum(s < 0.5 for s in blocked)} before half")


def choose_objects(folder: Path, count: int) -> list[str]:
    """Objects of the train split, drawn at random."""
    names = [entry["id"] for entry in json.loads((folder / "index.json").read_text())["partnet_mobility"]["train"]]
    return [str(name) for name in np.random.default_rng(0).choice(names, size=min(count, len(names)), replace=False)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
