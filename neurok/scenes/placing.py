"""Where everything goes: each thing on what carries it, beside what it stands beside, drawn from the free places."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Mask
from neurok.scenes.openings import find_coordinates, name_openings, open_joints
from neurok.scenes.request import FLOOR, SIDES, SceneRelation, SceneRequest
from neurok.scenes.supports import (
    Footprint,
    StandingSpot,
    cannot_fit,
    find_clear_links,
    find_spots,
    measure_footprint,
)
from neurok.scenes.thing import PlacedThing, SceneThing

FLOOR_REACH = 2.5  # [m] of floor around all that stands on it
USUAL_GAP = 0.06  # [m] between things side by side
MAX_TURN = np.radians(12.0)  # by which things on a table look away from the front
# Where room is left for what comes beside a thing: on which axis it moves away, and which way is worse.
ROOM_SIDES = {"left of": (0, -1.0), "right of": (0, 1.0), "behind": (1, 1.0), "in front of": (1, -1.0)}
ROOM_WEIGHT = 0.5
LOW_BOARD = 0.2  # [m]: lower boards of a shelf are filled last
OPEN_SHARES = (0.4, 0.7, 1.0)  # of the range: a door reaches farthest on its way
SPOT_COUNT = 4000  # free places that are weighed against each other


def place_things(request: SceneRequest, things: Sequence[SceneThing], rng: np.random.Generator) -> list[PlacedThing]:
    """All things in the request's order, each where its relations want it."""
    placed: list[PlacedThing] = []
    for asked, thing in zip(request.things, things):
        relations = [r for r in request.relations if r.subject == thing.name]
        turn = _choose_turn(thing, relations, placed, rng) if asked.turn is None else np.radians(asked.turn)
        if asked.place is not None:
            foot = np.array([*asked.place, 0.0])[:3]
            placed.append(PlacedThing(thing, thing.locate(turn, foot)))
        elif any(r.word == "hanging from" for r in relations):
            placed.append(_hang(thing, relations, placed, turn, rng))
        else:
            later = [r for r in request.relations if r.other == thing.name]
            placed.append(_stand(thing, relations, placed, turn, rng, later))
    return placed


def _find(placed: Sequence[PlacedThing], name: str) -> PlacedThing:
    return next(each for each in placed if each.name == name)


def _choose_turn(
    thing: SceneThing, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing], rng: np.random.Generator
) -> float:
    """The angle about the upward axis [rad]: to the front, a little at random where it stands on something."""
    facing = next((r for r in relations if r.word == "facing"), None)
    if facing is not None and facing.other != FLOOR:
        ahead = _guess_place(relations, placed)
        return _face(ahead, _find(placed, facing.other).bounds.mean(axis=0))
    carried = any(r.word in ("on", "in") and r.other != FLOOR for r in relations)
    before = next((r for r in relations if r.word == "in front of" and r.other != FLOOR), None)
    if before is not None and not carried and not thing.held:
        return np.pi  # what stands before a table looks at it
    return float(rng.uniform(-MAX_TURN, MAX_TURN)) if carried and not thing.held else 0.0


def _guess_place(relations: Sequence[SceneRelation], placed: Sequence[PlacedThing]) -> Array:
    """About where a thing will be, before it is placed [m], [3]."""
    offsets = {"left of": (-1, 0), "right of": (1, 0), "behind": (0, 1), "in front of": (0, -1)}
    for relation in relations:
        if relation.word in offsets and relation.other != FLOOR:
            box = _find(placed, relation.other).bounds
            return np.array(box.mean(axis=0) + np.array([*offsets[relation.word], 0]) * np.ptp(box, axis=0))
    for relation in relations:
        if relation.word in ("on", "in", "below") and relation.other != FLOOR:
            return np.array(_find(placed, relation.other).bounds.mean(axis=0))
    return np.array([0.0, -1.0, 0.0])


def _face(here: Array, there: Array) -> float:
    """The turn that brings the front, -y, from here towards there."""
    x, y = (there - here)[:2]
    return float(np.arctan2(x, -y)) if abs(x) + abs(y) > 1e-9 else 0.0


def turn_points(thing: SceneThing, turn: float) -> Array:
    """The thing's points turned about the upward axis [m], [n, 3]."""
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(thing.vertices @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T)


