"""EXT_meshopt_compression: streams of known content, the decoder of three.js, damaged streams.

tests/assets/meshopt_streams.json holds streams that the reference encoder made
of the numbers written down below.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.errors import InputError
from neurok.files.gltf.reading.meshopt import decode_stream
from tests.files.gltf_scenes import TRIANGLE, Draft

PATH = Path(__file__).parents[1] / "assets" / "meshopt_streams.json"
STREAMS = json.loads(PATH.read_text())
COUNT = 300


def decoded(name: str) -> bytes:
    stream = STREAMS[name]
    data = bytes.fromhex(stream["data"])
    return decode_stream(data, stream["mode"], stream["filter"], stream["count"], stream["stride"])


def torus() -> np.ndarray:
    """Triangles of a torus of 9 x 14 squares, [252, 3]."""
    i, j = np.meshgrid(np.arange(9), np.arange(14), indexing="ij")
    corner = lambda a, b: (a % 9) * 14 + b % 14  # noqa: E731
    first = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)]
    second = [corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)]
    return np.stack([np.stack(first, -1), np.stack(second, -1)], axis=2).reshape(-1, 3)


def turned(triangles: np.ndarray) -> np.ndarray:
    """Triangles begun at their smallest corner: the format may turn them, not flip or reorder them."""
    start = triangles.argmin(axis=1)[:, None]
    return np.take_along_axis(triangles, (start + np.arange(3)) % 3, axis=1)


def test_triangles():
    found = np.frombuffer(decoded("triangles"), "<u4").reshape(-1, 3)
    np.testing.assert_array_equal(turned(found), turned(torus()))


def test_scattered_triangles():
    found = np.frombuffer(decoded("scattered"), "<u2").reshape(-1, 3)
    np.testing.assert_array_equal(turned(found), turned(torus()[np.arange(252) * 101 % 252]))


def test_indices():
    k = np.arange(100)
    np.testing.assert_array_equal(np.frombuffer(decoded("indices"), "<u4"), k * k * 7 % 65537 + k % 3 * 100000)


def test_attributes():
    k, c = np.arange(COUNT)[:, None], np.arange(6)
    expected = k * (c**3 + 1) * np.where(k % 7 == 0, 1, 3) & 65535
    np.testing.assert_array_equal(np.frombuffer(decoded("plain"), "<u2").reshape(COUNT, 6), expected)


@pytest.mark.parametrize("name, dtype, tolerance", [("octahedral8", "<i1", 0.02), ("octahedral16", "<i2", 1e-4)])
def test_octahedral_filter(name, dtype, tolerance):
    a, b = np.arange(COUNT) * 0.37, np.arange(COUNT) * 0.11
    expected = np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=1)
    found = np.frombuffer(decoded(name), dtype).reshape(COUNT, 4)[:, :3] / np.iinfo(dtype).max
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_quaternion_filter():
    a, b = np.arange(COUNT) * 0.37, np.arange(COUNT) * 0.11
    expected = np.stack(
        [np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b) * np.cos(3 * a), np.sin(b) * np.sin(3 * a)], axis=1
    )
    found = np.frombuffer(decoded("quaternion"), "<i2").reshape(COUNT, 4) / 32767
    np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=1)), 1, atol=1e-4)  # up to sign


def test_exponential_filter():
    a, b = np.arange(COUNT) * 0.37, np.arange(COUNT) * 0.11
    expected = np.stack([100 * np.sin(a), a, 1e-3 * b], axis=1)
    found = np.frombuffer(decoded("exponential"), "<f4").reshape(COUNT, 3)
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.node
def test_the_decoder_of_three_agrees_to_the_last_bit(node):
    done = node(Path(__file__).parent / "three_meshopt.mjs", PATH)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    assert theirs.keys() == STREAMS.keys()
    for name, plain in theirs.items():
        if name.startswith(("octahedral", "quaternion")):  # single precision rounds either way
            kind = "<i1" if name == "octahedral8" else "<i2"
            ours, other = (np.frombuffer(x, kind).astype(int) for x in (decoded(name), bytes.fromhex(plain)))
            assert np.abs(ours - other).max() <= 1, name
        else:
            assert decoded(name) == bytes.fromhex(plain), name


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(STREAMS)), st.data())
def test_damaged_streams_end_in_an_input_error_or_in_other_numbers(name, draw):
    stream = STREAMS[name]
    data = bytearray.fromhex(stream["data"])
    for _ in range(draw.draw(st.integers(0, 3))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    data = data[: draw.draw(st.integers(0, len(data)))] if draw.draw(st.booleans()) else data
    count = stream["count"] + draw.draw(st.sampled_from([0, 0, 3, -3, 48]))
    try:
        plain = decode_stream(bytes(data), stream["mode"], stream["filter"], count, stream["stride"])
        assert len(plain) == count * stream["stride"]
    except InputError:
        pass


def test_a_compressed_buffer_view_in_a_file(tmp_path):
    draft = Draft()
    stream = STREAMS["triangles"]
    packed = draft.view(bytes.fromhex(stream["data"]))
    mesh = draft.mesh(np.tile(TRIANGLE, (42, 1)))
    extension = {**draft.tree["bufferViews"][packed], "mode": "TRIANGLES", "byteStride": 4, "count": 756}
    view = {"buffer": 1, "byteLength": 3024, "extensions": {"EXT_meshopt_compression": extension}}
    place = draft.add("bufferViews", view)
    item = {"bufferView": place, "componentType": 5125, "count": 756, "type": "SCALAR"}
    draft.tree["meshes"][mesh]["primitives"][0]["indices"] = draft.add("accessors", item)
    draft.add("nodes", {"mesh": mesh})
    np.testing.assert_array_equal(turned(draft.read(tmp_path).mesh.faces), turned(torus()))
    extension["count"] = 10**9
    with pytest.raises(InputError, match="claims"):
        draft.read(tmp_path)
