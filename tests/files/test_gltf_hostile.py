"""Damaged and malicious glTF: one sentence, never a crash, a hang or an absurd allocation."""

import copy
import json
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurok.errors import InputError, NeurokError
from neurok.files.gltf import read
from neurok.files.source import Source
from tests.files.gltf_scenes import TRIANGLE, Draft, arm, everything, pack

LONGEST = 10.0  # seconds
LARGEST = 1 << 30  # bytes
quiet = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "scene.glb"


def survive(place: Path, data: bytes) -> None:
    """Read the bytes: either an asset with finite vertices or a NeurokError, soon and in little memory."""
    place.write_bytes(data)
    tracemalloc.start()
    start = time.process_time()  # of this process alone: the machine may be busy
    try:
        asset = read(Source(place))
        assert np.isfinite(asset.mesh.vertices).all()
        for motion in asset.motions:
            assert np.isfinite(motion.frame(motion.frame_count - 1)).all()
    except NeurokError as fault:
        assert str(fault).count("\n") == 0
        str(fault).encode()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert time.process_time() - start < LONGEST
    assert peak < LARGEST


WHOLE = everything().glb()


@quiet
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_mutated_bytes(place, changes):
    data = bytearray(WHOLE)
    for where, value in changes:
        data[where] = value
    survive(place, bytes(data))


@quiet
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 64), st.booleans())
def test_truncated_and_spliced_bytes(place, cut, gap, honest):
    data = WHOLE[:cut] + WHOLE[cut + gap :] if gap else WHOLE[:cut]
    if honest and len(data) > 12:  # a header that agrees with the damage gets further into the reader
        data = data[:8] + struct.pack("<I", len(data)) + data[12:]
    survive(place, data)


NASTY = st.one_of(
    st.sampled_from([None, True, -1, 0, 1, 3, 2**31, 2**63, 10**30, 1e308, -1e308, 1e-320, 0.5, "", "x", "\ud800",
                     [], {}, [-1], [0, 0], [10**9], [[]], {"a": []}, "NaN", "..", 5120,
                     5121, 5125, "MAT4", "SCALAR", "VEC3"]),
    st.integers(-3, 70000),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(0, 12), max_size=4),
)  # fmt: skip


def paths(value: object, path: tuple = ()) -> list[tuple]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [p for key, item in items for p in paths(item, (*path, key))]


DRAFT = everything()
TREE = {**DRAFT.tree, "buffers": [{"byteLength": len(DRAFT.data)}]}
PATHS = [p for p in paths(TREE) if p]


@settings(quiet, max_examples=600)
@given(st.lists(st.tuples(st.sampled_from(PATHS), NASTY, st.booleans()), min_size=1, max_size=3))
def test_mutated_json(place, changes):
    tree = copy.deepcopy(TREE)
    for path, value, remove in changes:
        owner = tree
        try:
            for key in path[:-1]:
                owner = owner[key]
            if remove:
                del owner[path[-1]]
            else:
                owner[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    survive(place, pack(tree, DRAFT.data))


@settings(quiet, max_examples=150)
@given(st.data())
def test_mutated_numbers(place, data):
    """The binary chunk full of NaN, infinities and huge values, where the JSON is right."""
    raw = bytearray(DRAFT.data)
    for _ in range(data.draw(st.integers(1, 4))):
        where = 4 * data.draw(st.integers(0, len(raw) // 4 - 1))
        raw[where : where + 4] = data.draw(
            st.one_of(st.binary(min_size=4, max_size=4), st.sampled_from([struct.pack("<f", x) for x in (
                float("nan"), float("inf"), 3e38, -3e38, 1e-45, 0.0, -1.0)]))
        )  # fmt: skip
    survive(place, pack(TREE, bytes(raw)))


def draco_draft() -> Draft:
    """A tetrahedron in a Draco stream."""
    encode = pytest.importorskip("DracoPy").encode
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.uint32)
    draft = Draft()
    packed = {"bufferView": draft.view(encode(points, faces)), "attributes": {"POSITION": 0}}
    position = draft.add("accessors", {"componentType": 5126, "count": 4, "type": "VEC3"})
    indices = draft.add("accessors", {"componentType": 5125, "count": 12, "type": "SCALAR"})
    primitive = {"attributes": {"POSITION": position}, "indices": indices}
    primitive["extensions"] = {"KHR_draco_mesh_compression": packed}
    draft.add("nodes", {"mesh": draft.add("meshes", {"primitives": [primitive]})})
    return draft


def test_a_draco_stream_is_decoded(tmp_path):
    mesh = draco_draft().read(tmp_path).mesh
    corners = sorted(tuple(np.round(v, 3) + 0.0) for v in mesh.vertices[mesh.faces].reshape(-1, 3))
    assert corners == sorted([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] * 3)
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    assert np.isclose(np.sum(np.cross(a, b) * c) / 6, 1 / 6, rtol=1e-3)  # the volume, positive: outward faces


@settings(quiet, max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), min_size=1, max_size=4))
def test_mutated_draco_streams(place, changes):
    draft = draco_draft()
    data = bytearray(draft.data)
    for where, value in changes:
        data[where % len(data)] = value
    draft.data = bytes(data)
    survive(place, draft.glb())


def refused(place: Path, draft: Draft, match: str) -> None:
    place.write_bytes(draft.glb())
    with pytest.raises(InputError, match=match):
        read(Source(place))


