"""Examples: shapes with all that the network learns from, made once and kept; one .npz file for each.

    python -m neurok.articulate.examples OUT --partnet DIR [--split train] [--found] [--made 20]

Real shapes come with their true parts, or with those that geometry finds; made ones with theirs.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.articulate.labels import Labels, match_labels, read_labels
from neurok.articulate.observation import JointObservation, observe_shape
from neurok.articulate.parts import find_parts
from neurok.articulate.study import study_part
from neurok.articulate.tried import TriedCandidates, collect_candidates
from neurok.errors import NeurokError
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.proposals.sampling import sample_shape

# Set by hand, never measured.
BATCH_PART_COUNT = 64  # parts of a batch, about; made shapes of more would fill several


@dataclass(frozen=True)
class Example:
    """One shape. source: partnet, found or made; category: for what is left out by category."""

    name: str
    source: str
    category: str
    observation: JointObservation
    labels: Labels
    tried: TriedCandidates


def make_example(mesh: Mesh, parts: Parts, labels: Labels, *, name: str, source: str, category: str) -> Example:
    """Look at a shape and try all motions of its parts."""
    whole = sample_shape(mesh, parts)
    studies = [study_part(whole, part) for part in range(parts.count)]
    return Example(name, source, category, observe_shape(whole), labels, collect_candidates(studies, labels))


# The keys of the files are older than the names of the fields.
KEYS = {"observation": "seen", "labels": "labels", "tried": "tried"}
FIELD_KEYS = {"features": "reasons", "part_features": "own"}


def save_example(one: Example, path: Path) -> None:
    """Write an example, all of it or nothing."""
    arrays: dict[str, NDArray[Any]] = {key: np.array(getattr(one, key)) for key in ("name", "source", "category")}
    for group, prefix in KEYS.items():
        for name, values in vars(getattr(one, group)).items():
            arrays[f"{prefix}.{FIELD_KEYS.get(name, name)}"] = values
    part = path.with_name(f".{path.name}.part")
    with open(part, "wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    os.replace(part, path)


def load_example(path: Path) -> Example:
    """Read an example."""
    with np.load(path, allow_pickle=False) as stored:
        name, source, category = (str(stored[key]) for key in ("name", "source", "category"))

        def read_group(prefix: str, kind: type) -> dict[str, NDArray[Any]]:
            return {each.name: stored[f"{prefix}.{FIELD_KEYS.get(each.name, each.name)}"] for each in fields(kind)}

        observation = JointObservation(**read_group("seen", JointObservation))
        labels, tried = Labels(**read_group("labels", Labels)), TriedCandidates(**read_group("tried", TriedCandidates))
    return Example(name, source, category, observation, labels, tried)


# ---------------------------------------------------------------- sources


def make_true_example(articulation: Articulation, name: str, category: str) -> Example:
    """An annotated object with its true parts."""
    parts, labels = read_labels(articulation)
    return make_example(articulation.mesh, parts, labels, name=name, source="partnet", category=category)


def make_found_example(articulation: Articulation, name: str, category: str) -> Example:
    """An annotated object with the parts that its geometry suggests; what they are parts of is learned from it."""
    mesh = articulation.mesh
    parts, labels = read_labels(articulation)
    bare = find_parts(Mesh(mesh.vertices, mesh.faces, up=mesh.up, unit=mesh.unit))
    matched = match_labels(mesh, parts, labels, bare)
    return make_example(mesh, bare, matched, name=f"{name}-found", source="found", category=category)


def build_examples(out: Path, partnet: Path | None, split: str, made: int, found: bool) -> None:
    """All examples that are not there yet."""
    out.mkdir(parents=True, exist_ok=True)
    if partnet is not None:
        for name, category in _list_objects(partnet, split):
            if not (out / f"{name}{'-found' if found else ''}.npz").exists():
                _add_real(out, partnet, name, category, make_found_example if found else make_true_example)
    for seed in range(made):
        _add_made(out, seed)


def _add_real(out: Path, folder: Path, name: str, category: str, how: Callable[..., Example]) -> None:
    from neurok.files.registry import load

    try:
        articulation = load(folder / name).articulation
        if articulation is None or articulation.mesh.face_count == 0:
            print(f"{name} is left out: it has no surface or no joints", flush=True)
            return
        one = how(articulation, name, category)
        save_example(one, out / f"{one.name}.npz")
        print(one.name, category, flush=True)
    except NeurokError as fault:
        print(f"{name} is left out: {fault}", flush=True)


def _add_made(out: Path, seed: int) -> None:
    from neurok.data.procedural import list_categories, make

    for category in list_categories():
        path = out / f"{category}-{seed}.npz"
        if path.exists():
            continue
        try:
            thing = make(category, seed)
        except NeurokError as fault:
            print(f"{category} {seed} is left out: {fault}", flush=True)
            continue
        if thing.is_soft:
            continue
        parts, labels = read_labels(thing.articulation)
        if 1 < parts.count <= BATCH_PART_COUNT:
            one = make_example(thing.mesh, parts, labels, name=path.stem, source="made", category=category)
            save_example(one, path)
            print(path.stem, flush=True)


def _list_objects(folder: Path, split: str) -> list[tuple[str, str]]:
    """Names and categories of the objects of a split, as the index beside the folder has them."""
    import json

    rows = json.loads((folder.parent / "index.json").read_text(encoding="utf-8"))["partnet_mobility"][split]
    return [(str(row["id"]), str(row.get("category", "unknown"))) for row in rows]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--partnet", type=Path, help="a folder in the SAPIEN layout with an index.json beside it")
    arguments.add_argument("--split", default="train")
    arguments.add_argument("--made", type=int, default=0, help="objects of every made category")
    arguments.add_argument("--found", action="store_true", help="with the parts that geometry finds, not the true ones")
    options = arguments.parse_args()
    build_examples(options.out, options.partnet, options.split, options.made, options.found)


if __name__ == "__main__":
    main()
