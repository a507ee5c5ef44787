"""neurok makes a static 3D object move.

A file becomes a mesh, a mesh gets a state space, conditions drive the state,
the state becomes a motion, the motion becomes a file:

    asset = neurok.load("laptop.urdf")
    space = neurok.kinematics(asset)
    trajectory = neurok.animate(space, conditions)
    neurok.save(trajectory.motion(), "laptop.glb")

The verbs are loaded when first used, so that `import neurok` and every
`--help` are quick and work without the optional parts.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what editors and type checkers see; nothing of it runs
    from neurok.files.registry import load_mesh, save
    from neurok.generate.making import generate
    from neurok.mechanics.conditions import Conditions, Obstacle, Pin, Pull, Push, Start, Velocity
    from neurok.opening import kinematics, load
    from neurok.verbs import animate, fit, parts, sample
    from neurok.viewer.widget import widget

__version__ = "0.1.0"

# public name -> where it lives
_PLACES = {
    "load": "neurok.opening:load",
    "load_mesh": "neurok.files.registry:load_mesh",
    "save": "neurok.files.registry:save",
    "fit": "neurok.verbs:fit",
    "animate": "neurok.verbs:animate",
    "sample": "neurok.verbs:sample",
    "parts": "neurok.verbs:parts",
    "widget": "neurok.viewer.widget:widget",
    "Conditions": "neurok.mechanics.conditions:Conditions",
    "Obstacle": "neurok.mechanics.conditions:Obstacle",
    "Pin": "neurok.mechanics.conditions:Pin",
    "Pull": "neurok.mechanics.conditions:Pull",
    "Push": "neurok.mechanics.conditions:Push",
    "Start": "neurok.mechanics.conditions:Start",
    "Velocity": "neurok.mechanics.conditions:Velocity",
}

# Packages that are themselves the verb (see their own texts for how).
_PACKAGES = ("generate", "kinematics")

__all__ = [
    "Conditions",
    "Obstacle",
    "Pin",
    "Pull",
    "Push",
    "Start",
    "Velocity",
    "__version__",
    "animate",
    "fit",
    "generate",
    "kinematics",
    "load",
    "load_mesh",
    "parts",
    "sample",
    "save",
    "widget",
]


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"neurok.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'neurok' has no attribute '{name}'; it has: {', '.join(__all__)}")
    module, _, attribute = _PLACES[name].partition(":")
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