@pytest.mark.parametrize("children, match", [
    ({0: [0]}, "itself"), ({0: [1], 1: [0]}, "ancestor"), ({0: [1], 1: [2], 2: [1]}, "two parents"),
    ({0: [2], 1: [2]}, "two parents"), ({0: [2, 2]}, "two parents"), ({0: [9]}, "child 9"), ({0: [-1]}, "whole number"),
])  # fmt: skip
def test_node_trees_that_are_no_trees(place, children, match):
    draft = Draft()
    mesh = draft.mesh()
    for i in range(3):
        draft.add("nodes", {"mesh": mesh, "children": children.get(i, [])})
    refused(place, draft, match)


def test_indices_beyond_the_vertices(place):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh(TRIANGLE, [0, 1, 3])})
    refused(place, draft, "vertex 3 of 3")


def test_joints_beyond_the_skin(place):
    draft = arm()
    draft.tree["skins"][0]["joints"] = [1]
    refused(place, draft, "joint 1 of 1")


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("what", ["POSITION", "WEIGHTS_0", "inverseBindMatrices", "input", "output"])
def test_numbers_that_are_not_finite(place, value, what):
    draft = arm()
    sampler, skin = draft.tree["animations"][0]["samplers"][0], draft.tree["skins"][0]
    attributes = draft.tree["meshes"][0]["primitives"][0]["attributes"]
    accessor = {**attributes, **sampler, **skin}[what]
    offset = draft.tree["bufferViews"][draft.tree["accessors"][accessor]["bufferView"]]["byteOffset"]
    draft.data = draft.data[:offset] + np.float32(value).tobytes() + draft.data[offset + 4 :]
    refused(place, draft, "finite")


def test_transforms_that_overflow(place):
    draft = Draft()
    for i in range(8):
        draft.add("nodes", {"scale": [1e200] * 3, "children": [i + 1] if i < 7 else []})
    draft.tree["nodes"][7]["mesh"] = draft.mesh(TRIANGLE + 1)
    refused(place, draft, "infinity")


def test_one_mesh_shown_by_a_million_nodes(place):
    draft = Draft()
    mesh = draft.mesh(np.zeros((3000, 3), dtype=np.float32))
    draft.tree["nodes"] = [{"mesh": mesh} for _ in range(20000)]
    start = time.process_time()  # of this process alone: the machine may be busy
    refused(place, draft, "GB when decoded")
    assert time.process_time() - start < LONGEST


def test_a_chain_of_nodes_deeper_than_any_stack(place):
    draft = Draft()
    mesh = draft.mesh()
    depth = 20000
    draft.tree["nodes"] = [
        {"mesh": mesh, "children": [i + 1]} if i < depth - 1 else {"mesh": mesh} for i in range(depth)
    ]
    draft.animation(0, "translation", [0, 0.1], [[0, 0, 0], [1, 0, 0]])
    start = time.process_time()  # of this process alone: the machine may be busy
    place.write_bytes(draft.glb())
    assert read(Source(place)).mesh.vertex_count == 3 * depth
    assert time.process_time() - start < LONGEST


@pytest.mark.parametrize("data, match", [
    (b"", "empty"), (b"glTF", "truncated"), (b"hello", "not glTF"), (b"[]", "not an object"),
    (b"[" * 100000, "nested|not glTF"), (b'{"asset":{"version":"1.0"}}', "glTF 1.0"),
    (struct.pack("<4sIIII", b"glTF", 1, 20, 0, 0), "version 1"),
    (struct.pack("<4sIIII", b"glTF", 2, 2**32 - 1, 4, 0x4E4F534A), "should have 4294967295 bytes"),
    (struct.pack("<4sIIII", b"glTF", 2, 20, 2**32 - 1, 0x4E4F534A), "middle of a chunk"),
    (struct.pack("<4sIIII", b"glTF", 2, 20, 0, 0x004E4942), "not JSON"),
    (pack(b'{"asset":{"version":"2.0"},"nodes":[{"scale":[NaN,1,1]}]}', b""), "NaN"),
    (pack(b'{"nodes":[' + b"9" * 5000 + b"]}", b""), "not glTF|not a list"),
    (pack(b'{"asset":{"version":"2.0"},"buffers":[{"byteLength":64}],"meshes":[]}', b"abc")[:-4], "and has|middle"),
])  # fmt: skip
def test_containers_that_are_none(place, data, match):
    place.write_bytes(data)
    with pytest.raises(InputError, match=match):
        read(Source(place))


def test_a_buffer_shorter_than_it_says(place):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh()})
    place.write_bytes(pack({**draft.tree, "buffers": [{"byteLength": 1000}]}, draft.data))
    with pytest.raises(InputError, match="should have 1000 bytes"):
        read(Source(place))


def test_a_buffer_without_data(place):
    draft = Draft()
    draft.add("nodes", {"mesh": draft.mesh()})
    place.with_suffix(".gltf").write_text(json.dumps({**draft.tree, "buffers": [{"byteLength": 36}]}))
    with pytest.raises(InputError, match="no data"):
        read(Source(place.with_suffix(".gltf")))


def test_errors_name_the_file(place):
    draft = Draft()
    draft.add("nodes", {"mesh": 5})
    refused(place, draft, "scene.glb")
