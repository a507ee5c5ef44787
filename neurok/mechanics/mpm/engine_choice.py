"""Which engine simulates an object: few coordinates, or particles for what yields or flows under small loads."""

from dataclasses import dataclass

import numpy as np

from neurok.errors import MissingExtra, unknown
from neurok.geometry.articulation import Articulation
from neurok.geometry.links import find_moving_joints
from neurok.geometry.mesh import Mesh
from neurok.materials.assignment import list_statements
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.mpm.flow_rules import does_flow
from neurok.mechanics.mpm.refusals import list_refusals, refuse_rest
from neurok.mechanics.mpm.solver import describe_version, is_installed

ENGINES = ("reduced", "mpm")
LUMP = "it moves as one body that keeps no dents and does not flow"


@dataclass(frozen=True)
class EngineChoice:
    """The engine, and what is to be said of it in one sentence; '' where nothing yields or flows."""

    engine: str
    why: str = ""


def choose_engine(
    mesh: Mesh, conditions: Conditions, wanted: str | None = None, joints: Articulation | None = None
) -> EngineChoice:
    """The engine for an object; wanted: one of `ENGINES`, None to choose by what its parts are made of."""
    if wanted is not None and wanted not in ENGINES:
        raise unknown("engine", wanted, ENGINES)
    moving = 0 if joints is None else int(np.count_nonzero(find_moving_joints(joints) >= 0))
    if wanted == "mpm":
        refuse_rest(conditions, moving)
        if not is_installed():
            raise MissingExtra("moving what yields and flows (--engine mpm)", "mpm")
        return EngineChoice("mpm", f"engine: material points ({describe_version()}), as asked")
    what = ", ".join(list_flowing(mesh, conditions))
    if not what:
        return EngineChoice("reduced")
    if wanted == "reduced":
        return EngineChoice("reduced", f"engine: few coordinates, as asked; {what} would yield or flow, and {LUMP}")
    refused = list_refusals(conditions, moving)
    if refused:
        return EngineChoice("reduced", f"engine: few coordinates; {what} would yield or flow, but {refused[0]}: {LUMP}")
    if not is_installed():
        missing = "the extra that simulates it is not installed (pip install 'neurok[mpm]')"
        return EngineChoice("reduced", f"engine: few coordinates; {what} would yield or flow, but {missing}: {LUMP}")
    return EngineChoice(
        "mpm",
        f"engine: material points ({describe_version()}), since {what} yields or flows; --engine reduced does not",
    )


def list_flowing(mesh: Mesh, conditions: Conditions) -> list[str]:
    """The materials of an object that yield or flow under small loads, by name."""
    library = conditions.load_library()
    stated = [*list_statements(mesh, conditions.parts, conditions.whole, library), *conditions.parts.values()]
    made = [one.resolve(library, "the object") for one in dict.fromkeys(stated)]
    found = ("what has a yield stress" if one.material is None else one.material.name for one in made if does_flow(one))
    return list(dict.fromkeys(found))
