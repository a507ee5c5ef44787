"""Dataclasses to and from plain JSON values; what does not fit is an error that names the place."""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping

from neurok.errors import InputError

VECTOR = tuple[float, float, float]


def to_plain(value: object) -> object:
    """A dataclass (the fields that differ from their defaults), a mapping, a tuple or a number as JSON has it."""
    if dataclasses.is_dataclass(value):
        kept = {}
        for item in dataclasses.fields(value):
            mine = getattr(value, item.name)
            default = item.default if item.default is not dataclasses.MISSING else None
            if item.default_factory is not dataclasses.MISSING:
                default = item.default_factory()
            if mine != default or item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
                kept[item.name] = to_plain(mine)
        return kept
    if isinstance(value, Mapping):
        return {k: to_plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [to_plain(v) for v in value]
    return value


def from_plain(kind: typing.Any, data: object, where: str) -> typing.Any:
    """A value of the annotated type from plain JSON, or an error that names the place."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    wrong = InputError(f"{where} is {json.dumps(data)[:60]}", f"give {_describe_kind(kind)}")
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _fill_dataclass(kind, data, where)
    if origin is types.UnionType:
        if data is None and type(None) in arguments:
            return None
        if isinstance(data, str) and str in arguments:
            return data
        return from_plain(next(a for a in arguments if a is not type(None)), data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise wrong
        inner = [arguments[0]] * len(data) if arguments[-1] is Ellipsis else arguments
        if len(inner) != len(data):
            raise wrong
        return tuple(from_plain(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(inner, data)))
    if origin is Mapping:
        if not isinstance(data, dict):
            raise wrong
        return {k: from_plain(arguments[1], v, f"{where}.{k}") for k, v in data.items()}
    if kind is float and isinstance(data, (int, float)) and not isinstance(data, bool):
        try:
            return float(data)
        except OverflowError:
            raise wrong from None
    if kind in (bool, str, int) and type(data) is kind:
        return data
    raise wrong


def _fill_dataclass(kind: type, data: object, where: str) -> object:
    """An instance of a dataclass from a JSON object; unknown and missing keys are errors."""
    if not isinstance(data, dict):
        raise InputError(f"{where} is not a JSON object", "write it in braces")
    hints = typing.get_type_hints(kind)
    for key in data:
        if key not in hints:
            raise InputError(f"{where} has an unknown key '{key}'", f"use one of: {', '.join(sorted(hints))}")
    for item in dataclasses.fields(kind):
        if item.default is item.default_factory is dataclasses.MISSING and item.name not in data:
            raise InputError(f"{where} has no '{item.name}'", "add it")
    return kind(**{k: from_plain(hints[k], v, f"{where}.{k}") for k, v in data.items()})


def _describe_kind(kind: typing.Any) -> str:
    if kind in (VECTOR, VECTOR | None):
        return "three numbers"
    if kind == VECTOR | str:
        return "three numbers, or the name of a part"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}.get(kind, "a list")
