"""Single frames of a motion, with what moves in it tinted where that is wanted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neurok.files.arrows import draw_axes
from neurok.files.camera import Camera
from neurok.files.ghost import Highlighter
from neurok.files.renderer import Renderer
from neurok.geometry.motion import Motion
from neurok.geometry.moving_parts import JointAxis, JointedPart

MAX_AXES = 4  # set by hand: more arrows, as those of a plant's leaves, hide what they explain


class MotionPictures:
    """Pictures of a motion; parts: those to be tinted, with ghosts and axes, none for the motion as it is.

    Axes are drawn where no more than MAX_AXES parts move.
    """

    def __init__(self, motion: Motion, parts: Sequence[JointedPart] = ()) -> None:
        self.motion, self.parts = motion, parts
        self.highlighter = None
        if parts:
            moved = np.any([part.vertices for part in parts], axis=0)
            self.highlighter = Highlighter(motion.mesh, moved)

    def picture(self, renderer: Renderer, index: int, camera: Camera) -> NDArray[np.uint8]:
        """One frame, [h, w, 3]."""
        shape = self.motion.frame(index)
        if self.highlighter is None:
            return renderer.picture(self.motion.mesh, shape, camera=camera)
        return draw_axes(self.highlighter.picture(renderer, shape, camera), camera, self._place_axes(index))

    def _place_axes(self, index: int) -> list[JointAxis]:
        """Where the axes of the parts are in a frame: each is carried by what its part moves against."""
        if len(self.parts) > MAX_AXES:
            return []
        known = [(part.axis, part.carrier) for part in self.parts if part.axis is not None]
        if self.motion.transforms is None:
            return [axis for axis, _ in known]
        X = self.motion.transforms[index]
        return [axis if carrier < 0 else axis.carried(X[carrier]) for axis, carrier in known]
