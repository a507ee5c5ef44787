"""Examples: pictures of our own objects from drawn cameras and in drawn light, with what their programs chose.

    python -m neurok.training.pictures.examples OUT [--first 0] [--count 40]

One .npz for each object, written aside and renamed: a run that was cut off goes on where it stopped. Pictures have an
alpha, so that backgrounds and colours can be drawn anew whenever they are used. Training takes the seeds from 0 on,
measuring those from HELD_SEED on.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.data.procedural import run_program
from neurok.data.procedural.procedural import ProceduralObject
from neurok.files.camera import CameraView
from neurok.files.renderer import Renderer
from neurok.generate.kinds import list_kinds
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

# Set by hand: what photographs of things mostly look like.
PICTURE_SIDE = 160  # pixels
VIEW_COUNT = 4  # of each object
MOVED_SHARE = 0.3  # of the pictures show it with its joints moved
TURN_SPREAD = 45.0  # [degrees], standard deviation of the azimuth about the front
ELEVATIONS = (0.0, 45.0)  # [degrees]
OPENINGS = (15.0, 50.0)  # [degrees]
HELD_SEED = 100_000


@dataclass(frozen=True)
class PictureExample:
    """One object in several pictures: [v, s, s, 4] with colours multiplied by alpha, the views' azimuths and
    elevations [degrees], [v, 2], what its program chose (name, kind, value), and its extents [m], [3]."""

    kind: str
    seed: int
    pictures: NDArray[np.uint8]
    views: Array
    choices: tuple[tuple[str, str, object], ...]
    extents: Array


def draw_example(kind: str, seed: int, renderer: Renderer) -> PictureExample:
    """The object of a seed in VIEW_COUNT pictures."""
    kit = run_program(kind, seed, labelled=True)
    thing = kit.build(seed)
    rng = np.random.default_rng([seed, *kind.encode()])
    pictures, views = [], []
    for number in range(VIEW_COUNT):
        mesh = _move(thing, rng) if number and rng.random() < MOVED_SHARE else thing.mesh
        view = draw_view(rng)
        pictures.append(draw_cutout(renderer, mesh, view, rng))
        views.append((view.azimuth or 0.0, view.elevation))
    chosen = tuple((c.name, c.kind, c.value) for c in kit.choices.made if c.kind in ("count", "option", "yes or no"))
    return PictureExample(kind, seed, np.stack(pictures), np.array(views), chosen, np.ptp(thing.mesh.vertices, axis=0))


def _move(thing: ProceduralObject, rng: np.random.Generator) -> Mesh:
    return thing.mesh.with_vertices(thing.shape(thing.states(2, rng)[1]))


def draw_view(rng: np.random.Generator) -> CameraView:
    """A camera somewhere in front of an object and mostly a little above it."""
    return CameraView(
        azimuth=float(np.clip(rng.normal(0.0, TURN_SPREAD), -100.0, 100.0)), elevation=float(rng.uniform(*ELEVATIONS)),
        opening=float(rng.uniform(*OPENINGS)), margin=0.06,
    )  # fmt: skip


def draw_cutout(renderer: Renderer, mesh: Mesh, view: CameraView, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The mesh in light from somewhere above, [s, s, 4]."""
    key = np.array([rng.uniform(-1.0, 1.0), rng.uniform(0.3, 1.2), rng.uniform(0.3, 1.0)])
    fill = np.array([-key[0], rng.uniform(-0.2, 0.4), 0.5])
    return renderer.cutout(mesh, renderer.camera(mesh, view=view), np.stack([key, fill]))


def save_example(example: PictureExample, path: Path) -> None:
    facts = {"kind": example.kind, "seed": example.seed, "choices": example.choices}
    aside = path.with_suffix(".part")
    with aside.open("wb") as file:
        np.savez_compressed(
            file, pictures=example.pictures, views=example.views, extents=example.extents, facts=json.dumps(facts)
        )
    aside.replace(path)


def load_example(path: Path) -> PictureExample:
    with np.load(path, allow_pickle=False) as stored:
        facts = json.loads(str(stored["facts"]))
        chosen = tuple((name, kind, value) for name, kind, value in facts["choices"])
        return PictureExample(
            facts["kind"], facts["seed"], stored["pictures"], stored["views"], chosen, stored["extents"]
        )


@dataclass(frozen=True)
class PictureFacts:
    """An example without its pictures, so that thousands fit into memory."""

    kind: str
    seed: int
    views: Array
    choices: tuple[tuple[str, str, object], ...]
    extents: Array


def read_facts(path: Path) -> PictureFacts:
    with np.load(path, allow_pickle=False) as stored:
        facts = json.loads(str(stored["facts"]))
        chosen = tuple((name, kind, value) for name, kind, value in facts["choices"])
        return PictureFacts(facts["kind"], facts["seed"], stored["views"], chosen, stored["extents"])


def list_examples(folder: Path, first: int, end: int) -> Iterator[PictureExample]:
    """The objects of a folder with seeds from first to end - 1, in the order of their names."""
    for path in sorted(folder.glob("*.npz")):
        if first <= int(path.stem.rpartition("-")[2]) < end:
            yield load_example(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with Renderer(PICTURE_SIDE, PICTURE_SIDE) as renderer:
        for seed in range(chosen.first, chosen.first + chosen.count):
            for kind in list_kinds():
                path = chosen.out / f"{kind}-{seed}.npz"
                if not path.exists():
                    save_example(draw_example(kind, seed, renderer), path)
            print(f"seed {seed} done", flush=True)


if __name__ == "__main__":
    main()
