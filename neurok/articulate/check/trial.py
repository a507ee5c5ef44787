"""One file, tried out from beginning to end."""

from collections.abc import Callable
from pathlib import Path

from neurok.articulate.check.dropping import drop
from neurok.articulate.check.loading import diagonal, freed, load, lowest, quiet
from neurok.articulate.check.masses import weigh
from neurok.articulate.check.report import Check
from neurok.articulate.check.resting import overlap, settle
from neurok.articulate.check.sweeping import sweep

LIFT = 0.02  # of the diagonal: how high over the ground it is let go


def check(path: str | Path, progress: Callable[[float], None] | None = None) -> Check:
    """Load a .urdf or .xml (MJCF) file in MuJoCo and try it out."""
    path = Path(path)
    model = load(path)
    size = diagonal(model)
    found = Check()
    weigh(model, path, found)
    with quiet():
        settle(freed(path), found)
        overlap(model, size, found)
        drop(freed(path, ground=lowest(model) - LIFT * size), size, found)
        sweep(model, size, found, progress)
    if _contacts_off(model.opt.disableflags):
        found.remarks.append(
            "the file switches contacts off in MuJoCo, so nothing there rests on a ground; MJCF need not"
        )
    return found


def _contacts_off(flags: int) -> bool:
    import mujoco

    return bool(flags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT))
