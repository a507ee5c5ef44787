"""What people call the kinds of objects that there are programs for."""

import difflib

# kind -> what it is called; a name of several kinds stands for whichever of them can do what is asked
KIND_NAMES: dict[str, tuple[str, ...]] = {
    "accordion": ("accordion", "squeezebox", "concertina"),
    "bag": ("bag", "tote bag", "tote", "shopping bag", "carrier bag"),
    "bag_flap": ("flap bag", "messenger bag", "satchel", "shoulder bag", "handbag", "crossbody bag", "purse"),
    "bottle": ("bottle", "water bottle", "flask", "drinking bottle"),
    "box": ("box", "cardboard box", "carton", "parcel", "moving box", "shipping box", "package"),
    "bucket": ("bucket", "pail"),
    "cactus": ("cactus", "succulent", "cactus plant"),
    "camera": ("camera", "camcorder", "photo camera", "digital camera", "film camera"),
    "chair_cushion": ("chair with a cushion", "chair cushion", "cushioned chair", "dining chair", "chair",
                      "padded chair", "kitchen chair", "upholstered chair", "seat cushion"),
    "chest": ("chest", "treasure chest", "trunk", "coffer", "pirate chest", "storage chest"),
    "clock": ("clock", "wall clock", "alarm clock", "grandfather clock", "mantel clock", "timepiece", "table clock"),
    "coffee_machine": ("coffee machine", "coffee maker", "espresso machine", "coffeemaker", "espresso maker"),
    "crane": ("crane", "tower crane", "construction crane", "mobile crane"),
    "cushion": ("cushion", "pillow", "throw pillow", "sofa cushion"),
    "dishwasher": ("dishwasher", "dish washer"),
    "dispenser": ("dispenser", "soap dispenser", "water dispenser", "water cooler", "pump bottle", "lotion dispenser"),
    "display": ("display", "monitor", "television", "tv", "computer monitor", "tv set", "computer screen", "telly",
                "television set", "screen"),
    "door": ("door", "front door", "room door", "house door", "interior door", "exterior door"),
    "door_cabinet": ("door cabinet", "cabinet", "cupboard", "wardrobe", "sideboard", "kitchen cabinet", "closet",
                     "armoire", "storage cabinet", "wall cabinet"),
    "drawer_cabinet": ("drawer cabinet", "cabinet", "chest of drawers", "dresser", "drawer unit", "filing cabinet",
                       "nightstand", "bedside table", "commode", "bureau", "bedside cabinet", "file cabinet",
                       "set of drawers"),
    "excavator": ("excavator", "digger", "backhoe", "mini excavator"),
    "eyeglasses": ("eyeglasses", "glasses", "spectacles", "sunglasses", "reading glasses", "eye glasses",
                   "pair of glasses", "pair of eyeglasses", "pair of sunglasses", "pair of spectacles"),
    "fan": ("fan", "desk fan", "table fan", "standing fan", "pedestal fan", "electric fan", "stand fan", "floor fan"),
    "faucet": ("faucet", "tap", "kitchen tap", "mixer tap", "water tap", "kitchen faucet", "bathroom faucet", "spigot",
               "basin tap", "bathroom tap"),
    "fish": ("fish", "goldfish", "trout"),
    "flag_pole": ("flag pole", "flagpole", "flag", "flag on a pole"),
    "flip_phone": ("flip phone", "mobile phone", "cell phone", "phone", "telephone", "cellphone", "clamshell phone",
                   "slider phone", "desk phone"),
    "folding_chair": ("folding chair", "folding stool", "camping chair", "foldable chair", "collapsible chair"),
    "garage_door": ("garage door", "garage", "garage gate"),
    "gate": ("gate", "garden gate", "fence gate", "driveway gate"),
    "globe": ("globe", "desk globe", "world globe", "terrestrial globe"),
    "kettle": ("kettle", "tea kettle", "teapot", "electric kettle", "water kettle", "stove kettle", "tea pot",
               "stovetop kettle"),
    "knife": ("knife", "pocket knife", "penknife", "folding knife", "jackknife", "pocketknife", "clasp knife"),
    "lamp": ("lamp", "desk lamp", "table lamp", "reading lamp", "lamp with arms", "office lamp", "work lamp"),
    "laptop": ("laptop", "notebook computer", "laptop computer", "notebook", "portable computer"),
    "lighter": ("lighter", "cigarette lighter", "gas lighter", "flip lighter"),
    "mailbox": ("mailbox", "letterbox", "post box", "letter box", "postbox", "mail box"),
    "microwave": ("microwave", "microwave oven"),
    "music_stand": ("music stand", "sheet music stand", "note stand", "notes stand"),
    "office_chair": ("office chair", "desk chair", "swivel chair", "task chair", "computer chair", "rolling chair"),
    "oven": ("oven", "stove", "cooker", "kitchen stove", "range cooker", "kitchen range"),
    "pen": ("pen", "ballpoint pen", "biro", "ballpoint", "ball pen", "writing pen"),
    "plant": ("plant", "house plant", "potted plant", "houseplant", "pot plant"),
    "plant_cart": ("plant cart", "flower cart", "flower wagon", "planter cart", "plant trolley", "garden cart"),
    "pliers": ("pliers", "pair of pliers", "pincers", "tongs"),
    "pot": ("pot", "cooking pot", "saucepan", "stockpot", "stew pot", "pan", "casserole", "soup pot"),
    "printer": ("printer", "photocopier", "copier", "inkjet printer", "laser printer", "copy machine", "photo printer"),
    "quadruped": ("quadruped", "animal", "dog", "cat", "horse", "cow", "four legged animal", "elephant", "pig",
                  "sheep", "fox"),
    "refrigerator": ("refrigerator", "fridge", "freezer", "icebox", "fridge freezer", "fridge-freezer"),
    "remote": ("remote control", "remote", "remote controller", "calculator", "game controller", "keyboard",
               "computer mouse", "tv remote", "gamepad", "game pad", "computer keyboard", "mouse"),
    "robot_arm": ("robot arm", "robotic arm", "manipulator", "industrial robot", "robot manipulator", "arm robot"),
    "safe": ("safe", "strongbox", "strong box", "vault", "money safe"),
    "scissors": ("scissors", "pair of scissors", "shears"),
    "seesaw": ("seesaw", "teeter totter", "see-saw", "see saw", "teeter-totter", "teeterboard"),
    "snake": ("snake", "serpent", "python", "viper"),
    "spring": ("spring", "coil spring", "metal spring", "helical spring", "coil"),
    "stapler": ("stapler", "office stapler"),
    "suitcase": ("suitcase", "trolley case", "luggage", "briefcase", "toolbox", "carry-on", "rolling suitcase",
                 "travel case", "tool box", "travel suitcase"),
    "swing": ("swing", "swing set", "garden swing", "playground swing"),
    "teddy_bear": ("teddy bear", "teddy", "stuffed bear", "plush bear", "toy bear"),
    "toaster": ("toaster", "bread toaster"),
    "toilet": ("toilet", "lavatory", "water closet", "loo", "commode toilet"),
    "trash_can": ("trash can", "rubbish bin", "garbage can", "bin", "waste bin", "dustbin", "pedal bin", "trash bin",
                  "garbage bin", "trashcan", "wastebasket", "waste basket"),
    "tripod": ("tripod", "camera tripod", "photo tripod"),
    "trolley": ("trolley", "cart", "shopping cart", "shopping trolley", "serving trolley", "hand truck", "sack truck",
                "platform trolley", "tool trolley", "pram", "serving cart", "tool cart", "baby carriage", "stroller"),
    "umbrella": ("umbrella", "parasol"),
    "umbrella_cloth": ("cloth umbrella", "fabric umbrella", "umbrella with cloth", "soft umbrella"),
    "usb_stick": ("usb stick", "flash drive", "thumb drive", "memory stick", "usb drive", "usb flash drive",
                  "pen drive"),
    "wall_switch": ("wall switch", "light switch", "switch", "dimmer", "switch plate"),
    "washing_machine": ("washing machine", "washer", "front loader", "laundry machine", "clothes washer"),
    "wheelbarrow": ("wheelbarrow", "wheel barrow", "barrow", "garden barrow"),
    "window": ("window", "casement window", "sash window", "sliding window"),
}  # fmt: skip

