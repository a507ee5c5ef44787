"""Outcomes: how often the objects of a server were found to move, were guessed at, or were not, and why."""

from collections import Counter

from neurok.viewer.children import LOG
from neurok.viewer.viewed_object import ViewedObject

MAX_REASONS = 5  # that a summary lists


class Outcomes:
    """A count of what came of each search for a motion. counts: of 'found', 'guessed' and 'rigid'; reasons: of the
    notes that pages showed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def add(self, shown: ViewedObject) -> None:
        """Count an object; one that plays a clip of its file was not searched."""
        if shown.motion is not None:
            return
        found = shown.found
        self.counts[found.outcome] += 1
        if found.note:
            self.reasons[found.note] += 1
            LOG.info("%s (%s): %s", found.outcome, shown.title, found.note)

    def describe(self) -> list[str]:
        """Lines for whoever started the server; none where every object was found to move."""
        if not self.reasons:
            return []
        guessed, rigid = self.counts["guessed"], self.counts["rigid"]
        head = f"of {self.counts.total()} objects shown, {guessed} moved by a guess and {rigid} as one rigid body:"
        return [head, *(f"  {count} x {reason}" for reason, count in self.reasons.most_common(MAX_REASONS))]
