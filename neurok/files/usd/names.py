"""Names that USD accepts as parts of a path."""

import re


def make_identifier(name: str, taken: set[str]) -> str:
    """A valid, so far unused prim name that resembles the given one; it is added to `taken`.

    Only ASCII: newer USD takes any letter, but the programs that read it often do not.
    """
    stem = re.sub(r"[^A-Za-z0-9_]", "_", name) or "unnamed"
    if stem[0].isdigit():
        stem = "_" + stem
    result, count = stem, 1
    while result in taken:
        count += 1
        result = f"{stem}_{count}"
    taken.add(result)
    return result


def make_file_stem(name: str) -> str:
    """A name without the characters that asset paths or file systems give a meaning."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name).strip(".") or "unnamed"
