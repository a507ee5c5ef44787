"""Which shapes can it take: state spaces and their maps F from state to shape (torch).

`neurok.kinematics` is two things by design: this package, and the verb that
gives an object its state space, `space = neurok.kinematics(asset)`. Python
binds a subpackage as an attribute of its parent the moment it is imported, so
a function of the same name would vanish at that moment. The package is
therefore callable itself; the call goes to `opening.kinematics`:

    kinematics(thing, model=None, *, kind="given", purpose="move", base="fixed", materials=None)
"""

import sys
from types import ModuleType
from typing import Any


class _Verb(ModuleType):
    def __call__(
        self, thing: Any, model: Any = None, *, kind: str = "given", purpose: str = "move", base: str = "fixed",
        materials: Any = None,
    ) -> Any:  # fmt: skip
        """The state space of an asset, an articulation or a mesh; see `neurok.opening.kinematics`."""
        from neurok.opening import kinematics

        return kinematics(thing, model, kind=kind, purpose=purpose, base=base, materials=materials)


sys.modules[__name__].__class__ = _Verb
