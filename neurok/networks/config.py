"""The configuration of a model and its training; one value for each choice, kept beside the weights."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from neurok.errors import InputError, OptionError, unknown

DECODERS = ("handles", "points")
PRIORS = ("lowrank", "unit")
SIZES = ("tiny", "base", "large")


@dataclass(frozen=True)
class LossWeights:
    """What each part of the objective counts (see training.losses), chosen in trainings of the recipe `full`.

    drag: nats per nat of log(1 + share / 0.05) that a drag of one, and of three points, leaves unexplained.
    together, own, amplitude: nats that votes without any sense cost, roughly. bounds: nats per deviation that a bound
    lies wrong, times the share of states beyond it. kind: weight of the cross entropy of whether a shape is soft.
    even_share: how much of a handle's weight is the same for all handles of a shape, so that small parts count.
    max_gradient: norm of the derivative by one shape's twists, beyond which it is cut.
    motion_floor: added to the size of a motion [diagonals, and half radians] that an autoencoder's error is divided by.
    """

    drag: float = 2.0
    together: float = 40.0
    own: float = 60.0
    amplitude: float = 10.0
    bounds: float = 4.0
    kind: float = 3.0
    even_share: float = 0.5
    max_gradient: float = 60.0
    motion_floor: float = 0.03


@dataclass(frozen=True)
class Config:
    """decoder: 'handles' (a skin moved by twists) or 'points' (each point's own motion, as the paper has it).
    prior: 'lowrank' (which states a shape is likely to take is predicted) or 'unit' (the paper's).
    dual_quaternion: whether deformations are given as rigid motions, or as displacements alone.
    augmentation: whether shapes are turned, mirrored, stretched, noisy and partial.
    shapes, states, points, handles: of a batch. rate: learning rate; warm: steps until it is reached;
    cool: share of the run over which it falls again; average: of the averaged weights (EMA), in steps.
    repeats: how often an epoch visits the objects of a source (1 where none is named).
    weight: of the KL divergence (unused where the evidence is exact), reached after `warm` steps.
    losses: weights of the other parts of the objective.
    """

    decoder: str = "handles"
    prior: str = "lowrank"
    size: str = "base"
    dual_quaternion: bool = True
    augmentation: bool = True
    shapes: int = 16
    states: int = 12
    points: int = 512
    handles: int = 80
    rate: float = 2e-3
    warm: int = 300
    cool: float = 0.3
    decay: float = 0.02
    clip: float = 5.0
    average: int = 1000
    weight: float = 0.01
    repeats: dict[str, int] = field(default_factory=lambda: {"partnet": 6, "animated": 4, "simulated": 4})
    seed: int = 0
    losses: LossWeights = LossWeights()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("decoder", self.decoder, DECODERS), ("prior", self.prior, PRIORS), ("size", self.size, SIZES)
        ):  # fmt: skip
            if value not in known:
                raise unknown(name, value, known)
        if min(self.shapes, self.states, self.points, self.handles) < 1 or self.rate <= 0 or self.average < 1:
            raise OptionError("a training needs shapes, states, points, handles and a rate above zero", "set them")


def to_values(config: Config) -> dict[str, Any]:
    """The configuration as plain values."""
    return asdict(config)


def from_values(values: Any) -> Config:
    """What `to_values` gave, back; entries that an older version did not write have their defaults."""
    losses = values.get("losses", {}) if isinstance(values, dict) else {}
    if not _are_known(values, Config) or not _are_known(losses, LossWeights):
        raise InputError("the configuration of the weights has entries of another version", "take the weights anew")
    try:
        return Config(**(values | {"losses": LossWeights(**losses)}))
    except TypeError as fault:
        raise InputError(f"the configuration of the weights cannot be read ({fault})", "take them anew") from None


def _are_known(values: Any, kind: type[Config] | type[LossWeights]) -> bool:
    """Whether values are a dictionary with names of a configuration's fields only."""
    return isinstance(values, dict) and set(values) <= {f.name for f in fields(kind)}
