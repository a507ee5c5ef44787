"""The measurement of told materials: which parts, which rows, one table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import InputError
from neurok.evaluate.materials.baselines import BASELINES, MaterialLookup
from neurok.evaluate.materials.figures import SOPHY, SOPHY_NOTE, MatterFigures, measure_matter
from neurok.evaluate.materials.known import read_known
from neurok.geometry.arrays import Array
from neurok.materials.library import MaterialLibrary, load_library
from neurok.materials.prediction.network import MatterNetwork, leave_out
from neurok.materials.prediction.observation import INPUTS
from neurok.materials.prediction.weights import SHIPPED, load_network
from neurok.training.materials.examples import MatterExample, list_solids, load_examples, make_examples
from neurok.training.materials.training import recolor

NEW_SEED_COUNT = 4  # objects of each category whose seeds were not trained on
FOLD_COUNT = 5
NAMED_INPUTS = ("name", "neighbours", "object")
# row -> the inputs that the network is shown; every other is taken away
VIEWS: dict[str, tuple[str, ...]] = {
    "network": INPUTS,
    "colour only": ("color", "gloss"),
    "geometry only": ("shape",),
    "names only": NAMED_INPUTS,
    "no names": ("shape", "color", "gloss"),
    **{f"without {name}": tuple(each for each in INPUTS if each != name) for name in INPUTS},
}


@dataclass(frozen=True)
class MatterResult:
    """One row: which parts, who told, and the figures."""

    parts: str
    method: str
    figures: MatterFigures


def evaluate_materials(
    examples: Path,
    *,
    data: Path | None = None,
    folds: Path | None = None,
    weights: Path = SHIPPED,
    progress: Callable[[float], None] = lambda share: None,
) -> list[MatterResult]:
    """All rows: new seeds of our programs, kinds left out where `folds` has their networks (fold-1 to fold-5), and the
    labelled real parts where `data` is their folder."""
    library, known = load_library(), load_examples(examples)
    results: list[MatterResult] = []
    if data is not None:
        labelled = list(read_known(data))
        results += compare("real parts, labelled by hand", [(load_network(weights), known, labelled)], library)
    progress(0.3)
    if folds is not None:
        sets = [
            (load_network(folds / f"fold-{k}"), [x for x in known if x.fold != k],
             paint([x for x in known if x.fold == k and x.source == "made"]))
            for k in range(1, FOLD_COUNT + 1) if (folds / f"fold-{k}").is_dir()
        ]  # fmt: skip
        if not sets:
            raise InputError(f"{folds} holds no fold-1 to fold-{FOLD_COUNT}", "train them, as docs/evaluation.md says")
        results += compare("our programs of kinds left out", sets, library)
    progress(0.7)
    first = 1 + max(int(one.name.split("_")[-2]) for one in known if one.source == "made")
    return results + measure_new_seeds(first, load_network(weights), known, library)


def paint(examples: Iterable[MatterExample]) -> list[MatterExample]:
    """Made objects in colours drawn for their materials."""
    materials = list_solids()
    rng = np.random.default_rng(2)
    return [replace(one, observation=recolor(one, materials, rng)) for one in examples]


def measure_new_seeds(
    first: int, network: MatterNetwork, known: Sequence[MatterExample], library: MaterialLibrary
) -> list[MatterResult]:
    """Objects of our programs whose seeds come after those trained on."""
    fresh = paint(make_examples(NEW_SEED_COUNT, first))
    return compare("our programs, new objects", [(network, known, fresh)], library)


def compare(
    words: str,
    sets: Sequence[tuple[MatterNetwork, Sequence[MatterExample], Sequence[MatterExample]]],
    library: MaterialLibrary,
) -> list[MatterResult]:
    """One row a method over all sets of (network, what it was trained on, what is measured)."""
    materials = list_solids()
    truth: list[Array] = []
    told: dict[str, list[Array]] = {}
    for network, trained, measured in sets:
        if network.materials != materials:
            raise InputError("the weights tell other materials than the library has", "train them anew")
        answers = {name: MaterialLookup(trained, levels).answer for name, levels in BASELINES.items()}
        for one in measured:
            kept = one.target.sum(axis=1) > 0
            truth.append(one.target[kept])
            for name, answer in answers.items():
                told.setdefault(name, []).append(answer(one)[kept])
            for name, shown in VIEWS.items():
                hidden = leave_out(one.observation.count, *(each for each in INPUTS if each not in shown))
                told.setdefault(name, []).append(network.answer(one.observation, hidden)[kept])
    target = np.concatenate(truth)
    return [MatterResult(words, name, measure_matter(np.concatenate(rows), target, materials, library))
            for name, rows in told.items()]  # fmt: skip


def describe_results(results: Sequence[MatterResult]) -> dict[str, Any]:
    """All rows as plain values, SOPHY's beside them."""
    rows = [{"parts": r.parts, "method": r.method} | asdict(r.figures) for r in results]
    return {"rows": rows, "sophy": SOPHY, "note": SOPHY_NOTE}


def format_results(results: Sequence[MatterResult]) -> list[str]:
    """The table as lines of text."""
    head = f"{'':18} {'behaviour':>9} {'fine':>5} {'log E':>6} {'nu':>6} {'log s':>6} {'phi':>5} {'log rho':>7} " \
           f"{'log p':>6} {'ECE':>5} {'ECE b':>5}"  # fmt: skip
    lines = []
    for words in dict.fromkeys(r.parts for r in results):
        mine = [r for r in results if r.parts == words]
        lines += [f"{words}: {mine[0].figures.parts} parts", head]
        lines += [_format_row(r.method, r.figures) for r in mine]
    errors = [SOPHY[q] for q in ("young", "poisson", "yield_stress", "friction_angle", "density")]
    lines.append(f"{'SOPHY, its own':18} {SOPHY['behaviour']:9.3f} {'':5} " + " ".join(f"{e:6.3g}" for e in errors))
    return [*lines, f"({SOPHY_NOTE})"]


def _format_row(method: str, figures: MatterFigures) -> str:
    e = figures.errors
    return (
        f"{method:18} {figures.behaviour:9.3f} {figures.fine:5.3f} {e['young']:6.2f} {e['poisson']:6.3f} "
        f"{e['yield_stress']:6.2f} {e['friction_angle']:5.2f} {e['density']:7.2f} {figures.log_likelihood:6.2f} "
        f"{figures.calibration:5.3f} {figures.behaviour_calibration:5.3f}"
    )
