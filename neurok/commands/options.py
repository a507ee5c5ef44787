"""How a field of a verb's dataclass becomes an option: its parser, its placeholder and its default in the help.

The parsers raise errors of ours, which tyro lets through, so that a bad value
ends in the same one line as a bad file.
"""

from collections.abc import Callable
from typing import Annotated, Any

import tyro
from tyro.conf import FlagCreatePairsOff, UseAppendAction
from tyro.constructors import PrimitiveConstructorSpec

from neurok.commands.condition_options import (
    parse_choice,
    parse_number,
    parse_seed,
    parse_unit,
    parse_vector,
    parse_whole,
)
from neurok.errors import OptionError
from neurok.mechanics.conditions import Conditions

UPS = ("auto", "x", "y", "z")
# kinematics.choose.KINDS and FORMER_KINDS, without loading torch
SPACES = ("given", "joints", "learned", "articulated", "soft")
FORMER_SPACES = ("mechanism", "body", "auto")


def parsed(option: str, metavar: str, parse: Callable[[str, str], Any]) -> PrimitiveConstructorSpec:
    """An option of one word, understood by `parse(option, word)`."""
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=metavar,
        instance_from_str=lambda words: parse(option, words[0]),
        is_instance=lambda value: True,
        str_from_instance=lambda value: [str(value)],
    )


def number(option: str, metavar: str) -> PrimitiveConstructorSpec:
    return parsed(option, metavar, parse_number)


def whole(option: str, metavar: str = "N") -> PrimitiveConstructorSpec:
    return parsed(option, metavar, parse_whole)


def random_seed(option: str = "--seed") -> PrimitiveConstructorSpec:
    return parsed(option, "N", parse_seed)


def vector(option: str, metavar: str) -> PrimitiveConstructorSpec:
    return parsed(option, metavar, parse_vector)


def word(metavar: str) -> PrimitiveConstructorSpec:
    return parsed(metavar, metavar, lambda option, text: text)


def choice(option: str, known: tuple[str, ...], former: tuple[str, ...] = ()) -> PrimitiveConstructorSpec:
    """One of the known words; former ones are understood, but not offered."""
    return parsed(
        option, "|".join(known),
        lambda option, text: text if text in former else parse_choice(option, text, known),
    )  # fmt: skip


def hint(text: str = "", *, aliases: tuple[str, ...] = (), help: str | None = None) -> Any:
    """What the help says behind an option, in place of the type's own default; help: of the option itself, in place of
    the docstring of its field."""
    return tyro.conf.arg(help_behavior_hint=f"({text})" if text else "", aliases=aliases or None, help=help)


def default_hint(name: str) -> Any:
    """The default of a field of Conditions, for the help."""
    value = Conditions.__dataclass_fields__[name].default
    words = f"{value:.4g}" if isinstance(value, float) else str(value)
    return hint(f"default: {words}")


REPEATS = hint("may be repeated")
PLAIN_FLAG = hint()


def _perhaps_file(words: list[str]) -> str:
    if len(words) > 1:
        raise OptionError("--json has more than one file", "name one, or none to print")
    return words[0] if words else "-"


# --json [FILE]: '-' where no file is named.
PERHAPS_FILE = PrimitiveConstructorSpec(
    nargs="*", metavar="[FILE]", instance_from_str=_perhaps_file,
    is_instance=lambda value: isinstance(value, str), str_from_instance=lambda value: [value],
)  # fmt: skip

Names = UseAppendAction[tuple[Annotated[str, word("NAME")], ...]]
Folders = UseAppendAction[tuple[Annotated[str, word("DIR")], ...]]
Outputs = Annotated[UseAppendAction[tuple[Annotated[str, word("OUT")], ...]], hint("may be repeated", aliases=("-o",))]

# Options that several verbs have, with their meaning.
Weights = Annotated[
    str | None, word("DIR"),
    hint("default: those that came with neurok",
         help="of the learned state space, which then serves a file with joints as well"),
]  # fmt: skip
Unit = Annotated[
    float | None, parsed("--unit", "METRES", parse_unit),
    hint("default: as the file says, else 1",
         help="how long the file's unit is: 0.001 where it counts in millimetres"),
]  # fmt: skip
Spaces = Annotated[
    str, choice("--kinematics", SPACES, FORMER_SPACES),
    hint("default: given",
         help="move by the file's joints, else by those that its parts suggest, else as a body that bends (given); by "
         "joints, likely or not; as learned; by the likeliest joints of its parts, whatever the file states "
         "(articulated); as learned, and known to bend (soft)"),
]  # fmt: skip
UpAxis = Annotated[
    str, choice("--up", UPS), hint("default: auto, y", help="the upward axis of an OBJ, PLY, STL or OFF file")
]
Strict = Annotated[
    FlagCreatePairsOff[bool], hint(help="end with exit code 3 where a warning says that the result is doubtful")
]
AllowOutside = Annotated[FlagCreatePairsOff[bool], hint(help="let the file name others outside its own folder")]
