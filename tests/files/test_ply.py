"""PLY: hand-written headers of all kinds, trimesh as an independent reader and writer, damaged bytes."""

import io
import struct
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from PIL import Image

from neurok.errors import InputError
from neurok.files.registry import load, save
from neurok.geometry.mesh import NO_LABELS, Material, Mesh, Texture, TextureUse

HEADER = """ply
format {} 1.0
comment made by hand
obj_info nothing
element camera 1
property list uchar float lens
property int id
element vertex 4
property uchar red
property double z
property float y
property float x
property list uchar short neighbours
property uchar green
property uchar blue
property float nx
property float ny
property float nz
property float s
property float t
element face 2
property uchar flags
property list uchar uint vertex_indices
property float quality
element edge 1
property int vertex1
property int vertex2
end_header
"""
POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5)]
NEIGHBOURS = [[], [1], [2, 3], []]
POLYGONS = [[0, 1, 2, 3], [0, 2, 1]]


def rows():
    """The values of HEADER in order, with their types."""
    yield from [("B", 2), ("f", 1.5), ("f", 2.5), ("i", 7)]
    for i, (x, y, z) in enumerate(POINTS):
        yield from [("B", 51 * i), ("d", z), ("f", y), ("f", x), ("B", len(NEIGHBOURS[i]))]
        yield from [("h", n) for n in NEIGHBOURS[i]]
        yield from [("B", 255), ("B", 0), ("f", 0), ("f", 0), ("f", 1), ("f", x), ("f", y)]
    for polygon in POLYGONS:
        yield from [("B", 0), ("B", len(polygon)), *[("I", n) for n in polygon], ("f", 0.5)]
    yield from [("i", 0), ("i", 1)]


def bytes_of(order: str) -> bytes:
    if order == "ascii":
        return HEADER.format(order).encode() + " ".join(str(value) for _, value in rows()).encode() + b"\n"
    mark = "<" if order == "binary_little_endian" else ">"
    return HEADER.format(order).encode() + b"".join(struct.pack(mark + code, value) for code, value in rows())


ORDERS = ["ascii", "binary_little_endian", "binary_big_endian"]


