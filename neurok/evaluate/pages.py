"""What all reports share: pages of Markdown, pictures as PNG, files that are there whole or not at all."""

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError


def format_grid(head: Sequence[str], lines: Sequence[Sequence[object]]) -> list[str]:
    """A table of Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def format_list(items: dict[str, str]) -> list[str]:
    """A list of names and what is to be said of each."""
    return [f"- {name}: {text}" for name, text in items.items()]


def count_objects(plain: dict[str, Any]) -> str:
    """How many objects were measured on: '1 object', '4 of 5 objects' where some are left out."""
    count, missing = plain["settings"]["objects"], len(plain["left_out"])
    return f"{count - missing} of {count} objects" if missing else f"{count} object{'s' * (count != 1)}"


def format_change(cell: dict[str, Any]) -> str:
    """A change of medians with its interval."""
    low, high = cell["interval"]
    return f"{cell['change']:+.2f} [{low:+.2f}, {high:+.2f}]"


def write_picture(path: Path, pixels: NDArray[np.uint8]) -> Path:
    """Write a PNG."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return write_whole(path, stream.getvalue())


def write_page(page: str, folder: Path, text: str) -> list[Path]:
    """A report of one page: report.md, and its figures, a text of JSON, as report.json."""
    return [write_whole(folder / "report.md", page), write_whole(folder / "report.json", text + "\n")]


def write_whole(path: Path, data: bytes | str) -> Path:
    """Write under a temporary name, then rename."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(exist_ok=True)
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(part, path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror})", "choose another place") from fault
    return path
