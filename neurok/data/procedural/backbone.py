"""Backbone: a chain of bones along a path that bends and stretches in a few chosen ways.

A way is one coordinate and a factor for each bone: all ones curl it, a sine along the chain waves it. Two ways a
quarter of a wave apart make every phase of a wave that travels along.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.kit import Kit, find_bone_starts
from neurok.data.procedural.placing import Vector
from neurok.geometry.arrays import Array


@dataclass(frozen=True)
class Way:
    """One way to move: bend about an axis between limits [degrees], or slide along it ([m], each bone by itself)."""

    name: str
    axis: str | Vector
    lower: float
    upper: float
    factors: Sequence[float] | Array | None = None  # one per bone, the largest near one; all ones by default
    slides: bool = False


def add_backbone(kit: Kit, name: str, parent: str, path: Array, bones: int, ways: Sequence[Way]) -> list[str]:
    """Bones that begin evenly along a path [p, 3], the first joined to the parent; their names.

    Bone i turns about where it begins, in each way by that way's factor i (at least one of which is not zero).
    """
    spots = find_bone_starts(path, bones)
    factors = [np.ones(bones) if way.factors is None else np.asarray(way.factors, dtype=np.float64) for way in ways]
    chain: list[str] = []
    for i in range(bones):
        above = chain[-1] if chain else parent
        for way, factor in zip(ways, factors):
            leader = int(np.argmax(np.abs(factor)))
            if abs(factor[i]) < 1e-3:
                continue
            bone = kit.bone(f"{name}_{way.name}_{i + 1}")
            _join(kit, above, bone, way, factor[i], spots[i])
            if i != leader:
                kit.follow(bone, f"{name}_{way.name}_{leader + 1}", factor[i] / factor[leader])
            above = bone
        chain.append(above)
    return chain


def compute_wave_factors(bones: int, waves: float, phase: float, *, least: float = 0.3) -> Array:
    """Factors of a wave along the chain, its swing growing from `least` to one; phase in turns, [bones]."""
    t = (np.arange(bones) + 0.5) / bones
    return (least + (1.0 - least) * t) * np.cos(2 * np.pi * (waves * t - phase))


def _join(kit: Kit, above: str, bone: str, way: Way, factor: float, at: Array) -> None:
    lower, upper = sorted((way.lower * factor, way.upper * factor))
    if way.slides:
        kit.slide(above, bone, axis=way.axis, lower=lower, upper=upper)
    else:
        kit.hinge(above, bone, at=at, axis=way.axis, lower=lower, upper=upper)
