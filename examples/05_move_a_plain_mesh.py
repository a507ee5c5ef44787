"""A mesh without joints: what it can do is learned. States to look at, a pose from one dragged point, and a motion."""

import numpy as np

import neurok
from neurok.demo import make_plain_laptop

mesh, lid = make_plain_laptop()  # one surface, half open; `lid` is only asked to check the answer
model = neurok.load()  # the model that came with neurok; neurok.load("RUN/weights") takes one that you have trained
space = neurok.kinematics(mesh, model)
print(f"{space.size} coordinates: {', '.join(space.names)}")

for state in neurok.sample(space, 8):  # plausible states, drawn from what was learned
    assert np.all(np.isfinite(state)) and np.all(state >= space.lower.numpy()) and np.all(state <= space.upper.numpy())

# The lid's upper edge is drawn back by five centimetres: the lid follows, the rest stays where it is.
edge = mesh.vertices[lid][mesh.vertices[lid][:, 2].argmax()]
found = neurok.fit(space, pulls=[(edge, (0.0, 0.05, 0.0))])
moved = np.linalg.norm(found.mesh.vertices - mesh.vertices, axis=1)
print(
    f"{found.status}; the lid moves by up to {100 * moved[lid].max():.1f} cm, the rest by {100 * moved[~lid].max():.1f}"
)
assert moved[lid].max() > 0.04 and moved[~lid].max() < 0.2 * moved[lid].max()

# Let go there, it swings.
conditions = neurok.Conditions(starts=(neurok.Start(tuple(edge), (0.0, 0.05, 0.0)),), seconds=1.0)
trajectory = neurok.animate(space, conditions)
print(trajectory.status)
assert np.ptp(trajectory.states, axis=0).max() > 0.05

print("wrote", neurok.save(trajectory.motion(), "plain_laptop.glb"))
