"""Destinations: whether a result could be written, asked before the work that makes it, so that none is lost."""

import errno
import os
import tempfile
from pathlib import Path

from neurok.errors import OutputError

# Of what lies beside a result while it is written; short, so that a name as long as the disk allows can be written.
TEMPORARY_PREFIX = ".neurok-"


def check_destination(path: str | Path) -> None:
    """Raise an error where no file of this name can be made in its folder.

    It is tried with a folder that goes again, since rights alone do not tell: /proc takes no files though its rights
    say so, and every disk has its longest name.
    """
    path = Path(path)
    shown = f"{path.name[:40]}..." if len(path.name) > 80 else path.name
    try:
        if not path.parent.is_dir():
            raise OutputError(f"there is no folder {path.parent}", "make it first")
        with tempfile.TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=path.parent) as folder:
            os.mkdir(os.path.join(folder, path.name))
    except ValueError:  # a zero byte
        raise OutputError(f"{shown!r} is no name for a file", "choose another") from None
    except OSError as fault:
        if fault.errno == errno.ENAMETOOLONG:
            raise OutputError(f"the name {shown} is too long for a file", "choose a shorter one") from None
        problem = f"the folder {path.parent} cannot be written to ({fault.strerror or fault})"
        raise OutputError(problem, "choose another one") from None
