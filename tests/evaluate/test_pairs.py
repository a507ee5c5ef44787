"""The pairs of the protocol, made again from the files by other means."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from neurok.errors import NeurokError
from neurok.evaluate import jointed, sampled
from neurok.evaluate.objects import find_objects, read_pairs
from neurok.evaluate.pairs import (
    SEPARABLE,
    SOFT,
    classify_object,
    draw_joint_pairs,
    make_plain_mesh,
    spans_bodies,
    unweld_corners,
)
from neurok.geometry.components import vertex_components
from neurok.geometry.mesh import Mesh


def _rigid(xyz: str | None, rpy: str | None) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", [float(x) for x in (rpy or "0 0 0").split()]).as_matrix()
    T[:3, 3] = [float(x) for x in (xyz or "0 0 0").split()]
    return T


def _origin(element: ET.Element) -> np.ndarray:
    found = element.find("origin")
    return np.eye(4) if found is None else _rigid(found.get("xyz"), found.get("rpy"))


def _obj_points(path: Path) -> np.ndarray:
    rows = [line.split()[1:4] for line in path.read_text(errors="replace").splitlines() if line.startswith("v ")]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


class _Twin:
    """The same object read by a few lines of its own: vertices only, straight from URDF and OBJ."""

    def __init__(self, folder: Path) -> None:
        robot = ET.parse(folder / "mobility.urdf").getroot()
        self.joints = robot.findall("joint")
        self.above = {j.find("child").get("link"): j for j in self.joints}
        self.points = {}
        for link in robot.findall("link"):
            visuals = [v for v in link.findall("visual") if v.find("geometry/mesh") is not None]
            parts = []
            for visual in visuals:
                x = _obj_points(folder / visual.find("geometry/mesh").get("filename"))
                T = _origin(visual)
                parts.append(x @ T[:3, :3].T + T[:3, 3])
            if parts:
                self.points[link.get("name")] = np.concatenate(parts)

    def limits(self, diagonal: float) -> tuple[np.ndarray, np.ndarray, list[ET.Element]]:
        low, high, moving = [], [], []
        for joint in self.joints:
            kind, limit = joint.get("type"), joint.find("limit")
            if kind == "fixed":
                continue
            reach = 0.2 * diagonal if kind == "prismatic" else np.pi / 2
            bounded = kind != "continuous" and limit is not None and limit.get("lower") is not None
            a, b = (float(limit.get("lower")), float(limit.get("upper"))) if bounded else (-reach, reach)
            low.append(a), high.append(b), moving.append(joint)
        return np.array(low), np.array(high), moving

    def at(self, values: dict[str, float]) -> np.ndarray:
        def pose(link: str) -> np.ndarray:
            joint = self.above.get(link)
            if joint is None:
                return np.eye(4)
            T, value = np.eye(4), values.get(joint.get("name"), 0.0)
            if joint.get("type") != "fixed":
                axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
                axis /= np.linalg.norm(axis)
                if joint.get("type") == "prismatic":
                    T[:3, 3] = value * axis
                else:
                    T[:3, :3] = Rotation.from_rotvec(value * axis).as_matrix()
            return pose(joint.find("parent").get("link")) @ _origin(joint) @ T

        parts = [x @ pose(link)[:3, :3].T + pose(link)[:3, 3] for link, x in self.points.items()]
        return np.concatenate(parts)


def _values(low, high, generator):
    """The text of the protocol, word by word."""
    moving = [i for i in range(len(low)) if high[i] > low[i]]
    nearest = np.array([min(max(0.0, a), b) for a, b in zip(low, high)])
    pairs = []
    b = nearest.copy()
    j = moving[generator.integers(len(moving))]
    while True:
        b[j] = generator.uniform(low[j], high[j])
        if abs(b[j] - nearest[j]) >= 0.4 * (high[j] - low[j]):
            break
    pairs.append((nearest, b))

    def everything():
        x = nearest.copy()
        for i, value in zip(moving, generator.uniform(low[moving], high[moving])):
            x[i] = value
        return x

    pairs.append((nearest, everything()))
    pairs.append((everything(), everything()))
    one, other = nearest.copy(), nearest.copy()
    for i, coin in zip(moving, generator.random(len(moving))):
        one[i], other[i] = (low[i], high[i]) if coin < 0.5 else (high[i], low[i])
    return [*pairs, (one, other)]


# a faucet, an object with a joint of no range, a bottle (turn and slide), a cabinet with drawers and doors
@pytest.mark.data
@pytest.mark.parametrize("name", ["168", "7265", "3616", "44781"])
def test_pairs_reproduce_from_the_files(shared_data, name):
    folder = shared_data / "partnet_mobility"
    pairs = jointed.make_jointed_pairs(folder, name, "x")
    twin = _Twin(folder / name)
    zero = twin.at({})
    low, high, joints = twin.limits(float(np.linalg.norm(np.ptp(zero, axis=0))))
    states = _values(low, high, np.random.default_rng([0, int(name)]))
    for pair, (a, b) in zip(pairs, states, strict=True):
        x, y = (twin.at({j.get("name"): v for j, v in zip(joints, values)}) for values in (a, b))
        assert pair.mesh.diagonal == pytest.approx(1.0, abs=1e-12)
        assert np.abs(pair.mesh.bounds.mean(axis=0)).max() < 1e-12
        # Both know the same points, up to vertices no face uses: compare from ours to theirs.
        scale = _box(x)
        distance, _ = cKDTree(x).query(pair.mesh.vertices * scale[0] + scale[1])
        assert distance.max() < 2e-5 * scale[0]
        distance, _ = cKDTree(y).query(pair.target.reshape(-1, 3) * scale[0] + scale[1])
        assert distance.max() < 2e-5 * scale[0]


def _box(points) -> tuple[float, np.ndarray]:
    """Diagonal and centre of the box around points."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    return float(np.linalg.norm(upper - lower)), 0.5 * (lower + upper)


