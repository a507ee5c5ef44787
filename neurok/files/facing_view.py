"""Where to look from: at the front of an object, where what moves of it tells which side that is."""

from collections.abc import Sequence

from neurok.files.camera import CameraView
from neurok.files.colors import make_rgb
from neurok.geometry.front import find_front
from neurok.geometry.mesh import Mesh
from neurok.geometry.moving_parts import JointedPart

MARGIN = 0.06  # share of a picture kept free on each side


def face_front(
    mesh: Mesh, parts: Sequence[JointedPart], azimuth: float | None = None, elevation: float = 20.0
) -> CameraView:
    """A view by its azimuth and elevation [degrees], counted from the front that the moving parts tell, else from the
    front by convention."""
    front = find_front(mesh, parts)
    return CameraView(azimuth, elevation, margin=MARGIN, front=None if front is None else make_rgb(front))
