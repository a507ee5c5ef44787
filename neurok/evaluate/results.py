"""Result: what one method scored on one target of one pair."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """One method on one target of one pair; `figures` as `Yardstick.report` gives them."""

    object: str
    category: str
    kind: str
    pair: int
    method: str
    target: str
    seconds: float
    figures: dict[str, Any]
