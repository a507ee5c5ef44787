"""One file, tried out from beginning to end."""

from collections.abc import Callable
from pathlib import Path

from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.check.dropping import check_drop
from neurok.articulate.check.loading import find_lowest, load_freed, load_model, measure_diagonal, silence_warnings
from neurok.articulate.check.masses import check_masses
from neurok.articulate.check.passing import check_passage
from neurok.articulate.check.reading import capture_warnings, describe_warnings
from neurok.articulate.check.report import CheckReport
from neurok.articulate.check.resting import check_drift, check_overlap
from neurok.articulate.check.sweeping import check_limits


def check_file(
    path: str | Path, progress: Callable[[float], None] | None = None, *, expect_moving: bool = False
) -> CheckReport:
    """Load a .urdf or .xml (MJCF) file in MuJoCo and try it out; expect_moving: one without moving parts fails."""
    path = Path(path)
    with capture_warnings() as warned:
        model = load_model(path)
    size = measure_diagonal(model)
    found = CheckReport(remarks=describe_warnings(warned))
    check_masses(model, path, found)
    with silence_warnings():
        check_drift(load_freed(path), found)
        check_overlap(model, size, found)
        check_drop(load_freed(path, ground=find_lowest(model) - TOLERANCE * size), size, found)
        check_limits(model, found, progress)
        check_passage(path, size, found, expect_moving=expect_moving, progress=progress)
    if _contacts_off(model.opt.disableflags):
        found.remarks.append(
            "the file switches contacts off in MuJoCo, so nothing there rests on a ground; MJCF need not"
        )
    return found


def _contacts_off(flags: int) -> bool:
    import mujoco

    return bool(flags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT))
