"""The state space that a verb works in, with a remark where a person may want another."""

from typing import TYPE_CHECKING, Any

from neurok.commands.say import note, progress

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.kinematics.choose import Choice


def choose_for_verb(asset: "Asset", model: Any, kind: str, *, purpose: str = "move", base: str = "fixed") -> "Choice":
    """As `opening.choose_kinematics`; a former name of a kind still works, with a note."""
    # Only now: torch takes longer to load than most faults take to find.
    from neurok.kinematics.choose import FORMER_KINDS
    from neurok.opening import choose_kinematics

    if kind in FORMER_KINDS:
        note(f"--kinematics {kind} is now called {FORMER_KINDS[kind]}; the former name still works")
    with progress("choosing"):
        choice = choose_kinematics(asset, model, kind=kind, purpose=purpose, base=base)
    if choice.hint:
        note(choice.hint)
    return choice
