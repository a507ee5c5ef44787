"""Parts whose materials are known: of our own objects, and of real ones that two labellers told.

labels.json holds, for 61 real objects (46 of PartNet-Mobility's dev split, 15 scans), the parts on whose behaviour two
labellers agreed, vision-language models that saw pictures alone and nothing of each other: object -> part -> the
material, or both where they differ in it.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import InputError
from neurok.files.registry import load
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts, name_parts, read_piece_parts
from neurok.materials.prediction.coats import split_coats
from neurok.materials.prediction.observation import observe_matter
from neurok.training.materials.examples import MatterExample, list_solids

SCAN_PARTS = "scan_parts.npz"  # the piece of every face of a scan, as the labellers saw them


def read_labels() -> dict[str, dict[str, list[str]]]:
    """Object -> part -> one material, or two that behave alike."""
    text = files("neurok.evaluate.materials").joinpath("labels.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = json.loads(text)["labels"]
    return found


def read_known(folder: Path) -> Iterator[MatterExample]:
    """The labelled real objects under a folder of data, their labelled parts alone as truth; rows of the others are
    zero. Scans have no part names; what an object is called is not told."""
    if not (folder / "index.json").is_file():
        raise InputError(f"{folder} holds no index.json", "name the folder of the real objects")
    index: dict[str, Any] = json.loads((folder / "index.json").read_text())
    category = {entry["id"]: entry["category"] for entry in index["partnet_mobility"]["dev"]}
    solids = list_solids()
    for name, labels in read_labels().items():
        mesh, parts = open_labelled(folder, name)
        seen = observe_matter(mesh, parts)
        target = np.zeros((parts.count, len(solids)))
        for part, materials in labels.items():
            for material in materials:
                target[parts.names.index(part), solids.index(material)] = 1.0 / len(materials)
        yield MatterExample(name, "known", category.get(name, "scan"), seen, target)


def open_labelled(folder: Path, name: str) -> tuple[Mesh, Parts]:
    """A labelled object and its parts, as they were numbered for the labellers."""
    place = folder / "partnet_mobility" / name / "mobility.urdf"
    if place.is_file():
        articulation = load(place).articulation
        assert articulation is not None
        return articulation.mesh, split_coats(articulation.mesh, read_piece_parts(articulation))
    mesh = load(folder / "scans" / f"{name}.glb").mesh
    with np.load(str(files("neurok.evaluate.materials").joinpath(SCAN_PARTS))) as stored:
        face = stored[name].astype(np.int64)
    return mesh, name_parts(face, [f"part_{number}" for number in range(int(face.max()) + 1)])
