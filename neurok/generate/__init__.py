"""Objects from words: a prompt becomes constraints on a program, the program's object is checked, and written.

`neurok.generate` is this package and the verb, `neurok.generate("a wooden cabinet with two drawers", seed=3)`, which
gives what `neurok/generate/making.py:generate` gives; see neurok/kinematics for why the package is callable itself.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurok.generate.making import Generated


class _GenerateVerb(ModuleType):
    def __call__(self, text: str, *, seed: int = 0) -> "Generated":
        """The object of a prompt and a seed; see `neurok.generate.making.generate`."""
        from neurok.generate.making import generate

        return generate(text, seed=seed)


sys.modules[__name__].__class__ = _GenerateVerb
