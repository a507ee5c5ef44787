"""The heads from features: a perceptron with one hidden layer, trained on our own objects alone.

    python -m neurok.training.pictures.training EXAMPLES FEATURES OUT

Every CALIBRATION_STEP-th seed is kept out of the steps: temperatures are chosen on it, and a question is kept only
where it is told better there than by its commonest answer.
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from neurok.generate.kinds import list_kinds
from neurok.generate.pictures.heads import SHAPE_COUNT, VIEW_COUNT, Question
from neurok.networks.weights import put_weights
from neurok.training.pictures.examples import HELD_SEED, PictureFacts, read_facts
from neurok.training.pictures.features import FeatureTable, read_table

# Set by hand.
HIDDEN_COUNT = 256
EPOCH_COUNT = 24
BATCH_SIZE = 256
RATE, DECAY = 1e-3, 0.02
DROPOUT = 0.3
MIN_OBJECTS = 12  # that answered a question, and of each answer MIN_ANSWERS
MIN_ANSWERS = 3
MAX_ANSWERS = 13
CALIBRATION_STEP = 8
MIN_GAIN = 0.05  # of the answers right, beyond those of the commonest answer
TEMPERATURES = (0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)


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


def make_targets(table: FeatureTable, facts: list[PictureFacts], questions: list[Question], draws: int) -> Targets:
    """facts: of each example of the table, in its order; draws: rows of the table for each view."""
    kinds = list_kinds()
    place = {(q.kind, q.name, q.sort): i for i, q in enumerate(questions)}
    answers = np.full((len(facts), len(questions)), -1)
    for row, one in enumerate(facts):
        for name, sort, value in one.choices:
            column = place.get((one.kind, name, sort))
            if column is not None and say_answer(value) in questions[column].answers:
                answers[row, column] = questions[column].answers.index(say_answer(value))
    logs = np.log(np.stack([one.extents for one in facts]))
    turn = np.radians(np.concatenate([facts[e].views[v // draws][None] for e, v in zip(table.example, table.view)]))
    e = table.example
    return Targets(
        torch.tensor([kinds.index(facts[i].kind) for i in e]), torch.from_numpy(answers[e]),
        torch.from_numpy((logs[:, [0, 2]] - logs[:, [1]])[e]).float(),
        torch.from_numpy(np.stack([np.sin(turn[:, 0]), np.cos(turn[:, 0]), turn[:, 1]], axis=1)).float(),
    )  # fmt: skip


class _Perceptron(torch.nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = torch.nn.Linear(inputs, HIDDEN_COUNT)
        self.second = torch.nn.Linear(HIDDEN_COUNT, outputs)
        self.drop = torch.nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.drop(torch.relu(self.first(self.drop(x))))
        outputs: Tensor = self.second(hidden)
        return outputs


def measure_loss(outputs: Tensor, targets: Targets, rows: Tensor, questions: list[Question]) -> Tensor:
    """Cross entropy of the kind and of the answered questions, and squared errors of proportions and view."""
    widths = [len(list_kinds()), *(len(q.answers) for q in questions), SHAPE_COUNT, VIEW_COUNT]
    kind, *answers, shape, view = torch.split(outputs, widths, dim=1)
    loss = cross_entropy(kind, targets.kind[rows], label_smoothing=0.05)
    told = targets.answers[rows]
    asked = [(a[told[:, i] >= 0], told[told[:, i] >= 0, i]) for i, a in enumerate(answers) if (told[:, i] >= 0).any()]
    total = sum(cross_entropy(a, t, reduction="sum") for a, t in asked)
    count = max(sum(len(t) for _, t in asked), 1)
    loss = loss + total / count
    loss = loss + ((shape - targets.shape[rows]) ** 2).mean() + ((view - targets.view[rows]) ** 2).mean()
    return loss


def fit_heads(x: Tensor, targets: Targets, questions: list[Question], *, seed: int = 0) -> _Perceptron:
    """The perceptron after EPOCH_COUNT passes over standardised features [n, d]."""
    torch.manual_seed(seed)
    outputs = len(list_kinds()) + sum(len(q.answers) for q in questions) + SHAPE_COUNT + VIEW_COUNT
    network = _Perceptron(x.shape[1], outputs)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCH_COUNT * (len(x) // BATCH_SIZE + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(EPOCH_COUNT):
        losses = []
        for rows in torch.randperm(len(x)).split(BATCH_SIZE):
            optimiser.zero_grad()
            loss = measure_loss(network(x[rows].float()), targets, rows, questions)
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
    return network.eval()


def calibrate(
    outputs: Tensor, targets: Targets, questions: list[Question]
) -> tuple[float, float, list[int]]:  # fmt: skip
    """The temperatures at which -log p is least, of kinds and of answers, and the questions that are worth keeping."""
    widths = [len(list_kinds()), *(len(q.answers) for q in questions), SHAPE_COUNT, VIEW_COUNT]
    kind, *rest = torch.split(outputs, widths, dim=1)
    answers = rest[: len(questions)]
    kind_losses = {t: float(cross_entropy(kind / t, targets.kind)) for t in TEMPERATURES}
    kept = [i for i, a in enumerate(answers) if _is_worth(a, targets.answers[:, i])]
    answer_losses = {
        t: sum(_sum_surprise(answers[i] / t, targets.answers[:, i]) for i in kept) for t in TEMPERATURES
    }  # fmt: skip
    return min(kind_losses, key=lambda t: kind_losses[t]), min(answer_losses, key=lambda t: answer_losses[t]), kept


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
    network: _Perceptron, mean: Tensor, scale: Tensor, questions: list[Question], kept: list[int]
) -> dict[str, Tensor]:  # fmt: skip
    """The arrays of `PictureHeads` in half precision, without the questions that are not kept."""
    widths = [len(list_kinds()), *(len(q.answers) for q in questions), SHAPE_COUNT, VIEW_COUNT]
    used = {0, *(1 + i for i in kept), len(widths) - 2, len(widths) - 1}
    rows = torch.cat([torch.full((width,), i in used) for i, width in enumerate(widths)])
    V, c = network.second.weight.detach()[rows], network.second.bias.detach()[rows]
    arrays = {"W": network.first.weight.detach(), "b": network.first.bias.detach(), "V": V, "c": c}
    return {name: value.half() for name, value in {**arrays, "mean": mean, "scale": scale}.items()}


def standardise(table: FeatureTable) -> tuple[Tensor, Tensor, Tensor]:
    """Features in half precision [n, d] with their mean and scale [d]; what hardly varies is not blown up."""
    x = torch.from_numpy(table.rows)
    mean = x.float().mean(dim=0)
    scale = x.float().std(dim=0) + 0.05
    return ((x - mean) / scale).half(), mean, scale


def train_heads(examples: Path, features: Path, out: Path, *, end: int = HELD_SEED, draws: int = 1) -> None:
    table = read_table(features, 0, end)
    facts = [read_facts(examples / f"{name}.npz") for name in table.names]
    questions = list_questions(facts)
    targets = make_targets(table, facts, questions, draws)
    kept_out = torch.tensor([facts[e].seed % CALIBRATION_STEP == CALIBRATION_STEP - 1 for e in table.example])
    x, mean, scale = standardise(table)
    print(f"{len(facts)} objects, {len(x)} pictures, {len(questions)} questions", flush=True)
    network = fit_heads(x[~kept_out], _choose(targets, ~kept_out), questions)
    with torch.no_grad():
        outputs = network(x[kept_out].float())
    own = _choose(targets, kept_out)
    kind_temperature, answer_temperature, kept = calibrate(outputs, own, questions)
    right = float((outputs[:, : len(list_kinds())].argmax(dim=1) == own.kind).float().mean())
    print(f"kept out: kind {right:.3f}; temperatures {kind_temperature}, {answer_temperature}; {len(kept)} questions")
    record = {
        "kinds": list_kinds(), "questions": [_list_question(questions[i]) for i in kept],
        "kind_temperature": kind_temperature, "answer_temperature": answer_temperature, "objects": len(facts),
        "pictures": len(x),
    }  # fmt: skip
    put_weights(out, pack_heads(network, mean, scale, questions, kept), record)


def _list_question(question: Question) -> list[object]:
    return [question.kind, question.name, question.sort, list(question.answers)]


def _choose(targets: Targets, rows: Tensor) -> Targets:
    return Targets(targets.kind[rows], targets.answers[rows], targets.shape[rows], targets.view[rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--draws", type=int, default=1)
    chosen = parser.parse_args()
    train_heads(chosen.examples, chosen.features, chosen.out, draws=chosen.draws)


if __name__ == "__main__":
    main()
