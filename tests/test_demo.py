"""What `make demo` writes is a laptop whose lid moves as one."""

import numpy as np
import pytest

import neurok
from neurok import demo
from neurok.geometry.rigid import rigid_from_points


def test_the_lid_of_the_demo_moves_as_one(tmp_path):
    pytest.importorskip("moderngl")
    pytest.importorskip("pxr")
    demo.run_demo(tmp_path)
    _, lid = demo.make_plain_laptop()
    motion = neurok.load(tmp_path / "demo.glb").motions[0]
    rest, far = motion.frame(0), 0.0
    for number in range(0, motion.frame_count, 12):
        frame = motion.frame(number)
        T = rigid_from_points(rest[lid], frame[lid])
        apart = np.linalg.norm(rest[lid] @ T[:3, :3].T + T[:3, 3] - frame[lid], axis=1)
        assert np.quantile(apart, 0.99) < 0.01 * motion.mesh.diagonal
        far = max(far, float(np.linalg.norm(frame[lid] - rest[lid], axis=1).max()))
    assert far > 0.2 * motion.mesh.diagonal
