"""Places: where a condition acts; a point of the file, or the name of a part, which is taken where a person would."""

from neurok.errors import InputError, OptionError

Vector = tuple[float, float, float]
Place = Vector | str


def require_point(place: Place) -> Vector:
    """The coordinates of a place; a name has to have been looked up before."""
    if isinstance(place, str):
        raise InputError(
            f"the part '{place[:60]}' has not been looked up",
            "give the conditions to neurok.animate, which knows the names of an object's parts",
        )
    return place


def check_place(kind: str, place: object) -> None:
    """A name that is not empty; numbers are checked elsewhere."""
    if isinstance(place, str) and not place.strip():
        raise OptionError(f"a {kind} has an empty name for its point", "give X,Y,Z or the name of a part")
