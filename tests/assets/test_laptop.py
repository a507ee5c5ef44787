"""The bundled laptop is a sound object: closed pieces, outward normals, a hinge that opens the lid."""

import io

import numpy as np
import pytest

import neurok
from neurok.assets.laptop import BUNDLED, HINGE, MAX_OPENING, laptop, render_wallpaper


@pytest.fixture(scope="module")
def machine():
    return laptop()


def _corner_matrix(mesh, faces):
    a, b, c = (mesh.vertices[faces[:, i]] for i in range(3))
    return a, b, c


def test_every_solid_piece_is_closed_and_faces_outwards(machine):
    mesh = machine.mesh
    for index, part in enumerate(mesh.parts):
        faces = mesh.faces[mesh.face_part == index]
        if len(faces) == 0:
            continue
        places = np.unique(mesh.vertices.round(9), axis=0, return_inverse=True)[1].reshape(-1)[faces]
        edges = np.concatenate([places[:, [0, 1]], places[:, [1, 2]], places[:, [2, 0]]])
        forward = {tuple(e) for e in edges}
        assert len(forward) == len(edges), f"{part.name} uses an edge twice in one direction"
        assert forward == {(b, a) for a, b in forward}, f"{part.name} is open"
        a, b, c = _corner_matrix(mesh, faces)
        assert np.einsum("fi,fi->", a, np.cross(b, c)) / 6 > 0, f"{part.name} is inside out"


def test_normals_are_unit_and_agree_with_the_faces(machine):
    mesh = machine.mesh
    normal = mesh.attributes["normal"]
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
    a, b, c = _corner_matrix(mesh, mesh.faces)
    face = np.cross(b - a, c - a)
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    assert np.einsum("fi,fi->f", face, normal[mesh.faces].mean(axis=1)).min() > 0.9


def test_the_body_has_the_volume_of_its_formula():
    """A plate with round corners and round edges, by Steiner's formula for the inner plate, to the arcs' coarseness."""
    from neurok.assets.laptop import METAL
    from neurok.assets.shapes import slab

    width, depth, height, radius, bevel = 0.3, 0.2, 0.02, 0.03, 0.004
    mesh = slab("plate", (width, depth, height), radius, bevel, METAL)
    a, b, c = _corner_matrix(mesh, mesh.faces)
    volume = np.einsum("fi,fi->", a, np.cross(b, c)) / 6
    sharp = (width * depth - (4 - np.pi) * radius**2) * height
    perimeter = 2 * (width + depth) - (8 - 2 * np.pi) * radius
    rounded_off = 2 * (1 - np.pi / 4) * bevel**2 * perimeter
    assert volume == pytest.approx(sharp - rounded_off, rel=0.01)


def test_the_lid_opens_upwards_about_the_hinge(machine):
    """A point of the lid's front edge, turned by the hinge's screw, rises on a circle about the hinge."""
    screw = machine.freedoms[0].screw
    assert machine.coordinate_names == ["hinge"]
    assert (machine.freedoms[0].lower, machine.freedoms[0].upper) == (0.0, MAX_OPENING)
    lid = machine.mesh.vertices[machine.vertex_link == 1]
    front = lid[lid[:, 1].argmin()]
    velocity = screw[:3] + np.cross(screw[3:], front)
    assert velocity[2] > 0
    arm = (front - HINGE)[1:]
    assert velocity[1:] @ arm == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(velocity) == pytest.approx(np.linalg.norm(arm))


def test_it_stands_on_the_ground_and_the_lid_touches_nothing(machine):
    mesh = machine.mesh
    assert mesh.bounds[0, 2] == pytest.approx(0.0, abs=1e-12)
    keys = mesh.face_part == [p.name for p in mesh.parts].index("keyboard")
    lid = mesh.vertices[machine.vertex_link == 1]
    assert mesh.vertices[mesh.faces[keys]][..., 2].max() < lid[:, 2].min()


def test_the_screen_shows_an_upright_picture(machine):
    """Seen from the front with the lid open, the picture's top is away from the hinge and its left is on the left."""
    mesh = machine.mesh
    screen = mesh.faces[mesh.face_part == [p.name for p in mesh.parts].index("screen")].reshape(-1)
    screen = screen[mesh.attributes["normal"][screen, 2] < -0.9]
    uv, points = mesh.attributes["uv0"][screen], mesh.vertices[screen]
    top = np.linalg.norm(points[uv[:, 1] == 0.0] - HINGE, axis=1)
    bottom = np.linalg.norm(points[uv[:, 1] == 1.0] - HINGE, axis=1)
    assert top.min() > bottom.max()
    assert points[uv[:, 0] == 0.0][:, 0].max() < points[uv[:, 0] == 1.0][:, 0].min()


def test_the_picture_is_small_and_the_same_each_time():
    from PIL import Image

    assert render_wallpaper() == render_wallpaper()
    assert len(render_wallpaper()) < 20_000
    assert Image.open(io.BytesIO(render_wallpaper())).size == (320, 186)


def test_the_bundled_file_is_the_laptop(machine):
    """The URDF in the package holds what the code makes: shape, surfaces, texture, hinge; in under 300 kB."""
    loaded = neurok.load(BUNDLED).articulation
    assert [link.name for link in loaded.links] == ["base", "lid"]
    for name in range(2):
        ours = machine.mesh.vertices[machine.vertex_link == name]
        theirs = loaded.mesh.vertices[loaded.vertex_link == name]
        np.testing.assert_allclose(np.sort(ours, axis=0), np.sort(theirs, axis=0), atol=1e-6)
    np.testing.assert_allclose(loaded.freedoms[0].screw, machine.freedoms[0].screw, atol=1e-9)
    assert (loaded.freedoms[0].lower, loaded.freedoms[0].upper) == pytest.approx((0.0, MAX_OPENING))
    assert {m.name for m in loaded.mesh.materials} >= {"aluminium", "keys", "bezel", "touchpad", "screen"}
    pictures = [m.textures["base_color"].texture.image for m in loaded.mesh.materials if m.textures]
    assert pictures and all(p == render_wallpaper() for p in pictures)
    assert sum(p.stat().st_size for p in BUNDLED.parent.rglob("*") if p.is_file()) < 300_000
