"""Messages on the wire: the page sends JSON, {"type": name, ...}, the server packets (see `neurok.files.packets`).

A message is named after its class, but for those in `WIRE_NAMES`, whose names are classes of other rooms.
"""

import json
from dataclasses import fields
from typing import Any, get_args

from neurok.errors import InputError
from neurok.files.packets import pack
from neurok.mechanics.plain import build
from neurok.viewer.messages import PageMessage, PoseMessage, RecordingMessage, RunMessage, ServerMessage, Settings

FROM_PAGE: tuple[type, ...] = get_args(PageMessage)
FROM_SERVER: tuple[type, ...] = get_args(ServerMessage)
# The names on the wire that are not those of the classes.
WIRE_NAMES: dict[type, str] = {RunMessage: "Run", PoseMessage: "Pose", RecordingMessage: "Take"}

MAX_NUMBER = 1e6  # of all numbers a page may mean: places and speeds in diagonals, angles, forces
MAX_WHOLE_NUMBER = 1 << 31
# The greatest values of the settings: beyond these nothing but overflow is simulated.
MAX_SETTINGS = {"gravity": 1e3, "wind": 1e3, "wind_angle": 1e6, "stiffness": 1e4, "damping": 1e4}


def name_message(kind: type) -> str:
    """What a message class is called on the wire, and in the page's types."""
    return WIRE_NAMES.get(kind, kind.__name__)


PAGE_CLASSES = {name_message(kind): kind for kind in FROM_PAGE}


def encode(message: ServerMessage) -> bytes:
    """A message of the server as a packet."""
    return pack(message, name_message(type(message)))


def decode(text: str) -> PageMessage:
    """A message of the page; an InputError where it is none."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise InputError("the page sent something that is not JSON", "reload the page") from None
    name = data.pop("type", None) if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in PAGE_CLASSES:
        raise InputError("the page sent an unknown message", "reload the page")
    message: PageMessage = build(PAGE_CLASSES[name], data, name)
    values = {item.name: getattr(message, item.name) for item in fields(message)}
    for key, value in values.items():
        _check_size(key, value)
    if isinstance(message, Settings):
        for key, most in MAX_SETTINGS.items():
            if not 0.0 <= values[key] <= most:
                raise InputError(f"{key} is {values[key]:g}", f"choose it between 0 and {most:g}")
    return message


def _check_size(name: str, value: Any) -> None:
    """Numbers that nobody can mean are refused here, before anything is computed with them."""
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, float) and not abs(number) <= MAX_NUMBER:
            raise InputError(f"the page sent {number:g} for {name}", f"stay within {MAX_NUMBER:g}")
        if isinstance(number, int) and abs(number) > MAX_WHOLE_NUMBER:
            raise InputError(f"the page sent a number of {len(str(number))} digits for {name}", "reload the page")


def _refuse(constant: str) -> None:
    """Numbers that are none: JSON does not have them, Python's reader does."""
    raise InputError(f"the page sent {constant} for a number", "reload the page")
