"""Soft objects moved by a real engine: cloth, soft solids, plants and ropes in MuJoCo, parametric by seed.

    from neurok.data import simulated
    clip = simulated.make("flag", seed=7)      # clip.mesh, clip.frames [t, n, 3]

A kind is one small file with `draw(rng) -> SimulatedClip`; sheet.py, solid.py and chain.py do the work.
"""

from importlib import import_module
from typing import TYPE_CHECKING
from zlib import crc32

from neurok.errors import unknown

if TYPE_CHECKING:
    from neurok.data.simulated.clip import SimulatedClip

_KINDS = "neurok.data.simulated.kinds"

# kind -> the module that draws it
KINDS = {
    "awning": f"{_KINDS}.awning",
    "ball_squeezed": f"{_KINDS}.ball_squeezed",
    "curtain": f"{_KINDS}.curtain",
    "cushion_dropped": f"{_KINDS}.cushion_dropped",
    "cushion_poked": f"{_KINDS}.cushion_poked",
    "draped_cloth": f"{_KINDS}.draped_cloth",
    "flag": f"{_KINDS}.flag",
    "foam_bar": f"{_KINDS}.foam_bar",
    "hose": f"{_KINDS}.hose",
    "jelly": f"{_KINDS}.jelly",
    "potted_plant": f"{_KINDS}.potted_plant",
    "reeds": f"{_KINDS}.reeds",
    "rope": f"{_KINDS}.rope",
    "slack_rope": f"{_KINDS}.slack_rope",
    "tablecloth": f"{_KINDS}.tablecloth",
    "towel": f"{_KINDS}.towel",
    "toy_shaken": f"{_KINDS}.toy_shaken",
    "toy_squeezed": f"{_KINDS}.toy_squeezed",
    "tree": f"{_KINDS}.tree",
}


def list_kinds() -> list[str]:
    """All kinds."""
    return sorted(KINDS)


def make(kind: str, seed: int) -> "SimulatedClip":
    """The clip of a kind and seed; an engine.Unstable where the run broke down."""
    import numpy as np

    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    return import_module(KINDS[kind]).draw(np.random.default_rng([crc32(kind.encode()), seed]))
