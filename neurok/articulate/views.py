"""Views: one shape seen from several sides; what a network says of them is one opinion in the shape's own frame.

Which way a shape faces and which of its hands is which says nothing about how its parts move, but a network of finite
training is not quite blind to it. Quarter turns about the vertical and a mirror keep the canonical frame and the
reasons of the search, so they cost no search.
"""

from dataclasses import replace

import numpy as np
import torch

from neurok.articulate.batches import Judged
from neurok.articulate.network import Motions
from neurok.articulate.seen import Seen
from neurok.geometry.mesh import Array

_QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_MIRROR = np.diag([1.0, -1.0, 1.0])
# As it is, then the other hand and the other sides in turn, so that a few of them already see much.
VIEWS: tuple[Array, ...] = tuple(
    np.linalg.matrix_power(_QUARTER, turns) @ np.linalg.matrix_power(_MIRROR, hand)
    for turns, hand in ((0, 0), (1, 1), (2, 0), (3, 1), (0, 1), (1, 0), (2, 1), (3, 0))
)


def seen_from(seen: Seen, A: Array) -> Seen:
    """A shape after x' = A x, with A [3, 3] one of VIEWS."""
    carried = lambda x: np.asarray(x @ A.T, dtype=np.float32)  # noqa: E731
    corners = carried(seen.box)
    patches = np.concatenate([carried(seen.patches[..., :3]), carried(seen.patches[..., 3:])], axis=-1)
    return replace(
        seen, points=carried(seen.points), normals=carried(seen.normals), patches=patches,
        box=np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1),
    )  # fmt: skip


def judged_from(tried: Judged, A: Array) -> Judged:
    """Candidates after x' = A x; a line has no sense here, so a mirror needs no more."""
    matrix = torch.from_numpy(A).to(tried.axis.dtype)
    return replace(tried, axis=tried.axis @ matrix.T, pivot=tried.pivot @ matrix.T)


def motions_back(motions: Motions, A: Array) -> Motions:
    """Ideas about a shape after x' = A x, as ideas about the shape itself.

    A turn that is seen in a mirror goes the other way round: its axis then points the other way, its limits stay.
    """
    matrix = torch.from_numpy(A).to(motions.axis.dtype)
    hand = float(np.sign(np.linalg.det(A)))
    sense = torch.where(motions.turns, hand, 1.0).to(motions.axis.dtype)
    return replace(motions, axis=motions.axis @ matrix * sense[:, None], pivot=motions.pivot @ matrix)