@pytest.mark.data
def test_the_truth_of_a_pair_is_its_mesh(shared_data):
    """The oracle's object has the pair's faces in the pair's places, and its joints reach the target."""
    from neurok.evaluate.methods.recipe import fit_space
    from neurok.evaluate.targets import make_target
    from neurok.kinematics.articulated import Articulated

    folder = shared_data / "partnet_mobility"
    for name in ("3616", "44781"):
        for pair in jointed.make_jointed_pairs(folder, name, "x"):
            space = Articulated(pair.truth)
            assert np.abs(space.mesh.vertices[space.mesh.faces] - pair.rest).max() < 2e-5
            target = make_target(pair, "corresponding")
            assert np.abs(fit_space(space, target) - pair.target).max() < 1e-5


@pytest.mark.data
def test_dev_is_46_objects_of_which_24_are_fused(shared_data):
    """Counted by hand once: connected components of the welded zero state that span two bodies."""
    entries = find_objects(str(shared_data), "dev")
    assert len(entries) == 46
    assert len(find_objects(str(shared_data), "animated-dev")) == 19
    assert (
        len([entry for entry in find_objects(str(shared_data), "all") if entry.split]) == 362
    )  # others are of no split
    few = {e.file: e for e in entries}
    kinds = {name: classify_object(read_pairs(few[name])) for name in ("168", "8893", "12249", "11361")}
    assert kinds == {"168": "separable", "8893": "fused", "12249": "separable", "11361": "fused"}


# ---------------------------------------------------------------- small parts


def _two_boxes() -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)])
    return np.concatenate([corners, corners + [1, 0, 0]]), np.concatenate([faces, faces + 8])


def test_a_plain_mesh_is_welded_shuffled_and_of_diagonal_one():
    vertices, faces = _two_boxes()
    made = make_plain_mesh(vertices * 3.0 + 7.0, faces, "z", np.random.default_rng(0))
    assert made.mesh.vertex_count == 12  # four corners are shared
    assert vertex_components(made.mesh)[0] == 1
    assert made.mesh.diagonal == pytest.approx(1.0)
    assert not np.array_equal(made.face, np.arange(24)) and set(made.face) == set(range(24))
    # Vertices are numbered as the shuffled faces come: nothing of the file's order is left.
    _, first = np.unique(made.mesh.faces.ravel(), return_index=True)
    assert np.all(np.diff(first) > 0)
    same = made.to_corners(vertices * 3.0 + 7.0, faces)
    assert np.abs(same - made.mesh.vertices[made.mesh.faces]).max() < 1e-12
    apart = np.concatenate([vertices[:8], vertices[8:] + [0.001, 0, 0]])
    assert make_plain_mesh(apart, faces, "z", np.random.default_rng(0)).mesh.vertex_count == 16


def test_spans_sees_a_component_of_two_bodies():
    vertices, faces = _two_boxes()
    body = np.repeat([0, 1], 12)
    made = make_plain_mesh(vertices, faces, "z", np.random.default_rng(0))
    assert spans_bodies(made.mesh, body[made.face]) and not spans_bodies(made.mesh, 0 * body)
    made = make_plain_mesh(
        vertices + np.repeat([[0, 0, 0], [0.1, 0, 0]], 8, axis=0), faces, "z", np.random.default_rng(0)
    )
    assert not spans_bodies(made.mesh, body[made.face])


