"""How well pictures are told: kinds on held-out renders of our own objects, on renders of real models and of scans, and
what our programs chose.

Beside the heads stand a kind by chance, the commonest answer among the objects learned from, and the nearest of the
pictures learned from by the same features.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import InputError
from neurok.generate.pictures.backbone import FEATURE_COUNT, load_backbone
from neurok.generate.pictures.everyday import rate_everyday
from neurok.generate.pictures.heads import SHIPPED, PictureHeads, load_heads, softmax
from neurok.generate.pictures.picturing import SURE_ANSWER, SURE_KIND
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.training.pictures.examples import HELD_SEED, PictureFacts, read_facts
from neurok.training.pictures.features import FeatureTable, read_table
from neurok.training.pictures.real import mark_right
from neurok.training.pictures.training import say_answer

CHUNK = 512  # pictures at once
BASELINES = {"nearest picture": "nearest_picture", "commonest": "commonest", "chance": "by_chance"}
BIN_COUNT = 10  # of the calibration error


@dataclass(frozen=True)
class PictureSet:
    """Pictures to measure on: outputs of the heads [n, m], chances of the kinds [n, k], features [n, d], the facts of
    each, and which kinds are right for it [n, k]; some have none."""

    name: str
    outputs: Array
    chance: Array
    table: FeatureTable
    facts: tuple[PictureFacts, ...]
    right: Mask

    @property
    def known(self) -> Mask:
        return self.right.sum(axis=1) > 0


def evaluate_pictures(
    examples: Path, features: Path, *, data: Path | None = None, data_features: Path | None = None,
    split: str = "dev", weights: Path = SHIPPED,
) -> dict[str, Any]:  # fmt: skip
    """All figures. examples, features: of our own objects; data, data_features: of real ones, by split."""
    heads = load_heads(weights)
    learned = read_table(features, 0, HELD_SEED)
    own = read_set("our own objects, held out", examples, features, heads, HELD_SEED)
    sets = [own]
    if data is not None and data_features is not None:
        sets.append(read_set(f"PartNet-Mobility, {split}", data / split, data_features / split, heads))
        sets.append(read_set("scans", data / "scans", data_features / "scans", heads))
    learned_facts = [read_facts(examples / f"{name}.npz") for name in learned.names]
    return {
        "kinds": {one.name: measure_kinds(one, heads, learned) for one in sets},
        "answers": measure_answers(own, heads, learned_facts),
        "shape": measure_shape(own, heads),
        "scans": list_scans(sets[-1], heads) if data is not None else [],
        "objects_learned": len(learned.names),
    }


def read_set(name: str, examples: Path, features: Path, heads: PictureHeads, first: int = 0) -> PictureSet:
    """The pictures of a folder; our own objects are of their kind, real ones of those that go by their category."""
    if not features.is_dir() or not any(features.glob("*.npy")):
        raise InputError(f"{features} holds no features", "make them: python -m neurok.training.pictures.features")
    table = read_table(features, first)
    facts = [read_facts(examples / f"{stem}.npz") for stem in table.names]
    blocks = [table.rows[i : i + CHUNK].astype(np.float64) for i in range(0, len(table.rows), CHUNK)]
    outputs = np.concatenate([heads.apply(block) for block in blocks])
    everyday = np.concatenate([rate_everyday(block, load_backbone(), heads.kinds) for block in blocks])
    right = mark_right([facts[e].kind for e in table.example], heads.kinds)
    return PictureSet(
        name, outputs, heads.rate_kinds(outputs, everyday), table, tuple(facts[e] for e in table.example), right
    )


def measure_kinds(one: PictureSet, heads: PictureHeads, learned: FeatureTable) -> dict[str, float]:
    """Shares of pictures whose kind is told, first and among three, with baselines; and how sure the answers are."""
    known = one.known
    chance = one.chance[known]
    right = one.right[known]
    order = np.argsort(-chance, axis=1)
    hits = np.take_along_axis(right, order, axis=1)
    best = chance.max(axis=1)
    nearest = find_nearest_kinds(one.table.rows[known], learned, heads)
    sure = best >= SURE_KIND
    return {
        "pictures": int(known.sum()), "without_a_program": int((~known).sum()),
        "first": float(hits[:, 0].mean()), "among_three": float(hits[:, :3].any(axis=1).mean()),
        "by_chance": float(right.mean(axis=1).mean()), "commonest": float(right.mean(axis=0).max()),
        "nearest_picture": float(right[np.arange(len(right)), nearest].mean()),
        "sure": float(sure.mean()), "sure_right": float(hits[sure, 0].mean()) if sure.any() else 0.0,
        "calibration_error": measure_calibration(best, hits[:, 0]),
    }  # fmt: skip


def find_nearest_kinds(rows: Array, learned: FeatureTable, heads: PictureHeads) -> Indices:
    """The kind of the picture learned from whose mean features have the greatest cosine with each row's, [n]."""
    kinds = np.array([heads.kinds.index(learned.names[e].rpartition("-")[0]) for e in learned.example])
    known = _normalise(learned.rows[:, :FEATURE_COUNT])
    blocks = [_normalise(rows[i : i + CHUNK, :FEATURE_COUNT]) for i in range(0, len(rows), CHUNK)]
    return kinds[np.concatenate([np.argmax(block @ known.T, axis=1) for block in blocks])]


def _normalise(rows: Array) -> Array:
    values = rows.astype(np.float32)
    unit: Array = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    return unit


