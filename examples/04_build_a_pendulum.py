"""Build an object with a joint in code, and check its swing against the exact period."""

import numpy as np
from scipy.special import ellipk

import neurok
from neurok.assets.laptop import METAL
from neurok.assets.shapes import block
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link
from neurok.geometry.mesh import merge

LENGTH, WIDTH, START = 0.5, 0.02, np.radians(60.0)

rod = block("rod", (WIDTH, WIDTH, LENGTH), METAL)
rod = rod.with_vertices(rod.vertices - (0.0, 0.0, LENGTH))  # hangs from the origin
stand = block("stand", (0.1, 0.1, 0.02), METAL)
hinge = Joint("hinge", "continuous", parent=0, child=1, origin=np.eye(4), axis=np.array([1.0, 0.0, 0.0]))

# Without stated masses the surface carries the mass evenly; a solid bar states its own.
MASS, CENTRE = 0.3, np.array([0.0, 0.0, -LENGTH / 2])
across = MASS * (LENGTH**2 + WIDTH**2) / 12
solid = Inertia(MASS, CENTRE, np.diag([across, across, MASS * WIDTH**2 / 6]))
links = (Link("stand", np.eye(4)), Link("rod", np.eye(4), solid))
vertex_link = np.repeat([0, 1], [stand.vertex_count, rod.vertex_count])
pendulum = Articulation(merge([stand, rod], names=["stand", "rod"]), vertex_link, links, (hinge,), name="pendulum")

tip = np.array([0.0, 0.0, -LENGTH])
turned = LENGTH * np.array([0.0, np.sin(START), -np.cos(START)])
conditions = neurok.Conditions(
    starts=(neurok.Start(tuple(tip), by=tuple(turned - tip)),),
    gravity=(0.0, 0.0, -9.81),
    damping=0.0,
    seconds=4.0,
    fps=240,
)
trajectory = neurok.animate(neurok.kinematics(pendulum), conditions)

# The period of a large swing: 4 sqrt(I / (m g d)) K(sin(start / 2)), I about the hinge, d the centre's distance.
reach = (across / MASS + (LENGTH / 2) ** 2) / (LENGTH / 2)
exact = 4 * np.sqrt(reach / 9.81) * ellipk(np.sin(START / 2) ** 2)
angle = trajectory.states[:, 0]
down = np.flatnonzero((angle[:-1] > 0) != (angle[1:] > 0))
crossing = trajectory.time[down] + (trajectory.time[down + 1] - trajectory.time[down]) * angle[down] / (
    angle[down] - angle[down + 1]
)
period = 2 * np.diff(crossing).mean()
print(f"period {period:.5f} s, exact {exact:.5f} s; energy drift {trajectory.drift:.1e}")
assert abs(period / exact - 1) < 2e-3
assert trajectory.drift < 1e-3

for name in ("pendulum.urdf", "pendulum.glb"):
    print("wrote", neurok.save(pendulum, name))
