"""Our own .npz: numpy reads it, it comes back, it never changes its bytes, and damage is an error."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurok.errors import InputError, NeurokError, OutputError
from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, rigid_skin

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
MESH = Mesh(VERTICES, FACES, up="z", unit=0.01)
TIME = np.array([0.0, 0.1, 0.25])


def motion(dtype=np.float64) -> Motion:
    shifts = np.arange(36).reshape(3, 4, 3) / 7
    return Motion(MESH, TIME, positions=(VERTICES + shifts).astype(dtype))


def skin_motion() -> Motion:
    X = np.tile(np.eye(4), (3, 2, 1, 1))
    X[:, 1, 0, 3] = TIME
    return Motion(
        MESH, TIME, skin=rigid_skin([0, 0, 1, 1], ("a", "b"), [-1, 0], np.tile(np.eye(4), (2, 1, 1))), transforms=X
    )


def test_numpy_reads_the_stated_keys(tmp_path):
    with np.load(save(motion(np.float32), tmp_path / "m.npz")) as arrays:
        assert set(arrays) == {"vertices", "faces", "time", "frames", "up", "unit"}
        assert arrays["vertices"].dtype == np.float64 and np.array_equal(arrays["vertices"], VERTICES)
        assert arrays["faces"].dtype.kind == "i" and np.array_equal(arrays["faces"], FACES)
        assert np.array_equal(arrays["time"], TIME)
        assert arrays["frames"].dtype == np.float32 and arrays["frames"].shape == (3, 4, 3)


@pytest.mark.parametrize("thing", [MESH, motion(), motion(np.float32), skin_motion()])
def test_it_comes_back_exactly(thing, tmp_path):
    asset = load(save(thing, tmp_path / "m.npz"))
    assert np.array_equal(asset.mesh.vertices, VERTICES)
    assert np.array_equal(asset.mesh.faces, FACES)
    assert (asset.mesh.up, asset.mesh.unit) == ("z", 0.01)
    if isinstance(thing, Motion):
        (read,) = asset.motions
        assert np.array_equal(read.time, TIME)
        assert np.array_equal(read.frames, thing.frames)
        assert read.frames.dtype == (thing.positions.dtype if thing.positions is not None else np.float64)


def test_the_same_content_gives_the_same_bytes(tmp_path, monkeypatch):
    first = save(motion(), tmp_path / "a.npz").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert save(motion(), tmp_path / "b.npz").read_bytes() == first


def test_what_numpy_writes_is_read(tmp_path):
    np.savez_compressed(tmp_path / "m.npz", vertices=VERTICES.astype("f4"), faces=np.asfortranarray(FACES.astype("u2")))
    asset = load(tmp_path / "m.npz")
    assert np.allclose(asset.mesh.vertices, VERTICES)
    assert np.array_equal(asset.mesh.faces, FACES)
    assert asset.motions == () and asset.mesh.up == "y"


GOOD = {"vertices": VERTICES, "faces": FACES, "time": TIME, "frames": np.zeros((3, 4, 3))}


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"faces": None}, "no array 'faces'"),
        ({"vertices": np.zeros((4, 2))}, "shape"),
        ({"vertices": VERTICES * np.nan}, "not finite"),
        ({"vertices": np.array([["a"] * 3] * 4)}, "<U1"),
        ({"faces": FACES + 2}, "refers to vertex 5"),
        ({"faces": FACES - 1}, "refers to vertex -1"),
        ({"faces": FACES.astype(float)}, "float64"),
        ({"faces": (FACES + np.uint64(2**63)).astype(np.uint64)}, "refers to vertex"),
        ({"faces": FACES[:, :2]}, "shape"),
        ({"time": TIME[::-1]}, "increasing"),
        ({"time": TIME * 0}, "increasing"),
        ({"time": TIME[:2]}, "shape"),
        ({"time": None}, "only one"),
        ({"frames": np.zeros((3, 5, 3))}, "shape"),
        ({"frames": np.full((3, 4, 3), np.inf)}, "not finite"),
        ({"frames": np.array([{}] * 3, dtype=object)}, "Python objects"),
        ({"up": np.array("w")}, "up axis"),
        ({"up": np.array(3)}, "letter"),
        ({"unit": np.array(0.0)}, "unit"),
        ({"unit": np.array(np.nan)}, "not finite"),
    ],
)
def test_what_is_wrong_is_named(change, problem, tmp_path):
    arrays = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(InputError, match=problem):
        load(tmp_path / "m.npz")


def member(name: str, content: bytes, compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    "content",
    [
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 3), }"),
        header("__import__('os').system('true')"),
        header("{'descr': '|V0', 'fortran_order': False, 'shape': (5, 3), }"),
        b"\x93NUMPY\x09\x00junk",
        b"",
    ],
)
def test_headers_that_lie_cost_nothing(content, tmp_path):
    (tmp_path / "m.npz").write_bytes(member("vertices.npy", content))
    with pytest.raises(InputError):
        load(tmp_path / "m.npz")


def test_a_bomb_is_refused(tmp_path):
    start = header("{'descr': '<f8', 'fortran_order': False, 'shape': (4369066, 3), }")
    (tmp_path / "m.npz").write_bytes(member("vertices.npy", start + bytes(4369066 * 24), zipfile.ZIP_DEFLATED))
    with pytest.raises(InputError, match="unpacks to"):
        load(tmp_path / "m.npz")


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_mutated_bytes_end_in_an_error_or_a_sound_mesh(tmp_path, data):
    good = save(motion(), tmp_path / "good.npz").read_bytes()
    new = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(new) - 1))
        new[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    (tmp_path / "bad.npz").write_bytes(new)
    try:
        asset = load(tmp_path / "bad.npz")
    except NeurokError:
        return
    assert np.isfinite(asset.mesh.vertices).all()


def test_several_motions_are_refused(tmp_path):
    with pytest.raises(OutputError, match="one motion"):
        save([motion(), motion()], tmp_path / "m.npz")
    assert list(tmp_path.iterdir()) == []
