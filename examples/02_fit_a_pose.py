"""Find the pose of an object from a surface in another order: which angle has this lid?"""

import numpy as np

import neurok
from neurok.assets.laptop import laptop
from neurok.geometry.mesh import Mesh
from neurok.mechanics.descent import pose_mesh

space = neurok.kinematics(laptop())
truth = np.radians([75.0])

# The target is only a surface: vertices and faces are shuffled, so that nothing tells which point is which.
rng = np.random.default_rng(0)
target = pose_mesh(space, truth)
order = rng.permutation(target.vertex_count)
faces = np.argsort(order)[target.faces][rng.permutation(target.face_count)]
scan = Mesh(target.vertices[order], faces, up="z")

found = neurok.fit(space, scan)
print(found.status)
print(f"found {np.degrees(found.state[0]):.3f} degrees, truth 75")
assert abs(np.degrees(found.state[0]) - 75.0) < 0.5
assert np.abs(found.mesh.vertices - target.vertices).max() < 2e-3  # the answer keeps the object's own vertex order

# A few dragged points do as well: pull the front edge to where it is at 40 degrees.
lid = space.mesh.vertices[laptop().vertex_link == 1]
front = lid[lid[:, 1].argmin()]
wanted = pose_mesh(space, np.radians([40.0])).vertices[np.abs(space.mesh.vertices - front).sum(axis=1).argmin()]
dragged = neurok.fit(space, pulls=[(front, wanted - front)])
print(f"dragged to {np.degrees(dragged.state[0]):.2f} degrees")
assert abs(np.degrees(dragged.state[0]) - 40.0) < 0.1

print("wrote", neurok.save(found.mesh, "fitted.ply"))
