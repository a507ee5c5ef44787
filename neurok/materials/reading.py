"""A TOML file of materials becomes rows; what does not fit is an error that names file, row, key and allowed range."""

import tomllib
from collections.abc import Mapping

from neurok.errors import InputError, unknown
from neurok.materials.material import Behaviour, Look, PhysicalMaterial, ValueRange
from neurok.materials.quantities import QUANTITIES

ROW_KEYS = ("behaviour", *QUANTITIES, "look", "synonyms", "sources")
NEEDED = ("density", "young", "poisson", "friction", "restitution", "loss")  # of whatever is no fluid
NEEDED_BY = {
    Behaviour.SHELL: ("thickness",),
    Behaviour.GRANULAR: ("friction_angle",),
    Behaviour.METAL: ("yield_stress",),
    Behaviour.PLASTICINE: ("yield_stress",),
    Behaviour.FLUID: (),
}


def parse_materials(text: str, name: str) -> tuple[PhysicalMaterial, ...]:
    """The rows of a file of materials; name: what the file is called."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise InputError(f"{name} is not valid TOML ({fault})", "check brackets and quotes") from None
    for key in data:
        if key not in ("materials", "references"):
            raise InputError(f"{name} has an unknown table '{key}'", "write rows as [materials.NAME]")
    rows, references = data.get("materials"), data.get("references", {})
    if not isinstance(rows, dict) or not rows:
        raise InputError(f"{name} holds no materials", "write rows as [materials.NAME]")
    if not isinstance(references, dict) or not all(isinstance(each, str) for each in references.values()):
        raise InputError(f"the references of {name} are not texts", 'write [references] as KEY = "AUTHOR, TITLE"')
    return tuple(_parse_row(row, each, references, f"material '{row}' of {name}") for row, each in rows.items())


def _parse_row(name: str, row: object, references: Mapping[str, str], where: str) -> PhysicalMaterial:
    if not isinstance(row, dict):
        raise InputError(f"{where} is no table", "write it as [materials.NAME] with a line for each key")
    for key in row:
        if key not in ROW_KEYS:
            raise InputError(f"{where} has an unknown key '{key}'", f"use one of: {', '.join(ROW_KEYS)}")
    if row.get("behaviour") not in list(Behaviour):
        fault = unknown("behaviour", row.get("behaviour", ""), Behaviour)
        raise InputError(f"{where} has an {fault.problem}", fault.remedy)
    behaviour = Behaviour(row["behaviour"])
    ranges = {key: parse_range(key, row[key], where) for key in QUANTITIES if key in row}
    needed = ("density",) if behaviour == Behaviour.FLUID else NEEDED
    for key in (*needed, *NEEDED_BY.get(behaviour, ())):
        if key not in ranges:
            raise InputError(f"{where} has no {key}", f"add {key} = [low, typical, high] {_describe_key(key)}")
    return PhysicalMaterial(
        name=name,
        behaviour=behaviour,
        **ranges,
        look=_parse_look(row.get("look", {}), where),
        synonyms=_parse_texts("synonyms", row.get("synonyms", []), where),
        sources=tuple(references.get(each, each) for each in _parse_texts("sources", row.get("sources", []), where)),
    )


def parse_range(key: str, value: object, where: str) -> ValueRange:
    """[low, typical, high], or one number for all three, within the bounds of the quantity."""
    given = value if isinstance(value, list) else [value] * 3
    numbers = [each for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(given) != 3 or len(numbers) != 3:
        raise InputError(f"{key} of {where} is {str(value)[:60]}", "give a number, or three: [low, typical, high]")
    if not all(QUANTITIES[key].allows(each) for each in numbers):
        bad = next(each for each in numbers if not QUANTITIES[key].allows(each))
        raise InputError(f"{key} of {where} is {str(bad)[:20]}", f"give numbers {_describe_key(key)}")
    if sorted(numbers) != numbers:
        raise InputError(f"{key} of {where} is {numbers}, which is not in order", "give [low, typical, high]")
    return ValueRange(*map(float, numbers))


def _describe_key(key: str) -> str:
    return QUANTITIES[key].describe_range()


def _parse_look(value: object, where: str) -> Look:
    if not isinstance(value, dict):
        raise InputError(f"look of {where} is {str(value)[:60]}", "give a table with base_color, metallic, roughness")
    numbers_of = {"base_color": [*Look.base_color]} | {
        key: [getattr(Look, key)] for key in ("metallic", "roughness", "transmission")
    }
    for key, given in value.items():
        if key not in numbers_of:
            raise InputError(f"look of {where} has an unknown key '{key}'", f"use one of: {', '.join(numbers_of)}")
        numbers = given if isinstance(given, list) else [given]
        count = len(numbers_of[key])
        fit = all(isinstance(each, int | float) and 0 <= each <= 1 for each in numbers)
        if len(numbers) != count or not fit:
            words = "three numbers" if count == 3 else "a number"
            raise InputError(f"{key} of the look of {where} is {str(given)[:60]}", f"give {words} of 0 to 1")
        numbers_of[key] = [float(each) for each in numbers]
    red, green, blue = numbers_of.pop("base_color")
    return Look((red, green, blue), *(numbers[0] for numbers in numbers_of.values()))


def _parse_texts(key: str, value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise InputError(f"{key} of {where} is {str(value)[:60]}", f'give a list of texts, {key} = ["..."]')
    return tuple(value)
