"""The main job on the bundled laptop: `python -m neurok.demo FOLDER` (or `make demo`).

The lid is pulled open along its arc and let go past the upright; it falls
against its stop, and a push from behind slams it shut.
"""

import sys
from pathlib import Path

import numpy as np

import neurok
from neurok.assets.laptop import HINGE, laptop
from neurok.errors import NeurokError

OUTPUTS = ("demo.glb", "demo.usdc", "demo.mp4")


def wishes() -> "neurok.Conditions":
    """What is asked of the laptop: a pull along an arc, gravity, and a late push."""
    machine = laptop()
    lid = machine.mesh.vertices[machine.vertex_link == 1]
    front = lid[lid[:, 1].argmin()]
    share = np.linspace(0.0, 1.0, 61)
    opened = _about_hinge(front, np.radians(100.0) * share**2 * (3 - 2 * share))  # starts and ends gently
    path = tuple((t, *place) for t, place in zip(share.tolist(), opened.tolist()))
    return neurok.Conditions(
        pulls=(neurok.Pull(tuple(front), path=path),),
        pushes=(neurok.Push(tuple(front), force=(0.0, -2.4, 2.0), start=1.5, end=1.75),),
        gravity=(0.0, 0.0, -9.81),
        seconds=2.2,
    )


def _about_hinge(point: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """A point of the lid at the given opening angles [rad], [n, 3]."""
    _, back, up = point - HINGE
    c, s = np.cos(angles), np.sin(angles)
    return HINGE + np.stack([np.full_like(c, point[0]), c * back + s * up, c * up - s * back], axis=1)


def run(folder: Path) -> None:
    """Animate, write the three files, say what happened."""
    machine = laptop()
    conditions = wishes()
    trajectory = neurok.animate(neurok.kinematics(machine), conditions)
    motion = trajectory.motion()
    for name in OUTPUTS:
        neurok.save(motion, folder / name)
    angles = np.degrees(trajectory.states[:, 0])
    written = ", ".join(str(folder / name) for name in OUTPUTS)
    print(
        f"Object:  a laptop made by our own code, {machine.mesh.vertex_count} vertices, one hinge of 0 to 130 degrees"
    )
    print("Asked:   pull the lid open in 1 s and let go; gravity; push it from behind at 1.5 s")
    print(f"Moved:   the lid to {angles.max():.0f} degrees and back to {abs(angles[-1]):.0f}; {trajectory.status}")
    print(f"Wrote:   {written} ({motion.frame_count} frames)")
    print(f"Look:    play {folder / 'demo.mp4'}, or drop {folder / 'demo.glb'} into any glTF viewer")


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        run(folder)
    except NeurokError as fault:
        print(f"neurok: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
