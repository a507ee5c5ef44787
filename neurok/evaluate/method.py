"""Method: something that deforms a plain mesh towards a target. The list of all of them is here."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from neurok.errors import unknown
from neurok.evaluate.targets import Target
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Array, Mesh


class Method(Protocol):
    """A name, a space made once for a mesh, and a fit in it for each target.

    sees_truth: whether it is an oracle: then, and only then, `space` is given the object with its joints.
    """

    name: str
    sees_truth: bool

    def space(self, mesh: Mesh, truth: Articulation | None) -> Any:
        """Whatever is worth making once for a mesh: a Kinematics, a graph, components; None: cannot be made."""

    def fit(self, space: Any, target: Target) -> Array:
        """Where the mesh goes: its vertices [n, 3], or, where it tears, the corners of its faces [m, 3, 3]."""


# name -> (module, class, what it is); the order of the tables.
METHODS = {
    "still": ("neurok.evaluate.methods.still", "Still", "not moving"),
    "components": ("neurok.evaluate.methods.components", "Components", "each connected component moved rigidly"),
    "arap": ("neurok.evaluate.methods.arap", "AsRigidAsPossible", "free particles, as rigid as possible"),
    "untrained": ("neurok.evaluate.methods.learned", "Untrained", "control: the network before it has learned"),
    "learned": ("neurok.evaluate.methods.learned", "Learned", "the learned state space"),
    "oracle": ("neurok.evaluate.methods.oracle", "Oracle", "ceiling: knows the joints"),
}


# Those that take weights: all others are as they are.
WEIGHTED = ("untrained", "learned")


def methods(names: Sequence[str], weights: str | None = None) -> list[Method]:
    """The methods of these names; weights: of the learned ones, those that came with neurok where none are named."""
    for name in names:
        if name not in METHODS:
            raise unknown("method", name, METHODS)
    classes = {name: getattr(import_module(METHODS[name][0]), METHODS[name][1]) for name in names}
    return [made(weights) if name in WEIGHTED else made() for name, made in classes.items()]
