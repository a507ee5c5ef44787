"""STL: text and binary, welding, trimesh as an independent reader and writer, damaged bytes."""

import struct

import numpy as np
import pytest
import trimesh

from neurok.errors import InputError, OutputError
from neurok.files.registry import load, save
from neurok.files.stl import weld_corners
from neurok.geometry.mesh import Mesh

FACET = "facet normal 0 0 1\n outer loop\n  vertex {}\n  vertex {}\n  vertex {}\n endloop\nendfacet\n"
PLAIN = (
    "solid quad\n"
    + FACET.format("0 0 0", "1 0 0", "0 1 0")
    + FACET.format("1 0 0", "1 1 0", "0 1 0")
    + "endsolid quad\n"
)


def binary(corners: np.ndarray, header: bytes = b"", count: int | None = None) -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.reshape(-1), 0) for triangle in corners)
    return header.ljust(80, b" ") + struct.pack("<I", len(corners) if count is None else count) + body


def test_weld_keeps_the_order_of_first_appearance():
    corners = np.array(
        [[[5, 0, 0], [1, 0, 0], [3, 0, 0]], [[1, 0, 0], [-0.0, 0, 0], [3, 0, 0]], [[0, 0, 0], [5, 0, 0], [9, 9, 9]]]
    )
    vertices, faces = weld_corners(corners)
    np.testing.assert_array_equal(vertices, [[5, 0, 0], [1, 0, 0], [3, 0, 0], [0, 0, 0], [9, 9, 9]])
    np.testing.assert_array_equal(faces, [[0, 1, 2], [1, 3, 2], [3, 0, 4]])
    np.testing.assert_array_equal(vertices[faces], corners)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t,
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.upper(),
        lambda t: "  \n" + t,
        lambda t: t.replace("solid quad", "solid", 1),
        lambda t: t.replace("1 0 0", "1.0e+00 0 0"),
        lambda t: t.replace("solid quad", "solid a vertex 1 2 3 facet", 1),
    ],
)
def test_text_in_any_layout(tmp_path, change):
    (tmp_path / "a.stl").write_text(change(PLAIN), newline="")
    mesh = load(tmp_path / "a.stl").mesh
    np.testing.assert_array_equal(mesh.vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    np.testing.assert_array_equal(mesh.faces, [[0, 1, 2], [1, 3, 2]])


def test_several_solids_are_parts(tmp_path):
    (tmp_path / "a.stl").write_text(PLAIN + PLAIN.replace("quad", "other thing"))
    mesh = load(tmp_path / "a.stl").mesh
    assert [p.name for p in mesh.parts] == ["quad", "other thing"]
    np.testing.assert_array_equal(mesh.face_part, [0, 0, 1, 1])


@pytest.mark.parametrize("header", [b"", b"solid made by a liar", b"solid facet vertex endsolid"])
def test_binary_is_told_from_text_by_its_size(tmp_path, header):
    corners = np.random.default_rng(1).normal(size=(7, 3, 3)).astype(np.float32)
    (tmp_path / "a.stl").write_bytes(binary(corners, header))
    mesh = load(tmp_path / "a.stl").mesh
    np.testing.assert_array_equal(mesh.vertices[mesh.faces], corners)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"solid",
        b"nonsense",
        binary(np.ones((2, 3, 3)), count=3),
        binary(np.ones((2, 3, 3)), count=0xFFFFFFFF),
        binary(np.ones((2, 3, 3)))[:-1],
        binary(np.ones((0, 3, 3))),
        binary(np.full((2, 3, 3), np.nan)),
        PLAIN.replace("1 0 0", "1 0").encode(),
        PLAIN.replace("1 0 0", "1 zero 0").encode(),
        PLAIN.replace("  vertex 1 1 0\n", "").encode(),
    ],
)
def test_damage_is_named(tmp_path, data):
    (tmp_path / "a.stl").write_bytes(data)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "a.stl")
    assert "a.stl" in caught.value.problem and caught.value.remedy


def test_round_trip_and_trimesh_reads_what_we_write(tmp_path):
    sphere = trimesh.creation.icosphere(subdivisions=2)
    vertices = sphere.vertices.astype(np.float32).astype(np.float64)
    save(Mesh(vertices, sphere.faces), tmp_path / "a.stl")
    back = load(tmp_path / "a.stl").mesh
    np.testing.assert_array_equal(back.vertices[back.faces], vertices[sphere.faces])
    assert back.vertex_count == len(vertices)
    other = trimesh.load(tmp_path / "a.stl")
    assert other.is_watertight
    np.testing.assert_allclose(other.triangles, sphere.triangles, atol=1e-6)
    np.testing.assert_allclose(other.face_normals, sphere.face_normals, atol=1e-5)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii"])
def test_we_read_what_trimesh_writes(tmp_path, kind):
    sphere = trimesh.creation.icosphere(subdivisions=2)
    sphere.export(tmp_path / "a.stl", file_type=kind)
    mesh = load(tmp_path / "a.stl").mesh
    np.testing.assert_allclose(mesh.vertices[mesh.faces], sphere.triangles, atol=1e-6)


def test_a_mesh_without_faces_or_beyond_single_precision_is_refused(tmp_path):
    with pytest.raises(OutputError):
        save(Mesh(np.zeros((3, 3)), np.zeros((0, 3), dtype=int)), tmp_path / "a.stl")
    with pytest.raises(OutputError):
        save(Mesh(np.eye(3) * 1e300, np.array([[0, 1, 2]])), tmp_path / "a.stl")
    assert list(tmp_path.iterdir()) == []