def _stand(
    thing: SceneThing, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing], turn: float,
    rng: np.random.Generator, later: Sequence[SceneRelation] = (),
) -> PlacedThing:  # fmt: skip
    """The thing at a free place; later: what is said of others that come beside it, for which it leaves room."""
    need = measure_footprint(turn_points(thing, turn))
    apart: Array = np.zeros(3)
    carrier, word, _ = find_carrier(relations, placed)
    if carrier is None and word != "below":
        need, apart = _measure_opened(thing, turn)
    spots = _list_spots(thing, relations, placed, need)
    kept = _keep_sides(spots, need, relations, placed)
    if not kept:
        words = " and ".join(r.describe() for r in relations) or f"{thing.name} on the floor"
        raise cannot_fit(thing.name, words, need)
    if len(kept) > SPOT_COUNT:
        kept = [kept[i] for i in np.sort(rng.choice(len(kept), SPOT_COUNT, replace=False))]
    cost = np.array([_weigh(spot, need, relations, placed) for spot in kept])
    feet = np.array([spot.foot for spot in kept])
    for relation in later:
        if relation.word in ROOM_SIDES and kept[0].link >= 0:
            axis, sign = ROOM_SIDES[relation.word]
            cost = cost + ROOM_WEIGHT * sign * feet[:, axis]
    best = np.flatnonzero(cost <= cost.min() + 0.03)  # nobody measures where a cup stands
    levels = np.unique([round(float(kept[i].foot[2]), 3) for i in best])  # of a shelf, each board is as good
    handy = levels[levels > LOW_BOARD] if (levels > LOW_BOARD).any() else levels
    level = handy[int(rng.integers(len(handy)))]
    best = np.array([i for i in best if round(float(kept[i].foot[2]), 3) == level])
    spot = kept[int(best[rng.integers(len(best))])]
    return PlacedThing(thing, thing.locate(turn, spot.foot + apart))


def _measure_opened(thing: SceneThing, turn: float) -> tuple[Footprint, Array]:
    """What a thing on the floor needs with all open that opens, and its own middle from that of this [m], [3]."""
    now = turn_points(thing, turn)
    names = name_openings(thing.articulation)
    ways = [open_joints(thing, tuple((name, share) for name in names)) for share in OPEN_SHARES]
    corner = thing.find_foot(thing.shape @ thing.upright.T)
    c, s = np.cos(turn), np.sin(turn)
    shapes = np.concatenate([way.shape for way in ways])
    opened = (shapes @ thing.upright.T - corner) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T
    both = np.concatenate([now, opened])
    own, whole = thing.find_foot(now), thing.find_foot(both)
    return measure_footprint(both), np.array([*(own - whole)[:2], 0.0])


def _list_spots(
    thing: SceneThing, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing], need: Footprint
) -> list[StandingSpot]:
    """Free places by the relation that says what carries a thing; else beside what it stands beside."""
    carrier, word, part = find_carrier(relations, placed)
    if carrier is None:
        return _list_floor_spots(placed, need)
    if word == "below":
        return _list_floor_spots(placed, need, over=carrier)
    around = [each for each in placed if each is not carrier]
    links = _find_part_links(carrier, part)
    spots = find_spots(carrier, around, need, links=links)
    if word == "on" and carrier.thing.kind == "shelf":
        return [spot for spot in spots if not spot.open_above] or spots
    if word == "on":
        tops = [spot for spot in spots if spot.open_above] or spots
        high = max((spot.foot[2] for spot in tops), default=0.0)
        return [spot for spot in tops if part or spot.foot[2] > high - 1e-6]
    top = float(carrier.bounds[1, 2])
    inner = [spot for spot in spots if spot.foot[2] + 0.5 * need.height < top and _is_inside(spot, carrier)]
    opened = set(find_clear_links(carrier))
    return [spot for spot in inner if spot.link in opened] or inner


def _is_inside(spot: StandingSpot, carrier: PlacedThing) -> bool:
    """Whether something of the carrier rises beside or over a place."""
    walls = [hull.points for hull in carrier.hulls if hull.bounds[1, 2] > spot.foot[2] + 0.02]
    sides = sum(
        any(sign * (hull[:, axis].mean() - spot.foot[axis]) > 0 for hull in walls)
        for axis in (0, 1)
        for sign in (-1, 1)
    )
    return sides >= 3


