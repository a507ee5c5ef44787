"""What is asked for: a kind, attributes of it, and words that were not understood."""

from dataclasses import dataclass, field

AXES = ("width", "depth", "height")


@dataclass(frozen=True)
class Attribute:
    """One thing asked of an object.

    sort: count, material, colour, size, absent, present or option. part: what it is asked of; empty for the whole
    object. value: a number of parts, a material, a colour, a length [m] along the axis in `part` for a size, or a word.
    words: as it was said.
    """

    sort: str
    part: str
    value: str | float | int
    words: str

    def describe(self) -> str:
        whole = self.part or "object"
        if self.sort == "count":
            return f"{self.value} {self.part}" + ("s" if self.value != 1 else "")
        if self.sort == "size":
            return f"{self.part} {float(self.value) * 100:.3g} cm"
        if self.sort == "absent":
            return f"no {whole}"
        if self.sort == "present":
            return f"with {whole}"
        return f"{self.sort} of the {whole}: {self.value}"


@dataclass(frozen=True)
class Request:
    """A prompt as it was understood.

    kinds: candidates, any of which will do. name: what the kind was called. ignored: words without a meaning here.
    """

    text: str
    kinds: tuple[str, ...]
    name: str
    attributes: tuple[Attribute, ...] = ()
    ignored: tuple[str, ...] = field(default=())
