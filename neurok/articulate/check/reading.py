"""What MuJoCo's readers of files print to the terminal, kept from it and put into our words."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

PREFIX = b"WARNING:"
SAME_NAME = re.compile(r"duplicate name '(.*)' encountered in URDF")


@contextmanager
def capture_warnings() -> Iterator[list[str]]:
    """The warnings printed meanwhile, each once, in a list that is filled at the end.

    MuJoCo's reader of URDF prints its warnings straight to the process's stderr, past `mju_user_warning`. Whatever else
    was printed there meanwhile, such as the bar of a long task, is printed afterwards.
    """
    found: list[str] = []
    sys.stderr.flush()
    with tempfile.TemporaryFile() as printed:
        terminal = os.dup(2)
        os.dup2(printed.fileno(), 2)
        try:
            yield found
        finally:
            sys.stderr.flush()
            os.dup2(terminal, 2)
            os.close(terminal)
            found += _read_warnings(printed)


def _read_warnings(printed: IO[bytes]) -> list[str]:
    """The warnings in a file, each once; every other line goes to stderr."""
    printed.seek(0)
    lines = printed.readlines()
    warned = [line for line in lines if line.startswith(PREFIX)]
    for line in lines:
        if line not in warned:
            os.write(2, line)
    texts = (line.removeprefix(PREFIX).decode(errors="replace").strip() for line in warned)
    return list(dict.fromkeys(texts))


def describe_warnings(warned: Sequence[str]) -> list[str]:
    """Remarks on a file in which MuJoCo's reader found something odd."""
    names = [found[1] for text in warned if (found := SAME_NAME.search(text))]
    others = [f"MuJoCo says of this file: {text}" for text in warned if not SAME_NAME.search(text)]
    if not names:
        return others
    listed = ", ".join(f"'{name}'" for name in names)
    return [f"several surfaces share a name ({listed}); MuJoCo leaves all but the first of them nameless", *others]
