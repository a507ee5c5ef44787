"""The words in which people tell of scenes."""

MAX_TEXT = 2000  # characters: a scene that takes more belongs into a file
# What people say, and which relation it is; longer ones are looked for first.
RELATION_WORDS = {
    "on top of": "on", "standing on": "on", "sitting on": "on", "lying on": "on", "placed on": "on", "upon": "on",
    "on top": "on", "on": "on", "onto": "on", "atop": "on",
    "inside of": "in", "inside": "in", "in": "in", "within": "in", "into": "in",
    "underneath": "below", "beneath": "below", "below": "below", "under": "below",
    "hanging from": "hanging from", "hanging on": "hanging from", "hung from": "hanging from",
    "hangs from": "hanging from", "suspended from": "hanging from",
    "to the left of": "left of", "on the left of": "left of", "left of": "left of",
    "to the right of": "right of", "on the right of": "right of", "right of": "right of",
    "behind": "behind", "in front of": "in front of", "before": "in front of",
    "next to": "beside", "beside": "beside", "near": "beside", "alongside": "beside", "by the side of": "beside",
    "close to": "beside", "facing": "facing", "turned towards": "facing", "looking at": "facing",
    "pointing at": "facing",
}  # fmt: skip
JOINTS = ("with", "holding", "carrying", "containing", "and", "plus", "has", "that has", "which has", "where",
          "there is", "there are", "are", "is", "stands", "stand", "sits", "sit", "lies", "lie")  # fmt: skip
OWNERS = ("with", "holding", "carrying", "containing", "has", "that has", "which has", "where")
SURROUNDINGS = frozenset(
    "room kitchen office bathroom bedroom workshop garage hall floor ground scene house study laundry lobby studio "
    "laboratory lab corner".split()
)
PRONOUNS = ("it", "them", "that", "there", "this")
OPEN_WORDS = {"open": 0.8, "opened": 0.8, "half open": 0.5, "wide open": 1.0, "ajar": 0.2, "half opened": 0.5,
              "slightly open": 0.2, "shut": 0.0, "closed": 0.0}  # fmt: skip
FLOOR_KINDS = frozenset(  # what stands on the floor where nothing else is said
    "chair_cushion crane dishwasher door door_cabinet drawer_cabinet excavator flag_pole folding_chair garage_door "
    "gate mailbox music_stand office_chair oven plant_cart refrigerator robot_arm seesaw swing toilet trash_can tripod "
    "trolley washing_machine wheelbarrow window counter table shelf bench rail".split()
)

SIZE_PATTERN = (
    r"\b\d[\d#]* ?(?:mm|cm|dm|m|metres?|meters?|inch(?:es)?|feet|foot)\b(?: (?:wide|tall|high|deep|long|broad))?"
)
SMALL_SORTS = {
    "clock": "mantel clock",
    "fan": "desk fan",
    "dispenser": "soap dispenser",
    "printer": "laser printer",
}  # of what stands on a piece