def test_joint_pairs_leave_joints_without_range_alone():
    low, high = np.array([0.0, 2.0, -1.0]), np.array([0.0, 3.0, 1.0])
    for seed in range(20):
        pairs = draw_joint_pairs(low, high, np.random.default_rng(seed))
        for a, b in pairs:
            assert a[0] == b[0] == 0.0 and np.all(a >= low) and np.all(b <= high)
        a, b = pairs[0]
        assert a.tolist() == [0.0, 2.0, 0.0]
        assert sorted(np.abs(b - a) > 0) == [False, False, True]
        assert (np.abs(b - a) / np.where(high > low, high - low, 1)).max() >= 0.4
        a, b = pairs[3]
        assert np.allclose(np.abs(a - b)[1:], (high - low)[1:])


def _motion_file(path: Path, frames: np.ndarray, faces: np.ndarray) -> None:
    np.savez(path, vertices=frames[0], faces=faces, time=np.arange(len(frames)) / 10, frames=frames)


def test_npz_motions_give_pairs_without_the_motion_of_the_whole(tmp_path):
    vertices, faces = _two_boxes()
    far = np.repeat([0.0, 1.0], 8)[:, None]
    frames = np.stack([vertices + far * [0.1 * t, 0, 0] + [0, 0.7 * t, 0] for t in range(8)])
    _motion_file(tmp_path / "slide.npz", frames, faces)
    (entry,) = find_objects(str(tmp_path), "all")
    pairs = read_pairs(entry)
    assert len(pairs) == 4 and classify_object(pairs) == SOFT
    first = pairs[0]
    moved = first.target - first.rest
    assert np.abs(moved.mean(axis=(0, 1))).max() < 1e-6  # boxes of equal area part, and the middle stays
    assert np.ptp(moved[..., 0]) * np.sqrt(6) == pytest.approx(0.7, rel=1e-6)
    again = read_pairs(entry)
    assert all(np.array_equal(p.target, q.target) for p, q in zip(pairs, again))
    assert not np.array_equal(read_pairs(entry, seed=1)[1].target, pairs[1].target)


def test_a_store_gives_pairs_of_its_states(tmp_path):
    from neurok.commands.main import main

    assert main(["data", "build", "tiny", "-o", str(tmp_path / "s"), "--limit", "2", "--workers", "1"]) == 0
    entries = find_objects(str(tmp_path / "s"), "all")
    assert len(entries) == 2
    for entry in entries:
        pairs = read_pairs(entry)
        assert len(pairs) == 4 and all(np.abs(p.target - p.rest).max() > 1e-3 for p in pairs)


def test_bodies_of_a_sample_are_links_that_move_apart():
    from neurok.data.sample import Facts, MotionSample

    vertices, faces = _two_boxes()
    T = np.tile(np.eye(4)[:3], (3, 3, 1, 1)).astype(np.float32)
    T[:, 2, 0, 3] = [0.0, 0.5, 1.0]
    link = np.repeat([0, 1], 8).astype(np.int32)
    none = np.zeros(0, dtype=np.int32)
    facts = Facts("a", "b", "c", "d", "e")
    made = MotionSample(facts, vertices.astype(np.float32), faces.astype(np.int32), link, T, none, np.zeros((3, 0, 3)))
    assert len(set(sampled.find_rigid_bodies(made))) == 1  # two links, never apart
    made = MotionSample(facts, made.vertices, made.faces, 2 * link, T, none, np.zeros((3, 0, 3)))
    assert len(set(sampled.find_rigid_bodies(made))) == 2
    assert classify_object(sampled.make_sampled_pairs(made, "x", "y")) in (SEPARABLE, "fused")


@pytest.mark.parametrize(
    ("content", "split", "says"),
    [
        ({}, "all", "nothing to measure"),
        ({"a.npz": b"PK nonsense"}, "dev", "names no splits"),
        ({"1/mobility.urdf": b"<robot/>", "index.json": b"{"}, "all", "cannot be used"),
        (
            {"1/mobility.urdf": b"<robot/>", "index.json": b'{"partnet_mobility": {"dev": [{"id": "1"}]}}'},
            "test",
            "dev",
        ),
        (
            {"1/mobility.urdf": b"<robot/>", "index.json": b'{"partnet_mobility": {"dev": [1]}}'},
            "dev",
            "cannot be used",
        ),
    ],
)
def test_bad_folders_are_one_sentence(tmp_path, content, split, says):
    for name, data in content.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with pytest.raises(NeurokError, match=says):
        find_objects(str(tmp_path), split)


def test_torn_faces_share_no_vertex():
    mesh = unweld_corners(np.zeros((5, 3, 3)))
    assert (
        isinstance(mesh, Mesh)
        and mesh.vertex_count == 15
        and np.array_equal(np.sort(mesh.faces.ravel()), np.arange(15))
    )
