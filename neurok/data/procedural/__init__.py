"""Our own parametric objects: parts, joints, limits and surfaces, thousands of each category from seeds.

    from neurok.data import procedural
    bucket = procedural.make("bucket", seed=7)
    motion = bucket.motion(bucket.states(16, rng))

How to write a category: kit.py.
"""

from importlib import import_module
from typing import TYPE_CHECKING
from zlib import crc32

from neurok.errors import NeurokError, OptionError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neurok.data.procedural.choices import Wish
    from neurok.data.procedural.kit import Kit
    from neurok.data.procedural.procedural import ProceduralObject

_OBJECTS = "neurok.data.procedural.objects"
MAX_TRIES = 20

# category -> the module that draws it
CATEGORIES = {
    "accordion": f"{_OBJECTS}.accordion",
    "assembly": f"{_OBJECTS}.assembly",
    "bag": f"{_OBJECTS}.bag",
    "bag_flap": f"{_OBJECTS}.bag_flap",
    "bottle": f"{_OBJECTS}.bottle",
    "box": f"{_OBJECTS}.box",
    "bucket": f"{_OBJECTS}.bucket",
    "cactus": f"{_OBJECTS}.cactus",
    "camera": f"{_OBJECTS}.camera",
    "chair_cushion": f"{_OBJECTS}.chair_cushion",
    "chest": f"{_OBJECTS}.chest",
    "clock": f"{_OBJECTS}.clock",
    "coffee_machine": f"{_OBJECTS}.coffee_machine",
    "crane": f"{_OBJECTS}.crane",
    "cushion": f"{_OBJECTS}.cushion",
    "dishwasher": f"{_OBJECTS}.dishwasher",
    "dispenser": f"{_OBJECTS}.dispenser",
    "display": f"{_OBJECTS}.display",
    "door": f"{_OBJECTS}.door",
    "door_cabinet": f"{_OBJECTS}.door_cabinet",
    "drawer_cabinet": f"{_OBJECTS}.drawer_cabinet",
    "excavator": f"{_OBJECTS}.excavator",
    "eyeglasses": f"{_OBJECTS}.eyeglasses",
    "fan": f"{_OBJECTS}.fan",
    "faucet": f"{_OBJECTS}.faucet",
    "fish": f"{_OBJECTS}.fish",
    "flag_pole": f"{_OBJECTS}.flag_pole",
    "flip_phone": f"{_OBJECTS}.flip_phone",
    "folding_chair": f"{_OBJECTS}.folding_chair",
    "garage_door": f"{_OBJECTS}.garage_door",
    "gate": f"{_OBJECTS}.gate",
    "globe": f"{_OBJECTS}.globe",
    "kettle": f"{_OBJECTS}.kettle",
    "knife": f"{_OBJECTS}.knife",
    "lamp": f"{_OBJECTS}.lamp",
    "laptop": f"{_OBJECTS}.laptop",
    "lighter": f"{_OBJECTS}.lighter",
    "mailbox": f"{_OBJECTS}.mailbox",
    "microwave": f"{_OBJECTS}.microwave",
    "music_stand": f"{_OBJECTS}.music_stand",
    "office_chair": f"{_OBJECTS}.office_chair",
    "oven": f"{_OBJECTS}.oven",
    "pen": f"{_OBJECTS}.pen",
    "plant": f"{_OBJECTS}.plant",
    "plant_cart": f"{_OBJECTS}.plant_cart",
    "pliers": f"{_OBJECTS}.pliers",
    "pot": f"{_OBJECTS}.pot",
    "printer": f"{_OBJECTS}.printer",
    "quadruped": f"{_OBJECTS}.quadruped",
    "refrigerator": f"{_OBJECTS}.refrigerator",
    "remote": f"{_OBJECTS}.remote",
    "robot_arm": f"{_OBJECTS}.robot_arm",
    "safe": f"{_OBJECTS}.safe",
    "scissors": f"{_OBJECTS}.scissors",
    "seesaw": f"{_OBJECTS}.seesaw",
    "snake": f"{_OBJECTS}.snake",
    "spring": f"{_OBJECTS}.spring",
    "stapler": f"{_OBJECTS}.stapler",
    "suitcase": f"{_OBJECTS}.suitcase",
    "swing": f"{_OBJECTS}.swing",
    "teddy_bear": f"{_OBJECTS}.teddy_bear",
    "toaster": f"{_OBJECTS}.toaster",
    "toilet": f"{_OBJECTS}.toilet",
    "trash_can": f"{_OBJECTS}.trash_can",
    "tripod": f"{_OBJECTS}.tripod",
    "trolley": f"{_OBJECTS}.trolley",
    "umbrella": f"{_OBJECTS}.umbrella",
    "umbrella_cloth": f"{_OBJECTS}.umbrella_cloth",
    "usb_stick": f"{_OBJECTS}.usb_stick",
    "wall_switch": f"{_OBJECTS}.wall_switch",
    "washing_machine": f"{_OBJECTS}.washing_machine",
    "wheelbarrow": f"{_OBJECTS}.wheelbarrow",
    "window": f"{_OBJECTS}.window",
}


def list_categories() -> list[str]:
    """All categories."""
    return sorted(CATEGORIES)


def draw(category: str, seed: int, attempt: int = 0) -> "ProceduralObject":
    """The object of a seed at one attempt, valid or not."""
    kit = run_program(category, seed, attempt)
    return kit.build(seed, rejected=attempt)


def run_program(
    category: str, seed: int, attempt: int = 0, wishes: "Mapping[str, Wish] | None" = None, *, labelled: bool = False
) -> "Kit":
    """The kit after the program of a category has drawn with it.

    wishes: what named choices should be instead of what is drawn. labelled: whether pieces keep their names.
    """
    import numpy as np

    from neurok.data.procedural.kit import Kit

    if category not in CATEGORIES:
        raise unknown("category", category, CATEGORIES)
    if seed < 0:
        raise OptionError(f"a seed of {seed}", "give a whole number from zero on")
    rng = np.random.default_rng([crc32(category.encode()), seed, attempt])
    kit = Kit(category, rng, wishes, labelled=labelled)
    import_module(CATEGORIES[category]).draw(kit)
    return kit


def make(category: str, seed: int) -> "ProceduralObject":
    """The valid object of a category and seed: draws that fail the check are rejected, and counted in the result."""
    from neurok.data.procedural.check import find_faults

    found: list[str] = []
    for attempt in range(MAX_TRIES):
        thing = draw(category, seed, attempt)
        found = find_faults(thing)
        if not found:
            return thing
    raise NeurokError(
        f"seed {seed} of '{category}' gave no valid object in {MAX_TRIES} draws (the last: {found[0]})",
        "use another seed",
    )
