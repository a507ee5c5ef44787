"""Recipes: which objects a store is made of. A recipe is a list of items; an item builds on its own, anywhere."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurok.data.sample import MotionSample
from neurok.data.splits import choose_split
from neurok.data.store import Rejected
from neurok.errors import InputError, OptionError, unknown


@dataclass(frozen=True)
class RecipeItem:
    """One object to build: its source, its name there, its split, and further options of the source."""

    source: str
    name: str
    split: str
    folder: str = ""
    extra: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Amounts:
    """The amounts of a recipe: procedural objects per category and simulated clips per kind (0 for none), and
    whether folders of real objects are used."""

    procedural: int
    categories: tuple[str, ...] = ()  # all where empty
    simulated: int = 0
    partnet: bool = False
    animated: bool = False
    per_shard: int = 32  # items


RECIPES = {
    "tiny": Amounts(3, categories=("bucket", "drawer_cabinet", "lamp", "plant"), per_shard=2),
    "open": Amounts(120, simulated=28),
    "full": Amounts(120, simulated=28, partnet=True, animated=True),
}
# Objects of a category in a round, where it is not one: no two assemblies are the same kind of object.
OBJECTS_PER_ROUND = {"assembly": 5}
# The surface variants of the objects of a category, in turn.
SURFACES = ("plain", "plain", "fused", "plain", "plain", "noisy")


def list_items(
    recipe: str, *, partnet: str | None = None, animated: str | None = None, sources: tuple[str, ...] = (),
    limit: int | None = None, seed: int = 0,
) -> list[RecipeItem]:  # fmt: skip
    """All items of a recipe, in a fixed order; limit: the greatest number of items of each source."""
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    for source in sources:
        if source not in BUILDERS:
            raise unknown("source", source, BUILDERS)
    if limit is not None and limit < 1:
        raise OptionError(f"a limit of {limit}", "give a whole number from one on")
    amounts = RECIPES[recipe]
    found: list[RecipeItem] = []
    for source, list_source in (
        ("procedural", lambda: _list_procedural(amounts, seed)),
        ("simulated", lambda: _list_simulated(amounts, seed)),
        ("partnet", lambda: _list_partnet(_require_folder(partnet, "--partnet")) if amounts.partnet else []),
        ("animated", lambda: _list_animated(_require_folder(animated, "--animated")) if amounts.animated else []),
    ):
        if not sources or source in sources:
            found += list_source()[:limit]
    if not found:
        raise OptionError(f"the recipe '{recipe}' has nothing of {', '.join(sources)}", "name other sources")
    return found


def build_item(item: RecipeItem, seed: int) -> MotionSample | Rejected:
    """The sample of one item, or the reason for its rejection."""
    return BUILDERS[item.source](item, seed)


def _require_folder(given: str | None, option: str) -> Path:
    if given is None:
        raise OptionError(f"this recipe needs {option}", f"say where the objects are: {option} DIR")
    return Path(given)


def _list_procedural(amounts: Amounts, seed: int) -> list[RecipeItem]:
    from neurok.data import procedural

    wanted = amounts.categories or tuple(procedural.list_categories())
    # Round by round, so that a limit takes some of every category.
    found = []
    for i in range(amounts.procedural):
        for category in wanted:
            times = OBJECTS_PER_ROUND.get(category, 1)
            for number in range(i * times, (i + 1) * times):
                found.append(_make_item(category, seed * 100_000 + number, SURFACES[number % len(SURFACES)]))
    return found


def _make_item(category: str, number: int, surface: str) -> RecipeItem:
    name = f"{category}-{number}" + ("" if surface == "plain" else f"-{surface}")
    extra = (("category", category), ("seed", number), ("surface", surface))
    return RecipeItem("procedural", name, choose_split(name), extra=extra)


def _list_simulated(amounts: Amounts, seed: int) -> list[RecipeItem]:
    from neurok.data import simulated

    # Round by round, as above.
    numbers = [(kind, seed * 100_000 + i) for i in range(amounts.simulated) for kind in simulated.list_kinds()]
    return [
        RecipeItem("simulated", f"{k}-{n}", choose_split(f"{k}-{n}"), extra=(("category", k), ("seed", n)))
        for k, n in numbers
    ]


def _list_partnet(folder: Path) -> list[RecipeItem]:
    from neurok.data import partnet

    known = {entry["id"]: split for split, entry in _read_index(folder, "partnet_mobility")}
    return [
        RecipeItem("partnet", n, known.get(n) or choose_split(n), str(folder)) for n in partnet.list_objects(folder)
    ]


def _list_animated(folder: Path) -> list[RecipeItem]:
    from neurok.data import animated

    known = {entry["file"]: entry | {"split": split} for split, entry in _read_index(folder, "animated")}
    found = []
    for name in animated.list_files(folder):
        entry = known.get(name, {})
        extra = (
            ("licence", entry.get("licence", "unknown")),
            ("category", entry.get("class", "unknown")),
            ("rig", entry.get("rig")),
        )
        # Without an index the rig, which decides the split, is known only once the file is read.
        found.append(RecipeItem("animated", name, entry.get("split", ""), str(folder), extra))
    return found


def _read_index(folder: Path, key: str) -> list[tuple[str, dict[str, Any]]]:
    """(split, entry) of an index.json in the folder or beside it, where there is one."""
    for path in (folder / "index.json", folder.parent / "index.json"):
        if path.is_file():
            try:
                splits = json.loads(path.read_text())[key]
                return [(split, entry) for split, rows in splits.items() for entry in rows]
            except (ValueError, KeyError, TypeError, AttributeError) as fault:
                raise InputError(f"{path} cannot be used ({fault})", "repair it or move it away") from None
    return []


def _build_procedural(item: RecipeItem, seed: int) -> MotionSample | Rejected:
    from neurok.data.procedural.importer import build_sample

    return build_sample(item.name, item.split, **dict(item.extra))


def _build_simulated(item: RecipeItem, seed: int) -> MotionSample | Rejected:
    from neurok.data.simulated.importer import build_sample

    return build_sample(item.name, item.split, **dict(item.extra))


def _build_partnet(item: RecipeItem, seed: int) -> MotionSample | Rejected:
    from neurok.data.partnet import build_sample

    return build_sample(Path(item.folder), item.name, item.split, seed)


def _build_animated(item: RecipeItem, seed: int) -> MotionSample | Rejected:
    from neurok.data.animated import build_sample

    return build_sample(Path(item.folder), item.name, item.split, **dict(item.extra))


BUILDERS: dict[str, Callable[[RecipeItem, int], MotionSample | Rejected]] = {
    "procedural": _build_procedural,
    "simulated": _build_simulated,
    "partnet": _build_partnet,
    "animated": _build_animated,
}
