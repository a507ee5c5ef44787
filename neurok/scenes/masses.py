"""What things usually weigh at most: programs make appliances of solid pieces, and makers make them of sheets.

Where a thing is heavier than its kind ever is, all its masses and moments are scaled down alike.
"""

from dataclasses import replace

from neurok.geometry.articulation import Articulation

# [kg], the heaviest of a kind in makers' data sheets for households, to one or two digits.
MAX_MASSES = {
    "bag": 1.0, "bag_flap": 1.5, "bottle": 1.0, "box": 3.0, "bucket": 2.0, "cactus": 6.0, "camera": 1.5,
    "chair_cushion": 9.0, "chest": 25.0, "clock": 40.0, "coffee_machine": 8.0, "cushion": 1.5, "dishwasher": 50.0,
    "dispenser": 15.0, "display": 8.0, "door": 40.0, "door_cabinet": 90.0, "drawer_cabinet": 70.0, "eyeglasses": 0.05,
    "fan": 6.0, "faucet": 2.5, "fish": 3.0, "flip_phone": 0.15, "folding_chair": 6.0, "globe": 4.0, "kettle": 1.5,
    "knife": 0.2, "lamp": 3.0, "laptop": 2.5, "lighter": 0.1, "mailbox": 15.0, "microwave": 17.0, "music_stand": 4.0,
    "office_chair": 20.0, "oven": 55.0, "pen": 0.03, "plant": 8.0, "pliers": 0.4, "pot": 4.0, "printer": 20.0,
    "refrigerator": 95.0, "remote": 0.6, "robot_arm": 30.0, "safe": 60.0, "scissors": 0.2, "snake": 2.0, "spring": 1.0,
    "stapler": 0.5, "suitcase": 6.0, "teddy_bear": 1.5, "toaster": 2.5, "toilet": 45.0, "trash_can": 6.0, "tripod": 3.0,
    "trolley": 25.0, "umbrella": 0.8, "umbrella_cloth": 0.8, "usb_stick": 0.03, "wall_switch": 0.3,
    "washing_machine": 80.0, "wheelbarrow": 18.0, "accordion": 10.0, "quadruped": 50.0,
}  # fmt: skip


def limit_mass(articulation: Articulation, kind: str) -> Articulation:
    """The articulation, no heavier than things of its kind are."""
    whole = sum(link.inertia.mass for link in articulation.links if link.inertia is not None)
    factor = MAX_MASSES.get(kind, float("inf")) / whole if whole > 0 else 1.0
    if factor >= 1.0:
        return articulation
    links = tuple(
        replace(
            link, inertia=replace(link.inertia, mass=link.inertia.mass * factor, tensor=link.inertia.tensor * factor)
        )
        if link.inertia is not None
        else link
        for link in articulation.links
    )
    return replace(articulation, links=links)
