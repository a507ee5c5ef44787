"""Exact flow: how far points of the surface travel across a picture, from the motion itself instead of its pixels.

Networks estimate flow from films; here the points are known. A film is dynamic where enough of its frames move fast:
the fastest twentieth of the points by more than 6 pixels of a picture 256 pixels wide, in a quarter of all frames
at 8 frames a second. Hidden points count too, as nothing tells them apart without drawing.
"""

from dataclasses import dataclass

import numpy as np

from neurok.files.camera import Camera
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion
from neurok.geometry.surface import carry, sample_even

PICTURE_WIDTH = 256  # pixels
FRAME_RATE = 8.0  # frames per second
FASTEST_SHARE = 0.05  # share of the points
DYNAMIC_FLOW = 6.0  # pixels per frame
DYNAMIC_FRAME_SHARE = 0.25  # share of the frames
FLOW_POINT_COUNT = 2048


@dataclass(frozen=True)
class Flow:
    """speed: mean pixels per frame over all points, [t]; fastest: over the fastest twentieth, [t]."""

    speed: Array
    fastest: Array

    @property
    def magnitude(self) -> float:
        """Mean flow over points and frames [pixels per frame]."""
        return float(self.speed.mean())

    @property
    def is_dynamic(self) -> bool:
        return bool(np.mean(self.fastest > DYNAMIC_FLOW) >= DYNAMIC_FRAME_SHARE)


def compute_flow(motion: Motion) -> Flow:
    """The flow of a motion in the picture that frames all of it."""
    where = sample_even(motion.mesh, FLOW_POINT_COUNT, np.random.default_rng(0))
    times = np.arange(motion.time[0], motion.time[-1] + 1e-9, 1.0 / FRAME_RATE)
    shown = np.unique(np.abs(motion.time[None] - times[:, None]).argmin(axis=1))
    points = np.stack([carry(motion.frame(int(i)), where) for i in shown])
    camera = Camera.framing(list(points), motion.mesh.up, 1.0)
    pixels = project_points(camera, points)
    length = np.linalg.norm(np.diff(pixels, axis=0), axis=2)
    if len(length) == 0:
        length = np.zeros((1, FLOW_POINT_COUNT))
    fast = np.sort(length, axis=1)[:, -max(int(FASTEST_SHARE * FLOW_POINT_COUNT), 1) :]
    return Flow(length.mean(axis=1), fast.mean(axis=1))


def project_points(camera: Camera, points: Array) -> Array:
    """Places in the picture [pixels], [..., 2], of points [..., 3]."""
    seen = (points - camera.eye) @ camera.axes.T
    return 0.5 * PICTURE_WIDTH * (1.0 + seen[..., :2] / (-seen[..., 2:] * np.array(camera.tangents)))
