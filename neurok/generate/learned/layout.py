"""How the parts of an object lie and move: what the flow draws, in the frame in which it draws.

The frame is the object's own, z up and its front towards -y, the middle of its box at the origin and its diagonal two
units long.
"""

import re
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices

JOINT_TYPES = ("base", "revolute", "prismatic", "continuous", "screw")
MAX_PARTS = 20  # of an object; of those with more, the largest count
MIN_HALF = 0.004  # units: half a sheet's thickness
DIAGONAL = 2.0  # units

# What other sources call kinds that there are programs for, and kinds of programs that are one kind elsewhere.
SAME_KINDS = {
    "door_cabinet": "cabinet", "drawer_cabinet": "cabinet", "storage_furniture": "cabinet", "switch": "wall_switch",
    "kitchen_pot": "pot", "chair": "office_chair", "folding_chair": "office_chair", "cart": "trolley",
    "wheelbarrow": "trolley", "pan": "pot",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Parts of one object, the base first and every part after its parent.

    parent: [p], -1 of the base. joint: rows of JOINT_TYPES, [p]. centre, half: of each box [units], [p, 3]; half sides.
    axis: unit, [p, 3]; pivot: the point of the axis nearest to the box's middle [units], [p, 3]; zero of the base.
    limits: lower and upper [rad, or units of what slides or screws], [p, 2]; zero is rest and lies within.
    code: what each part looks like and is made of, [p, d].
    """

    parent: Indices
    joint: Indices
    centre: Array
    half: Array
    axis: Array
    pivot: Array
    limits: Array
    code: Array

    @property
    def count(self) -> int:
        return len(self.parent)


def name_kind(category: str) -> str:
    """The kind that a category of any source belongs to."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", category).lower().replace(" ", "_")
    return SAME_KINDS.get(plain, plain)


def order_parts(parent: Indices, size: Array) -> Indices:
    """Parts with parents first: level by level, those with children before those without, larger ones first."""
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    depth = np.zeros(len(parent), dtype=np.int64)
    for part in range(len(parent)):
        above = parent[part]
        while above >= 0:
            depth[part] += 1
            above = parent[above]
    return np.lexsort((-size, children == 0, depth))
