"""Contact sheets of a training run: a few fixed objects, how well their states are met, and what the model imagines.

A row is an object: at rest; two of its states, each beside the state of the learned space that comes nearest to it;
three states drawn from the prior.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.data.sample import Sample
from neurok.data.store import Store
from neurok.files.camera import Camera
from neurok.files.pictures import captioned, save_picture
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import carry, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.pipeline import learn_space
from neurok.mechanics.descent import posed
from neurok.mechanics.inverse import fit
from neurok.networks.handles import HandlesModel

SIDE = 240  # pixels of a picture
OBJECTS = 4
STATES, DRAWS = 2, 3
POINTS = 512  # by which a state is met


@dataclass(frozen=True)
class Shown:
    """An object of the sheet: at rest, and in states that are farthest from rest and from each other, [2, n, 3]."""

    name: str
    mesh: Mesh
    states: Array


def choose(store: Store) -> list[Shown]:
    """The same few objects every time: held-out ones, where there are some, of every source in turn."""
    names = store.names("dev") or store.names()
    rank: dict[str, int] = {}
    order = []
    for name in names:
        source = store.entries[name]["source"]
        rank[source] = rank.get(source, -1) + 1
        order.append((rank[source], source, name))
    shown = (_shown(store.read(name)) for _, _, name in sorted(order))
    found: list[Shown] = []
    for each in shown:
        if each is not None:
            found.append(each)
        if len(found) == OBJECTS:
            break
    return found


def _shown(sample: Sample) -> Shown | None:
    if sample.state_count <= STATES or len(sample.faces) == 0:
        return None
    frames = np.stack([sample.frame(i) for i in range(sample.state_count)])
    probe = frames[:, :: max(frames.shape[1] // 256, 1)]
    chosen = [0]
    for _ in range(STATES):
        gap = [min(((probe[i] - probe[j]) ** 2).sum() for j in chosen) for i in range(len(probe))]
        chosen.append(int(np.argmax(gap)))
    return Shown(sample.facts.name, sample.mesh(), frames[chosen[1:]])


def can_draw(model: torch.nn.Module) -> bool:
    """Whether the model gives a mesh a state space by itself."""
    return isinstance(model, HandlesModel)


def sheet(objects: list[Shown], model: torch.nn.Module) -> NDArray[np.uint8]:
    """The picture of all rows, [h, w, 3]."""
    with Renderer(SIDE, SIDE) as renderer:
        return np.concatenate([_row(shown, learn_space(shown.mesh, model), renderer) for shown in objects])


def write_sheet(objects: list[Shown], model: torch.nn.Module, folder: Path, step: int) -> Path:
    """`sheet-STEP.png` in the folder of the run."""
    return save_picture(sheet(objects, model), folder / f"sheet-{step:07d}.png")


def _row(shown: Shown, space: Kinematics, renderer: Renderer) -> NDArray[np.uint8]:
    mesh = shown.mesh
    tiles = [(shown.name, mesh.vertices)]
    where = sample_even(mesh, POINTS, np.random.default_rng(0))
    for number, state in enumerate(shown.states):
        goal = carry(state, where)
        met = fit(space, goal, where=where, corresponding=True).mesh.vertices
        size = np.linalg.norm(goal - where.position)
        recovered = 1.0 - np.linalg.norm(carry(met, where) - goal) / max(size, 1e-12)
        tiles += [(f"state {number + 1}", state), (f"met to {recovered:.2f}", met)]
    for q in space.prior.sample(DRAWS, torch.Generator().manual_seed(0)):
        tiles.append(("imagined", posed(space, q.numpy()).vertices))
    # Of what is imagined, only what stays near the object has to be in the picture.
    centre = mesh.vertices.mean(axis=0)
    camera = Camera.framing([1.15 * (mesh.vertices - centre) + centre, *shown.states], mesh.up, 1.0)
    pictures = [captioned(renderer.picture(mesh, shape, camera=camera), text) for text, shape in tiles]
    return np.concatenate(pictures, axis=1)
