"""From a request to a scene at rest: make things, place them, let them settle; what does not stand is drawn again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.data.procedural.placing import label, paint
from neurok.data.procedural.shapes import block
from neurok.errors import InputError
from neurok.generate.looks import linearise
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Link
from neurok.geometry.mesh import Material
from neurok.scenes.assembly import Assembler, import_mujoco
from neurok.scenes.colliders import add_hollow_colliders
from neurok.scenes.furniture import BOARD, PieceNeeds, find_piece
from neurok.scenes.openings import find_range
from neurok.scenes.placing import find_side, place_things
from neurok.scenes.request import FLOOR, SIDES, SceneRelation, SceneRequest, ThingRequest, check_request
from neurok.scenes.settling import RestReport, SettledScene, judge_rest, settle, stand_alone
from neurok.scenes.sources import is_path, make_thing, scale_articulation, stand_upright
from neurok.scenes.thing import PlacedThing, SceneThing

MAX_REDRAWS = 6  # of the places, and of the thing that does not stand
SEED_STEP = 7919  # between the things of a scene: a prime
STANDING_TRIES = 3  # objects of a kind that fall over, before one that lies is taken: a pen always lies
MAX_SLIP = 0.05  # [m] by which a thing may settle away from its place
MAX_TILT = np.radians(10.0)  # by which it may lean; what leans more has fallen
FLOOR_MARGIN = 0.4  # [m] of floor around the things
FLOOR_THICKNESS = 0.02  # [m]
MIN_FIT = 0.6  # scale down to which a thing is made to fit under another; smaller ones are toys


@dataclass(frozen=True)
class MadeScene:
    """A scene at rest.

    placed: the things, the floor last. friction: that holds its joints, by their names in MuJoCo. hung: (carrier,
    thing). rest: how still it stays. frames: of the settling. unmet: relations that no longer hold. redraws: of places
    and things before this one. maker: keeps the things' models.
    """

    request: SceneRequest
    placed: tuple[PlacedThing, ...]
    friction: dict[str, float]
    hung: tuple[tuple[str, str], ...]
    rest: RestReport
    frames: Array
    unmet: tuple[SceneRelation, ...] = ()
    redraws: int = 0
    remarks: tuple[str, ...] = ()
    maker: Assembler = field(default_factory=Assembler)

    @property
    def faults(self) -> list[str]:
        return [*self.rest.faults, *(f"not so any more: {relation.describe()}" for relation in self.unmet)]

    def find(self, name: str) -> PlacedThing:
        return next(each for each in self.placed if each.name == name)

    def compose(self) -> tuple[Any, dict[str, bytes]]:
        """The MjSpec of the scene at rest, and its assets."""
        return self.maker.compose(self.placed, self.hung, self.friction)


def make_scene(
    request: SceneRequest, *, folder: Path | None = None, progress: Callable[[float], None] | None = None
) -> MadeScene:
    """The scene of a request: the same request, seed included, gives the same scene."""
    import_mujoco()
    request = check_request(request)
    place = Path() if folder is None else folder
    maker = Assembler()
    seeds = {thing.name: request.seed * SEED_STEP + index for index, thing in enumerate(request.things)}
    things = _make_things(request, seeds, place, maker, progress)
    tried: list[MadeScene] = []
    for draw in range(MAX_REDRAWS + 1):
        try:
            made = _try_places(request, things, maker, draw)
        except InputError:
            if draw == MAX_REDRAWS and not tried:
                raise
            things = _redraw(request, things, seeds, place, maker, [t.name for t in request.things])
            continue
        tried.append(replace(made, redraws=draw))
        if not made.faults:
            return tried[-1]
        culprits = {made.rest.mover, *made.rest.pair, *(r.subject for r in made.unmet)}
        things = _redraw(request, things, seeds, place, maker, sorted(culprits))
    return min(tried, key=lambda made: len(made.faults))


def _make_things(
    request: SceneRequest, seeds: dict[str, int], folder: Path, maker: Assembler,
    progress: Callable[[float], None] | None,
) -> dict[str, SceneThing]:  # fmt: skip
    """All things; furniture last, as it is made to measure."""
    found: dict[str, SceneThing] = {}
    names = [thing.name for thing in request.things]
    # Of a piece on a piece the upper one is measured first.
    pieces = [asked for asked in reversed(request.things) if find_piece(asked.source) is not None]
    order = [*(asked for asked in request.things if find_piece(asked.source) is None), *pieces]
    for done, asked in enumerate(order):
        found[asked.name] = _make_one(request, asked, seeds[asked.name], folder, maker, found)
        if progress is not None:
            progress(0.7 * (done + 1) / len(order))
    return {name: found[name] for name in names}


def _make_one(
    request: SceneRequest, asked: ThingRequest, seed: int, folder: Path, maker: Assembler, others: dict[str, SceneThing]
) -> SceneThing:
    needs = find_needs(request, asked.name, others) if find_piece(asked.source) else None
    asked = _open_container(request, asked)
    for number in range(STANDING_TRIES):
        thing = _fit_below(request, make_thing(asked, seed + number * SEED_STEP, folder, needs))
        if asked.turn is not None and asked.place is not None and len(asked.place) == 3:
            return thing
        floor = make_floor([PlacedThing(thing, np.eye(4))])
        thing = stand_alone(maker, PlacedThing(thing, thing.locate(0.0, np.zeros(3))), floor).thing
        if thing.upright[2, 2] > np.cos(MAX_TILT) or thing.kind == "file":
            break
    return thing


def _open_container(request: SceneRequest, asked: ThingRequest) -> ThingRequest:
    """A box that something is in, and of which nobody says how far it is open, is open."""
    full = any(r.word == "in" and r.other == asked.name and not r.part for r in request.relations)
    return replace(asked, opened=(("*", 1.0),)) if full and not asked.opened and not is_path(asked.source) else asked


def _fit_below(request: SceneRequest, thing: SceneThing) -> SceneThing:
    """A thing under a counter or a table, small enough for it."""
    from neurok.scenes.furniture import COUNTER_HEIGHT, TABLE_HEIGHT

    relation = next((r for r in request.relations if r.subject == thing.name and r.word == "below"), None)
    carrier = relation and next((t for t in request.things if t.name == relation.other), None)
    piece = find_piece(carrier.source) if carrier else None
    room = {"counter": COUNTER_HEIGHT - BOARD - 0.04, "table": TABLE_HEIGHT - BOARD - 0.02}.get(piece or "")
    if room is None or thing.size[2] <= room:
        return thing
    factor = float(room / thing.size[2])
    if factor < MIN_FIT:
        return thing
    made = stand_upright(scale_articulation(thing.articulation, factor))
    slides = [made.freedoms[d].turns for d in made.coordinate_freedoms]
    state = np.where(slides, thing.state, thing.state * factor)
    return replace(thing, articulation=made, state=state,
                   remarks=(*thing.remarks, f"made {1 - factor:.0%} smaller, to fit below"))  # fmt: skip


def find_needs(request: SceneRequest, name: str, others: dict[str, SceneThing]) -> PieceNeeds:
    """What stands on, under and at a piece, as far as it is made."""
    here = {word: [] for word in ("on", "in", "below", "hanging from")}  # type: dict[str, list[Array]]
    for other in others.values():
        word = _find_tie(request, other.name, name)
        if word is not None:
            here[word].append(other.with_state(np.zeros(len(other.state))).size if word == "below" else other.size)
    carried = here["on"] + here["in"]
    gap = 0.1
    hung = here["hanging from"]
    under = here["below"]
    return PieceNeeds(
        width=sum(float(s[0]) + gap for s in carried + hung) + (gap if carried else 0.0),
        widest=max((float(max(s[:2])) for s in carried), default=0.0),
        depth=max((float(s[1]) + 0.06 for s in carried), default=0.0) + _find_second_row(request, others),
        below=(sum(float(s[0]) + 0.06 for s in under), max((float(s[1]) for s in under), default=0.0),
               max((float(s[2]) for s in under), default=0.0)),
        tallest=max((float(s[2]) for s in carried), default=0.0),
        hung=max((float(s[2]) for s in hung), default=0.0),
    )  # fmt: skip


def _find_second_row(request: SceneRequest, others: dict[str, SceneThing]) -> float:
    """The depth of what stands before or behind something else on a piece [m]."""
    rows = [r.subject for r in request.relations if r.word in ("in front of", "behind") and r.other in others]
    carried = {r.subject for r in request.relations if r.word == "on"}
    return max((float(others[name].size[1]) + 0.1 for name in rows if name in others and name in carried), default=0.0)


def _find_tie(request: SceneRequest, thing: str, piece: str) -> str | None:
    """By which relation a piece carries a thing, also where the thing only stands beside one that it carries."""
    seen: set[str] = set()
    while thing not in seen:
        seen.add(thing)
        support = request.find_support(thing)
        if support is not None:
            return support.word if support.other == piece else None
        beside = next((r for r in request.relations if r.subject == thing and r.word in SIDES), None)
        if beside is None or beside.other == FLOOR:
            return None
        thing = beside.other
    return None


def _redraw(
    request: SceneRequest, things: dict[str, SceneThing], seeds: dict[str, int], folder: Path, maker: Assembler,
    names: Sequence[str],
) -> dict[str, SceneThing]:  # fmt: skip
    """The things with some of them made anew, and the furniture measured again."""
    found = dict(things)
    for asked in request.things:
        if asked.name in names and find_piece(asked.source) is None:
            seeds[asked.name] += len(request.things)
            found[asked.name] = _make_one(request, asked, seeds[asked.name], folder, maker, {})
    for asked in reversed(request.things):
        if find_piece(asked.source) is not None:
            seeds[asked.name] += len(request.things)
            others = {name: thing for name, thing in found.items() if name != asked.name}
            found[asked.name] = _make_one(request, asked, seeds[asked.name], folder, maker, others)
    return found


def _try_places(request: SceneRequest, things: dict[str, SceneThing], maker: Assembler, draw: int) -> MadeScene:
    rng = np.random.default_rng([request.seed, draw])
    placed = place_things(request, [things[asked.name] for asked in request.things], rng)
    placed.append(make_floor(placed))
    hung = tuple((r.other, r.subject) for r in request.relations if r.word == "hanging from")
    settled = settle(maker, placed, hung)
    report = judge(maker, settled, hung)
    fallen = find_fallen(placed, settled.placed, {name for _, name in hung})
    report = replace(report, mover=fallen, drift=np.inf) if fallen else report
    unmet = tuple(r for r in request.relations if not holds_relation(r, settled.placed))
    remarks = tuple(f"{t.name}: {remark}" for t in things.values() for remark in t.remarks)
    return MadeScene(request, settled.placed, settled.friction, hung, report, settled.frames, unmet, 0, remarks, maker)


def judge(maker: Assembler, settled: SettledScene, hung: Sequence[tuple[str, str]]) -> RestReport:
    """How still the settled scene stays, as its own file has it."""
    mujoco = import_mujoco()
    spec, assets = maker.compose(settled.placed, hung, settled.friction)
    spec.compile()
    model = mujoco.MjModel.from_xml_string(spec.to_xml(), assets)
    return judge_rest(model, {each.name: float(np.linalg.norm(np.ptp(each.bounds, axis=0))) for each in settled.placed})


def find_fallen(before: Sequence[PlacedThing], after: Sequence[PlacedThing], hung: set[str]) -> str:
    """The first thing that did not stay about where it was put; '' where all did."""
    for a, b in zip(before, after):
        slip = float(np.linalg.norm(b.T[:3, 3] - a.T[:3, 3]))
        lean = float(np.arccos(np.clip((a.T[:3, :3].T @ b.T[:3, :3])[2, 2], -1.0, 1.0)))
        if not np.isfinite(b.T).all() or (a.name not in hung and (slip > MAX_SLIP or lean > MAX_TILT)):
            return a.name
    return ""


def make_floor(placed: Sequence[PlacedThing]) -> PlacedThing:
    """A slab under all things, its top at z = 0."""
    lower = np.min([each.bounds[0] for each in placed], axis=0)[:2] - FLOOR_MARGIN
    upper = np.max([each.bounds[1] for each in placed], axis=0)[:2] + FLOOR_MARGIN
    look = Material("floor", (*linearise((0.80, 0.78, 0.74)), 1.0), roughness=0.9)
    slab = block((*(upper - lower).tolist(), FLOOR_THICKNESS), (0.0, 0.0, FLOOR_THICKNESS / 2), round=0.0)
    mesh = replace(paint(look, [label("slab", slab)]), up="z")
    made = Articulation(mesh, np.zeros(mesh.vertex_count, dtype=np.int64), (Link("slab", np.eye(4)),), (), FLOOR)
    thing = SceneThing(FLOOR, FLOOR, add_hollow_colliders(made), np.zeros(0), held=True)
    return PlacedThing(thing, thing.locate(0.0, np.array([*((lower + upper) / 2), -FLOOR_THICKNESS])))


def holds_relation(relation: SceneRelation, placed: Sequence[PlacedThing]) -> bool:
    """Whether a relation is so, judged from boxes."""
    things = {each.name: each for each in placed}
    subject, other = things[relation.subject], things[relation.other]
    a, b = subject.bounds, other.bounds
    middle, half = a.mean(axis=0), np.ptp(a, axis=0)[:2] / 2
    over = bool(np.all((middle[:2] > b[0, :2] - 0.02) & (middle[:2] < b[1, :2] + 0.02)))
    if relation.word == "on":
        return over and b[0, 2] + 0.005 < a[0, 2] + 0.02 and a[0, 2] <= b[1, 2] + 0.02
    if relation.word == "in":
        return over and b[0, 2] - 0.005 <= a[0, 2] < b[1, 2] and middle[2] < b[1, 2]
    if relation.word == "below":
        return over and a[1, 2] <= b[1, 2] + 1e-3
    if relation.word == "hanging from":
        return a[0, 2] > 0.01 and over
    if relation.word in SIDES and relation.other != FLOOR:
        return bool(find_side(middle[None], half - 0.02, relation.word, b)[0])
    if relation.word == "facing":
        front = -subject.T[:2, :3] @ subject.thing.upright.T[:, 1]
        there = b.mean(axis=0)[:2] - middle[:2]
        return bool(front @ there > 0.8 * np.linalg.norm(there) * np.linalg.norm(front))
    return True


def list_openings(placed: PlacedThing) -> list[tuple[str, float]]:
    """The joints of a thing and how far open each is, a share of its range."""
    found = []
    for index, name in enumerate(placed.thing.articulation.coordinate_names):
        shut, wide = find_range(placed.thing.articulation, index)
        if wide != shut:
            found.append((name, float((placed.thing.state[index] - shut) / (wide - shut))))
    return found
