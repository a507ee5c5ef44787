"""OFF: hand-written files of all kinds, trimesh as an independent reader and writer, damaged bytes."""

import numpy as np
import pytest
import trimesh

from neurok.errors import InputError
from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh

BODY = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 2 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "OFF\n4 2 0\n" + BODY,
        "OFF 4 2 0\n" + BODY,
        "OFF4 2 0\n" + BODY,
        "OFF\n# comment\n\n4 2 0 # counts\n\n" + BODY.replace("\n", "  # row\n\n"),
        ("OFF\n4 2 0\n" + BODY).replace("\n", "\r\n"),
        "OFF\n4 2\n" + BODY.rstrip("\n"),
        "\n OFF\n4 2 0\n" + BODY + "trailing words\n",
    ],
)
def test_any_layout(tmp_path, text):
    (tmp_path / "a.off").write_text(text, newline="")
    mesh = load(tmp_path / "a.off").mesh
    np.testing.assert_array_equal(mesh.vertices, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    np.testing.assert_array_equal(mesh.faces, [[0, 1, 2], [0, 2, 3], [0, 2, 1]])
    np.testing.assert_array_equal(mesh.face_attributes["polygon"], [0, 0, 1])


def test_what_a_vertex_carries(tmp_path):
    (tmp_path / "a.off").write_text("STCNOFF\n3 1 0\n" + "0 0 0  0 0 1  0 51 255 255  0.25 0.75\n" * 3 + "3 0 1 2\n")
    attributes = load(tmp_path / "a.off").mesh.attributes
    np.testing.assert_allclose(attributes["color"], [[0, 0.2, 1, 1]] * 3)
    np.testing.assert_array_equal(attributes["normal"], [[0, 0, 1]] * 3)
    np.testing.assert_array_equal(attributes["uv0"], [[0.25, 0.25]] * 3)
    (tmp_path / "b.off").write_text("COFF\n3 1 0\n" + "0 0 0 0 0.5 1\n" * 3 + "3 0 1 2\n")
    np.testing.assert_array_equal(load(tmp_path / "b.off").mesh.attributes["color"], [[0, 0.5, 1, 1]] * 3)
    (tmp_path / "c.off").write_text("NOFF\n3 1 0\n" + "0 0 0 0 0 1\n" * 3 + "3 0 1 2\n")
    assert set(load(tmp_path / "c.off").mesh.attributes) == {"normal"}


def test_face_colours_and_degenerate_faces(tmp_path):
    (tmp_path / "a.off").write_text(
        "OFF\n4 4 0\n" + BODY[:24] + "4 0 1 2 3 255 0 51\n3 0 2 1\n2 0 1\n3 0 1 2 0 0 255 51\n"
    )
    asset = load(tmp_path / "a.off")
    np.testing.assert_allclose(
        asset.mesh.face_attributes["color"], [[1, 0, 0.2, 1]] * 2 + [[1, 1, 1, 1], [0, 0, 1, 0.2]]
    )
    assert len(asset.notes) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "OFF",
        "OFF\n",
        "OFFICE\n1 1 0\n",
        "OFF BINARY\n1 1 1\n",
        "4OFF\n1 0 0\n0 0 0 1\n",
        "OFF\n1000000000000 5 0\n0 0 0\n",
        "OFF\n4 1000000000000 0\n" + BODY,
        "OFF\n-4 2 0\n" + BODY,
        "OFF\nfour 2 0\n" + BODY,
        "OFF\n4 2 0\n" + BODY.replace("1 1 0", "1 1 x"),
        "OFF\n4 2 0\n" + BODY.replace("1 1 0", "1 1"),
        "OFF\n4 2 0\n" + BODY.replace("1 1 0", "1 1 nan"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "3 0 2 4"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "3 0 2 -1"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "3 0 2 .5"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "3 0 2"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "-3 0 2 1"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "3 0 2 1e300"),
        "OFF\n4 2 0\n" + BODY.replace("3 0 2 1", "nan 0 2 1"),
        "COFF\n4 2 0\n" + BODY,
        "OFF\n4 2 0\n" + BODY[:30],
    ],
)
def test_damage_is_named(tmp_path, text):
    (tmp_path / "a.off").write_text(text)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "a.off")
    assert "a.off" in caught.value.problem and caught.value.remedy


def test_round_trip(tmp_path):
    rng = np.random.default_rng(0)
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]])
    color = np.round(rng.random((3, 4)), 3)
    color[1] = color[0]
    mesh = Mesh(
        rng.normal(size=(8, 3)) * 1e-5,
        faces,
        {"color": rng.random((8, 4))},
        face_attributes={"polygon": np.array([0, 0, 1]), "color": color},
    )
    save(mesh, tmp_path / "a.off")
    back = load(tmp_path / "a.off").mesh
    np.testing.assert_array_equal(back.vertices, mesh.vertices)
    np.testing.assert_array_equal(back.faces, faces)
    np.testing.assert_array_equal(back.attributes["color"], mesh.attributes["color"])
    np.testing.assert_array_equal(back.face_attributes["color"], color)
    np.testing.assert_array_equal(back.face_attributes["polygon"], [0, 0, 1])


def test_trimesh_reads_what_we_write_and_the_reverse(tmp_path):
    sphere = trimesh.creation.icosphere(subdivisions=2)
    save(Mesh(sphere.vertices, sphere.faces), tmp_path / "a.off")
    other = trimesh.load(tmp_path / "a.off", process=False)
    np.testing.assert_array_equal(other.vertices, sphere.vertices)
    np.testing.assert_array_equal(other.faces, sphere.faces)
    sphere.export(tmp_path / "b.off", digits=12)
    mesh = load(tmp_path / "b.off").mesh
    np.testing.assert_allclose(mesh.vertices, sphere.vertices, atol=1e-11)
    np.testing.assert_array_equal(mesh.faces, sphere.faces)
