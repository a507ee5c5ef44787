"""The heads from features: a perceptron with one hidden layer behind the features' main directions, trained on our own
objects alone.

    python -m neurok.training.pictures.training EXAMPLES FEATURES OUT [--real EXAMPLES FEATURES]

First, every CALIBRATION_STEP-th seed is kept out: temperatures are chosen on it, and a question is kept only where it
is told better there than by its commonest answer. Then all is learned from. With --real, two numbers (the temperature
of kinds and the share of what the published network says) are chosen half on renders of real models.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from neurok.generate.kinds import list_kinds
from neurok.generate.pictures.backbone import load_backbone
from neurok.generate.pictures.everyday import rate_everyday
from neurok.generate.pictures.heads import SHAPE_COUNT, VIEW_COUNT, Question
from neurok.networks.weights import put_weights
from neurok.training.pictures.examples import HELD_SEED, PictureFacts, read_facts
from neurok.training.pictures.features import FeatureTable, read_table
from neurok.training.pictures.real import mark_right

# Set by hand.
HIDDEN_COUNT = 256
DIRECTION_COUNT = 512  # main directions of the features that are learned from
DIRECTION_ROWS = 2000  # pictures that these are found from
EPOCH_COUNT = 24
BATCH_SIZE = 256
RATE, DECAY = 1e-3, 0.02
INPUT_DROPOUT, DROPOUT = 0.1, 0.3
MIN_OBJECTS = 12  # that answered a question, and of each answer MIN_ANSWERS
MIN_ANSWERS = 3
MAX_ANSWERS = 13
CALIBRATION_STEP = 4
MIN_GAIN = 0.05  # of the answers right, beyond those of the commonest answer
TEMPERATURES = (0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
SHARES = (0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.8)  # of what the published network itself says


@dataclass(frozen=True)
class Targets:
    """Of each picture: kind [n], answers [n, q] (-1 where not asked), log proportions [n, 2], the view [n, 3]."""

    kind: Tensor
    answers: Tensor
    shape: Tensor
    view: Tensor


def list_questions(facts: list[PictureFacts]) -> list[Question]:
    """The choices of each kind that enough objects made in at least two ways."""
    seen: dict[tuple[str, str, str], Counter[str]] = {}
    for one in facts:
        for name, sort, value in one.choices:
            seen.setdefault((one.kind, name, sort), Counter())[say_answer(value)] += 1
    found: list[Question] = []
    for (kind, name, sort), counts in sorted(seen.items()):
        if found and (found[-1].kind, found[-1].name) == (kind, name):
            continue  # a name that a program gives to two choices
        common = {value: count for value, count in counts.items() if count >= MIN_ANSWERS}
        if len(common) >= 2 and sum(common.values()) >= MIN_OBJECTS and len(common) <= MAX_ANSWERS:
            found.append(Question(kind, name, sort, tuple(sorted(common, key=lambda word: (len(word), word)))))
    return found


def say_answer(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def make_targets(table: FeatureTable, facts: list[PictureFacts], questions: list[Question]) -> Targets:
    """facts: of each example of the table, in its order."""
    kinds = list_kinds()
    place = {(q.kind, q.name, q.sort): i for i, q in enumerate(questions)}
    answers = np.full((len(facts), len(questions)), -1)
    for row, one in enumerate(facts):
        for name, sort, value in one.choices:
            column = place.get((one.kind, name, sort))
            if column is not None and say_answer(value) in questions[column].answers:
                answers[row, column] = questions[column].answers.index(say_answer(value))
    logs = np.log(np.stack([one.extents for one in facts]))
    turn = np.radians(np.concatenate([facts[e].views[v][None] for e, v in zip(table.example, table.view)]))
    e = table.example
    return Targets(
        torch.tensor([kinds.index(facts[i].kind) for i in e]), torch.from_numpy(answers[e]),
        torch.from_numpy((logs[:, [0, 2]] - logs[:, [1]])[e]).float(),
        torch.from_numpy(np.stack([np.sin(turn[:, 0]), np.cos(turn[:, 0]), turn[:, 1]], axis=1)).float(),
    )  # fmt: skip


@dataclass(frozen=True)
class RealPictures:
    """Folders of examples and of their features, of one split of real models."""

    examples: Path
    features: Path


@dataclass(frozen=True)
class ReducedFeatures:
    """Features along their main directions: rows [n, e], mean and scale [d], directions [d, e].

    rows = ((features - mean) / scale) directions; the directions are orthogonal and of one length, such that the mean
    variance of a row's entries is one.
    """

    rows: Tensor
    mean: Tensor
    scale: Tensor
    directions: Tensor

    def reduce(self, rows: NDArray[np.float16]) -> Tensor:
        """Other features along these directions."""
        blocks = torch.from_numpy(rows).split(1024)
        return torch.cat([((block.float() - self.mean) / self.scale) @ self.directions for block in blocks])


def reduce_features(table: FeatureTable) -> ReducedFeatures:
    """The main directions: with X = U S V' of some standardised rows, the first columns of V = X' U / S."""
    part = torch.from_numpy(table.rows[:: max(len(table.rows) // DIRECTION_ROWS, 1)]).float()
    mean, scale = part.mean(dim=0), part.std(dim=0) + 0.05  # what hardly varies is not blown up
    X = (part - mean) / scale
    values, U = torch.linalg.eigh(X @ X.T)
    count = min(DIRECTION_COUNT, int((values > 1e-5 * values[-1]).sum()))  # no more than there are
    values, U = values[-count:], U[:, -count:]
    directions = (X.T @ U) / values.sqrt() / (values.mean() / len(X)).sqrt()
    plain = ReducedFeatures(torch.empty(0), mean, scale, directions)
    return replace(plain, rows=plain.reduce(table.rows))


class _Perceptron(torch.nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = torch.nn.Linear(inputs, HIDDEN_COUNT)
        self.second = torch.nn.Linear(HIDDEN_COUNT, outputs)
        self.drop_input, self.drop = torch.nn.Dropout(INPUT_DROPOUT), torch.nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.drop(torch.relu(self.first(self.drop_input(x))))
        outputs: Tensor = self.second(hidden)
        return outputs


def locate_answers(questions: list[Question]) -> Tensor:
    """The place of each answer of each question in the outputs, -1 where a question has fewer, [q, MAX_ANSWERS]."""
    places = torch.full((len(questions), MAX_ANSWERS), -1)
    start = len(list_kinds())
    for row, question in enumerate(questions):
        places[row, : len(question.answers)] = torch.arange(start, start + len(question.answers))
        start += len(question.answers)
    return places


def measure_loss(outputs: Tensor, targets: Targets, rows: Tensor, places: Tensor) -> Tensor:
    """Cross entropy of the kind and of the answered questions, and squared errors of proportions and view."""
    shape, view = torch.split(outputs[:, -SHAPE_COUNT - VIEW_COUNT :], [SHAPE_COUNT, VIEW_COUNT], dim=1)
    loss = cross_entropy(outputs[:, : len(list_kinds())], targets.kind[rows], label_smoothing=0.05)
    told = targets.answers[rows]
    picture, question = torch.nonzero(told >= 0, as_tuple=True)
    if len(picture):
        own = places[question]
        given = torch.where(own >= 0, outputs[picture[:, None], own.clamp(min=0)], -torch.inf)
        loss = loss + cross_entropy(given, told[picture, question])
    return loss + ((shape - targets.shape[rows]) ** 2).mean() + ((view - targets.view[rows]) ** 2).mean()


def fit_heads(x: Tensor, targets: Targets, questions: list[Question], *, seed: int = 0) -> _Perceptron:
    """The perceptron after EPOCH_COUNT passes over standardised features [n, d]."""
    torch.manual_seed(seed)
    outputs = len(list_kinds()) + sum(len(q.answers) for q in questions) + SHAPE_COUNT + VIEW_COUNT
    network, places = _Perceptron(x.shape[1], outputs), locate_answers(questions)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCH_COUNT * (len(x) // BATCH_SIZE + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(EPOCH_COUNT):
        losses = []
        for rows in torch.randperm(len(x)).split(BATCH_SIZE):
            optimiser.zero_grad()
            loss = measure_loss(network(x[rows]), targets, rows, places)
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
    return network.eval()


def choose_questions(outputs: Tensor, targets: Targets, questions: list[Question]) -> tuple[float, list[int]]:
    """The temperature of answers at which -log p is least, and the questions that are worth keeping."""
    widths = [len(list_kinds()), *(len(q.answers) for q in questions), SHAPE_COUNT, VIEW_COUNT]
    answers = torch.split(outputs, widths, dim=1)[1 : len(questions) + 1]
    kept = [i for i, a in enumerate(answers) if _is_worth(a, targets.answers[:, i])]
    losses = {t: sum(_sum_surprise(answers[i] / t, targets.answers[:, i]) for i in kept) for t in TEMPERATURES}
    return min(losses, key=lambda t: losses[t]), kept


def choose_mixing(sets: list[tuple[Tensor, Tensor, Tensor]]) -> tuple[float, float]:
    """The temperature T and the share u at which -log sum_right p is least, with equal weight on sets of pictures.

    sets: the kinds' outputs o [n, k], z [n, k], and which kinds are right [n, k].
    """

    def measure(T: float, u: float) -> float:
        chances = [(o / T + u * z).log_softmax(dim=1).masked_fill(~right, -torch.inf) for o, z, right in sets]
        return sum(float(-chance.logsumexp(dim=1).mean()) for chance in chances)

    return min(product(TEMPERATURES, SHARES), key=lambda pair: measure(*pair))


def _is_worth(outputs: Tensor, told: Tensor) -> bool:
    """Whether a question is told better than by its commonest answer on pictures that were not learned from."""
    asked = told >= 0
    if int(asked.sum()) < MIN_OBJECTS:
        return False
    right = float((outputs[asked].argmax(dim=1) == told[asked]).float().mean())
    common = float(torch.bincount(told[asked]).max() / asked.sum())
    return right >= common + MIN_GAIN


def _sum_surprise(outputs: Tensor, told: Tensor) -> float:
    asked = told >= 0
    return float(cross_entropy(outputs[asked], told[asked], reduction="sum"))


def pack_heads(
    network: _Perceptron, reduced: ReducedFeatures, questions: list[Question], kept: list[int]
) -> dict[str, Tensor]:  # fmt: skip
    """The arrays of `PictureHeads` in half precision, without the questions that are not kept: W acts on features."""
    widths = [len(list_kinds()), *(len(q.answers) for q in questions), SHAPE_COUNT, VIEW_COUNT]
    used = {0, *(1 + i for i in kept), len(widths) - 2, len(widths) - 1}
    rows = torch.cat([torch.full((width,), i in used) for i, width in enumerate(widths)])
    V, c = network.second.weight.detach()[rows], network.second.bias.detach()[rows]
    W = network.first.weight.detach() @ reduced.directions.T
    arrays = {"W": W, "b": network.first.bias.detach(), "V": V, "c": c, "mean": reduced.mean, "scale": reduced.scale}
    return {name: value.half() for name, value in arrays.items()}


def train_heads(examples: Path, features: Path, out: Path, *, real: RealPictures | None = None) -> None:
    """Train, choose what is chosen on pictures that were not learned from, and train again on all."""
    table = read_table(features, 0, HELD_SEED)
    facts = [read_facts(examples / f"{name}.npz") for name in table.names]
    questions = list_questions(facts)
    targets = make_targets(table, facts, questions)
    reduced = reduce_features(table)
    kept_out = torch.tensor([facts[e].seed % CALIBRATION_STEP == CALIBRATION_STEP - 1 for e in table.example])
    print(f"{len(facts)} objects, {len(table.rows)} pictures, {len(questions)} questions", flush=True)
    network = fit_heads(reduced.rows[~kept_out], _choose(targets, ~kept_out), questions)
    with torch.no_grad():
        outputs = network(reduced.rows[kept_out])
    own = _choose(targets, kept_out)
    answer_temperature, kept = choose_questions(outputs, own, questions)
    k = len(list_kinds())
    sets = [(outputs[:, :k], _rate(table.rows[kept_out.numpy()]), one_hot(own.kind, k).bool())]
    if real is not None:
        sets.append(_list_real(real, network, reduced))
    T, u = choose_mixing(sets)
    for o, z, right in sets:
        hits = right.gather(1, (o / T + u * z).argmax(dim=1, keepdim=True))
        print(f"not learned from: kind {float(hits.float().mean()):.3f} of {len(o)}", flush=True)
    print(f"temperatures {T}, {answer_temperature}; share {u}; {len(kept)} questions", flush=True)
    record = {
        "kinds": list_kinds(), "questions": [_list_question(questions[i]) for i in kept], "kind_temperature": T,
        "answer_temperature": answer_temperature, "everyday_share": u, "objects": len(facts),
        "pictures": len(table.rows),
    }  # fmt: skip
    put_weights(out, pack_heads(fit_heads(reduced.rows, targets, questions), reduced, questions, kept), record)


def _rate(rows: NDArray[np.float16]) -> Tensor:
    return torch.from_numpy(rate_everyday(rows.astype(np.float64), load_backbone(), list_kinds())).float()


def _list_real(real: RealPictures, network: _Perceptron, reduced: ReducedFeatures) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs, z and right kinds of the renders of real models that show what there is a program for."""
    table = read_table(real.features)
    kinds = [read_facts(real.examples / f"{name}.npz").kind for name in table.names]
    right = mark_right([kinds[e] for e in table.example], list_kinds())
    known = right.any(axis=1)
    with torch.no_grad():
        outputs = network(reduced.reduce(table.rows[known]))[:, : len(list_kinds())]
    return outputs, _rate(table.rows[known]), torch.from_numpy(right[known])


def _list_question(question: Question) -> list[object]:
    return [question.kind, question.name, question.sort, list(question.answers)]


def _choose(targets: Targets, rows: Tensor) -> Targets:
    return Targets(targets.kind[rows], targets.answers[rows], targets.shape[rows], targets.view[rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--real", type=Path, nargs=2, metavar=("EXAMPLES", "FEATURES"))
    chosen = parser.parse_args()
    real = None if chosen.real is None else RealPictures(*chosen.real)
    train_heads(chosen.examples, chosen.features, chosen.out, real=real)


if __name__ == "__main__":
    main()
