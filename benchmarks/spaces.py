"""From a mesh of 100,000 vertices to its learned state space, stage by stage, with the shipped weights.

What the builder of the learned space calls is timed where it is called, so that new stages appear by themselves. To
them comes all that a simulation prepares. Nothing is distilled: the map from state to handles is in closed form. Times
are the process's own, on one thread.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from benchmarks.figures import Figure
from neurok.assets.laptop import laptop
from neurok.geometry.mesh import Mesh
from neurok.kinematics.choose import learned_space
from neurok.kinematics.learned import pipeline
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import build_scene
from neurok.networks.weights import load_model

SECONDS = 10.0


@dataclass(frozen=True)
class Sizes:
    """vertices: at least so many."""

    vertices: int = 100_000


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    mesh = refined(laptop().mesh, sizes.vertices)
    spent: dict[str, float] = {}
    model = _timed(load_model, "reading the weights", spent)()
    space = None
    with _watched(pipeline, spent):
        start = time.process_time()
        space = learned_space(mesh, model)
        whole = time.process_time() - start
    inner = sum(seconds for name, seconds in spent.items() if name.startswith("  "))
    spent["  the rest of it, the network among it"] = whole - inner
    _timed(lambda: build_scene(space, Conditions()), "preparing a simulation (masses, springs, limits)", spent)()
    told = f"{mesh.vertex_count} vertices"
    total = spent["reading the weights"] + whole
    figures = [Figure(f"mesh to state space, {told}", total, " s", most=SECONDS)]
    figures += [Figure(f"  {name.strip()}", seconds, " s") for name, seconds in spent.items() if seconds > 0.005]
    return figures


def refined(mesh: Mesh, count: int) -> Mesh:
    """A mesh with each face cut in four until it has so many vertices; a plain one."""
    vertices, faces = mesh.vertices, mesh.faces
    while len(vertices) < count:
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        pairs, where = np.unique(edges, axis=0, return_inverse=True)
        middle = len(vertices) + where.reshape(-1, 3)
        vertices = np.concatenate([vertices, vertices[pairs].mean(axis=1)])
        a, b, c = faces.T
        ab, bc, ca = middle.T
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        faces = np.concatenate([np.stack(q, axis=1) for q in quarters])
    return Mesh(vertices, faces, up=mesh.up, unit=mesh.unit)


@contextmanager
def _watched(module: Any, spent: dict[str, float]) -> Iterator[None]:
    """Every function of the package that a module calls by its name is timed meanwhile."""
    kept = {}
    for name, value in vars(module).items():
        is_ours = callable(value) and not isinstance(value, type) and value.__module__.startswith("neurok")
        if is_ours and name != "latent":
            kept[name] = value
    for name, value in kept.items():
        setattr(module, name, _timed(value, f"  {name}", spent))
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(module, name, value)


def _timed(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return function(*arguments, **options)
        finally:
            spent[name] = spent.get(name, 0.0) + time.process_time() - start

    return call
