"""Solids cut into parts: both sides are closed, volumes add up, sheets stay sheets, and the input keeps its places."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.cutting import cut_parts, split_vertices
from neurok.geometry.mesh import Material, Mesh, Part, merge
from neurok.geometry.primitives import box, cylinder, grid, icosphere, torus
from neurok.geometry.surface import find_nearest


def middles(mesh: Mesh) -> Array:
    return mesh.vertices[mesh.faces].mean(axis=1)


def solids(mesh: Mesh, label: Indices) -> list[trimesh.Trimesh]:
    """The parts after the cut, as trimesh sees them."""
    cut, part = cut_parts(mesh, label)
    owner = part[cut.faces[:, 0]]
    assert np.array_equal(np.repeat(owner[:, None], 3, axis=1), part[cut.faces])
    return [trimesh.Trimesh(cut.vertices, cut.faces[owner == k]) for k in range(int(label.max()) + 1)]


def volume(mesh: Mesh) -> float:
    return float(trimesh.Trimesh(mesh.vertices, mesh.faces).volume)


def test_a_box_is_cut_into_a_lid_and_a_base():
    mesh = box(1.0, 2.0, 3.0, cells=4)
    base, lid = solids(mesh, (middles(mesh)[:, 2] > 0.75).astype(int))
    assert base.is_watertight and lid.is_watertight
    assert base.volume == pytest.approx(4.5) and lid.volume == pytest.approx(1.5)


def test_a_box_is_cut_into_three():
    mesh = box(cells=4)
    parts = solids(mesh, np.digitize(middles(mesh)[:, 0], [-0.25, 0.25]))
    assert all(part.is_watertight for part in parts)
    assert [part.volume for part in parts] == pytest.approx([0.25, 0.5, 0.25])


def test_a_thin_slice_is_capped_on_both_its_sides():
    rod = trimesh.creation.cylinder(0.5, 1.0, sections=24).subdivide().subdivide().subdivide()
    rod.apply_scale([1.0, 1.0, 0.5])
    mesh = Mesh(rod.vertices, rod.faces)
    parts = solids(mesh, np.digitize(middles(mesh)[:, 2], [0.0, 0.05]))
    assert all(part.is_watertight for part in parts)
    assert sum(part.volume for part in parts) == pytest.approx(rod.volume)
    assert parts[1].volume == pytest.approx(rod.volume / 8, rel=0.01)


def test_the_wall_of_a_tube_is_capped_by_a_ring():
    tube = trimesh.creation.annulus(0.3, 0.4, 1.0, sections=40).subdivide().subdivide()
    mesh = Mesh(tube.vertices, tube.faces)
    lower, upper = solids(mesh, (middles(mesh)[:, 2] > 0).astype(int))
    assert lower.is_watertight and upper.is_watertight
    assert lower.volume == pytest.approx(tube.volume / 2) and upper.volume == pytest.approx(tube.volume / 2)
    axis = find_nearest(Mesh(lower.vertices, lower.faces), np.zeros((1, 3))).position
    assert np.linalg.norm(axis) > 0.29  # the tube's bore stays open


def test_a_thin_wall_that_is_cut_raggedly_is_capped_by_a_strip():
    tube = trimesh.creation.annulus(0.38, 0.4, 1.0, sections=40).subdivide().subdivide()
    mesh = Mesh(tube.vertices, tube.faces)
    inside = np.linalg.norm(middles(mesh)[:, :2], axis=1) < 0.39
    parts = solids(mesh, (middles(mesh)[:, 2] > np.where(inside, 0.0, 0.1)).astype(int))
    assert all(part.is_watertight for part in parts)
    assert sum(part.volume for part in parts) == pytest.approx(tube.volume)
    assert all(part.volume < 0.8 * tube.volume for part in parts)


def test_a_rod_within_a_tube_is_no_hole_of_it():
    tube, rod = trimesh.creation.annulus(0.3, 0.4, 1.0), trimesh.creation.cylinder(0.1, 1.0)
    both = trimesh.util.concatenate([tube, rod]).subdivide().subdivide()
    parts = solids(Mesh(both.vertices, both.faces), (both.triangles_center[:, 2] > 0).astype(int))
    assert [part.volume for part in parts] == pytest.approx([both.volume / 2] * 2)
    assert all(part.is_watertight for part in parts)


@settings(max_examples=25, deadline=None)
@given(
    which=st.sampled_from(["sphere", "torus"]), seed=st.integers(0, 10**6), offset=st.floats(-0.35, 0.35),
    unwelded=st.booleans(),
)  # fmt: skip
def test_planes_cut_closed_meshes_into_closed_ones(which, seed, offset, unwelded):
    mesh = icosphere(0.5, 3) if which == "sphere" else torus(0.4, 0.12, 40, 20)
    normal = np.random.default_rng(seed).normal(size=3)
    label = (middles(mesh) @ (normal / np.linalg.norm(normal)) > offset).astype(int)
    if unwelded:
        mesh = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * mesh.face_count).reshape(-1, 3))
    parts = solids(mesh, label)
    assert all(part.is_watertight and part.is_winding_consistent and part.volume > -1e-12 for part in parts)
    assert sum(part.volume for part in parts) == pytest.approx(volume(mesh), rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 5))
def test_any_labels_of_a_closed_mesh_keep_its_volume_where_two_parts_meet(seed, count):
    mesh = icosphere(0.5, 2)
    generator = np.random.default_rng(seed)
    seats = generator.normal(size=(count, 3))
    label = (np.argmax(middles(mesh) @ seats.T, axis=1) == 0).astype(int)
    if label.min() == label.max():
        return
    assert sum(part.volume for part in solids(mesh, label)) == pytest.approx(volume(mesh), rel=1e-9)


def test_a_ragged_loop_that_lies_in_no_plane_is_closed():
    mesh = icosphere(0.5, 3)
    x, y, z = middles(mesh).T
    parts = solids(mesh, (z > 0.3 * np.sin(3.0 * np.arctan2(y, x))).astype(int))
    assert all(part.is_watertight for part in parts)
    assert sum(part.volume for part in parts) == pytest.approx(volume(mesh), rel=1e-9)


def test_sheets_get_no_caps():
    pipe = cylinder(0.4, 1.0, 24)
    pipe = Mesh(*_subdivide(pipe))
    flat = np.abs(np.cross(*_two_sides(pipe)))[:, 2]
    walls = Mesh(pipe.vertices, pipe.faces[flat < 1e-9])
    soup = merge([grid(1.0, 1.0, 4, 4), walls])
    cut, _ = cut_parts(soup, (middles(soup)[:, 2] > 0).astype(int))
    assert cut.face_count == soup.face_count
    halves = grid(1.0, 1.0, 4, 4)  # two sheets that meet at a hinge line
    assert cut_parts(halves, (middles(halves)[:, 0] > 0).astype(int))[0].face_count == halves.face_count


def _two_sides(mesh: Mesh) -> tuple[Array, Array]:
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return b - a, c - a


def _subdivide(mesh: Mesh) -> tuple[Array, Indices]:
    return trimesh.remesh.subdivide(*trimesh.remesh.subdivide(mesh.vertices, mesh.faces))


def test_a_sheet_of_two_sides_is_too_thin_for_a_cap():
    front = grid(1.0, 1.0, 4, 4)
    back = Mesh(front.vertices - [0, 0, 1e-4], front.faces[:, ::-1])
    x, y = front.vertices[:, 0], front.vertices[:, 1]
    rim = np.flatnonzero((np.abs(x) > 0.499) | (np.abs(y) > 0.499))
    place = np.concatenate([front.vertices, back.vertices])
    place[rim + len(x)] = place[rim]  # a pillow
    pillow = Mesh(place, np.concatenate([front.faces, back.faces + len(x)]))
    cut, _ = cut_parts(pillow, (middles(pillow)[:, 0] > 0).astype(int))
    assert cut.face_count == pillow.face_count


def test_pieces_that_a_file_keeps_apart_were_never_one():
    mesh = box(cells=2)
    label = (middles(mesh)[:, 2] > 0).astype(int)
    split, _ = split_vertices(mesh, label)
    one_piece = Mesh(split.vertices, split.faces)
    two_pieces = Mesh(split.vertices, split.faces, parts=(Part("lid"), Part("base")), face_part=label)
    assert cut_parts(one_piece, label)[0].face_count > mesh.face_count
    assert cut_parts(two_pieces, label)[0].face_count == mesh.face_count


def test_vertices_and_faces_keep_their_places_and_caps_look_like_their_neighbours():
    mesh = box(cells=2)
    label = (middles(mesh)[:, 2] > 0).astype(int)
    count, number = mesh.vertex_count, np.arange(mesh.face_count)
    mesh = Mesh(
        mesh.vertices, mesh.faces,
        attributes={"normal": mesh.vertices * 2.0, "color": np.full((count, 4), 0.5), "uv0": mesh.vertices[:, :2]},
        corner_attributes={"uv1": np.repeat(mesh.vertices[mesh.faces][..., :2], 1, axis=1)},
        face_attributes={"polygon": number}, materials=(Material("red"), Material("blue")), face_material=label,
        parts=(Part("box"),), face_part=np.zeros(mesh.face_count, dtype=int),
    )  # fmt: skip
    cut, part = cut_parts(mesh, label)
    assert np.array_equal(cut.vertices[:count], mesh.vertices)
    assert np.array_equal(cut.vertices[cut.faces[: mesh.face_count]], mesh.vertices[mesh.faces])
    caps = np.arange(mesh.face_count, cut.face_count)
    assert np.array_equal(cut.face_material[caps], part[cut.faces[caps, 0]]) and np.all(cut.face_part == 0)
    assert len(np.unique(cut.face_attributes["polygon"])) == cut.face_count
    normal, corners = np.asarray(cut.attributes["normal"]), cut.faces[caps]
    assert np.allclose(normal[corners], np.where(part[corners] == 0, 1.0, -1.0)[..., None] * [0, 0, 1])
    assert np.all(np.asarray(cut.attributes["color"])[corners] == 0.5)
    for uv in (np.asarray(cut.attributes["uv0"])[corners], np.asarray(cut.corner_attributes["uv1"])[caps]):
        assert all(np.ptp(uv[cut.face_material[caps] == k].reshape(-1, 2), axis=0).max() == 0 for k in (0, 1))


def test_nothing_is_cut_where_there_is_one_part():
    mesh = icosphere()
    cut, part = cut_parts(mesh, np.zeros(mesh.face_count, dtype=int))
    assert cut.face_count == mesh.face_count and not part.any()
    empty = Mesh(np.zeros((3, 3)), np.zeros((0, 3)))
    assert cut_parts(empty, np.zeros(0, dtype=int))[0].vertex_count == 3


def test_a_vertex_shared_by_two_parts_is_copied_and_the_shape_stays():
    mesh = box(cells=2)
    face = (mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 0).astype(int)
    cut, link = split_vertices(mesh, face)
    assert cut.vertex_count > mesh.vertex_count
    assert np.array_equal(link[cut.faces], np.repeat(face[:, None], 3, axis=1))
    assert np.array_equal(cut.vertices[cut.faces], mesh.vertices[mesh.faces])


def test_a_surface_with_two_sides_shows_its_inside():
    mesh = box(cells=4)
    twice = Mesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:, ::-1]]))
    cut, part = cut_parts(twice, (middles(twice)[:, 2] > 0.2).astype(int))
    assert cut.face_count == twice.face_count and part.any()
