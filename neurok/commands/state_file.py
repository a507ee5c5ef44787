"""The states of a motion as a file: what each coordinate is, and its value in every frame."""

from pathlib import Path
from typing import TYPE_CHECKING

from neurok.commands.files import write_text
from neurok.commands.movement import find_coordinate_units
from neurok.commands.say import as_json
from neurok.geometry.articulation import Articulation

if TYPE_CHECKING:
    from neurok.mechanics.trajectory import Trajectory


def write_states(trajectory: "Trajectory", joints: Articulation | None, path: str | None) -> list[Path]:
    """Write the coordinates [frames, k] with their names and units, without those of a free base; the file written.

    A free base is left out because its six coordinates are increments, see `Trajectory.bases`.
    """
    if path is None:
        return []
    space, first = trajectory.space, trajectory.space.base_count
    units = find_coordinate_units(space, joints)
    facts = {
        "time": trajectory.time,
        "names": space.names[first:],
        "units": [units[name] for name in space.names[first:]],
        "states": trajectory.states[:, first:],
    }
    return [write_text(as_json(facts), Path(path))]
