"""What went wrong, and what to do about it: one sentence each.

Every error a user can cause is a NeurokError. The commands print it on one
line and leave with exit code 2; anything else that escapes is a bug of ours.
"""

from collections.abc import Iterable


class NeurokError(Exception):
    """A fault in what was given, with its remedy.

    problem: what is wrong, naming the file or option.
    remedy:  what the user can do about it.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = problem.rstrip(".")
        self.remedy = remedy.rstrip(".")
        super().__init__(f"{self.problem}; {self.remedy}." if remedy else f"{self.problem}.")

    def __reduce__(self):
        # Errors cross process borders (bounded readers); keep both halves.
        return type(self), (self.problem, self.remedy)


class InputError(NeurokError):
    """A file or value given to us cannot be used."""


class OutputError(NeurokError):
    """A result cannot be written where it was asked for."""


class OptionError(NeurokError):
    """An option has a value that makes no sense."""


class MissingExtra(NeurokError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the '{extra}' extra", f"install it with: pip install 'neurok[{extra}]'")
        self.what, self.extra = what, extra

    def __reduce__(self):
        return type(self), (self.what, self.extra)


def unknown(kind: str, name: object, known: Iterable[str]) -> OptionError:
    """An error for a name that is not in the list, with the names that would have worked."""
    return OptionError(f"unknown {kind} '{name}'", f"use one of: {', '.join(sorted(known))}")