def _find_part_links(carrier: PlacedThing, part: str) -> list[int] | None:
    """The links that a part's name means; None for all."""
    if not part or carrier.thing.kind == "shelf":
        return None
    articulation = carrier.thing.articulation
    found = find_coordinates(articulation, part)
    if not found:
        raise InputError(
            f"'{carrier.name}' has no {part}", f"its parts are: {', '.join(x.name for x in articulation.links[:20])}"
        )
    links = [articulation.joints[articulation.freedoms[articulation.coordinate_freedoms[c]].joint].child for c in found]
    opened = [link for link in links if link in find_clear_links(carrier)]
    return opened or links


def find_carrier(
    relations: Sequence[SceneRelation], placed: Sequence[PlacedThing]
) -> tuple[PlacedThing | None, str, str]:
    """What carries a thing, by which relation and by which part; None for the floor.

    A thing that only stands beside another stands on what that one stands on.
    """
    for relation in relations:
        if relation.word in ("on", "in", "below"):
            return (None if relation.other == FLOOR else _find(placed, relation.other)), relation.word, relation.part
    for relation in relations:
        if relation.word in SIDES and relation.other != FLOOR:
            other = _find(placed, relation.other)
            below = [each for each in placed if each is not other and _carries(each, other)]
            if below:
                return max(below, key=lambda each: float(each.bounds[1, 2])), "on", ""
    return None, "on", ""


def _carries(lower: PlacedThing, upper: PlacedThing) -> bool:
    """Whether a thing stands over another and above the floor."""
    a, b = lower.bounds, upper.bounds
    middle = b.mean(axis=0)
    over = bool(np.all((middle[:2] > a[0, :2]) & (middle[:2] < a[1, :2])))
    return over and b[0, 2] > 0.02 and b[0, 2] <= a[1, 2] + 0.01 and b[0, 2] > a[0, 2]


def _list_floor_spots(
    placed: Sequence[PlacedThing], need: Footprint, over: PlacedThing | None = None
) -> list[StandingSpot]:
    """Free places on the floor, all round what stands there already, or under one thing."""
    from neurok.scenes.supports import MIN_CLEARANCE, _Grid

    if over is not None:
        lower, upper = over.bounds[0, :2], over.bounds[1, :2]
    elif placed:
        lower = np.min([each.bounds[0, :2] for each in placed], axis=0) - FLOOR_REACH
        upper = np.max([each.bounds[1, :2] for each in placed], axis=0) + FLOOR_REACH
    else:
        return [StandingSpot(np.zeros(3), 0, True)]
    cell = max(0.02, float((upper - lower).max()) / 300)
    grid = _Grid(lower, cell, tuple(np.ceil((upper - lower) / cell).astype(int) + 1))
    hulls = [hull for each in placed for hull in each.hulls]
    blocked = grid.block(hulls, 1e-3, need.height + MIN_CLEARANCE)
    free = grid.fit_box(blocked, replace(need, shift=np.zeros(2)))
    if over is not None:
        free &= grid.block([hull for hull in over.hulls], need.height, np.inf)
    return [StandingSpot(np.array([*place, 0.0]), -1, over is None) for place in grid.places(free)]


def _keep_sides(
    spots: list[StandingSpot], need: Footprint, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing]
) -> list[StandingSpot]:
    """Those of the places that lie on the sides that are asked for."""
    if not spots:
        return []
    feet = np.array([spot.foot for spot in spots])
    keep: Mask = np.ones(len(spots), dtype=bool)
    for relation in relations:
        if relation.word in SIDES and relation.other != FLOOR:
            keep &= find_side(feet, need.box, relation.word, _find(placed, relation.other).bounds)
        if relation.word == "below":
            box = _find(placed, relation.other).bounds
            keep &= np.all((feet[:, :2] > box[0, :2]) & (feet[:, :2] < box[1, :2]), axis=1)
    return [spots[i] for i in np.flatnonzero(keep)]