@pytest.mark.parametrize("order", ORDERS)
def test_any_property_order_type_and_list(tmp_path, order):
    (tmp_path / "a.ply").write_bytes(bytes_of(order))
    asset = load(tmp_path / "a.ply")
    mesh = asset.mesh
    np.testing.assert_array_equal(mesh.vertices, POINTS)
    np.testing.assert_array_equal(mesh.faces, [[0, 1, 2], [0, 2, 3], [0, 2, 1]])
    np.testing.assert_array_equal(mesh.face_attributes["polygon"], [0, 0, 1])
    np.testing.assert_allclose(mesh.attributes["color"], [[0, 1, 0, 1], [0.2, 1, 0, 1], [0.4, 1, 0, 1], [0.6, 1, 0, 1]])
    np.testing.assert_array_equal(mesh.attributes["normal"], [[0, 0, 1]] * 4)
    np.testing.assert_array_equal(mesh.attributes["uv0"], [[0, 1], [1, 1], [1, 0], [0, 0]])  # v counts downwards
    assert asset.notes == ("elements passed over: camera, edge",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_the_header(tmp_path, end):
    # The first data byte is a line feed: it must not be taken for a line's end.
    header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar n\nproperty float x\n"
    header = (header + "property float y\nproperty float z\nend_header\n").replace("\n", end)
    (tmp_path / "a.ply").write_bytes(header.encode() + struct.pack("<B3f", 10, 1, 2, 3))
    asset = load(tmp_path / "a.ply")
    np.testing.assert_array_equal(asset.mesh.vertices, [[1, 2, 3]])
    assert asset.notes == ("the file has no faces, only points",)


def test_colours_as_fractions_and_wide_integers(tmp_path):
    text = "ply\nformat ascii 1.0\nelement vertex 2\n" + "".join(f"property float {a}\n" for a in "xyz")
    float_file = text + "".join(f"property float {c}\n" for c in ("r", "g", "b", "a")) + "end_header\n"
    (tmp_path / "f.ply").write_text(float_file + "0 0 0 .5 0 1 .25\n1 1 1 0 0 0 1\n")
    np.testing.assert_array_equal(load(tmp_path / "f.ply").mesh.attributes["color"], [[0.5, 0, 1, 0.25], [0, 0, 0, 1]])
    wide = text + "".join(f"property ushort {c}\n" for c in ("red", "green", "blue")) + "end_header\n"
    (tmp_path / "w.ply").write_text(wide + "0 0 0 65535 0 0\n1 1 1 0 0 13107\n")
    np.testing.assert_allclose(load(tmp_path / "w.ply").mesh.attributes["color"], [[1, 0, 0, 1], [0, 0, 0.2, 1]])


def test_texture_coordinates_of_corners_and_meshlabs_texture(tmp_path):
    image = io.BytesIO()
    Image.new("RGB", (2, 2), "green").save(image, "PNG")
    (tmp_path / "my skin.png").write_bytes(image.getvalue())
    (tmp_path / "a.ply").write_text(
        "ply\nformat ascii 1.0\ncomment TextureFile my skin.png\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_index\nproperty list uchar float texcoord\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 0.75 255 0 51\n"
    )
    mesh = load(tmp_path / "a.ply").mesh
    np.testing.assert_array_equal(mesh.corner_attributes["uv0"], [[[0, 1], [1, 1], [0, 0.25]]])
    np.testing.assert_allclose(mesh.face_attributes["color"], [[1, 0, 0.2, 1]])
    assert mesh.materials[0].textures["base_color"].texture.image == image.getvalue()
    np.testing.assert_array_equal(mesh.face_material, [0])
    (tmp_path / "my skin.png").unlink()
    assert "my skin.png" in load(tmp_path / "a.ply").notes[0]


def vertex_file(count: object, order: str = "ascii", extra: str = "", body: bytes = b"0 0 0\n") -> bytes:
    header = f"ply\nformat {order} 1.0\nelement vertex {count}\n"
    return (header + "".join(f"property float {a}\n" for a in "xyz") + extra + "end_header\n").encode() + body


LIST = "element face {}\nproperty list {} int vertex_indices\n"
BINARY = "binary_little_endian"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ply\n",
        b"plyformat\nend_header\n",
        b"ply\nend_header\n",
        b"ply\nformat ascii 1.0\nend_header\n",
        vertex_file(10**12),
        vertex_file(10**12, BINARY),
        vertex_file(10**30, BINARY),
        vertex_file(-1),
        vertex_file("many"),
        vertex_file(2),
        vertex_file(1, body=b"0 0 zero\n"),
        vertex_file(1, body=b"nan 0 0\n"),
        vertex_file(1, BINARY, body=struct.pack("<3f", np.inf, 0, 0)),
        vertex_file(1, extra=LIST.format(10**12, "uchar")),
        vertex_file(1, extra=LIST.format(1, "uchar"), body=b"0 0 0\n3 0 0 1\n"),
        vertex_file(1, extra=LIST.format(1, "uchar"), body=b"0 0 0\n3 0 0 -1\n"),
        vertex_file(1, extra=LIST.format(1, "uchar"), body=b"0 0 0\n3 0 0 0.5\n"),
        vertex_file(1, extra=LIST.format(1, "uchar"), body=b"0 0 0\n3 0 0 99999999999999\n"),
        vertex_file(1, extra=LIST.format(1, "uchar"), body=b"0 0 0\n300 0 0 0\n"),
        vertex_file(1, extra=LIST.format(1, "int"), body=b"0 0 0\n-3 0 0 0\n"),
        vertex_file(1, extra=LIST.format(1, "float"), body=b"0 0 0\n3 0 0 0\n"),
        vertex_file(1, BINARY, LIST.format(10**9, "uint"), struct.pack("<3fI3i", 0, 0, 0, 3, 0, 0, 0)),
        vertex_file(1, BINARY, LIST.format(1, "uint"), struct.pack("<3fI3i", 0, 0, 0, 0xFFFFFFFF, 0, 0, 0)),
        vertex_file(1, BINARY, LIST.format(2, "int"), struct.pack("<3fi3i", 0, 0, 0, -3, 0, 0, 0)),
        vertex_file(1, BINARY, LIST.format(1, "uchar"), struct.pack("<3fB2i", 0, 0, 0, 3, 0, 0)),
        vertex_file(1, extra="property quux q\n"),
        vertex_file(1).replace(b"element vertex 1\n", b""),
        vertex_file(1).replace(b"ascii", b"klingon"),
        b"ply\nformat ascii 1.0\nelement vertex 1000000000000\nend_header\n",
        bytes_of("ascii")[:-40],
        bytes_of("binary_big_endian")[:-25],
    ],
)
def test_damage_is_named(tmp_path, data):
    (tmp_path / "a.ply").write_bytes(data)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "a.ply")
    assert "a.ply" in caught.value.problem and caught.value.remedy


def rich_mesh() -> Mesh:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.1], [0.5, 0.5, 1 / 3]])
    uv = np.arange(24).reshape(4, 3, 2) / 32
    uv[1, :2] = uv[0, [0, 2]]
    texture = Texture(b"\x89PNG\r\n\x1a\nonly bytes", "image/png", "skin")
    return Mesh(
        vertices,
        np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4]]),
        {
            "color": np.array([[0, 51, 102, 255], [1, 2, 3, 4], [5, 6, 7, 8], [9, 9, 9, 9], [255] * 4]) / 255,
            "normal": vertices / 2,
        },
        {"uv0": uv},
        {
            "polygon": np.array([0, 0, 1, 2]),
            "color": np.array([[255, 0, 0, 51], [255, 0, 0, 51], [0, 255, 0, 0], [1, 2, 3, 4]]) / 255,
        },
        (Material("skin", textures={"base_color": TextureUse(texture)}),),
        np.zeros(4, dtype=int),
    )