def measure_calibration(chance: Array, hit: Mask) -> float:
    """sum_b n_b / n |mean chance - share of hits| over bins of chance: the expected calibration error."""
    place = np.minimum((chance * BIN_COUNT).astype(int), BIN_COUNT - 1)
    gaps = [abs(float(chance[place == b].sum() - hit[place == b].sum())) for b in range(BIN_COUNT)]
    return sum(gaps) / max(len(chance), 1)


def measure_answers(own: PictureSet, heads: PictureHeads, learned: list[PictureFacts]) -> dict[str, dict[str, float]]:
    """By sort of question, with the kind known: the share told right, of the sure ones, and by the commonest answer."""
    commonest = find_commonest(learned)
    rows: dict[str, list[tuple[bool, bool, bool]]] = {}
    answers = heads.split(own.outputs)[1]
    for question, block in zip(heads.questions, answers):
        chance = softmax(block / heads.answer_temperature)
        for picture, facts in enumerate(own.facts):
            truth = [say_answer(v) for n, s, v in facts.choices if (n, s) == (question.name, question.sort)]
            if facts.kind != question.kind or not truth:
                continue
            told = question.answers[int(chance[picture].argmax())]
            common = commonest[question.kind, question.name, question.sort]
            sure = float(chance[picture].max()) >= SURE_ANSWER
            rows.setdefault(question.sort, []).append((told == truth[-1], sure, common == truth[-1]))
    return {sort: _summarise(np.array(found)) for sort, found in sorted(rows.items())}


def find_commonest(learned: list[PictureFacts]) -> dict[tuple[str, str, str], str]:
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for facts in learned:
        for name, sort, value in facts.choices:
            counts.setdefault((facts.kind, name, sort), Counter())[say_answer(value)] += 1
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def _summarise(rows: Mask) -> dict[str, float]:
    right, sure, common = rows.T
    return {
        "asked": len(rows), "right": float(right.mean()), "commonest": float(common.mean()),
        "sure": float(sure.mean()), "sure_right": float(right[sure].mean()) if sure.any() else 0.0,
        "sure_commonest": float(common[sure].mean()) if sure.any() else 0.0,
    }  # fmt: skip


def measure_shape(own: PictureSet, heads: PictureHeads) -> dict[str, float]:
    """Median errors: of width and height over depth, as factors less one, and of the azimuth [degrees], with those of
    the median answer."""
    _, _, shape, view = heads.split(own.outputs)
    logs = np.log(np.stack([facts.extents for facts in own.facts]))
    truth = logs[:, [0, 2]] - logs[:, [1]]
    azimuth = np.array([facts.views[v % len(facts.views), 0] for facts, v in zip(own.facts, own.table.view)])
    told = np.degrees(np.arctan2(view[:, 0], view[:, 1]))
    return {
        "proportion": float(np.expm1(np.median(np.abs(shape - truth)))),
        "proportion_of_the_median": float(np.expm1(np.median(np.abs(np.median(truth, axis=0) - truth)))),
        "azimuth": float(np.median(np.abs(told - azimuth))),
        "azimuth_of_the_front": float(np.median(np.abs(azimuth))),
    }  # fmt: skip


def list_scans(scans: PictureSet, heads: PictureHeads) -> list[dict[str, Any]]:
    """What is said of each scan, by the mean chance over its pictures."""
    chance = scans.chance
    found = []
    for number, name in enumerate(scans.table.names):
        own = scans.table.example == number
        mean = chance[own].mean(axis=0)
        order = np.argsort(-mean)[:3]
        found.append({
            "scan": name, "object": scans.facts[int(np.flatnonzero(own)[0])].kind,
            "told": {heads.kinds[k]: round(float(mean[k]), 2) for k in order},
            "has_a_program": bool(scans.known[own].any()), "right": bool(scans.right[own][0, order[0]]),
        })  # fmt: skip
    return found


def format_lines(facts: dict[str, Any]) -> list[str]:
    """The figures for people."""
    lines = []
    for name, row in facts["kinds"].items():
        beside = ", ".join(f"{label} {row[key]:.1%}" for label, key in BASELINES.items())
        lines += [
            f"{name}: {row['pictures']} pictures ({row['without_a_program']} more show what has no program)",
            f"  kind {row['first']:.1%}, among three {row['among_three']:.1%}; {beside}",
            f"  said to be sure: {row['sure']:.1%}, of which right {row['sure_right']:.1%}; "
            f"calibration error {row['calibration_error']:.3f}",
        ]
    for sort, row in facts["answers"].items():
        lines += [
            f"{sort}, the kind known: {row['right']:.1%} of {row['asked']} (commonest {row['commonest']:.1%})",
            f"  of the {row['sure']:.0%} that are said {row['sure_right']:.1%} (commonest {row['sure_commonest']:.1%})",
        ]
    shape = facts["shape"]
    lines.append(f"proportions: median error {shape['proportion']:.1%} (of the median object "
                 f"{shape['proportion_of_the_median']:.1%}); azimuth {shape['azimuth']:.1f} degrees (of the front "
                 f"{shape['azimuth_of_the_front']:.1f})")  # fmt: skip
    for row in facts["scans"]:
        told = ", ".join(f"{kind} {chance}" for kind, chance in row["told"].items())
        mark = "right" if row["right"] else "wrong" if row["has_a_program"] else "no program"
        lines.append(f"  scan {row['object']}: {told} ({mark})")
    return lines
