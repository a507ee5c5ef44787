"""Findings of the input doctor."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One finding about a file; severity is 'error' (the file will be refused), 'warning' or 'note'."""

    name: str
    severity: str
    count: int
    problem: str
    action: str


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun, such as '1,024 faces'."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
