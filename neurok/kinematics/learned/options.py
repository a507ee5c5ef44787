"""LearnedOptions: the numbers of the pipeline that makes a learned state space, and what chose each of them. Those of
axis corrections and of soft bodies stand in `axis_correction` and `soft`.

`dev` behind a number means that it was chosen by `neurok evaluate deformation --split dev` on the 46 dev objects of
PartNet-Mobility, before kinds left out became the rule (docs/decisions); `hand` that it was set and never measured.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class LearnedOptions:
    """How a learned state space is made. Lengths are in diagonals of the object, amplitudes in prior deviations.

    purpose: 'move', or 'fit' for a space that also has coordinates for what the network holds possible without being
        sure of it, and axis corrections, since a target tells what moved.
    is_soft: whether the object is a body that bends, where that is known better than by the network.
    split: give faces that move with different parts vertices of their own (the space's mesh then has more vertices,
        the first ones and the order of faces as they were); otherwise what lies between two parts stretches. Soft
        bodies are never split.
    seed: of the samples of the surface.

    Observe. point_count: samples that the network sees. handle_count: regions that may move on their own, at most;
        soft_handle_count: of a soft body that is to be moved. view_count: turned views of the object.
    Merge. merge_cosine: between two modes that become one. min_amplitude: RMS displacement at one deviation below which
        a mode is dropped. min_support: share of the views that must see a mode for it to be sure. extent_factor:
        how far states may go, of what nearly all states in training keep to, by purpose (move, fit).
        coordinate_count: at most.
    Possible modes, of which the network is not sure. possible_amplitude: how far a part that the network considers
        static is held to move. possible_extent: how far such a coordinate goes. possible_slack: by how many times
        handles of one part may differ in it.
    Snap and group. tolerance: what counts as negligible, as a share: of a screw's other component, of the motion that a
        screw does not explain, of a mode's amplitude by which handles of one part may differ. axis_angle: [degrees]
        to an axis of the object, below which a joint's axis is taken for it.
    Skin. blend_tolerance: how differently handles may move, of a mode's amplitude, and still share vertices.
        min_motion: amplitude that a mode counts as having at least.
    Prior. unsupported_penalty: of a sure mode for each missing share of the views. unlikely_penalty: of what is only
        held possible, and of the corrections that tilt an axis.
    """

    purpose: str = "move"
    is_soft: bool | None = None
    split: bool = False
    seed: int = 0

    point_count: int = 2048  # `neurok evaluate robustness`: 512 to 4,096 change the median by at most .01
    handle_count: int = 128  # dev
    soft_handle_count: int = 64  # 36 pairs of held-out simulated clips: .72 instead of .74, a third faster
    view_count: int = 4  # dev

    merge_cosine: float = 0.9  # hand
    min_amplitude: float = 5e-4  # hand
    min_support: float = 0.5  # dev
    extent_factor: tuple[float, float] = (1.2, 2.0)  # hand; dev
    coordinate_count: int = 16  # the protocol of the paper

    possible_amplitude: float = 0.05  # dev
    possible_extent: float = 4.0  # hand
    possible_slack: float = 6.0  # dev

    tolerance: float = 0.1  # dev
    axis_angle: float = 12.0  # dev

    blend_tolerance: float = 0.25  # hand
    min_motion: float = 0.02  # hand

    unsupported_penalty: float = 10.0  # dev
    unlikely_penalty: float = 200.0  # dev

    @property
    def is_for_fits(self) -> bool:
        return self.purpose == "fit"

    @property
    def extent(self) -> float:
        """How far states may go, of what nearly all states in training keep to."""
        return self.extent_factor[self.is_for_fits]
