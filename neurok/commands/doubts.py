"""Doubts: results that look like success and are none. Each is one warning; with --strict they fail the command."""

from neurok.errors import NeurokError


class StrictFault(NeurokError):
    """The work was done and written, but --strict was given, and something about it is doubtful: exit code 3."""


class Doubts:
    """The warnings of one command, in order. is_strict: whether they fail it."""

    def __init__(self, is_strict: bool) -> None:
        self.is_strict = is_strict
        self.lines: list[str] = []

    def add(self, *lines: str) -> None:
        """Say that something is doubtful, in a sentence each."""
        from neurok.commands.say import warn

        for line in lines:
            warn(line)
            self.lines.append(line)

    def check(self) -> None:
        """The last thing a command does: a StrictFault where there is a doubt and --strict was given."""
        if self.is_strict and self.lines:
            count = f"{len(self.lines)} warning{'s' if len(self.lines) > 1 else ''}"
            raise StrictFault(f"{count} with --strict, so this counts as failed", "what was written is kept")
