"""The state space that a verb works in, with a remark where a person may want another."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurok.commands.say import note, progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neurok.files.registry import Asset
    from neurok.geometry.mesh import Mesh
    from neurok.kinematics.choose import Choice
    from neurok.mechanics.conditions import Conditions
    from neurok.opening import NamedChoice


def choose_for_verb(
    asset: "Asset", model: Any, kind: str, *, purpose: str = "move", base: str = "fixed",
    conditions: "Conditions | None" = None, guessed: bool = False,
) -> "Choice":  # fmt: skip
    """As `opening.choose_kinematics`; a former name of a kind still works, with a note."""
    found = choose_named_for_verb(
        asset, (), model, kind, purpose=purpose, base=base, conditions=conditions, guessed=guessed
    )
    return found.choice


def choose_named_for_verb(
    asset: "Asset", names: "Iterable[str]", model: Any, kind: str, *, purpose: str = "move", base: str = "fixed",
    conditions: "Conditions | None" = None, guessed: bool = False,
) -> "NamedChoice":  # fmt: skip
    """The same for an object of which parts are named; conditions: which say what parts are made of; guessed: whether
    what deforms by them is merely predicted to."""
    # Only now: torch takes longer to load than most faults take to find.
    from neurok.kinematics.choose import FORMER_KINDS
    from neurok.opening import assign_by, choose_named

    if kind in FORMER_KINDS:
        note(f"--kinematics {kind} is now called {FORMER_KINDS[kind]}; the former name still works")
    assign = None if conditions is None else assign_by(conditions)
    with progress("choosing") as report:
        found = choose_named(
            asset, names, model, kind=kind, purpose=purpose, base=base, assign=assign, guessed=guessed, progress=report
        )
    if found.choice.hint:
        note(found.choice.hint)
    return found


def add_predicted(asset: "Asset", path: str, conditions: "Conditions", *, aside: bool) -> "tuple[Conditions, bool]":
    """Conditions with the predicted materials of what nobody states, which is said, and whether anything deforms by
    these; aside: to leave predictions aside."""
    from neurok.materials.prediction.driving import predict_driving

    if aside or asset.mesh.face_count == 0:
        return conditions, False
    library = conditions.load_library()
    found = predict_driving(
        asset.mesh, asset.articulation, Path(path).stem, conditions.parts, conditions.whole, library
    )
    if found.told:
        note(found.describe())
    return conditions.add_materials(found.parts, found.whole), found.deforms


def list_unknown_names(conditions: "Conditions", mesh: "Mesh") -> list[str]:
    """The names in some conditions that have to be looked up: all that stand for points, and those of parts that are
    no pieces of the file."""
    known = {part.name for part in mesh.parts}
    return [*conditions.place_names, *(name for name in conditions.parts if name not in known)]
