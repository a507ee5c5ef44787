"""OBJ and MTL: hand-written files, trimesh as an independent reader, round trips, damaged bytes."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from neurok.errors import InputError
from neurok.files import obj
from neurok.files.registry import load, save
from neurok.files.source import Source
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def read(folder: Path, text: str | bytes, name: str = "a.obj"):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return obj.read(Source(folder / name))


def image_bytes(
    mode: str = "RGB", color: object = (255, 0, 0), size: tuple[int, int] = (4, 4), kind: str = "PNG"
) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, color).save(buffer, kind)
    return buffer.getvalue()


def test_vertex_order_is_the_order_of_the_file_also_for_unused_vertices(tmp_path):
    mesh = read(tmp_path, "v 9 9 9\n" + TRIANGLE + "v 8 8 8\nf 4 3 2\n").mesh
    np.testing.assert_array_equal(mesh.vertices, [[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [8, 8, 8]])
    np.testing.assert_array_equal(mesh.faces, [[3, 2, 1]])


def test_negative_indices_count_back_from_the_line_they_stand_on(tmp_path):
    text = TRIANGLE + "f -3 -2 -1\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1\nf 1 -1 2\n"
    np.testing.assert_array_equal(read(tmp_path, text).mesh.faces, [[0, 1, 2], [3, 4, 5], [0, 5, 1]])


def test_negative_texture_and_normal_indices(tmp_path):
    text = TRIANGLE + "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nf -3/-3/-1 -2/-2/-1 -1/-1/-1\n"
    mesh = read(tmp_path, text).mesh
    np.testing.assert_array_equal(mesh.attributes["uv0"], [[0, 1], [1, 1], [0, 0]])
    np.testing.assert_array_equal(mesh.attributes["normal"], [[0, 0, 1]] * 3)


def test_polygons_become_fans_and_remember_it(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5\nf 1 2 3\nf 1 3 4 5\n"
    mesh = read(tmp_path, text).mesh
    np.testing.assert_array_equal(mesh.faces, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 1, 2], [0, 2, 3], [0, 3, 4]])
    np.testing.assert_array_equal(mesh.face_attributes["polygon"], [0, 0, 0, 1, 2, 2])


def test_every_way_to_write_a_corner_even_mixed(tmp_path):
    text = (
        TRIANGLE
        + "vt .25 .25\nvn 0 0 1\nf 1 2 3\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf 1/ 2// 3/1/\n"
    )
    asset = read(tmp_path, text)
    np.testing.assert_array_equal(asset.mesh.faces, [[0, 1, 2]] * 5)
    uv = asset.mesh.corner_attributes["uv0"]
    np.testing.assert_array_equal(uv[1], [[0.25, 0.75]] * 3)
    np.testing.assert_array_equal(uv[0], np.zeros((3, 2)))
    np.testing.assert_array_equal(uv[4], [[0, 0], [0, 0], [0.25, 0.75]])
    assert any("normal" in note for note in asset.notes)  # not every corner has one


def test_texture_coordinates_per_vertex_or_per_corner(tmp_path):
    base = TRIANGLE + "v 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n"
    agreed = read(tmp_path, base + "f 1/1 2/2 3/3\nf 2/2 4/4 3/3\n").mesh
    np.testing.assert_array_equal(agreed.attributes["uv0"], [[0, 1], [1, 1], [0, 0], [1, 0]])  # v counts downwards
    seam = read(tmp_path, base + "f 1/1 2/2 3/3\nf 2/1 4/4 3/3\n").mesh
    assert "uv0" not in seam.attributes
    np.testing.assert_array_equal(seam.corner_attributes["uv0"][1], [[0, 1], [1, 0], [0, 0]])


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.rstrip("\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n", "\n\n  \n"),
        lambda t: t.replace("\nv", "\n\t v").replace("\nf", "\n  f"),
        lambda t: t.replace(" ", " \t "),
        lambda t: t.replace("\n", " # a comment with 1/2/3 f v\n"),
        lambda t: t.replace("1 0 0", "1 \\\n0 0").replace("f 1", "f \\\n 1"),
        lambda t: "# ends in a backslash \\\n" + t,
        lambda t: t.replace("\n", "\n#between\n"),
    ],
)
def test_layout_does_not_matter(tmp_path, change):
    text = TRIANGLE + "v 1 1 0\nf 1 2 3\nf 2 4 3\n"
    plain = read(tmp_path, text).mesh
    other = read(tmp_path, change(text)).mesh
    np.testing.assert_array_equal(other.vertices, plain.vertices)
    np.testing.assert_array_equal(other.faces, plain.faces)


def test_objects_and_groups_are_parts(tmp_path):
    text = (
        TRIANGLE
        + "f 1 2 3\no chair\nf 1 2 3\ng seat#7 left\nf 1 2 3\ng back\nf 1 2 3\ng seat#7 left\nf 3 2 1\no empty\n"
    )
    mesh = read(tmp_path, text).mesh
    assert [(p.name, p.parent) for p in mesh.parts] == [("chair", -1), ("seat#7 left", 0), ("back", 0), ("empty", -1)]
    np.testing.assert_array_equal(mesh.face_part, [-1, 0, 1, 2, 1])


def test_bytes_that_are_not_utf8_stay_readable(tmp_path):
    mesh = read(tmp_path, (TRIANGLE + "o St").encode() + b"\xfchl\nf 1 2 3\n").mesh
    assert mesh.parts[0].name == "Stühl"


@pytest.mark.parametrize("scale", [1.0, 255.0])
def test_vertex_colours_in_either_range(tmp_path, scale):
    rows = "".join(f"v {i} {i * i} 0 {c * scale} {0} {scale}\n" for i, c in enumerate((0.0, 0.2, 1.0)))
    mesh = read(tmp_path, rows + "f 1 2 3\n").mesh
    np.testing.assert_allclose(mesh.attributes["color"], [[0, 0, 1, 1], [0.2, 0, 1, 1], [1, 0, 1, 1]], atol=1e-12)


def test_vertex_colours_on_some_vertices_only_and_weights_ignored(tmp_path):
    mesh = read(tmp_path, "v 0 0 0 .5 .5 .5\nv 1 0 0\nv 0 1 0 1.0\nf 1 2 3\n").mesh
    np.testing.assert_array_equal(mesh.attributes["color"], [[0.5, 0.5, 0.5, 1], [1, 1, 1, 1], [1, 1, 1, 1]])
    np.testing.assert_array_equal(mesh.vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_points_curves_and_free_forms_are_left_out_with_a_note(tmp_path):
    asset = read(tmp_path, TRIANGLE + "p 1 2\nl 1 2 3\ncstype bezier\nf 1 2 3\nf 1 2\ns off\n")
    assert asset.mesh.face_count == 1
    assert len(asset.notes) == 3


def test_materials(tmp_path):
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "wood grain.png").write_bytes(image_bytes())
    (tmp_path / "n.jpg").write_bytes(image_bytes(kind="JPEG"))
    (tmp_path / "a.mtl").write_text(
        "newmtl shiny wood\nKd 0.5 0.25 1\nKs 1 1 1\nNs 30\nTr 0.25\nKe 0.1 0 0\n"
        "map_Kd -s 2 4 1 -o 0.5 0.25 -clamp on -mm 0 1 maps\\wood grain.png\nmap_Bump -bm 0.5 n.jpg\n"
        "newmtl unused\nmap_Kd not_there.png\nnewmtl black\nKd 0 0 0\nd 1\nmap_Kd n.jpg\n"
    )
    asset = read(tmp_path, "mtllib a.mtl\n" + TRIANGLE + "f 1 2 3\nusemtl black\nf 1 2 3\nusemtl shiny wood\nf 1 2 3\n")
    assert asset.notes == ()
    np.testing.assert_array_equal(asset.mesh.face_material, [-1, 0, 1])
    black, wood = asset.mesh.materials
    assert black.base_color == (1, 1, 1, 1) and black.alpha_mode == "OPAQUE"
    assert (wood.name, wood.base_color, wood.alpha_mode) == ("shiny wood", (0.5, 0.25, 1.0, 0.75), "BLEND")
    assert wood.emissive == (0.1, 0, 0)
    assert wood.roughness == pytest.approx(0.25)  # sqrt(2 / 32)
    use = wood.textures["base_color"]
    assert use.texture.image == (tmp_path / "maps" / "wood grain.png").read_bytes()
    assert (use.texture.mime, use.texture.name) == ("image/png", "wood grain")
    assert use.texture.sampler == {"wrapS": 33071, "wrapT": 33071}
    assert wood.textures["normal"].strength == 0.5
    assert wood.textures["normal"].texture.mime == "image/jpeg"
    # OBJ: (u, v) -> (0.5 + 2 u, 0.25 + 4 v). With v counted downwards on both sides:
    move = use.extensions["KHR_texture_transform"]
    u, v = 0.3, 0.6
    assert move["offset"][0] + move["scale"][0] * u == pytest.approx(0.5 + 2 * u)
    assert move["offset"][1] + move["scale"][1] * (1 - v) == pytest.approx(1 - (0.25 + 4 * v))


def test_opacity_map_becomes_alpha_of_the_base_colour(tmp_path):
    (tmp_path / "c.png").write_bytes(image_bytes(color=(10, 20, 30), size=(8, 8)))
    (tmp_path / "d.png").write_bytes(image_bytes("L", 64))
    (tmp_path / "a.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd c.png\nmap_d d.png\n")
    material = read(tmp_path, "mtllib a.mtl\nusemtl m\n" + TRIANGLE + "f 1 2 3\n").mesh.materials[0]
    picture = Image.open(io.BytesIO(material.textures["base_color"].texture.image))
    assert (picture.size, picture.getpixel((3, 3))) == ((8, 8), (10, 20, 30, 64))
    assert material.alpha_mode == "BLEND"


def test_missing_library_and_texture_are_notes(tmp_path):
    asset = read(tmp_path, "mtllib gone.mtl\nusemtl m\n" + TRIANGLE + "f 1 2 3\n")
    assert asset.mesh.materials == (Material(name="m"),)
    assert "gone.mtl" in asset.notes[0]
    (tmp_path / "a.mtl").write_text("newmtl m\nKd 0.5 x\nmap_Kd gone.png\n")
    asset = read(tmp_path, "mtllib a.mtl\nusemtl m\nusemtl other\n" + TRIANGLE + "f 1 2 3\n")
    assert len(asset.notes) == 3 and "gone.png" in " ".join(asset.notes)


def test_nothing_is_read_outside_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(image_bytes())
    (tmp_path / "secret.mtl").write_text("newmtl m\nKd 0 1 0\n")
    (inside / "a.mtl").write_text(f"newmtl m\nmap_Kd ../secret.png\nnewmtl k\nmap_Kd {tmp_path}/secret.png\n")
    text = (
        f"mtllib ../secret.mtl\nmtllib {tmp_path}/secret.mtl\nmtllib a.mtl\nusemtl m\nusemtl k\n"
        + TRIANGLE
        + "f 1 2 3\n"
    )
    asset = read(inside, text)
    assert all(not m.textures and m.base_color == (1, 1, 1, 1) for m in asset.mesh.materials)
    assert len(asset.notes) == 4


def test_texture_with_a_foreign_path_is_found_by_its_bare_name(tmp_path):
    (tmp_path / "wood.png").write_bytes(image_bytes())
    (tmp_path / "a.mtl").write_text("newmtl m\nmap_Kd C:\\Users\\me\\wood.png\n")
    asset = read(tmp_path, "mtllib a.mtl\nusemtl m\n" + TRIANGLE + "f 1 2 3\n")
    assert asset.mesh.materials[0].textures["base_color"].texture.name == "wood"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\nworld\n",
        "v 1 2\n",
        "v 1 2 x\n",
        "v 1,0 2,0 3,0\n",
        "v 1 2 3\x00\n",
        TRIANGLE + "f 1 2 4\n",
        TRIANGLE + "f 0 1 2\n",
        TRIANGLE + "f -4 1 2\n",
        TRIANGLE + "f 1 2 99999999999999999999999999\n",
        TRIANGLE + "f 1/1 2/1 3/1\n",
        TRIANGLE + "f 1//2 2//2 3//2\nvn 0 0 1\n",
        TRIANGLE + "f a b c\n",
        TRIANGLE + "f 1.5 2 3\n",
        TRIANGLE + "f 1/1/1/1 2 3\n",
        TRIANGLE + "f /1 2 3\n",
        "v 1-2 3 4\nv 0 0 0\nv 0 1 0\nf 1 2 3\n",
        "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    ],
)
def test_damage_is_named(tmp_path, text):
    (tmp_path / "a.obj").write_text(text)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "a.obj")
    assert "a.obj" in caught.value.problem and caught.value.remedy


def textured_mesh() -> Mesh:
    """Two parts, two materials, a quad among triangles, texture seams and colours."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.1], [0.5, 0.5, 1 / 3]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4]])
    texture = Texture(image_bytes(), "image/png", "red")
    move = {"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2.0, 0.5]}}
    painted = Material("painted", (0.1, 0.7, 1 / 3, 0.5), 0.25, 0.5, (0.0, 0.25, 1.0), "BLEND", textures={})
    painted = replace(painted, textures={"base_color": TextureUse(texture, extensions=move)})
    uv = np.arange(24).reshape(4, 3, 2) / 32
    uv[1, :2] = uv[0, [0, 2]]  # no seam within the quad
    return Mesh(
        vertices,
        faces,
        attributes={"color": np.linspace(0, 1, 20).reshape(5, 4) * [1, 1, 1, 0] + [0, 0, 0, 1]},
        corner_attributes={"uv0": uv},
        face_attributes={"polygon": np.array([0, 0, 1, 2])},
        materials=(painted, Material("plain", roughness=0.5)),
        face_material=np.array([0, 0, -1, 1]),
        parts=(Part("body"), Part("arm", 0), Part("empty")),
        face_part=np.array([0, 0, 1, 1]),
    )


def test_round_trip_keeps_everything(tmp_path):
    mesh = textured_mesh()
    save(mesh, tmp_path / "out.obj")
    asset = load(tmp_path / "out.obj")
    back = asset.mesh
    assert asset.notes == ()
    np.testing.assert_array_equal(back.vertices, mesh.vertices)
    np.testing.assert_array_equal(back.faces, mesh.faces)
    np.testing.assert_array_equal(back.face_material, mesh.face_material)
    np.testing.assert_array_equal(back.face_part, mesh.face_part)
    np.testing.assert_array_equal(back.attributes["color"], mesh.attributes["color"])
    np.testing.assert_array_equal(back.face_attributes["polygon"], mesh.face_attributes["polygon"])
    assert back.parts == mesh.parts
    assert (tmp_path / "out.obj").read_text().count("\nf ") == 3
    np.testing.assert_array_equal(back.corner_attributes["uv0"], mesh.corner_attributes["uv0"])
    assert back.materials[1].roughness == 0.5
    painted = back.materials[0]
    for name in ("name", "base_color", "metallic", "roughness", "emissive", "alpha_mode"):
        assert getattr(painted, name) == getattr(mesh.materials[0], name)
    use = painted.textures["base_color"]
    assert use.texture.image == mesh.materials[0].textures["base_color"].texture.image
    assert use.extensions["KHR_texture_transform"] == {"offset": [0.5, 0.25], "scale": [2.0, 0.5]}


def test_a_seam_within_a_polygon_keeps_its_triangles_apart(tmp_path):
    uv = np.arange(24).reshape(4, 3, 2) / 32
    save(replace(textured_mesh(), corner_attributes={"uv0": uv}), tmp_path / "out.obj")
    np.testing.assert_array_equal(load(tmp_path / "out.obj").mesh.corner_attributes["uv0"], uv)


def test_random_coordinates_survive_exactly(tmp_path):
    rng = np.random.default_rng(0)
    vertices = rng.normal(size=(200, 3)) * 10.0 ** rng.integers(-12, 12, (200, 1))
    mesh = Mesh(vertices, rng.integers(0, 200, (300, 3)), {"normal": rng.normal(size=(200, 3))})
    save(mesh, tmp_path / "a.obj")
    back = load(tmp_path / "a.obj").mesh
    np.testing.assert_array_equal(back.vertices, vertices)
    np.testing.assert_array_equal(back.faces, mesh.faces)
    used = np.unique(mesh.faces)
    np.testing.assert_array_equal(back.attributes["normal"][used], mesh.attributes["normal"][used])


def test_trimesh_reads_what_we_write(tmp_path):
    sphere = trimesh.creation.icosphere(subdivisions=2)
    uv = sphere.vertices[:, :2] * 0.4 + 0.5
    save(Mesh(sphere.vertices, sphere.faces, {"uv0": np.stack([uv[:, 0], 1 - uv[:, 1]], 1)}), tmp_path / "a.obj")
    back = trimesh.load(tmp_path / "a.obj", process=False, maintain_order=True)
    np.testing.assert_allclose(back.vertices, sphere.vertices, atol=0)
    np.testing.assert_array_equal(back.faces, sphere.faces)
    np.testing.assert_allclose(back.visual.uv, uv, atol=1e-15)


def test_we_read_what_trimesh_writes(tmp_path):
    box = trimesh.creation.box((1, 2, 3))
    box.visual = trimesh.visual.TextureVisuals(uv=box.vertices[:, :2], image=Image.new("RGB", (2, 2), "blue"))
    box.export(tmp_path / "b.obj", digits=12)
    mesh = load(tmp_path / "b.obj").mesh
    np.testing.assert_allclose(mesh.vertices, box.vertices, atol=1e-12)
    np.testing.assert_array_equal(mesh.faces, box.faces)
    np.testing.assert_allclose(mesh.attributes["uv0"][:, 0], box.vertices[:, 0], atol=1e-8)
    np.testing.assert_allclose(1 - mesh.attributes["uv0"][:, 1], box.vertices[:, 1], atol=1e-8)
    assert "base_color" in mesh.materials[0].textures


@pytest.mark.data
def test_real_objects_agree_with_trimesh(shared_data):
    folders = sorted((shared_data / "partnet_mobility").iterdir())[::40]
    paths = [path for folder in folders for path in sorted((folder / "textured_objs").glob("*.obj"))[:5]]
    assert len(paths) > 10
    for path in paths:
        asset = obj.read(Source(path, outside=True))
        other = trimesh.load(path, process=False, force="mesh", skip_materials=True, maintain_order=True)
        ours = trimesh.Trimesh(asset.mesh.vertices, asset.mesh.faces, process=False)
        assert asset.notes == ()
        assert len(asset.mesh.faces) == len(other.faces)
        assert ours.area == pytest.approx(other.area, rel=1e-6, abs=1e-12)
        np.testing.assert_allclose(ours.bounds, other.bounds, atol=1e-9)
        rows = [line.split()[1:4] for line in path.read_text().splitlines() if line.startswith("v ")]
        np.testing.assert_array_equal(asset.mesh.vertices, np.array(rows, dtype=float))
