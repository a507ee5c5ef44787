"""LearnedOptions: the numbers of the pipeline that makes a learned state space, and what chose each of them. Those of
soft bodies stand in `soft`.

`dev` behind a number means that it was chosen by `neurok evaluate deformation --split dev` on the 46 dev objects of
PartNet-Mobility, before kinds left out became the rule (docs/decisions); `hand` that it was set and never measured.
"""

from dataclasses import dataclass

NEIGHBOUR_COUNT = 8  # samples, handles or known points that count as next to one


@dataclass(frozen=True)
class LearnedOptions:
    """How a learned state space is made. Lengths are in diagonals of the object, amplitudes in prior deviations.

    purpose: 'move', or 'fit' for a space whose states may go farther, since a target tells how far, and in which what
        geometry proposes is looked at first.
    is_soft: whether the object is a body that bends, where that is known better than by the network.
    split: give faces that move with different parts vertices of their own (the space's mesh then has more vertices,
        the first ones and the order of faces as they were); otherwise what lies between two parts stretches. Soft
        bodies are never split.

    Observe. point_count: samples that the network sees. handle_count: regions that may move on their own, at most;
        soft_handle_count: of a soft body that is to be moved. view_count: turned views of the object.
    Merge. merge_cosine: between two modes that become one. min_support: share of the views that must see a mode for it
        to be sure. extent_factor: how far states may go, of what nearly all states in training keep to, by purpose
        (move, fit). coordinate_count: at most.
    Snap, group and skin. tolerance: what counts as negligible, as a share: of a screw's other component, of the motion
        that a screw does not explain, of a mode's amplitude by which handles of one part may differ, or share vertices;
        its square of the amplitude of the strongest mode, for a whole mode.
    """

    purpose: str = "move"
    is_soft: bool | None = None
    split: bool = False

    point_count: int = 2048  # `neurok evaluate robustness`: 512 to 4,096 change the median by at most .01
    handle_count: int = 128  # dev
    soft_handle_count: int = 64  # 36 pairs of held-out simulated clips: .72 instead of .74, a third faster
    view_count: int = 4  # dev

    merge_cosine: float = 0.9  # hand
    min_support: float = 0.5  # dev
    extent_factor: tuple[float, float] = (1.2, 2.0)  # hand; dev
    coordinate_count: int = 16  # the protocol of the paper

    tolerance: float = 0.1  # dev

    @property
    def is_for_fits(self) -> bool:
        return self.purpose == "fit"

    @property
    def extent(self) -> float:
        """How far states may go, of what nearly all states in training keep to."""
        return self.extent_factor[self.is_for_fits]
