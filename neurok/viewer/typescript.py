"""The page's types: `python -m neurok.viewer.typescript` writes page/src/messages.ts from the message classes."""

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any

from neurok.files import clips, html, scenery
from neurok.files.packets import PAGE_ARRAYS
from neurok.viewer import messages, wire

OUT = Path(__file__).parent / "page" / "src" / "messages.ts"
HEAD = "// Made by neurok/viewer/typescript.py from the server's message classes (`make page`): do not edit.\n"


def write_types() -> str:
    """All interfaces, and the unions of both directions."""
    parts = [HEAD]
    tagged = {*wire.FROM_PAGE, *wire.FROM_SERVER}
    for kind in _list_classes():
        parts.append(_write_interface(kind, is_tagged=kind in tagged))
    for name, union in (("FromPage", wire.FROM_PAGE), ("FromServer", wire.FROM_SERVER)):
        parts.append(f"export type {name} = {' | '.join(map(wire.name_message, union))};\n")
    return "\n".join(parts)


def _list_classes() -> list[type]:
    """Every message class in order of definition, the scenery's first."""
    found: list[type] = []
    for module in (scenery, clips, html, messages):
        for value in vars(module).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
                found.append(value)
    return found


def _write_interface(kind: type, *, is_tagged: bool) -> str:
    hints, name = typing.get_type_hints(kind, include_extras=True), wire.name_message(kind)
    lines = [f'  type: "{name}";'] if is_tagged else []
    lines += [f"  {item.name}: {_write_type(hints[item.name])};" for item in dataclasses.fields(kind)]
    words = " ".join((kind.__doc__ or "").split())
    return f"/** {words} */\nexport interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def _write_type(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return PAGE_ARRAYS[arguments[1]]
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return f"{_write_type(arguments[0])}[]"
        return f"[{', '.join(map(_write_type, arguments))}]"
    if origin is types.UnionType:
        return " | ".join("null" if a is type(None) else _write_type(a) for a in arguments)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return wire.name_message(hint)
    return {int: "number", float: "number", str: "string", bool: "boolean"}[hint]


if __name__ == "__main__":
    OUT.write_text(write_types(), encoding="utf-8")
