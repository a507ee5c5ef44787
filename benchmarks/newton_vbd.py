"""Run by `rivals` in a Python that has newton: a cloth or a cushion by VBD; what a simulated second costs, as JSON."""

import json
import sys
import time

import newton
import numpy as np
import warp as wp

STRETCH = 2.0


def model(job: dict, height: float = 1.0):
    """The same cloth, held by one edge, or cushion, held by its lower face."""
    builder = newton.ModelBuilder()
    place = {"pos": wp.vec3(0.0, 0.0, height), "rot": wp.quat_identity(), "vel": wp.vec3(0.0, 0.0, 0.0)}
    if job["name"] == "cloth":
        n = job["side"] - 1
        builder.add_cloth_grid(
            **place, dim_x=n, dim_y=n, cell_x=1 / n, cell_y=1 / n, mass=0.25 / (n + 1) ** 2, fix_left=True,
            tri_ke=60.0, tri_ka=60.0, tri_kd=1e-4, edge_ke=1e-4, edge_kd=0.0, particle_radius=0.002,
        )  # fmt: skip
    else:
        n = job["nodes"] - 1
        builder.add_soft_grid(
            **place, dim_x=n, dim_y=n, dim_z=n, cell_x=0.5 / n, cell_y=0.4 / n, cell_z=0.15 / n, density=80.0,
            k_mu=2083.0, k_lambda=1389.0, k_damp=1e-3, particle_radius=0.002,
        )  # fmt: skip
        for index, place_of in enumerate(builder.particle_q):
            if place_of[2] < height + 1e-6:
                builder.particle_mass[index] = 0.0
    builder.color()
    return builder.finalize(device="cpu")


def cost(job: dict, step: float) -> float | None:
    """Seconds for a simulated one; None where positions are not finite or the body is torn."""
    made = model(job)
    solver = newton.solvers.SolverVBD(made, iterations=10)
    now, after, control = made.state(), made.state(), made.control()
    first = now.particle_q.numpy()
    size = np.linalg.norm(np.ptp(first, axis=0))
    seconds = 0.0
    for index in range(job["count"] + 2):
        start = time.process_time()
        solver.step(now, after, control, None, step)
        wp.synchronize()
        seconds += (time.process_time() - start) if index >= 2 else 0.0  # the first ones compile
        now, after = after, now
    last = now.particle_q.numpy()
    stable = np.isfinite(last).all() and np.linalg.norm(np.ptp(last, axis=0)) < STRETCH * size
    return seconds / (job["count"] * step) if stable else None


def main() -> None:
    wp.config.quiet = True
    job = json.loads(sys.argv[1])
    for step in job["steps"]:
        found = cost(job, step)
        if found is not None:
            print(json.dumps({"cost": found, "step": step}))
            return
    print(json.dumps({"cost": float("nan"), "step": 0.0}))


if __name__ == "__main__":
    main()
