"""Related kinds and the folds over them: an exact partition of all that is known."""

import json
from collections import Counter

import pytest

from neurok.data import procedural, simulated
from neurok.data.folds import (
    FILE_NAME,
    find_kind,
    is_kind_among,
    kinds_left_out,
    load_folds,
    normalise_name,
    parse_folds,
    related_kinds,
)
from neurok.data.recipes import RECIPES
from neurok.errors import OptionError

ANIMATED = ("biped", "bird", "fish", "furniture", "insect", "machine", "other", "plant", "quadruped", "vehicle")
PARTNET = (
    "Bottle", "Box", "Bucket", "Camera", "Cart", "Chair", "Clock", "CoffeeMachine", "Dishwasher", "Dispenser",
    "Display", "Door", "Eyeglasses", "Fan", "Faucet", "FoldingChair", "Globe", "Kettle", "Keyboard", "KitchenPot",
    "Knife", "Lamp", "Laptop", "Lighter", "Microwave", "Mouse", "Oven", "Pen", "Phone", "Pliers", "Printer",
    "Refrigerator", "Remote", "Safe", "Scissors", "Stapler", "StorageFurniture", "Suitcase", "Switch", "Table",
    "Toaster", "Toilet", "TrashCan", "USB", "Umbrella", "WashingMachine", "Window",
)  # fmt: skip


def test_every_kind_is_in_one_group_and_every_group_in_one_fold():
    folds = load_folds()
    kinds = [normalise_name(kind) for group in folds.groups for kind in group.kinds]
    assert max(Counter(kinds).values()) == 1
    assert not set(kinds) & folds.always_seen
    assert max(Counter(group.name for group in folds.groups).values()) == 1
    assert folds.numbers == (1, 2, 3, 4, 5)


def test_the_folds_together_leave_out_every_kind_once():
    left = [kind for fold in load_folds().numbers for kind in kinds_left_out(fold)]
    assert sorted(left) == sorted(kind for group in load_folds().groups for kind in group.kinds)


@pytest.mark.parametrize("kind", [*PARTNET, *ANIMATED, *procedural.list_categories(), *simulated.list_kinds()])
def test_every_kind_of_every_source_is_known(kind):
    assert load_folds().is_known(kind)


def test_every_category_that_a_recipe_names_is_known():
    assert all(load_folds().is_known(kind) for amounts in RECIPES.values() for kind in amounts.categories)


def test_procedural_kinds_are_left_out_with_their_partnet_category():
    """No procedural object may teach what a PartNet object of the same kind is tested on."""
    for kind in PARTNET:
        fold = load_folds().find_group(kind).fold
        same = [name for name in procedural.list_categories() if normalise_name(name) == normalise_name(kind)]
        assert all(load_folds().find_group(name).fold == fold for name in same)


@pytest.mark.parametrize(
    ("kind", "related"),
    [
        ("StorageFurniture", ("Table", "drawer_cabinet", "door_cabinet", "trolley")),
        ("Box", ("chest", "Suitcase")),
        ("Door", ("gate", "garage_door")),
        ("Cart", ("plant_cart", "wheelbarrow", "trolley")),
        ("KitchenPot", ("pot", "Kettle")),
        ("Chair", ("FoldingChair", "office_chair", "chair_cushion")),
        ("Switch", ("wall_switch",)),
        ("Phone", ("flip_phone", "Remote", "Laptop")),
        ("Bottle", ("Dispenser",)),
        ("USB", ("usb_stick",)),
        ("Plant", ("potted_plant", "tree", "reeds", "cactus")),
        ("cushion", ("cushion_dropped", "cushion_poked")),
    ],
)
def test_related_kinds(kind, related):
    assert {kind.lower(), *map(str.lower, related)} <= {name.lower() for name in related_kinds(kind)}


def test_spelling_does_not_matter():
    assert related_kinds("storage furniture") == related_kinds("StorageFurniture") == related_kinds("storage_furniture")
    assert is_kind_among("partnet/1", "trashcan", ["trash_can"])
    assert is_kind_among("procedural/trash_can-1", "trash_can", kinds_left_out(3))


def test_a_new_kind_is_related_to_itself_alone_and_left_out_by_no_fold():
    assert related_kinds("submarine") == ["submarine"]
    assert not load_folds().is_known("submarine")
    assert not any(is_kind_among("submarine-1", "submarine", kinds_left_out(fold)) for fold in (1, 2, 3, 4, 5))


def test_assemblies_are_always_seen():
    assert load_folds().is_known("assembly")
    assert not any(is_kind_among("procedural/assembly-1", "assembly", kinds_left_out(f)) for f in (1, 2, 3, 4, 5))


def test_an_object_of_no_category_is_known_by_its_name():
    assert find_kind("partnet/100366", "unknown") == find_kind("100366", "unknown") == "Switch"
    assert find_kind("ces_Drone.glb", "machine") == find_kind("animated/ces_Drone", "machine") == "Fan"
    assert find_kind("partnet/104", "faucet") == "faucet"


def test_kinds_of_single_objects_are_in_a_group():
    assert all(load_folds().find_group(kind) is not None for kind in load_folds().objects.values())


def test_a_fold_that_is_not_there():
    with pytest.raises(OptionError, match="there is no fold 6; give a whole number from 1 to 5"):
        kinds_left_out(6)


def test_the_file_is_part_of_the_package():
    from importlib.resources import files

    assert parse_folds(files("neurok.data").joinpath(FILE_NAME).read_text(encoding="utf-8")) == load_folds()


@pytest.mark.data
def test_the_shared_objects_are_all_known_and_balanced(shared_data):
    index = json.loads((shared_data / "index.json").read_text())
    folds, counts = load_folds(), Counter()
    for rows in index["partnet_mobility"].values():
        for row in rows:
            assert folds.find_group(find_kind(row["id"], "unknown")) in (None, folds.find_group(row["category"]))
            assert folds.find_group(row["category"]) is not None
    for row in index["partnet_mobility"]["train"]:
        counts[folds.find_group(row["category"]).fold] += 1
    mean = sum(counts.values()) / 5
    assert set(counts) == {1, 2, 3, 4, 5}
    assert all(abs(count - mean) < 0.2 * mean for count in counts.values())
    assert all(folds.is_known(row["class"]) for rows in index["animated"].values() for row in rows)


@pytest.mark.data
def test_other_articulated_objects_are_all_known(shared_data):
    index = json.loads((shared_data / "index_articulated.json").read_text())
    missing = {r["category"] for rows in index["articulated"].values() for r in rows} - {None}
    assert not {kind for kind in missing if not load_folds().is_known(kind)}
