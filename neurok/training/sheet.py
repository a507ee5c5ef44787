"""Contact sheets of a training run: a few fixed objects, how well their states are met, and what the model imagines.

A row is an object: at rest; two of its states, each beside the state of the learned space that comes nearest to it;
three states drawn from the prior.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.data.sample import MotionSample
from neurok.data.store import Store
from neurok.files.camera import Camera
from neurok.files.captions import caption_picture
from neurok.files.pictures import save_picture
from neurok.files.renderer import Renderer
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import carry, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.pipeline import learn_space
from neurok.mechanics.descent import pose_mesh
from neurok.mechanics.inverse import fit
from neurok.networks.handles import HandlesModel
from neurok.networks.models import StateSpaceModel

TILE_PIXELS = 240  # pixels of a picture
OBJECT_COUNT = 4
STATE_COUNT, DRAW_COUNT = 2, 3
FIT_POINT_COUNT = 512  # by which a state is met


@dataclass(frozen=True)
class ShownObject:
    """An object of the sheet: at rest, and in states that are farthest from rest and from each other, [2, n, 3]."""

    name: str
    mesh: Mesh
    states: Array


def choose_objects(store: Store) -> list[ShownObject]:
    """The same few objects every time: held-out ones, where there are some, of every source in turn."""
    names = store.names("dev") or store.names()
    rank: dict[str, int] = {}
    order = []
    for name in names:
        source = store.entries[name]["source"]
        rank[source] = rank.get(source, -1) + 1
        order.append((rank[source], source, name))
    shown = (_shown(store.read(name)) for _, _, name in sorted(order))
    found: list[ShownObject] = []
    for each in shown:
        if each is not None:
            found.append(each)
        if len(found) == OBJECT_COUNT:
            break
    return found


def _shown(sample: MotionSample) -> ShownObject | None:
    if sample.state_count <= STATE_COUNT or len(sample.faces) == 0:
        return None
    frames = np.stack([sample.frame(i) for i in range(sample.state_count)])
    probe = frames[:, :: max(frames.shape[1] // 256, 1)]
    chosen = [0]
    for _ in range(STATE_COUNT):
        gap = [min(((probe[i] - probe[j]) ** 2).sum() for j in chosen) for i in range(len(probe))]
        chosen.append(int(np.argmax(gap)))
    return ShownObject(sample.facts.name, sample.mesh(), frames[chosen[1:]])


def can_draw(model: StateSpaceModel) -> TypeGuard[HandlesModel]:
    """Whether the model gives a mesh a state space by itself."""
    return isinstance(model, HandlesModel)


def draw_sheet(objects: list[ShownObject], model: HandlesModel) -> NDArray[np.uint8]:
    """The picture of all rows, [h, w, 3]."""
    with Renderer(TILE_PIXELS, TILE_PIXELS) as renderer:
        return np.concatenate([_row(shown, learn_space(shown.mesh, model), renderer) for shown in objects])


def write_sheet(objects: list[ShownObject], model: HandlesModel, folder: Path, step: int) -> Path:
    """`sheet-STEP.png` in the folder of the run."""
    return save_picture(draw_sheet(objects, model), folder / f"sheet-{step:07d}.png")


def _row(shown: ShownObject, space: Kinematics, renderer: Renderer) -> NDArray[np.uint8]:
    mesh = shown.mesh
    tiles = [(shown.name, mesh.vertices)]
    where = sample_even(mesh, FIT_POINT_COUNT, np.random.default_rng(0))
    for number, state in enumerate(shown.states):
        goal = carry(state, where)
        met = fit(space, goal, where=where, corresponding=True).mesh.vertices
        size = float(np.linalg.norm(goal - where.position))
        recovered = 1.0 - float(np.linalg.norm(carry(met, where) - goal)) / max(size, 1e-12)
        tiles += [(f"state {number + 1}", state), (f"met to {recovered:.2f}", met)]
    for q in space.prior.sample(DRAW_COUNT, torch.Generator().manual_seed(0)):
        tiles.append(("imagined", pose_mesh(space, q.numpy()).vertices))
    # Of what is imagined, only what stays near the object has to be in the picture.
    centre = mesh.vertices.mean(axis=0)
    camera = Camera.framing([1.15 * (mesh.vertices - centre) + centre, *shown.states], mesh.up, 1.0)
    pictures = [caption_picture(renderer.picture(mesh, shape, camera=camera), text) for text, shape in tiles]
    return np.concatenate(pictures, axis=1)
