"""Result: what one method scored on one target of one pair; PartResult: what a predictor made of one part."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PairResult:
    """One method on one target of one pair; `figures` as `Yardstick.report` gives them.

    coordinates: of the state space that was fitted, None where the method has none."""

    object: str
    category: str
    kind: str
    pair: int
    method: str
    target: str
    seconds: float
    figures: dict[str, Any]
    coordinates: int | None = None


@dataclass(frozen=True)
class PartResult:
    """One predictor on one true part. axis_error [degrees]; centre_error with radius 1, and with diagonal 1;
    range_error relative; None where the truth has no such thing. matched: whether a found part is this one."""

    object: str
    category: str
    part: str
    predictor: str
    parts: str
    truth: str
    predicted: str
    axis_error: float | None
    centre_error: float | None
    centre_error_diagonal: float | None
    range_error: float | None
    matched: bool
    seconds: float
