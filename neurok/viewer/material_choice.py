"""How an object moves on a page by what its file states and what is predicted of its materials."""

from dataclasses import dataclass

from neurok.files.registry import Asset
from neurok.kinematics.choose import Choice
from neurok.materials.prediction.driving import NO_DRIVING, predict_driving
from neurok.mechanics.conditions import Conditions
from neurok.opening import assign_by
from neurok.viewer.guesses import choose_or_guess


@dataclass(frozen=True)
class MaterialChoice:
    """A state space, what is predicted of an object's materials, as conditions, and why it is so, in words.

    guess: what to say where nothing surely moves, '' where something does.
    """

    choice: Choice
    materials: Conditions
    why: str
    guess: str = ""


def choose_by_materials(asset: Asset, title: str | None) -> MaterialChoice:
    """The state space of an object; title: what it is called, None where nothing is to be predicted."""
    driving = NO_DRIVING if title is None else predict_driving(asset.mesh, asset.articulation, title)
    materials = Conditions().add_materials(driving.parts, driving.whole)
    choice, guess = choose_or_guess(asset, assign_by(materials), guessed=driving.deforms)
    told = driving.describe_materials()
    return MaterialChoice(choice, materials, f"{choice.why}. Materials: {told}" if told else choice.why, guess)
