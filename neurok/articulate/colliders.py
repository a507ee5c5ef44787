"""Colliders: convex pieces for every link, its hull where that will do, several where hulls would overlap.

A hull fills the hollows of its link: a cabinet's hull swallows its drawers. Links that no joint connects and whose
hulls overlap are cut into convex pieces by coacd, as are all links on request.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

import numpy as np

from neurok.errors import MissingExtra
from neurok.files.bodies import bodies, split_links
from neurok.files.contacts import joined_pairs, overlapping_pairs
from neurok.files.hulls import convex_hull
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform

CONCAVITY = 0.05  # coacd's threshold: of the piece's own size
MOST_PIECES = 24  # a link
RESOLUTION = 1000  # points with which coacd measures concavity: coarse, and quick


def with_colliders(articulation: Articulation, *, everywhere: bool = False) -> tuple[Articulation, str]:
    """The articulation with convex pieces where its hulls would not do, and a sentence on what was done."""
    chosen = set(range(len(articulation.links))) if everywhere else _crowded(articulation)
    if not chosen:
        return articulation, ""
    if find_spec("coacd") is None:
        if everywhere:
            raise MissingExtra("convex decomposition", "articulate")
        return articulation, (
            f"the hulls of {len(chosen)} links overlap; pip install 'neurok[articulate]' to have them decomposed"
        )
    begin = time.perf_counter()
    links = list(articulation.links)
    pieces = split_links(articulation)
    count = 0
    for index in sorted(chosen):
        if pieces[index].face_count:
            local = transform(pieces[index], np.linalg.inv(links[index].T_world_link))
            found = convex_pieces(local)
            links[index] = replace(links[index], colliders=found)
            count += len(found)
    seconds = time.perf_counter() - begin
    said = f"{len(chosen)} of {len(links)} links are decomposed into {count} convex pieces, in {seconds:.1f} s"
    return replace(articulation, links=tuple(links)), said


def _crowded(articulation: Articulation) -> set[int]:
    """Links whose hulls overlap that of a link no joint connects them to."""
    found = bodies(articulation)
    pairs = overlapping_pairs(articulation, found) - joined_pairs(articulation, found)
    return {index for pair in pairs for index in pair}


def convex_pieces(mesh: Mesh) -> tuple[Mesh, ...]:
    """A mesh cut into convex pieces, each with a volume that simulators accept."""
    import coacd

    coacd.set_log_level("error")
    parts: Sequence = coacd.run_coacd(
        coacd.Mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces)),
        threshold=CONCAVITY, max_convex_hull=MOST_PIECES, resolution=RESOLUTION, mcts_iterations=60,
        mcts_max_depth=2, mcts_nodes=10, preprocess_resolution=30, seed=0,
    )  # fmt: skip
    hulls = [convex_hull(np.asarray(vertices, dtype=np.float64)) for vertices, _ in parts]
    found = tuple(hull for hull in hulls if hull is not None)
    if found:
        return found
    whole = convex_hull(mesh.vertices)
    return () if whole is None else (whole,)
