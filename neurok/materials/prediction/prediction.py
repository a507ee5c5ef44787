"""What is predicted of an object's parts: chances of materials, behaviours, numbers with ranges, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.parts import Parts
from neurok.materials.library import MaterialLibrary
from neurok.materials.material import Behaviour, ValueRange
from neurok.materials.prediction.network import MatterNetwork, leave_out
from neurok.materials.prediction.observation import INPUT_WORDS, INPUTS, MatterObservation

MIN_WORTH = 0.05  # nats of log p of the answer below which an input has not spoken; set by hand
ELASTIC = (Behaviour.ELASTIC, Behaviour.SHELL, Behaviour.RUBBER)
RANGE_SHARE = 0.1  # of the chance that lies beyond each end of a range


@dataclass(frozen=True)
class PartMatter:
    """One part: the likeliest material and its chance, the likeliest behaviour and its, the next materials, what each
    input added to log p of the material [nats], the inputs that were absent; stated: told by a person; deforms: whether
    it is surely elastic."""

    name: str
    material: str
    chance: float
    behaviour: Behaviour
    behaviour_chance: float
    others: Mapping[str, float]
    worth: Mapping[str, float]
    absent: tuple[str, ...]
    ranges: Mapping[str, ValueRange]
    stated: bool = False
    deforms: bool = False

    @property
    def reasons(self) -> list[str]:
        """The inputs that spoke for the material, the loudest first."""
        spoke = sorted(self.worth.items(), key=lambda item: -item[1])
        return [INPUT_WORDS[name] for name, worth in spoke if worth >= MIN_WORTH]


@dataclass(frozen=True)
class MatterPrediction:
    """The parts of an object and what each is probably made of. log_chance: of every material, [p, k]."""

    parts: Parts
    matter: tuple[PartMatter, ...]
    log_chance: Array = field(repr=False)


def predict_matter(
    parts: Parts, seen: MatterObservation, network: MatterNetwork, library: MaterialLibrary
) -> MatterPrediction:
    """What each part is probably made of."""
    log_chance = network.answer(seen)
    without = {name: network.answer(seen, leave_out(seen.count, name)) for name in INPUTS}
    behaviours = [library.find(name).behaviour for name in network.materials]
    rows = []
    for part in range(seen.count):
        chance = np.exp(log_chance[part])
        behaviour, behaviour_chance = sum_behaviours(chance, behaviours)
        # Of the materials that behave as the part most probably does, the likeliest: the two never contradict.
        fitting = np.array([each == behaviour for each in behaviours])
        best = int(np.argmax(np.where(fitting, chance, -1.0)))
        worth = {n: float(log_chance[part, best] - w[part, best])
                 for i, (n, w) in enumerate(without.items()) if seen.present[part, i]}  # fmt: skip
        order = [k for k in np.argsort(-chance) if k != best][:3]
        rows.append(PartMatter(
            parts.names[part], network.materials[best], float(chance[best]), behaviour, behaviour_chance,
            {network.materials[k]: float(chance[k]) for k in order}, worth,
            tuple(name for i, name in enumerate(INPUTS) if not seen.present[part, i]),
            find_ranges(chance * fitting, network.materials, library),
            deforms=behaviour in ELASTIC and float(chance[[b in ELASTIC for b in behaviours]].sum()) >= network.sure,
        ))  # fmt: skip
    return MatterPrediction(parts, tuple(rows), log_chance)


def sum_behaviours(chance: Array, behaviours: Sequence[Behaviour]) -> tuple[Behaviour, float]:
    """The behaviour whose materials have the greatest chance together, and that chance."""
    sums = {each: float(chance[[b == each for b in behaviours]].sum()) for each in dict.fromkeys(behaviours)}
    best = max(sums, key=lambda each: sums[each])
    return best, sums[best]


def find_ranges(chance: Array, materials: Sequence[str], library: MaterialLibrary) -> dict[str, ValueRange]:
    """The quantities of a mixture of materials [k]: typical of the likeliest, and the range that holds four fifths."""
    from neurok.materials.quantities import QUANTITIES

    best = library.find(materials[int(np.argmax(chance))])
    found: dict[str, ValueRange] = {}
    for quantity in QUANTITIES:
        own = best.find_range(quantity)
        if own is None:
            continue
        rows = [(p, library.find(name).find_range(quantity)) for p, name in zip(chance, materials) if p > 0]
        known = [(p, row) for p, row in rows if row is not None]
        weights = np.array([p for p, _ in known])
        low = find_quantile([row.low for _, row in known], weights, RANGE_SHARE)
        high = find_quantile([row.high for _, row in known], weights, 1.0 - RANGE_SHARE)
        found[quantity] = ValueRange(min(low, own.typical), own.typical, max(high, own.typical))
    return found


def find_quantile(values: Sequence[float], weights: Array, share: float) -> float:
    """The value below which a share of the weight lies."""
    order = np.argsort(values)
    reach = np.cumsum(weights[order]) / weights.sum()
    return float(np.asarray(values)[order][np.searchsorted(reach, share - 1e-12)])
