"""Examples of the learned generator: objects cut into parts, with points on and about each part, in one .npz file.

    python -m neurok.training.objects.examples OUT.npz [--data DIR] [--made 40] [--first 0] [--split train]

made: rigid objects of our own programs, whose compositions say what they are made of. partnet: PartNet-Mobility, with
the project's judgement of its parts (training/materials/real_parts.toml). articulated: other real objects of
index_articulated.json (train alone), whose materials nobody states.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from neurok.data.procedural import draw, list_categories
from neurok.data.procedural.compositions import draw_composition
from neurok.errors import InputError, NeurokError
from neurok.files.registry import load
from neurok.generate.learned.layout import Layout, name_kind
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.measure import remove_duplicates
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import read_piece_parts
from neurok.geometry.surface import sample_uniform
from neurok.materials.library import load_library
from neurok.materials.prediction.coats import find_outer_twins, split_coats
from neurok.materials.prediction.looks import observe_surface
from neurok.materials.prediction.observation import observe_matter
from neurok.training.materials.examples import list_solids
from neurok.training.materials.real_parts import judge_parts
from neurok.training.objects.cutting import CutObject, cut_object

SURFACE_COUNT = 384  # points on each part
FIELD_COUNT = 640  # points in and about the box of each part
CLOUD_COUNT = 1024  # points on each object
SHELL = 0.03  # half sides of the box: how thick a bare sheet is taken to be
NEAR = 0.08  # deviation of the points about a surface, half sides
ROOM = 1.1  # half sides: where points are looked at
MAX_OF_CATEGORY = 40  # objects of one category of the articulated ones: there are very many robot arms


@dataclass(frozen=True)
class PartPoints:
    """One part. Points in its box, whose half sides are one.

    surface [s, 3], color: sRGB [s, 3], matter: rows of the object's table [s], -1 where unknown.
    field [f, 3], distance: to the surface, negative inside, SHELL taken off, half sides [f]; field_matter [f] and
    field_color [f, 3]: of the nearest point of the surface.
    """

    surface: Array
    color: Array
    matter: Indices
    field: Array
    distance: Array
    field_color: Array
    field_matter: Indices


@dataclass(frozen=True)
class ObjectExample:
    """One object. source: made, partnet or articulated. table: chances of materials, [rows, k].

    cloud [c, 3] and its part [c]: points on the whole object [units]. scale: metres per unit, where it is known.
    """

    name: str
    source: str
    kind: str
    layout: Layout
    parts: tuple[PartPoints, ...]
    table: Array
    cloud: Array
    cloud_part: Indices
    scale: float


def make_objects(count: int, first: int = 0) -> Iterator[ObjectExample]:
    """Rigid objects of our own from a seed on."""
    solids = list_solids()
    for seed in range(first, first + count):
        for category in list_categories():
            thing = draw(category, seed)
            if thing.is_soft:
                continue
            made = draw_composition(thing, 0)
            table = np.eye(len(solids))[[solids.index(material) for material in made.materials]]
            cut = cut_object(thing.articulation)
            if cut is not None:
                facts = (f"{category}_{seed}", "made", name_kind(category))
                yield observe_object(facts, cut, thing.mesh, made.parts.face, table)


def read_partnet(folder: Path, split: str) -> Iterator[ObjectExample]:
    """PartNet-Mobility objects of a split."""
    solids = list_solids()
    for entry in json.loads((folder / "index.json").read_text())["partnet_mobility"][split]:
        articulation = load(folder / "partnet_mobility" / entry["id"] / "mobility.urdf").articulation
        cut = None if articulation is None else cut_object(articulation, turned=True)
        if articulation is None or cut is None:
            continue
        parts = split_coats(articulation.mesh, read_piece_parts(articulation))
        seen = observe_matter(articulation.mesh, parts, entry["category"])
        table = judge_parts(entry["category"], seen, solids)
        yield observe_object(
            (entry["id"], "partnet", name_kind(entry["category"])), cut, articulation.mesh, parts.face, table
        )


def read_articulated(folder: Path) -> Iterator[ObjectExample]:
    """The other real objects, all of which are for training; some do not load, or hold nothing that moves."""
    kept: Counter[str] = Counter()
    for entry in json.loads((folder / "index_articulated.json").read_text())["articulated"]["train"]:
        if kept[entry["category"]] >= MAX_OF_CATEGORY:
            continue
        articulation = _load_quietly(folder / entry["folder"] / "mobility.urdf")
        cut = None if articulation is None else cut_object(articulation, turned=True)
        if articulation is not None and cut is not None:
            kept[entry["category"]] += 1
            unknown = np.full(articulation.mesh.face_count, -1)
            facts = (entry["id"], "articulated", name_kind(entry["category"]))
            yield observe_object(facts, cut, articulation.mesh, unknown, np.zeros((0, len(list_solids()))))


def _load_quietly(path: Path) -> Articulation | None:
    try:
        return load(path).articulation
    except NeurokError as fault:
        print(f"left out: {path.parent.name} ({fault})")
        return None


def observe_object(
    facts: tuple[str, str, str], cut: CutObject, painted: Mesh, matter: Indices, table: Array
) -> ObjectExample:
    """The points of an object. painted: the mesh with its materials; matter: the row of the table of each face."""
    rng = np.random.default_rng([len(facts[0]), painted.face_count])
    looks = np.array([[*observe_surface(m).mean] for m in painted.materials] + [[0.8, 0.8, 0.8]])
    color = looks[painted.face_material if len(painted.face_material) else np.full(painted.face_count, -1)]
    shown = find_outer_twins(painted)
    parts = [
        observe_part(cut, part, (color, matter, np.flatnonzero((cut.face == part) & shown)), rng)
        for part in range(cut.layout.count)
    ]
    faces = np.flatnonzero((cut.face >= 0) & shown)
    where = sample_uniform(Mesh(cut.mesh.vertices, cut.mesh.faces[faces]), CLOUD_COUNT, rng)
    return ObjectExample(
        *facts, cut.layout, tuple(parts), table, where.position, cut.face[faces][where.face], cut.scale
    )


def observe_part(
    cut: CutObject, part: int, painted: tuple[Array, Indices, Indices], rng: np.random.Generator
) -> PartPoints:
    """The points of a part. painted: colours and rows of matter of all faces, and the faces of the part."""
    import igl

    color, matter, faces = painted
    vertices = (cut.mesh.vertices - cut.layout.centre[part]) / cut.layout.half[part]
    own = Mesh(vertices, cut.mesh.faces[faces])
    where = sample_uniform(own, SURFACE_COUNT, rng)
    near = where.position[rng.integers(SURFACE_COUNT, size=FIELD_COUNT // 2)]
    near = near + NEAR * rng.normal(size=near.shape) * rng.choice([0.3, 1.0, 2.0], size=(len(near), 1))
    points = np.concatenate([near, rng.uniform(-ROOM, ROOM, (FIELD_COUNT - len(near), 3))])
    squared, nearest, _ = igl.point_mesh_squared_distance(points, own.vertices, own.faces)
    bare = remove_duplicates(Mesh(vertices, cut.mesh.faces[np.flatnonzero(cut.face == part)]))
    inside = np.asarray(igl.fast_winding_number(bare.vertices, bare.faces, points)).reshape(-1) > 0.5
    distance = np.where(inside, -1.0, 1.0) * np.sqrt(np.maximum(np.asarray(squared), 0.0)) - SHELL
    on, about = faces[where.face], faces[np.asarray(nearest)]
    return PartPoints(where.position, color[on], matter[on], points, distance, color[about], matter[about])


# ---------------------------------------------------------------- one file

_LAYOUT = tuple(field.name for field in fields(Layout) if field.name != "code")
_POINTS = tuple(field.name for field in fields(PartPoints))


def save_objects(objects: list[ObjectExample], path: Path) -> None:
    """Write examples part by part into one file."""
    arrays: dict[str, NDArray[np.generic]] = {
        "sizes": np.array([one.layout.count for one in objects]),
        "rows": np.array([len(one.table) for one in objects]),
        "table": np.concatenate([one.table for one in objects]).astype(np.float16),
        "cloud": np.stack([one.cloud for one in objects]).astype(np.float16),
        "cloud_part": np.stack([one.cloud_part for one in objects]).astype(np.int8),
        "scale": np.array([one.scale for one in objects]),
    }
    for name in _LAYOUT:
        arrays[name] = np.concatenate([getattr(one.layout, name) for one in objects])
    for name in _POINTS:
        values = np.stack([getattr(part, name) for one in objects for part in one.parts])
        small = np.int16 if "matter" in name else np.float16
        arrays[f"points_{name}"] = values.astype(small)
    facts = np.array([[one.name, one.source, one.kind] for one in objects])
    np.savez(path, allow_pickle=False, facts=facts, **arrays)


def load_objects(path: Path) -> list[ObjectExample]:
    """Read examples back."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        missing = {*_LAYOUT, "sizes", "rows", "facts", "table", "cloud", "scale"} - set(arrays)
    except (ValueError, OSError, EOFError, BadZipFile, AttributeError):
        missing = {"anything that can be read"}
    if missing:
        raise InputError(
            f"{path.name} holds no examples of objects", "make it: python -m neurok.training.objects.examples"
        )
    ends, row_ends = np.cumsum(arrays["sizes"]), np.cumsum(arrays["rows"])
    found = []
    for number, (name, source, kind) in enumerate(arrays["facts"]):
        own = slice(ends[number] - arrays["sizes"][number], ends[number])
        rows = slice(row_ends[number] - arrays["rows"][number], row_ends[number])
        layout = Layout(**{key: arrays[key][own] for key in _LAYOUT}, code=np.zeros((own.stop - own.start, 0)))
        points = tuple(
            PartPoints(**{key: arrays[f"points_{key}"][part] for key in _POINTS}) for part in range(own.start, own.stop)
        )
        found.append(
            ObjectExample(
                str(name), str(source), str(kind), layout, points, arrays["table"][rows], arrays["cloud"][number],
                arrays["cloud_part"][number].astype(np.int64), float(arrays["scale"][number]),
            )
        )  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--made", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--split", default="train")
    chosen = parser.parse_args()
    load_library()
    begin, objects = time.perf_counter(), []
    sources = [make_objects(chosen.made, chosen.first)]
    if chosen.data is not None:
        sources = [read_partnet(chosen.data, chosen.split), *sources]
        sources += [read_articulated(chosen.data)] if chosen.split == "train" else []
    for source in sources:
        for one in source:
            objects.append(one)
            if len(objects) % 200 == 0:
                print(f"{len(objects)} objects, {time.perf_counter() - begin:.0f} s", flush=True)
    save_objects(objects, chosen.out)
    print(f"{len(objects)} objects, {sum(one.layout.count for one in objects)} parts: {chosen.out}")


if __name__ == "__main__":
    main()
