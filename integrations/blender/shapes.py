"""Shapes over time as shape keys, for what bends instead of turning about joints."""

import numpy as np
from numpy.typing import NDArray

from .axes import Axes
from .process import Fault
from .surface import Surface

BASIS, FRAME, DRAGGED = "Basis", "neurok frame", "neurok dragged"


def bake_shapes(surface: Surface, axes: Axes, shapes: NDArray[np.float64], frames: NDArray[np.float64]) -> None:
    """Key the vertices of an object over time: absolute shape keys, passed through by one animated number.

    shapes: of the file [m], [t, n, 3]; frames: of Blender, [t].
    """
    local = _find_local(surface, axes, shapes)
    thing = surface.thing
    if thing.data.shape_keys is not None:
        raise Fault(f"{thing.name} has shape keys already; remove them, or undo the last simulation.")
    if thing.data.users > 1:
        thing.data = thing.data.copy()
    thing.shape_key_add(name=BASIS, from_mix=False)
    keys = thing.data.shape_keys
    keys.use_relative = False
    for number, shape in enumerate(local):
        key = thing.shape_key_add(name=f"{FRAME} {number}", from_mix=False)
        key.interpolation = "KEY_LINEAR"
        key.data.foreach_set("co", shape.astype(np.float32).reshape(-1))
    times = [key.frame for key in keys.key_blocks][1:]
    for time, frame in zip(times, frames.tolist()):
        keys.eval_time = time
        keys.keyframe_insert("eval_time", frame=frame)
    keys.eval_time = times[0]


def show_shape(surface: Surface, axes: Axes, shapes: NDArray[np.float64]) -> None:
    """Show one shape of an object [1, n, 3] as a shape key, in place of a former one."""
    thing = surface.thing
    local = _find_local(surface, axes, shapes)[0]
    keys = thing.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise Fault(f"{thing.name} is simulated already; undo that to drag it.")
    if keys is None:
        thing.shape_key_add(name=BASIS, from_mix=False)
    key = thing.data.shape_keys.key_blocks.get(DRAGGED) or thing.shape_key_add(name=DRAGGED, from_mix=False)
    key.data.foreach_set("co", local.astype(np.float32).reshape(-1))
    key.value = 1.0


def _find_local(surface: Surface, axes: Axes, shapes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shapes in the object's own axes, [t, n, 3]."""
    if shapes.shape[1] != len(surface.vertices):
        raise Fault(
            f"parts of {surface.thing.name} move against each other along shared edges; "
            "find its parts and joints first, then simulate these."
        )
    inside = np.linalg.inv(np.array(surface.thing.matrix_world))
    return axes.read_points(shapes) @ inside[:3, :3].T + inside[:3, 3]
