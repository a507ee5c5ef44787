"""Examples: parts with the chances of what they are made of, from three sources, kept in one .npz file.

    python -m neurok.training.materials.examples OUT.npz [--partnet DIR] [--lists DIR] [--made 10]

made: our own objects, whose programs say what they are made of (neurok/data/procedural/compositions.toml).
real: PartNet-Mobility train objects, by their part names and real_parts.toml, weighed by their own colours.
lists: what 3DCoMPaT says that a part of a name may be made of; neither shape nor colour.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurok.data.folds import load_folds
from neurok.data.procedural import draw, list_categories
from neurok.data.procedural.compositions import draw_composition
from neurok.geometry.arrays import Array
from neurok.materials.library import load_library
from neurok.materials.material import Behaviour
from neurok.materials.prediction.looks import COLOR_FEATURES, GLOSS_FEATURES
from neurok.materials.prediction.observation import MatterObservation, assemble_observation, observe_matter
from neurok.materials.prediction.shapes import SHAPE_FEATURES, observe_shapes
from neurok.materials.prediction.words import split_words
from neurok.training.materials.lists import read_lists
from neurok.training.materials.real_parts import judge_parts

# Set by hand, never measured.
MADE_COUNT = 10  # objects of each category of our own
DRAW_COUNT = 2  # compositions of each object


@dataclass(frozen=True)
class MatterExample:
    """One object: what is seen of it, and the chance of each material for each part, [p, k], rows of ones.

    source: made, real or lists; category: its kind; exact: whether the chances are known, or a judgement.
    """

    name: str
    source: str
    category: str
    observation: MatterObservation
    target: Array

    @property
    def fold(self) -> int:
        """The fold of kinds.toml that leaves it out; 0 where none does."""
        group = load_folds().find_group(self.category)
        return 0 if group is None else group.fold


def list_solids() -> tuple[str, ...]:
    """The materials that are told: all of the library but the fluids."""
    rows = load_library().materials.values()
    return tuple(row.name for row in rows if row.behaviour != Behaviour.FLUID)


def make_examples(count: int, first: int = 0) -> Iterator[MatterExample]:
    """Our own objects from a seed on, each with several compositions. Colours are drawn anew in training."""
    solids = list_solids()
    for category in list_categories():
        for seed in range(first, first + count):
            thing = draw(category, seed)
            shape = None
            for number in range(DRAW_COUNT):
                made = draw_composition(thing, number)
                shape = observe_shapes(thing.mesh, made.parts) if shape is None else shape
                names = tuple(tuple(split_words(name)) for name in made.names)
                seen = assemble_plain(shape, names, tuple(split_words(category)))
                target = np.eye(len(solids))[[solids.index(material) for material in made.materials]]
                yield MatterExample(f"{category}_{seed}_{number}", "made", category, seen, target)


def assemble_plain(shape: Array, names: tuple[tuple[str, ...], ...], title: tuple[str, ...]) -> MatterObservation:
    """An observation without colours."""
    count = len(names)
    none = np.zeros(count, dtype=bool)
    color, gloss = np.zeros((count, len(COLOR_FEATURES))), np.zeros((count, len(GLOSS_FEATURES)))
    return assemble_observation(shape, (color, none), (gloss, none), names, title)


def read_real(folder: Path, split: str = "train") -> Iterator[MatterExample]:
    """PartNet-Mobility objects of a split, with the project's judgement of their parts."""
    from neurok.files.registry import load
    from neurok.geometry.parts import read_piece_parts
    from neurok.materials.prediction.coats import split_coats

    solids = list_solids()
    for entry in json.loads((folder / "index.json").read_text())["partnet_mobility"][split]:
        asset = load(folder / "partnet_mobility" / entry["id"] / "mobility.urdf")
        if asset.articulation is None:
            continue
        mesh = asset.articulation.mesh
        parts = split_coats(mesh, read_piece_parts(asset.articulation))
        seen = observe_matter(mesh, parts, entry["category"])
        target = judge_parts(entry["category"], seen, solids)
        yield MatterExample(entry["id"], "real", entry["category"], seen, target)


def list_examples(folder: Path) -> Iterator[MatterExample]:
    """Names alone, from the lists of 3DCoMPaT."""
    solids = list_solids()
    for model in read_lists(folder, solids):
        names = tuple(tuple(split_words(name)) for name in model.parts)
        plain = assemble_plain(np.zeros((len(names), len(SHAPE_FEATURES))), names, tuple(split_words(model.category)))
        plain.present[:, 0] = False
        yield MatterExample(model.name, "lists", model.category, plain, model.target)


def save_examples(examples: list[MatterExample], path: Path) -> None:
    """Write examples part by part into one file."""
    sizes = np.array([one.observation.count for one in examples])
    words = [json.dumps([one.observation.names, one.observation.title]) for one in examples]
    np.savez_compressed(
        path, sizes=sizes, words=np.array(words),
        facts=np.array([[one.name, one.source, one.category] for one in examples]),
        shape=np.concatenate([one.observation.shape for one in examples]).astype(np.float32),
        color=np.concatenate([one.observation.color for one in examples]).astype(np.float32),
        gloss=np.concatenate([one.observation.gloss for one in examples]).astype(np.float32),
        present=np.concatenate([one.observation.present for one in examples]),
        target=np.concatenate([one.target for one in examples]).astype(np.float32),
    )  # fmt: skip


def load_examples(path: Path) -> list[MatterExample]:
    """Read examples back."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    ends = np.cumsum(arrays["sizes"])
    found = []
    for (name, source, category), words, end, size in zip(arrays["facts"], arrays["words"], ends, arrays["sizes"]):
        own = slice(end - size, end)
        names, title = json.loads(str(words))
        shape, color, gloss = (arrays[key][own].astype(np.float64) for key in ("shape", "color", "gloss"))
        spoken = tuple(map(tuple, names))
        seen = MatterObservation(shape, color, gloss, spoken, tuple(title), arrays["present"][own])
        found.append(MatterExample(str(name), str(source), str(category), seen, arrays["target"][own].astype(float)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--partnet", type=Path)
    parser.add_argument("--lists", type=Path)
    parser.add_argument("--made", type=int, default=MADE_COUNT)
    chosen = parser.parse_args()
    examples = [*make_examples(chosen.made)]
    examples += [] if chosen.partnet is None else [*read_real(chosen.partnet)]
    examples += [] if chosen.lists is None else [*list_examples(chosen.lists)]
    save_examples(examples, chosen.out)
    print(f"{len(examples)} objects, {sum(one.observation.count for one in examples)} parts: {chosen.out}")


if __name__ == "__main__":
    main()
