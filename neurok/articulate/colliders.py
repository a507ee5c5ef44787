"""Colliders: convex pieces for every link, its hull where that will do, several where hulls would meet.

A hull fills the hollows of its link: a cabinet's hull swallows its drawers. Links whose hulls lie in each other at
rest, or meet on the way of a joint, are cut into convex pieces; and pieces of links that no joint connects, where they
still lie in each other at rest, are carved apart. On request all links are decomposed by coacd,
which is finer and takes its time.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

import numpy as np

from neurok.articulate.carving import MAX_DEPTH, carve_apart, overlaps_deeply
from neurok.articulate.decompose import decompose_convex
from neurok.errors import MissingExtra
from neurok.files.bodies import LinkBody, build_bodies, split_links
from neurok.files.contacts import find_joined_pairs, find_overlapping_pairs, find_passing_pairs
from neurok.files.hulls import compute_convex_hull
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform

# Set by hand; `python -m benchmarks.check_articulation` must pass with them.
MAX_HOLLOWNESS = 0.015  # of the diagonal: how hollow a convex piece may be
MAX_PIECES = 16  # of a link
MAX_CUTS = 160  # of all links together, the largest first


def add_colliders(articulation: Articulation, *, everywhere: bool = False) -> tuple[Articulation, str]:
    """The articulation with convex pieces where its hulls would not do, and a sentence on what was done.

    everywhere: decompose every link, by coacd.
    """
    if everywhere and find_spec("coacd") is None:
        raise MissingExtra("convex decomposition", "articulate")
    begin = time.perf_counter()
    chosen = list(range(len(articulation.links))) if everywhere else _find_crowded(articulation)
    said = ""
    if chosen:
        articulation, count = _decompose_links(articulation, chosen, everywhere)
        seconds = time.perf_counter() - begin
        by = " by coacd" if everywhere else ""
        if count[0]:
            links = f"{count[0]} of {len(articulation.links)} links"
            said = f"{links} are decomposed{by} into {count[1]} convex pieces, in {seconds:.1f} s"
    return _part_links(articulation), said


def _find_crowded(articulation: Articulation) -> list[int]:
    """Links whose hulls lie in each other at rest, or meet on a joint's way without being its ends; largest first."""
    found = build_bodies(articulation)
    joined, resting = find_joined_pairs(articulation, found), find_overlapping_pairs(articulation, found)
    # The two ends of a joint touch, and often wrap each other a little: only what lies deep is a hollow filled.
    wrapped = {pair for pair in resting & joined if _lie_deep(found, *pair, MAX_DEPTH * articulation.mesh.diagonal)}
    pairs = (resting | find_passing_pairs(articulation, found)) - joined | wrapped
    crowded = {index for pair in pairs for index in pair}
    size = {index: sum(np.prod(np.ptp(hull.bounds, axis=0)) for hull in found[index].hulls) for index in crowded}
    return sorted(crowded, key=lambda index: -size[index])


def _lie_deep(found: Sequence[LinkBody], a: int, b: int, deep: float) -> bool:
    here, there = ([transform(hull, body.T_world_body) for hull in body.hulls] for body in (found[a], found[b]))
    return any(overlaps_deeply(one, other, deep) for one in here for other in there)


def _decompose_links(
    articulation: Articulation, chosen: Sequence[int], by_coacd: bool
) -> tuple[Articulation, tuple[int, int]]:
    """With convex pieces for the chosen links; how many links got several, and how many pieces that makes."""
    links, pieces = list(articulation.links), split_links(articulation)
    tolerance, cuts = MAX_HOLLOWNESS * articulation.mesh.diagonal, MAX_CUTS
    count = [0, 0]
    for index in chosen:
        if not pieces[index].face_count:
            continue
        local = transform(pieces[index], np.linalg.inv(links[index].T_world_link))
        if by_coacd:
            found = decompose_by_coacd(local)
        else:
            found = decompose_convex(local, tolerance=tolerance, most=min(MAX_PIECES, cuts + 1))
            cuts -= len(found) - 1
        if len(found) > 1 or by_coacd:
            links[index] = replace(links[index], colliders=found)
            count = [count[0] + 1, count[1] + len(found)]
    return replace(articulation, links=tuple(links)), (count[0], count[1])


def _part_links(articulation: Articulation) -> Articulation:
    """With pieces carved apart where links that no joint connects lie in each other at rest."""
    found = build_bodies(articulation)
    pairs = sorted(find_overlapping_pairs(articulation, found) - find_joined_pairs(articulation, found))
    if not pairs:
        return articulation
    world = [[transform(hull, body.T_world_body) for hull in body.hulls] for body in found]
    apart = carve_apart(world, pairs, articulation.mesh.diagonal)
    links = list(articulation.links)
    for index in {index for pair in pairs for index in pair}:
        back = np.linalg.inv(links[index].T_world_link)
        links[index] = replace(links[index], colliders=tuple(transform(piece, back) for piece in apart[index]))
    return replace(articulation, links=tuple(links))


def decompose_by_coacd(mesh: Mesh) -> tuple[Mesh, ...]:
    """A mesh cut into convex pieces by coacd, each with a volume that simulators accept."""
    import coacd

    coacd.set_log_level("error")
    parts: Sequence[tuple[Array, Indices]] = coacd.run_coacd(
        coacd.Mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces)),
        max_convex_hull=MAX_PIECES, resolution=1000, mcts_iterations=60, mcts_max_depth=2, mcts_nodes=10,
        preprocess_resolution=30, seed=0,
    )  # fmt: skip
    hulls = [compute_convex_hull(np.asarray(vertices, dtype=np.float64)) for vertices, _ in parts]
    found = tuple(hull for hull in hulls if hull is not None)
    if found:
        return found
    whole = compute_convex_hull(mesh.vertices)
    return () if whole is None else (whole,)
