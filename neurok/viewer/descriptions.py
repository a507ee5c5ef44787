"""Descriptions: what a page is told of an object when it first sees it."""

import numpy as np

from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.bones import describe_bones
from neurok.viewer.messages import Settings, Thing
from neurok.viewer.sliders import describe_coordinates
from neurok.viewer.viewed_object import FoundSpace, ViewedObject

LENGTH_UNITS = (("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3))  # names and sizes [m]
NAMED_COUNT = 3  # coordinates that a sentence names


def describe_object(shown: ViewedObject, space: Kinematics, settings: Settings, token: str) -> Thing:
    """How an object looks and what can be done with it; space: its own, with the base free or fixed."""
    mesh = shown.mesh
    is_movable = shown.motion is None
    skin = space.skin if is_movable else None
    metres = shown.stage.size * mesh.unit
    return Thing(
        token=token,
        title=shown.title,
        facts=f"{mesh.vertex_count:,} vertices · {mesh.face_count:,} faces · {describe_length(metres)}",
        metres=metres,
        movable=is_movable,
        up=mesh.up,
        coordinates=describe_coordinates(shown, space) if is_movable else (),
        settings=settings,
        bones=skin.bone_count if skin is not None else 0,
        named=describe_bones(shown, space) if is_movable else (),
        width=skin.joints.shape[1] if skin is not None else 0,
        scenery=shown.scenery,
        joints=np.asarray(skin.joints if skin is not None else [], dtype=np.uint16),
        weights=np.asarray(skin.weights if skin is not None else [], dtype=np.float32),
    )


def describe_found(thing: Thing, found: FoundSpace) -> str:
    """What came of the search for a motion, in words."""
    if found.outcome == "rigid":
        return found.note
    return f"{describe_ways(thing, '')} {found.note}" if found.is_guess else describe_ways(thing, found.why)


def describe_ways(thing: Thing, why: str) -> str:
    """In which ways an object moves, in words, and why that is so (may be '')."""
    names = [f"{one.name} ({one.moves})" if one.moves else one.name for one in thing.coordinates if one.shown]
    more = f" and {len(names) - NAMED_COUNT} more" if len(names) > NAMED_COUNT else ""
    ways = "one way" if len(names) == 1 else f"{len(names)} ways"
    text = f"It moves in {ways}: {', '.join(names[:NAMED_COUNT])}{more}."
    return f"{text} {why[:1].upper()}{why[1:]}." if why else text


def describe_length(metres: float) -> str:
    """A length for people."""
    for unit, size in LENGTH_UNITS:
        if metres >= size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres:.2g} m"
