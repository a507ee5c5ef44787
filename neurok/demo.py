"""The main job on the bundled laptop: `python -m neurok.demo FOLDER` (or `make demo`).

The laptop stands half open and is given as a plain mesh without joints or parts. The motion of its lid is learned: it
is pulled back by its upper edge, released, swings about its first position and is pushed once from behind.
"""

import sys
from pathlib import Path

import numpy as np
import torch

import neurok
from neurok.assets.laptop import HINGE, laptop
from neurok.errors import NeurokError
from neurok.geometry.arrays import Array, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import at_vertices

OUTPUT_NAMES = ("demo.glb", "demo.usdc", "demo.mp4")
OPENING_ANGLE = np.radians(80.0)


def make_plain_laptop() -> tuple[Mesh, Mask]:
    """The laptop half open as one mesh without parts or joints, and which vertices belong to its lid, [n]."""
    machine = laptop()
    posed = neurok.kinematics(machine).positions(
        torch.tensor([OPENING_ANGLE], dtype=torch.float64), at_vertices(machine.mesh)
    )
    mesh = machine.mesh.with_vertices(posed.numpy())
    return mesh, machine.vertex_link == 1


def build_conditions(mesh: Mesh, lid: Mask) -> "neurok.Conditions":
    """The conditions of the motion: a pull of the upper edge of the lid along an arc, and a late push."""
    edge = mesh.vertices[lid][mesh.vertices[lid][:, 2].argmax()]
    share = np.linspace(0.0, 1.0, 31)
    opened = _about_hinge(edge, np.radians(35.0) * share**2 * (3 - 2 * share))  # starts and ends gently
    path = tuple((t, *place) for t, place in zip((0.6 * share).tolist(), opened.tolist()))
    return neurok.Conditions(
        pulls=(neurok.Pull(tuple(edge), path=path),),
        pushes=(neurok.Push(tuple(edge), force=(0.0, -1.5, 0.0), start=2.0, end=2.15),),
        seconds=3.2,
    )


def _about_hinge(point: Array, angles: Array) -> Array:
    """The positions of a point of the lid after it is opened by further angles [rad], [n, 3]."""
    _, back, up = point - HINGE
    c, s = np.cos(angles), np.sin(angles)
    return HINGE + np.stack([np.full_like(c, point[0]), c * back + s * up, c * up - s * back], axis=1)


def measure_opening(vertices: Array, lid: Mask) -> float:
    """The opening angle of the lid [degrees]: the slope of the plane through its vertices."""
    x = vertices[lid] - vertices[lid].mean(axis=0)
    _, _, axes = np.linalg.svd(x[:, 1:], full_matrices=False)  # the hinge lies along x
    back, up = axes[0] * np.sign(axes[0][1])
    return float(np.degrees(np.arctan2(up, -back)))


def run_demo(folder: Path) -> None:
    """Animate the laptop, write the three files and print a summary."""
    mesh, lid = make_plain_laptop()
    space = neurok.kinematics(mesh, kind="learned")
    trajectory = neurok.animate(space, build_conditions(mesh, lid))
    motion = trajectory.motion()
    for name in OUTPUT_NAMES:
        neurok.save(motion, folder / name)
    angles = [measure_opening(motion.frame(i), lid) for i in range(motion.frame_count)]
    stray = max(np.abs(motion.frame(i)[~lid] - mesh.vertices[~lid]).max() for i in range(motion.frame_count))
    written = ", ".join(str(folder / name) for name in OUTPUT_NAMES)
    print(f"Object:  a laptop as a plain mesh of {mesh.vertex_count} vertices, without joints or parts")
    print(f"Asked:   pull the lid's edge back and let go; push it at 2 s (learned coordinates: {space.size})")
    print(
        f"Moved:   the lid between {min(angles):.0f} and {max(angles):.0f} degrees; the base by {1000 * stray:.1f} mm; "
        f"{trajectory.status}"
    )
    print(f"Wrote:   {written} ({motion.frame_count} frames)")
    print(f"Look:    play {folder / 'demo.mp4'}, or drop {folder / 'demo.glb'} into any glTF viewer")


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        run_demo(folder)
    except NeurokError as fault:
        print(f"neurok: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
