"""Features of example pictures, kept in half precision: one .npy for each example.

python -m neurok.training.pictures.features EXAMPLES OUT [--first 0] [--count 40] [--draws 1] [--own-colours]
"""

import argparse
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.generate.pictures.backbone import PictureBackbone, load_backbone
from neurok.generate.pictures.observation import observe_pictures
from neurok.training.pictures.augment import make_subject
from neurok.training.pictures.examples import PictureExample, load_example


@dataclass(frozen=True)
class FeatureTable:
    """Features [n, d], and of which example (an index into the names) and view each row is, [n]."""

    names: tuple[str, ...]
    rows: NDArray[np.float16]
    example: NDArray[np.int64]
    view: NDArray[np.int64]


def observe_example(
    example: PictureExample, backbone: PictureBackbone, draws: int, *, own_colours: bool
) -> NDArray[np.float16]:  # fmt: skip
    """Features of every view in several drawn guises, [v * draws, d]."""
    rng = np.random.default_rng([example.seed, zlib.crc32(example.kind.encode()), 1])
    subjects = [
        make_subject(picture, rng, own_colours=own_colours) for picture in example.pictures for _ in range(draws)
    ]
    return observe_pictures(subjects, backbone).astype(np.float16)


def read_table(folder: Path, first: int = 0, end: int = 1 << 62) -> FeatureTable:
    """The features of the examples with seeds from first to end - 1."""
    names: list[str] = []
    rows, example, view = [], [], []
    for path in sorted(folder.glob("*.npy")):
        if first <= find_seed(path) < end:
            block = np.load(path)
            example.append(np.full(len(block), len(names)))
            view.append(np.arange(len(block)))
            names.append(path.stem)
            rows.append(block)
    if not rows:
        raise InputError(
            f"{folder} holds no features of these seeds", "make them: python -m neurok.training.pictures.features"
        )
    return FeatureTable(tuple(names), np.concatenate(rows), np.concatenate(example), np.concatenate(view))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1 << 62)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--own-colours", action="store_true", help="for pictures to measure on")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    chosen.out.mkdir(parents=True, exist_ok=True)
    backbone = load_backbone()
    paths = sorted(chosen.examples.glob("*.npz"), key=lambda path: (find_seed(path), path.name))
    for path in paths:
        place = chosen.out / f"{path.stem}.npy"
        if chosen.first <= find_seed(path) < chosen.first + chosen.count and not place.exists():
            aside = place.with_suffix(".part")
            with aside.open("wb") as file:
                np.save(
                    file, observe_example(load_example(path), backbone, chosen.draws, own_colours=chosen.own_colours)
                )
            aside.replace(place)


def find_seed(path: Path) -> int:
    """The number at the end of a name; 0 where there is none."""
    tail = path.stem.rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0


if __name__ == "__main__":
    main()
