"""Open a laptop's lid past the upright, let go, and watch it fall against its stop."""

import numpy as np

import neurok
from neurok.assets.laptop import BUNDLED

asset = neurok.load(BUNDLED)  # any URDF, or a PartNet-Mobility folder
space = neurok.kinematics(asset)  # the joints are the state: one angle [rad]
print("coordinates:", *space.names)

lid = asset.mesh.vertices[asset.articulation.vertex_link == 1]
front = lid[lid[:, 1].argmin()]  # a point on the lid's front edge
conditions = neurok.Conditions(
    starts=(neurok.Start(tuple(front), by=(0.0, 0.26, 0.20)),),  # begin a little past the upright
    gravity=(0.0, 0.0, -9.81),
    seconds=2.0,
)
trajectory = neurok.animate(space, conditions)
print(trajectory.status)

angles = np.degrees(trajectory.states[:, 0])
print(f"the lid fell from {angles[0]:.0f} to {angles[-1]:.0f} degrees; its stop is at 130")
assert 91 < angles[0] < 110
assert abs(angles[-1] - 130) < 2
assert trajectory.potential[-1] < trajectory.potential[0]

print("wrote", neurok.save(trajectory.motion(), "swing.glb"))
