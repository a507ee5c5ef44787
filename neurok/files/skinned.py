"""The skin of a motion, for writers that have already decided to write one."""

from neurok.errors import OutputError
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion, Skin


def require_skin(motion: Motion) -> tuple[Skin, Array]:
    """The skin of a motion and its bones' motions, [t, b, 4, 4]; an error for a motion of free points."""
    if motion.skin is None or motion.transforms is None:
        raise OutputError(f"the motion '{motion.name}' has no skin", "write it as moving points")
    return motion.skin, motion.transforms
