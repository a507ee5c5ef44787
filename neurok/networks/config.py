"""What a model and its training are made of; one value per choice, kept beside the weights."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from neurok.errors import InputError, OptionError, unknown

DECODERS = ("handles", "points")
PRIORS = ("lowrank", "unit")
SIZES = ("tiny", "base", "large")


@dataclass(frozen=True)
class Config:
    """decoder: 'handles' (a skin moved by twists) or 'points' (each point's own motion, as the paper has it).
    prior: 'lowrank' (which states a shape is likely to take is predicted) or 'unit' (the paper's).
    dual_quaternion: whether deformations are told as rigid motions, or as displacements alone.
    augmentation: whether shapes are turned, mirrored, stretched, noisy and partial.
    shapes, states, points, handles: of a batch. rate: learning rate; warm: steps until it is reached;
    cool: share of the run over which it falls again; average: of the averaged weights (EMA), in steps.
    repeats: how often an epoch visits the objects of a source (1 where none is named).
    weight: of the KL divergence (unused where the evidence is exact), reached after `warm` steps.
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
    """What `to_values` gave, back."""
    known = {f.name for f in fields(Config)}
    if not isinstance(values, dict) or set(values) - known:
        raise InputError("the configuration of the weights has entries of another version", "take the weights anew")
    try:
        return Config(**values)
    except TypeError as fault:
        raise InputError(f"the configuration of the weights cannot be read ({fault})", "take them anew") from None
