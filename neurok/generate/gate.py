"""The gate: what an object must stand before it is delivered.

Its joints are swept for penetration and gaps (data/procedural/check.py); as MJCF it is loaded in MuJoCo, let go,
dropped on the ground and pushed to its limits (articulate/check). Soft objects have bones instead of joints: they are
swept.
"""

import tempfile
from pathlib import Path

from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.check.dropping import check_drop
from neurok.articulate.check.loading import find_lowest, load_freed, load_model, measure_diagonal, silence_warnings
from neurok.articulate.check.masses import check_masses
from neurok.articulate.check.report import CheckReport
from neurok.articulate.check.resting import check_drift, check_overlap
from neurok.articulate.check.sweeping import check_limits
from neurok.articulate.physics import add_physics
from neurok.data.procedural.check import find_faults
from neurok.data.procedural.procedural import ProceduralObject
from neurok.files.registry import save
from neurok.generate.solids import add_piece_colliders
from neurok.generate.weighing import add_masses


def find_gate_faults(thing: ProceduralObject) -> list[str]:
    """The faults of an object, one sentence each; empty where it passes."""
    faults = find_faults(thing)
    if faults or thing.is_soft:
        return faults
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "object.xml"
        save(add_physics(add_piece_colliders(add_masses(thing.articulation))), path)
        return settle_file(path)


def settle_file(path: Path) -> list[str]:
    """What is wrong with an MJCF file in MuJoCo, without its joints' sweep."""
    model = load_model(path)
    size = measure_diagonal(model)
    found = CheckReport()
    check_masses(model, path, found)
    with silence_warnings():
        check_drift(load_freed(path), found)
        check_overlap(model, size, found)
        check_drop(load_freed(path, ground=find_lowest(model) - TOLERANCE * size), size, found)
        check_limits(model, found)
    return found.faults
