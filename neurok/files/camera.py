"""The camera of a picture: a direction, and the distance at which everything fits."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from neurok.errors import OptionError, OutputError
from neurok.geometry.arrays import Array
from neurok.geometry.rotation import skew

# Towards the viewer at azimuth 0, for each upward axis. What exporters call the front
# (+z where y is up, -y or -x where z is up) is then in sight in a three-quarter view.
FRONT_AXES = {"y": (0, 0, 1), "z": (0, -1, 0), "x": (0, 0, 1)}
THREE_QUARTER_AZIMUTHS = {"y": 32.0, "z": -40.0, "x": 32.0}
KNOWN_FRONT_AZIMUTH = 30.0  # of a three-quarter view where the front is known [degrees]


@dataclass(frozen=True)
class CameraView:
    """The direction from which to look at an object, and the angle of view.

    azimuth: degrees about the upward axis, 0 sees the front, 90 the object's side to the viewer's right;
        None for a three-quarter view. elevation: degrees above the horizon.
    opening: vertical angle of view in degrees. margin: share of the picture kept free on each side.
    front: the horizontal direction that the object faces, where it is known, [3].
    """

    azimuth: float | None = None
    elevation: float = 20.0
    opening: float = 28.0
    margin: float = 0.1
    front: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if not 1.0 <= self.opening <= 120.0 or not 0.0 <= self.margin < 0.5:
            raise OptionError("a view opens 1 to 120 degrees with a margin below one half", "use the defaults")
        if not -89.0 <= self.elevation <= 89.0:
            raise OptionError(f"an elevation of {self.elevation} degrees has no upward side", "use -89 to 89")

    def axes(self, up: str) -> Array:
        """Right, up and towards the viewer in the object's axes, rows of a rotation, [3, 3]."""
        vertical = np.eye(3)["xyz".index(up)]
        front = np.array(FRONT_AXES[up] if self.front is None else self.front, dtype=np.float64)
        right = np.cross(vertical, front)
        usual = THREE_QUARTER_AZIMUTHS[up] if self.front is None else KNOWN_FRONT_AZIMUTH
        turn = np.radians(usual if self.azimuth is None else self.azimuth)
        lift = np.radians(self.elevation)
        level = np.cos(turn) * front + np.sin(turn) * right
        towards = np.cos(lift) * level + np.sin(lift) * vertical
        sideways = np.cross(vertical, level)
        return np.stack([sideways, np.cross(towards, sideways), towards])


@dataclass(frozen=True)
class Camera:
    """A view with its position, fixed for all frames of a motion.

    axes: right, up, towards the viewer, [3, 3]; vertical: the object's upward axis, [3].
    eye: where the viewer is [unit], [3]. tangents: half width and half height of the picture at distance 1.
    lower, upper: corners of the box around all that moves [unit], [3] each; size: its diagonal.
    ground: height of its lowest point along the vertical [unit].
    """

    axes: Array
    vertical: Array
    eye: Array
    tangents: tuple[float, float]
    lower: Array
    upper: Array
    size: float
    ground: float

    @property
    def centre(self) -> Array:
        return 0.5 * (self.lower + self.upper)

    @classmethod
    def framing(cls, frames: Iterable[Array], up: str, aspect: float, view: CameraView | None = None) -> "Camera":
        """The nearest camera that sees all points of all frames ([n, 3] each) within the margins.

        A point p with coordinates (x, y, z) along the axes is inside if |x - cx| <= (d - z) tx, and so for y:
        four maxima over all points give the distance d and the centre (cx, cy).
        """
        view = view or CameraView()
        axes = view.axes(up)
        tall = float(np.tan(np.radians(view.opening) / 2))
        tangents = (tall * aspect, tall)
        inner = (1.0 - 2.0 * view.margin) * np.array(tangents)
        lower, upper, reach, nearest = np.full(3, np.inf), np.full(3, -np.inf), np.full((2, 2), -np.inf), -np.inf
        for frame in frames:
            if not np.all(np.isfinite(frame)):
                raise OutputError("the motion has points that are not finite", "it cannot be pictured")
            lower, upper = np.minimum(lower, frame.min(axis=0)), np.maximum(upper, frame.max(axis=0))
            seen = frame @ axes.T
            for i in range(2):
                for j, side in enumerate((1.0, -1.0)):
                    reach[i, j] = max(reach[i, j], np.max(side * seen[:, i] + inner[i] * seen[:, 2]))
            nearest = max(nearest, float(seen[:, 2].max()))
        size = float(np.linalg.norm(upper - lower)) or 1.0
        distance = float(np.max(reach.sum(axis=1) / (2.0 * inner)))
        distance = max(distance, nearest + 0.02 * size)  # never inside a flat or single-point object
        across = 0.5 * (reach[:, 0] - reach[:, 1])
        eye = across @ axes[:2] + distance * axes[2]
        vertical = np.eye(3)["xyz".index(up)]
        return cls(axes, vertical, eye, tangents, lower, upper, size, float(lower @ vertical))

    def clip_matrix(self) -> Array:
        """Projection from the scaled axes of `scaled` to clip space, [4, 4]."""
        eye = self.scaled(self.eye[None])[0]
        depth = self.scaled(np.stack([self.lower, self.upper]))
        corners = np.array([[depth[i, 0], depth[j, 1], depth[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        along = (eye - corners) @ self.axes[2]
        near, far = max(0.5 * float(along.min()), 1e-3 * float(along.max())), 3.0 * float(along.max()) + 10.0
        view = np.eye(4)
        view[:3, :3] = self.axes
        view[:3, 3] = -self.axes @ eye
        project = np.zeros((4, 4))
        project[0, 0], project[1, 1] = 1.0 / self.tangents[0], 1.0 / self.tangents[1]
        project[2, 2], project[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
        project[3, 2] = -1.0
        return project @ view

    def scaled(self, points: Array) -> Array:
        """Points moved and scaled so that all that moves has size one: single precision then suffices, [n, 3]."""
        return (np.asarray(points, dtype=np.float64) - self.centre) / self.size

    def project(self, points: Array, size: tuple[int, int]) -> Array:
        """Columns and rows of points [unit], [..., 3], in a picture of size (width, height), from its upper left,
        [..., 2]."""
        seen = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        across = seen[..., :2] / (-seen[..., 2:] * np.array(self.tangents))
        found: Array = (across * (1.0, -1.0) + 1.0) * 0.5 * np.array(size, dtype=np.float64)
        return found

    def turned(self, angle: float) -> "Camera":
        """The camera gone round the vertical through the middle of everything, by an angle [rad]."""
        K = skew(self.vertical)
        R = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
        return replace(self, axes=self.axes @ R.T, eye=self.centre + R @ (self.eye - self.centre))
