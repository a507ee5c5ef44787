"""What the published network itself says: the classes of ImageNet that go by the names of our kinds.

The network was trained to tell 1,000 classes in photographs, so it knows how real things look. For a kind with classes
C(k) it says z_k = max(log sum_{c in C(k)} p_c, FLOOR), and FLOOR for a kind without any.
"""

from collections.abc import Sequence

import numpy as np

from neurok.generate.pictures.backbone import FEATURE_COUNT, PictureBackbone
from neurok.geometry.arrays import Array

FLOOR = -6.0  # nats
DOGS_AND_CATS, SNAKES = tuple(range(151, 300)), tuple(range(52, 69))
# kind -> numbers of classes in the order of ILSVRC 2012
CLASSES: dict[str, tuple[int, ...]] = {
    "accordion": (401,), "bag": (748, 414, 636), "bag_flap": (748, 636, 414),
    "bottle": (440, 737, 898, 907, 720, 899, 901), "box": (478, 519, 492), "bucket": (463,), "camera": (732, 759),
    "chair_cushion": (423, 765), "chest": (492,), "clock": (409, 530, 892, 426), "coffee_machine": (550,),
    "crane": (517,), "cushion": (721,), "dishwasher": (534,), "dispenser": (804,), "display": (664, 782, 851, 527),
    "door": (799,), "door_cabinet": (894, 648, 495, 553), "drawer_cabinet": (493, 553, 526), "eyeglasses": (836, 837),
    "fan": (545,), "fish": (1,), "flag_pole": (557,), "flip_phone": (487, 528), "folding_chair": (559,),
    "kettle": (849, 725, 505), "knife": (499, 623), "lamp": (846, 619), "laptop": (620, 681), "lighter": (626,),
    "mailbox": (637,), "microwave": (651,), "oven": (827, 766), "pen": (418, 563), "plant": (738,),
    "pot": (469, 521, 544), "printer": (742, 713), "quadruped": DOGS_AND_CATS, "refrigerator": (760,),
    "remote": (761, 508, 673, 590, 613), "safe": (771, 507), "snake": SNAKES, "spring": (506,), "suitcase": (414,),
    "swing": (843,), "teddy_bear": (850,), "toaster": (859,), "toilet": (861,), "trash_can": (412,), "tripod": (872,),
    "trolley": (791,), "umbrella": (879,), "umbrella_cloth": (879,), "wall_switch": (844,), "washing_machine": (897,),
    "wheelbarrow": (428,), "window": (904, 905),
}  # fmt: skip


def rate_everyday(features: Array, backbone: PictureBackbone, kinds: Sequence[str]) -> Array:
    """z for features as `observe_pictures` gives them [n, d]: [n, k]."""
    outputs = backbone.classify(features[:, :FEATURE_COUNT])
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    chance = powers / powers.sum(axis=1, keepdims=True)
    least = np.exp(FLOOR)
    sums = [np.maximum(chance[:, list(CLASSES.get(kind, ()))].sum(axis=1), least) for kind in kinds]
    return np.log(np.stack(sums, axis=1))
