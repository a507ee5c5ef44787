"""Throw the laptop: a free base adds six coordinates, and the ground pushes back."""

import numpy as np

import neurok
from neurok.assets.laptop import laptop

space = neurok.kinematics(laptop(), base="free")
corner = tuple(space.mesh.vertices[space.mesh.vertices[:, :2].sum(axis=1).argmax()])
conditions = neurok.Conditions(
    base="free",
    ground=True,
    ground_height=-0.3,  # it falls 30 cm
    velocities=(neurok.Velocity(corner, (0.3, 0.0, 0.6)),),  # and one corner is flung upwards
    friction=0.6,
    damping=1.0,
    seconds=2.5,
)
trajectory = neurok.animate(space, conditions)
print(trajectory.status)

motion = trajectory.motion()
frames = motion.frames
lowest = frames[..., 2].min(axis=1)
speed = np.linalg.norm(frames[-1] - frames[-2], axis=1).max() * conditions.fps
print(f"lowest point: {lowest.min() * 1000:.1f} mm; at the end it moves at {speed * 1000:.0f} mm/s")
assert lowest.min() > -0.3 - 0.002 * space.mesh.diagonal  # the ground holds its corners out
assert lowest[-1] < -0.29  # and it has come down
assert speed < 0.2
assert trajectory.contacts.max() > 0

print("wrote", neurok.save(motion, "tumble.glb"))
