"""The state space that a verb works in, with a remark where a person may want another."""

from typing import TYPE_CHECKING

from neurok.commands.files import open_model
from neurok.commands.say import note, progress

if TYPE_CHECKING:
    from neurok.articulate.spaces import Choice
    from neurok.files.registry import Asset


def chosen_space(
    asset: "Asset", kinds: str, weights: str | None, *, base: str = "fixed", possible: bool = False
) -> "Choice":
    """As `articulate.spaces.choose_space`, by the weights in a folder where one is named."""
    # Only now: torch takes longer to load than most faults take to find.
    from neurok.articulate.spaces import choose_space

    with progress("choosing"):
        choice = choose_space(asset, kinds, base=base, possible=possible, model=open_model(weights))
    if choice.hint:
        note(choice.hint)
    return choice
