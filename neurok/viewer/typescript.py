"""The page's types: `python -m neurok.viewer.typescript` writes page/src/messages.ts from the message classes."""

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any

from neurok.files import clips, html, scenery
from neurok.files.packets import PAGE_ARRAYS
from neurok.viewer import messages

OUT = Path(__file__).parent / "page" / "src" / "messages.ts"
HEAD = "// Made by neurok/viewer/typescript.py from the server's message classes (`make page`): do not edit.\n"


def text() -> str:
    """All interfaces, and the unions of both directions."""
    parts = [HEAD]
    said = {*messages.FROM_PAGE, *messages.FROM_SERVER}
    for kind in _kinds():
        parts.append(_interface(kind, tagged=kind in said))
    for name, union in (("FromPage", messages.FROM_PAGE), ("FromServer", messages.FROM_SERVER)):
        parts.append(f"export type {name} = {' | '.join(kind.__name__ for kind in union)};\n")
    return "\n".join(parts)


def _kinds() -> list[type]:
    """Every message class in order of definition, the scenery's first."""
    found = []
    for module in (scenery, clips, html, messages):
        for value in vars(module).values():
            if dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
                found.append(value)
    return found


def _interface(kind: type, *, tagged: bool) -> str:
    hints = typing.get_type_hints(kind, include_extras=True)
    lines = [f'  type: "{kind.__name__}";'] if tagged else []
    lines += [f"  {item.name}: {_type(hints[item.name])};" for item in dataclasses.fields(kind)]
    words = " ".join((kind.__doc__ or "").split())
    return f"/** {words} */\nexport interface {kind.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def _type(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return PAGE_ARRAYS[arguments[1]]
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return f"{_type(arguments[0])}[]"
        return f"[{', '.join(map(_type, arguments))}]"
    if origin is types.UnionType:
        return " | ".join("null" if a is type(None) else _type(a) for a in arguments)
    if dataclasses.is_dataclass(hint):
        return hint.__name__
    return {int: "number", float: "number", str: "string", bool: "boolean"}[hint]


if __name__ == "__main__":
    OUT.write_text(text(), encoding="utf-8")
