"""The options of verbs that know what things are made of."""

from typing import Annotated

from tyro.conf import FlagCreatePairsOff, UseAppendAction

from neurok.commands.condition_options import parse_part
from neurok.commands.options import PLAIN_FLAG, hint, parsed, word
from neurok.materials.part_properties import PartProperties

PartStatements = Annotated[
    UseAppendAction[
        tuple[Annotated[tuple[str, PartProperties], parsed("--part", "NAME:material=M,...", parse_part)], ...]
    ],
    hint(
        "may be repeated",
        help="what one part is made of, by its name: a material, and numbers in place of its own (density, friction, "
        "restitution, thickness, young, poisson, yield_stress, friction_angle, loss), or stiffness (a factor without "
        "a unit, for springs of what has no material), damping (1/s), and deforms=no for what is rigid all the same",
    ),
]
MaterialName = Annotated[
    str | None, word("NAME"),
    hint(help="what the object is made of where no --part says more: a material of the library, as oak, steel, rubber"),
]  # fmt: skip
NoPredict = Annotated[
    FlagCreatePairsOff[bool], PLAIN_FLAG,
    hint(help="leave materials that neither you nor the file states unknown, instead of predicting them"),
]  # fmt: skip
MaterialFile = Annotated[
    str | None, word("FILE.toml"), hint(help="further materials, in the form of neurok/materials/materials.toml")
]
