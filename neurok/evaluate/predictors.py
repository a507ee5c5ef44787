"""Predictors of joints that are measured: the search, the networks, both, and what a person would guess blindly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import neurok.articulate
from neurok.articulate.assemble import Movement
from neurok.articulate.found_movements import move_found_parts
from neurok.articulate.predict import predict_movements
from neurok.articulate.selection import study_parts
from neurok.articulate.study import PartStudy
from neurok.data.folds import is_kind_among
from neurok.geometry.arrays import Array
from neurok.proposals.mechanism import PartMotion
from neurok.proposals.sampling import SampledShape, find_contact


@dataclass(frozen=True)
class StudiedShape:
    """A shape, and what the search tried with its parts, once for all predictors that ask. motions: of parts that were
    found because they move."""

    whole: SampledShape
    motions: tuple[PartMotion | None, ...] | None = None

    @cached_property
    def studies(self) -> list[PartStudy | None]:
        return study_parts(self.whole)


def predict_by_search(looked: StudiedShape) -> list[Movement]:
    """Candidates, simulator, ranking."""
    return predict_movements(looked.whole, studies=looked.studies)


def predict_by_proposals(looked: StudiedShape) -> list[Movement]:
    """Found parts move as they were found to, as `neurok articulate` has it; nothing is known of given ones."""
    whole = looked.whole
    return move_found_parts(whole, looked.motions or (None,) * len(whole.pieces))


def predict_nearest_edge(looked: StudiedShape) -> list[Movement]:
    """Every part but the largest turns by 90 degrees about the edge of its box nearest to where it meets the rest."""
    whole = looked.whole
    largest = int(np.argmax([piece.area for piece in whole.pieces]))
    found = []
    for number, piece in enumerate(whole.pieces):
        points, normals, _ = whole.rest(number)
        meeting = find_contact(piece, points, normals) if number != largest and len(points) else None
        if meeting is None:
            found.append(Movement.fixed(np.array([0.0, 0.0, 1.0]), piece.centre, centre=piece.centre))
            continue
        axis, pivot = _find_nearest_edge(piece.lower, piece.upper, meeting.centre)
        found.append(Movement.moving("revolute", axis, pivot, 0.0, np.pi / 2, centre=pivot))
    return found


def _find_nearest_edge(lower: Array, upper: Array, point: Array) -> tuple[Array, Array]:
    """Direction and a point of the edge of a box nearest to a point."""
    best = (np.inf, np.eye(3)[0], lower)
    for k in range(3):
        b, c = (k + 1) % 3, (k + 2) % 3
        for x in (lower[b], upper[b]):
            for y in (lower[c], upper[c]):
                corner = np.empty(3)
                corner[[k, b, c]] = np.clip(point[k], lower[k], upper[k]), x, y
                distance = float(np.linalg.norm(corner - point))
                if distance < best[0]:
                    best = (distance, np.eye(3)[k], corner)
    return best[1], best[2]


def predict_majority(looked: StudiedShape) -> list[Movement]:
    """Every part stays, the commonest type; its axis, were it asked, is the vertical through its box."""
    up = np.array([0.0, 0.0, 1.0])
    return [Movement.fixed(up, piece.centre, centre=piece.centre) for piece in looked.whole.pieces]


@dataclass(frozen=True)
class Predictor:
    """moves: from a shape to how its parts move; says: what it is; networks: the folder of the weights it asks."""

    moves: Callable[[StudiedShape], list[Movement]]
    says: str
    networks: Path | None = None


def make_network_predictor(predictor: str, folder: Path, says: str) -> Predictor:
    """A predictor with the weights of a folder."""

    def moves(looked: StudiedShape) -> list[Movement]:
        from neurok.articulate.weights import load_shipped_networks

        studies = looked.studies if predictor == "both" else None
        return predict_movements(
            looked.whole, predictor=predictor, networks=load_shipped_networks(folder), studies=studies
        )

    return Predictor(moves, says, folder)


PROPOSALS = "proposals"
_WEIGHTS = Path(neurok.articulate.__file__).parents[1] / "weights"
PREDICTORS: dict[str, Predictor] = {
    "search": Predictor(
        predict_by_search, "candidate motions, simulated for collision and detachment, ranked by geometric reasons"
    ),
    "network": make_network_predictor("network", _WEIGHTS / "articulation", "learned from shapes; nothing is tried"),
    "both": make_network_predictor(
        "both", _WEIGHTS / "articulation", "the network judges the motions that the search tried"
    ),
    "network-plain": make_network_predictor(
        "network", _WEIGHTS / "articulation_plain", "the network without pretraining on what the search leaves"
    ),
    "both-plain": make_network_predictor("both", _WEIGHTS / "articulation_plain", "both, with that network"),
    "edge": Predictor(
        predict_nearest_edge, "every part but the largest turns about the edge of its box nearest to the rest"
    ),
    PROPOSALS: Predictor(
        predict_by_proposals, "found parts alone: the motion by which each was found to be a part that moves"
    ),
    "majority": Predictor(predict_majority, "every part stays: the commonest type; vertical axis through the box"),
}


def list_available() -> tuple[str, ...]:
    """Predictors whose weights, if they need any, are there."""
    return tuple(name for name, one in PREDICTORS.items() if one.networks is None or one.networks.is_dir())


def describe_predictor(name: str) -> str:
    """What a predictor is."""
    if name in PREDICTORS:
        return PREDICTORS[name].says
    kind, _, weights = name.partition("-")
    return f"{kind}, each object by weights made without its category" if weights == "unseen" else f"{kind}, {weights}"


def choose_predictors(category: str, names: Sequence[str], folders: Sequence[str] = ()) -> dict[str, Predictor]:
    """The predictors of these names for an object of a category, and those of further weights.

    A folder of weights gives two, named after it; those that were made without some categories are measured on these
    alone, all as the one predictor `network-unseen` or `both-unseen`.
    """
    found = {name: PREDICTORS[name] for name in names}
    for folder in folders:
        without = read_record(folder).get("without") or ()
        if without and not is_kind_among("", category, without):
            continue
        name = "unseen" if without else Path(folder).name
        for kind in ("network", "both"):
            found[f"{kind}-{name}"] = make_network_predictor(
                kind, Path(folder), f"{kind}, weights of {Path(folder).name}"
            )
    return found


def read_record(folder: str) -> dict[str, Any]:
    """What is written beside weights; a folder without any is an error."""
    from neurok.articulate.weights import open_networks

    return open_networks(folder)[1]
