"""How patches meet, on shapes whose borders are known in closed form."""

import numpy as np

from neurok.geometry.borders import patch_borders
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.patches import crease_patches
from neurok.geometry.primitives import box


def moved(mesh: Mesh, by: list[float]) -> Mesh:
    return mesh.with_vertices(mesh.vertices + np.array(by))


def borders_of(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    patch = crease_patches(mesh).face
    return patch_borders(mesh, patch), patch


def facing(mesh: Mesh, patch: np.ndarray, where: list[float]) -> int:
    """The patch whose faces' middle is nearest to a point."""
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    centre = np.stack([middle[patch == k].mean(axis=0) for k in range(patch.max() + 1)])
    return int(np.linalg.norm(centre - np.array(where), axis=1).argmin())


def test_a_box_bends_outwards_by_a_right_angle_everywhere():
    a, b, c = 1.0, 2.0, 3.0
    mesh = box(a, b, c, cells=3)
    found, patch = borders_of(mesh)
    assert np.array_equal(found, found.swapaxes(0, 1))
    front, right, top = (facing(mesh, patch, w) for w in ([0, -b, 0], [a, 0, 0], [0, 0, c]))
    # They meet along an edge of length c; the outlines are 2 (a + c) and 2 (b + c).
    assert np.allclose(found[front, right], [c / (2 * (a + c)), 0.5, 0.0, 0.0])
    assert np.allclose(found[front, top], [a / (2 * (a + b)), 0.5, 0.0, 0.0])
    assert np.allclose(found[front, facing(mesh, patch, [0, b, 0])], 0.0)  # the opposite side
    assert np.allclose(found[np.arange(6), np.arange(6)], 0.0)


def test_an_inner_corner_bends_inwards():
    corners = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)  # an L, extruded
    bottom, top = np.c_[corners, np.zeros(6)], np.c_[corners, np.ones(6)]
    caps = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    walls = [[i, (i + 1) % 6, (i + 1) % 6 + 6] for i in range(6)] + [[i, (i + 1) % 6 + 6, i + 6] for i in range(6)]
    mesh = Mesh(np.r_[bottom, top], np.r_[caps[:, ::-1], caps + 6, np.array(walls)])
    found, patch = borders_of(mesh)
    shelf, riser = facing(mesh, patch, [1.5, 1, 0.5]), facing(mesh, patch, [1, 1.5, 0.5])
    assert np.allclose(found[shelf, riser], [0.25, 0.0, 0.5, 0.0])


def test_neither_winding_nor_doubled_faces_matter():
    mesh = box(1.0, 2.0, 3.0, cells=2)
    plain, patch = borders_of(mesh)
    rng = np.random.default_rng(0)
    faces = mesh.faces.copy()
    some = rng.random(len(faces)) < 0.5
    faces[some] = faces[some][:, ::-1]
    assert np.allclose(patch_borders(Mesh(mesh.vertices, faces), patch), plain)
    doubled = Mesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:, ::-1]]))
    assert np.allclose(patch_borders(doubled, np.concatenate([patch, patch])), plain)


def test_boxes_on_top_of_each_other_meet_in_a_crowd():
    pair = merge([box(1.0, 1.0, 1.0), moved(box(1.0, 1.0, 1.0), [0, 0, 1.0])])
    found, patch = borders_of(pair)
    low, high = facing(pair, patch, [0.5, 0, 0]), facing(pair, patch, [0.5, 0, 1.0])
    across, within = found[low, high], found[low, facing(pair, patch, [0, 0.5, 0])]
    assert across[3] == 1.0 and across[0] > 0
    assert np.allclose(within[1:], [0.5, 0.0, 0.0])


def test_what_does_not_touch_has_no_border():
    found, patch = borders_of(merge([box(1.0, 1.0, 1.0), moved(box(1.0, 1.0, 1.0), [3.0, 0, 0])]))
    one = patch[:12]
    assert np.all(found[np.ix_(np.unique(one), np.setdiff1d(patch, one))] == 0.0)


def test_nothing_but_collapsed_faces():
    mesh = Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]]))
    assert np.all(patch_borders(mesh, np.zeros(1, dtype=np.int64)) == 0.0)