# Names that say which sort of a kind is meant, as the programs themselves call it: name -> (choice, word)
SORTS: dict[str, dict[str, str | bool]] = {
    "television": {"style": "television"}, "tv": {"style": "television"}, "tv set": {"style": "television"},
    "telly": {"style": "television"}, "television set": {"style": "television"},
    "monitor": {"style": "monitor"}, "computer monitor": {"style": "monitor"},
    "calculator": {"style": "calculator"}, "keyboard": {"style": "keyboard"},
    "computer keyboard": {"style": "keyboard"},
    "game controller": {"style": "controller"}, "gamepad": {"style": "controller"}, "game pad": {"style": "controller"},
    "mouse": {"style": "mouse"}, "computer mouse": {"style": "mouse"}, "remote control": {"style": "remote"},
    "tv remote": {"style": "remote"}, "briefcase": {"upright trolley": False, "lying style": "briefcase"},
    "toolbox": {"upright trolley": False, "lying style": "toolbox"}, "tool box": {"upright trolley": False,
    "lying style": "toolbox"}, "trolley case": {"upright trolley": True}, "rolling suitcase": {"upright trolley": True},
    "carry-on": {"upright trolley": True}, "grandfather clock": {"style": "tall"}, "wall clock": {"style": "wall"},
    "alarm clock": {"style": "alarm"}, "mantel clock": {"style": "mantel"}, "electric kettle": {"stove kettle": False},
    "stove kettle": {"stove kettle": True}, "stovetop kettle": {"stove kettle": True},
    "standing fan": {"stand fan": True}, "pedestal fan": {"stand fan": True}, "floor fan": {"stand fan": True},
    "stand fan": {"stand fan": True}, "desk fan": {"stand fan": False}, "table fan": {"stand fan": False},
    "tower crane": {"tower crane": True}, "mobile crane": {"tower crane": False},
    "espresso machine": {"style": "espresso"}, "shopping cart": {"style": "shopping"},
    "shopping trolley": {"style": "shopping"}, "serving trolley": {"style": "serving"},
    "serving cart": {"style": "serving"}, "hand truck": {"style": "sack truck"}, "sack truck": {"style": "sack truck"},
    "platform trolley": {"style": "platform"}, "tool trolley": {"style": "tools"}, "tool cart": {"style": "tools"},
    "pram": {"style": "pram"}, "baby carriage": {"style": "pram"}, "folding stool": {"style": "stool"},
    "camcorder": {"style": "camcorder"}, "water cooler": {"style": "cooler"}, "pump bottle": {"style": "pump"},
    "photocopier": {"style": "copier"}, "copier": {"style": "copier"}, "laser printer": {"style": "laser"},
    "sliding window": {"style": "sliding"}, "casement window": {"style": "casement"}, "sash window": {"style": "hung"},
    "desk phone": {"style": "desk"}, "slider phone": {"style": "slider"}, "flip phone": {"style": "clamshell"},
    "clamshell phone": {"style": "clamshell"},
}  # fmt: skip


def list_kinds() -> list[str]:
    return sorted(KIND_NAMES)


def index_names() -> dict[str, list[str]]:
    """Every name of a kind, with the kinds that it may stand for."""
    found: dict[str, list[str]] = {}
    for kind, names in KIND_NAMES.items():
        for name in (*names, kind.replace("_", " ")):
            kinds = found.setdefault(name.replace("-", " "), [])
            if kind not in kinds:
                kinds.append(kind)
    return found


def find_nearest_names(word: str, count: int = 3) -> list[str]:
    """Kinds with a name that is spelt most like a word."""
    names = index_names()
    close = difflib.get_close_matches(word, names, n=8, cutoff=0.0)
    kinds = dict.fromkeys(kind.replace("_", " ") for name in close for kind in names[name])
    return list(kinds)[:count]
