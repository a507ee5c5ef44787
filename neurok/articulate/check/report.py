"""What a check found."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CheckReport:
    """What was found: faults are reasons to fail, remarks are worth knowing, figures are for scripts."""

    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.faults