def test_round_trip_keeps_what_ply_holds(tmp_path):
    mesh = rich_mesh()
    save(mesh, tmp_path / "out.ply")
    asset = load(tmp_path / "out.ply")
    assert asset.notes == ()
    back = asset.mesh
    np.testing.assert_array_equal(back.vertices, mesh.vertices)  # 1/3 needs double precision
    np.testing.assert_array_equal(back.faces, mesh.faces)
    for table in ("attributes", "corner_attributes", "face_attributes"):
        assert set(getattr(back, table)) == set(getattr(mesh, table))
        for name, values in getattr(mesh, table).items():
            np.testing.assert_allclose(getattr(back, table)[name], values, atol=1e-15, err_msg=f"{table} {name}")
    assert back.materials[0].textures["base_color"].texture.image == b"\x89PNG\r\n\x1a\nonly bytes"


def test_single_precision_is_used_where_it_is_exact(tmp_path):
    rng = np.random.default_rng(0)
    single = rng.normal(size=(50, 3)).astype(np.float32).astype(np.float64)
    for vertices, word in ((single, b"property float x"), (rng.normal(size=(50, 3)), b"property double x")):
        save(Mesh(vertices, rng.integers(0, 50, (80, 3))), tmp_path / "a.ply")
        assert word in (tmp_path / "a.ply").read_bytes()
        np.testing.assert_array_equal(load(tmp_path / "a.ply").mesh.vertices, vertices)


def test_a_very_long_polygon(tmp_path):
    angle = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    fan = np.stack([np.zeros(998), np.arange(1, 999), np.arange(2, 1000)], axis=1).astype(int)
    vertices = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    save(Mesh(vertices, fan, face_attributes={"polygon": np.zeros(998, dtype=int)}), tmp_path / "a.ply")
    assert b"element face 1\n" in (tmp_path / "a.ply").read_bytes()
    np.testing.assert_array_equal(load(tmp_path / "a.ply").mesh.faces, fan)


def test_points_alone(tmp_path):
    save(Mesh(np.eye(3), np.zeros((0, 3), dtype=int)), tmp_path / "a.ply")
    asset = load(tmp_path / "a.ply")
    np.testing.assert_array_equal(asset.mesh.vertices, np.eye(3))
    assert asset.notes


def test_trimesh_reads_what_we_write(tmp_path):
    mesh = rich_mesh()  # as triangles: trimesh reads no binary PLY with polygons of several sizes
    save(
        replace(mesh, face_attributes={"color": mesh.face_attributes["color"]}, materials=(), face_material=NO_LABELS),
        tmp_path / "a.ply",
    )
    other = trimesh.load(tmp_path / "a.ply", process=False)
    np.testing.assert_array_equal(other.triangles, mesh.vertices[mesh.faces])
    sphere = trimesh.creation.icosphere(subdivisions=2)
    color = np.random.default_rng(0).integers(0, 256, (len(sphere.vertices), 4))
    save(
        Mesh(sphere.vertices, sphere.faces, {"color": color / 255, "normal": sphere.vertex_normals}), tmp_path / "b.ply"
    )
    other = trimesh.load(tmp_path / "b.ply", process=False)
    np.testing.assert_array_equal(other.vertices, sphere.vertices)
    np.testing.assert_array_equal(other.faces, sphere.faces)
    np.testing.assert_array_equal(other.visual.vertex_colors, color)


@pytest.mark.parametrize("encoding", ["binary", "ascii"])
def test_we_read_what_trimesh_writes(tmp_path, encoding):
    sphere = trimesh.creation.icosphere(subdivisions=2)
    sphere.visual.vertex_colors = np.random.default_rng(0).integers(0, 256, (len(sphere.vertices), 4))
    (tmp_path / "a.ply").write_bytes(trimesh.exchange.ply.export_ply(sphere, encoding=encoding, vertex_normal=True))
    mesh = load(tmp_path / "a.ply").mesh
    np.testing.assert_allclose(mesh.vertices, sphere.vertices, atol=1e-6)
    np.testing.assert_array_equal(mesh.faces, sphere.faces)
    np.testing.assert_allclose(mesh.attributes["normal"], sphere.vertex_normals, atol=1e-6)
    np.testing.assert_allclose(mesh.attributes["color"], sphere.visual.vertex_colors / 255)