def find_side(feet: Array, half: Array, word: str, box: Array) -> Mask:
    """Whether boxes around places [n, 3] lie on a side of another box, [n]: past its edge, and not far out of line."""
    lower, upper = feet[:, :2] - half, feet[:, :2] + half
    level = [np.asarray((upper[:, k] > box[0, k]) & (lower[:, k] < box[1, k])) for k in (0, 1)]
    found = {
        "left of": (upper[:, 0] <= box[0, 0] + 1e-9) & level[1],
        "right of": (lower[:, 0] >= box[1, 0] - 1e-9) & level[1],
        "behind": (lower[:, 1] >= box[1, 1] - 1e-9) & level[0],
        "in front of": (upper[:, 1] <= box[0, 1] + 1e-9) & level[0],
    }
    found["beside"] = found["left of"] | found["right of"]
    return np.asarray(found[word])


def _weigh(
    spot: StandingSpot, need: Footprint, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing]
) -> float:
    """How far a place is from where a person would put the thing [m]."""
    cost = 0.0
    for relation in relations:
        if relation.word in SIDES and relation.other != FLOOR:
            box = _find(placed, relation.other).bounds
            gap = np.maximum(box[0, :2] - spot.foot[:2] - need.box, spot.foot[:2] - need.box - box[1, :2]).max()
            cost += abs(float(gap) - USUAL_GAP)
            axis = 1 if relation.word in ("left of", "right of", "beside") else 0
            cost += 0.5 * abs(float(spot.foot[axis] - box[:, axis].mean()))
        if relation.word == "below" and relation.other != FLOOR:  # at the back
            cost += float(_find(placed, relation.other).bounds[1, 1] - spot.foot[1] - need.box[1])
    standing = [each for each in placed if each.bounds[0, 2] < spot.foot[2] + 0.02 < each.bounds[1, 2]]
    gaps = [_find_gap(spot, need, each) for each in standing]
    if gaps and not cost:  # else a little apart from the others, and not lost in the room
        cost += max(0.0, USUAL_GAP - min(gaps)) + 0.2 * max(0.0, min(gaps) - 3 * USUAL_GAP)
    if not placed or spot.link < 0 and not relations:
        cost += 0.1 * float(np.linalg.norm(spot.foot[:2]))
    return cost


def _find_gap(spot: StandingSpot, need: Footprint, other: PlacedThing) -> float:
    box = other.bounds[:, :2]
    return float(np.maximum(box[0] - spot.foot[:2] - need.box, spot.foot[:2] - need.box - box[1]).max())


def _hang(
    thing: SceneThing, relations: Sequence[SceneRelation], placed: Sequence[PlacedThing], turn: float,
    rng: np.random.Generator,
) -> PlacedThing:  # fmt: skip
    """Under the highest board of a thing, by the middle of its own top, beside what hangs there already."""
    relation = next(r for r in relations if r.word == "hanging from")
    if relation.other == FLOOR:
        raise InputError("nothing hangs from the floor", "name a rail, a hook or a shelf")
    carrier = _find(placed, relation.other)
    points = turn_points(thing, turn)
    width, height = float(np.ptp(points[:, 0])), float(np.ptp(points[:, 2]))
    bar = max((hull.points for hull in carrier.hulls), key=lambda hull: np.ptp(hull[:, 0]))
    low = float(bar[:, 2].min()) - 0.01
    taken = [each.bounds[:, 0] for each in placed if _hangs(each, carrier, bar)]
    room = np.linspace(bar[:, 0].min() + width / 2, bar[:, 0].max() - width / 2, 41)
    free = [x for x in room if all(x + width / 2 < a - 0.02 or x - width / 2 > b + 0.02 for a, b in taken)]
    if not free or height > low - 0.02:
        raise cannot_fit(thing.name, relation.describe(), measure_footprint(points))
    x = min(free, key=lambda each: abs(each - bar[:, 0].mean()) + 0.02 * rng.random())
    foot = np.array([x, bar[:, 1].mean(), low - height])
    placed_there = PlacedThing(thing, thing.locate(turn, foot))
    foot[1] += foot[1] - placed_there.centre_of_mass[1]  # what hangs has its weight under the bar
    return PlacedThing(thing, thing.locate(turn, foot))


def _hangs(each: PlacedThing, carrier: PlacedThing, bar: Array) -> bool:
    return each is not carrier and abs(each.bounds[1, 2] - bar[:, 2].min()) < 0.05
