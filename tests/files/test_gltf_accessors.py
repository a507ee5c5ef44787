"""Accessors: every layout the format allows, against numbers written down by hand."""

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.files.gltf.reading.accessors import decode_accessor, decode_indices
from neurok.files.gltf.reading.container import open_document
from neurok.files.source import Source
from tests.files.gltf_scenes import Draft


@pytest.fixture
def opened(tmp_path):
    def open_draft(draft: Draft):
        (tmp_path / "a.glb").write_bytes(draft.glb())
        return open_document(Source(tmp_path / "a.glb"))

    return open_draft


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "float32"])
def test_every_component_type_comes_back(opened, dtype):
    values = np.array([[0, 1, 2], [3, 100, 120]], dtype=dtype)
    draft = Draft()
    draft.accessor(values)
    found = decode_accessor(opened(draft), 0)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("dtype, stored, real", [
    ("uint8", [0, 51, 255], [0, 0.2, 1]),
    ("uint16", [0, 13107, 65535], [0, 0.2, 1]),
    ("int8", [-128, -127, 127], [-1, -1, 1]),
    ("int16", [-32768, 0, 32767], [-1, 0, 1]),
])  # fmt: skip
def test_normalised_integers_are_fractions(opened, dtype, stored, real):
    draft = Draft()
    draft.accessor(np.array([stored], dtype=dtype), normalized=True)
    np.testing.assert_allclose(decode_accessor(opened(draft), 0), [real], rtol=1e-6)


def test_interleaved_attributes(opened):
    rows = np.arange(24, dtype=np.float32).reshape(4, 6)
    draft = Draft()
    view = draft.view(rows.tobytes(), byteStride=24)
    for offset in (0, 12):
        item = {"bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 4, "type": "VEC3"}
        draft.add("accessors", item)
    document = opened(draft)
    np.testing.assert_array_equal(decode_accessor(document, 0), rows[:, :3])
    np.testing.assert_array_equal(decode_accessor(document, 1), rows[:, 3:])


@pytest.mark.parametrize("with_base", [True, False])
def test_sparse_accessors_replace_elements(opened, with_base):
    draft = Draft()
    base = np.full((5, 3), 7, dtype=np.float32) if with_base else np.zeros((5, 3), dtype=np.float32)
    new = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    sparse = {
        "count": 2,
        "indices": {"bufferView": draft.view(bytes([1, 4])), "componentType": 5121},
        "values": {"bufferView": draft.view(new.tobytes())},
    }
    item = {"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse}
    if with_base:
        item["bufferView"] = draft.view(base.tobytes())
    draft.add("accessors", item)
    expected = base.copy()
    expected[[1, 4]] = new
    np.testing.assert_array_equal(decode_accessor(opened(draft), 0), expected)


def test_columns_of_small_matrices_are_padded_to_four_bytes(opened):
    columns = np.arange(12, dtype=np.uint8).reshape(3, 4)  # three columns of three bytes and a filler
    draft = Draft()
    item = {"bufferView": draft.view(columns.tobytes()), "componentType": 5121, "count": 1, "type": "MAT3"}
    draft.add("accessors", item)
    np.testing.assert_array_equal(decode_accessor(opened(draft), 0)[0], columns[:, :3].ravel())


@pytest.mark.parametrize("change", [
    {"count": 4}, {"count": 10**15}, {"count": -1}, {"count": "3"}, {"count": True}, {"count": None}, {"count": 2.5},
    {"byteOffset": 4}, {"byteOffset": 10**12}, {"type": "VEC5"}, {"type": 3}, {"componentType": 5124},
    {"bufferView": 7}, {"bufferView": -1}, {"bufferView": None, "count": 10**12},
    {"sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5121, "byteOffset": 2},
                "values": {"bufferView": 0}}},
    {"sparse": {"count": 99}}, {"sparse": []}, {"bufferView": None, "count": 10**8, "sparse": {"count": 0}},
])  # fmt: skip
def test_lies_are_refused(opened, change):
    draft = Draft()
    draft.accessor(np.array([[255, 255, 255]] * 3, dtype=np.float32), **change)
    with pytest.raises(InputError):
        decode_accessor(opened(draft), 0)


def test_overlapping_elements_and_views_past_the_end_are_refused(opened):
    draft = Draft()
    draft.accessor(np.zeros((3, 3), dtype=np.float32))
    draft.tree["bufferViews"][0]["byteStride"] = 4
    with pytest.raises(InputError, match="apart"):
        decode_accessor(opened(draft), 0)
    del draft.tree["bufferViews"][0]["byteStride"]
    draft.tree["bufferViews"][0]["byteLength"] = 1000
    with pytest.raises(InputError, match="reaches byte"):
        decode_accessor(opened(draft), 0)


def test_indices_must_be_unsigned_integers(opened):
    draft = Draft()
    draft.accessor(np.array([0, 1, 2], dtype=np.float32))
    draft.accessor(np.array([0, 1, 2], dtype=np.int16))
    document = opened(draft)
    for place in range(2):
        with pytest.raises(InputError):
            decode_indices(document, place)
