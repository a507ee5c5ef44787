"""Guesses: what a page lets be dragged where nothing of an object surely moves.

Whoever drops a file on the page wants to take hold of it. Where geometry finds no part that moves, the learned space
often knows one all the same; the page says that it is a guess, and why nothing better was found.
"""

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.geometry.components import face_components
from neurok.kinematics.choose import Choice, MaterialReader
from neurok.opening import choose_kinematics


def choose_or_guess(asset: Asset, assign: MaterialReader | None = None, *, guessed: bool = False) -> tuple[Choice, str]:
    """How an object moves by its materials, and what to say where that is a guess ('' where it is not); an InputError
    where there is neither."""
    try:
        return choose_kinematics(asset, assign=assign, guessed=guessed), ""
    except InputError as fault:
        return guess_kinematics(asset, fault)


def guess_kinematics(asset: Asset, fault: InputError) -> tuple[Choice, str]:
    """A guess, and what to say; the fault for which nothing better was found where there is no guess either.

    What is one piece is not guessed at: it would be torn apart.
    """
    if asset.articulation is not None or face_components(asset.mesh, tolerance=0.0)[0] < 2:
        raise fault
    try:
        choice = choose_kinematics(asset, kind="learned")
    except InputError:
        raise fault from None
    if choice.space.size == 0:
        raise fault
    reason = f"{fault.problem[:1].upper()}{fault.problem[1:]}"
    return choice, f"{reason}. This is a guess (on the command line: --kinematics learned)."
