"""Areas, volumes and inertias against closed forms, and against each other under motions."""

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.geometry import measure, primitives, rigid
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.surface import sample_uniform

BOX = primitives.box(1.0, 2.0, 3.0, 2)
TETRAHEDRON = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_box_is_exact():
    ideal = primitives.ideal_box(1.0, 2.0, 3.0)
    body = measure.solid_inertia(BOX, 2.5)
    assert measure.compute_volume(BOX) == pytest.approx(6.0, rel=1e-14)
    assert measure.compute_area(BOX) == pytest.approx(22.0, rel=1e-14)
    assert body.mass == pytest.approx(15.0, rel=1e-14)
    np.testing.assert_allclose(body.centre, 0.0, atol=1e-15)
    np.testing.assert_allclose(body.tensor, np.diag(15.0 * ideal.inertia), rtol=1e-14, atol=1e-13)


def test_tetrahedron_is_exact():
    """The corner of the unit cube: volume 1/6, centre 1/4, int x^2 = 1/60, int xy = 1/120."""
    body = measure.solid_inertia(TETRAHEDRON)
    assert body.mass == pytest.approx(1 / 6, rel=1e-14)
    np.testing.assert_allclose(body.centre, 0.25, rtol=1e-14)
    square, product = 1 / 60 - 1 / 6 / 16, 1 / 120 - 1 / 6 / 16
    np.testing.assert_allclose(body.tensor, np.full((3, 3), -product) + np.eye(3) * (2 * square + product), atol=1e-16)


def test_flat_triangle_shell_is_exact():
    """The right triangle of unit legs: area 1/2, centre 1/3, int x^2 = 1/12, int xy = 1/24."""
    shell = measure.shell_inertia(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), 2.0)
    assert shell.mass == pytest.approx(1.0)
    np.testing.assert_allclose(shell.centre, [1 / 3, 1 / 3, 0], atol=1e-15)
    xx, xy = 2 * (1 / 12 - 0.5 / 9), 2 * (1 / 24 - 0.5 / 9)
    np.testing.assert_allclose(shell.tensor, [[xx, -xy, 0], [-xy, xx, 0], [0, 0, 2 * xx]], atol=1e-16)


def test_spherical_shell_has_two_thirds():
    shell = measure.shell_inertia(primitives.icosphere(0.7, 5))
    np.testing.assert_allclose(shell.tensor / shell.mass, 2 / 3 * 0.49 * np.eye(3), rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize("inertia", [measure.solid_inertia, measure.shell_inertia])
def test_inertia_moves_with_the_body(inertia):
    """Also a million lengths away from the origin, where sums about it would cancel."""
    mesh = merge([BOX, primitives.cone(0.5, 1.0).with_vertices(primitives.cone(0.5, 1.0).vertices + [3.0, 1.0, 0.0])])
    here = inertia(mesh)
    for distance, tolerance in ((1.0, 1e-12), (1e6, 1e-8)):
        T = rigid.exp_twist(np.array([0.3, 0.4, 0.5, 1.0, -2.0, 0.3]))
        T[:3, 3] *= distance
        there = inertia(mesh.with_vertices(rigid.apply(T, mesh.vertices)))
        assert there.mass == pytest.approx(here.mass, rel=tolerance)
        np.testing.assert_allclose(there.centre, rigid.apply(T, here.centre), rtol=0, atol=tolerance * distance)
        expected = T[:3, :3] @ here.tensor @ T[:3, :3].T
        np.testing.assert_allclose(there.tensor, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_two_bodies_add_up_by_the_parallel_axes():
    shift = np.array([3.0, -1.0, 2.0])
    one, both = measure.solid_inertia(BOX), merge([BOX, BOX.with_vertices(BOX.vertices + shift)])
    arm = 0.5 * shift
    expected = 2 * one.tensor + 2 * one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(measure.solid_inertia(both).tensor, expected, rtol=1e-13)
    np.testing.assert_allclose(measure.solid_inertia(both).centre, arm, rtol=1e-13)


def test_inside_out_has_negative_volume_and_the_same_inertia():
    flipped = Mesh(BOX.vertices, BOX.faces[:, ::-1])
    assert measure.compute_volume(flipped) == pytest.approx(-6.0)
    body, same = measure.solid_inertia(BOX), measure.solid_inertia(flipped)
    assert same.mass == pytest.approx(body.mass)
    np.testing.assert_allclose(same.tensor, body.tensor, rtol=1e-13, atol=1e-13)


def test_points_agree_with_the_shell_they_sample():
    mesh = primitives.torus()
    points = sample_uniform(mesh, 50000, np.random.default_rng(0))
    found, shell = measure.point_inertia(points.position, points.area), measure.shell_inertia(mesh)
    assert found.mass == pytest.approx(shell.mass)
    np.testing.assert_allclose(found.tensor, shell.tensor, rtol=0, atol=0.02 * np.abs(shell.tensor).max())
    pair = measure.point_inertia([[1.0, 0, 0], [-1.0, 0, 0]], [2.0, 2.0])
    np.testing.assert_allclose(pair.tensor, np.diag([0.0, 4.0, 4.0]))


def test_closed_means_every_side_is_matched():
    assert measure.is_closed(BOX) and measure.is_closed(TETRAHEDRON)
    split = Mesh(BOX.vertices[BOX.faces].reshape(-1, 3), np.arange(3 * BOX.face_count).reshape(-1, 3))
    assert measure.is_closed(split)  # as files with one normal per face have it
    assert not measure.is_closed(select_faces(BOX, np.arange(1, BOX.face_count)))
    turned = BOX.faces.copy()
    turned[0] = turned[0, ::-1]
    assert not measure.is_closed(Mesh(BOX.vertices, turned))
    assert not measure.is_closed(primitives.grid(1.0, 1.0))
    assert not measure.is_closed(Mesh(np.zeros((3, 3)), []))
    assert measure.is_closed(Mesh(BOX.vertices, np.concatenate([BOX.faces, [[0, 0, 5]]])))


def test_what_has_no_inertia_is_told():
    sheet = primitives.grid(1.0, 1.0)
    two_sided = Mesh(sheet.vertices, np.concatenate([sheet.faces, sheet.faces[:, ::-1]]))
    for mesh, function, word in (
        (sheet, measure.solid_inertia, "not closed"),
        (two_sided, measure.solid_inertia, "no volume"),
        (Mesh(np.zeros((3, 3)), [[0, 1, 2]]), measure.shell_inertia, "no area"),
    ):
        with pytest.raises(InputError, match=word):
            function(mesh)
    with pytest.raises(InputError, match="no mass"):
        measure.point_inertia(np.zeros((2, 3)), np.zeros(2))


@pytest.mark.parametrize("whole", [primitives.box(1.0, 2.0, 3.0, 4), primitives.sphere(0.7)], ids=["box", "sphere"])
def test_pieces_of_a_closed_surface_weigh_what_the_whole_does(whole):
    """Cut in three along edges, askew: masses, centres and inertias of the pieces add up to those of the whole."""
    middle = whole.vertices[whole.faces].mean(axis=1) @ [0.6, 0.5, -0.3]
    label = np.digitize(middle, np.quantile(middle, [0.3, 0.6]))
    pieces = [measure.close_rims(select_faces(whole, np.flatnonzero(label == i))) for i in range(3)]
    assert all(measure.is_closed(piece) for piece in pieces)
    bodies, ideal = [measure.solid_inertia(piece, 2.0) for piece in pieces], measure.solid_inertia(whole, 2.0)
    assert sum(body.mass for body in bodies) == pytest.approx(ideal.mass, rel=1e-12)
    np.testing.assert_allclose(sum(b.mass * b.centre for b in bodies), ideal.mass * ideal.centre, atol=1e-12)
    arms = [body.centre - ideal.centre for body in bodies]
    tensors = [b.tensor + b.mass * ((a @ a) * np.eye(3) - np.outer(a, a)) for b, a in zip(bodies, arms)]
    np.testing.assert_allclose(sum(tensors), ideal.tensor, rtol=1e-9, atol=1e-12)
    assert measure.compute_volume(measure.close_rims(whole)) == pytest.approx(measure.compute_volume(whole), rel=1e-14)
    # Vertices that stand there twice are one, wherever they stand in the list.
    loose = Mesh(whole.vertices[whole.faces[::-1]].reshape(-1, 3), np.arange(3 * whole.face_count).reshape(-1, 3))
    assert measure.compute_volume(measure.close_rims(loose)) == pytest.approx(measure.compute_volume(whole), rel=1e-12)
    assert measure.compute_volume(
        measure.close_rims(select_faces(loose, np.flatnonzero(label[::-1] == 1)))
    ) == pytest.approx(bodies[1].mass / 2.0, rel=1e-12)


@pytest.mark.parametrize("whole", [primitives.box(1.0, 2.0, 3.0), primitives.sphere(0.7)], ids=["box", "sphere"])
def test_faces_that_stand_there_twice_count_once(whole):
    """Repeated faces, some begun at another corner, and faces without area change neither volume nor inertia."""
    faces = np.concatenate([whole.faces, whole.faces[:5], np.roll(whole.faces[3:9], 1, axis=1), [[0, 1, 1], [2, 2, 2]]])
    twice = Mesh(whole.vertices, faces)
    assert measure.is_closed(twice)
    assert measure.compute_volume(twice) == pytest.approx(measure.compute_volume(whole), rel=1e-14)
    found, ideal = measure.solid_inertia(twice, 2.0), measure.solid_inertia(whole, 2.0)
    np.testing.assert_allclose(found.tensor, ideal.tensor, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.centre, ideal.centre, atol=1e-14)
    # A face and its back are two sides of a sheet.
    sheet = Mesh(whole.vertices, np.concatenate([whole.faces[:4], whole.faces[:4, ::-1]]))
    assert measure.is_closed(sheet) and measure.compute_volume(sheet) == pytest.approx(0.0, abs=1e-15)


def test_pieces_that_do_not_add_up_weigh_by_their_area():
    """Octants of a ball meet in points, and the lining of a bowl holds less than nothing: neither is a solid alone."""
    ball = primitives.sphere(1.0)
    middle = ball.vertices[ball.faces].mean(axis=1)
    octant = (middle > 0) @ [1, 2, 4]
    eight = [select_faces(ball, np.flatnonzero(octant == i)) for i in range(8)]
    assert measure.assess_pieces(ball, eight, 0.01) == (
        False,
        pytest.approx(measure.compute_volume(ball) / measure.compute_area(ball)),
    )
    halves = [select_faces(ball, np.flatnonzero((octant < 4) == k)) for k in (True, False)]
    assert measure.assess_pieces(ball, halves, 0.01) == (True, 0.01)
    inner = Mesh(0.9 * ball.vertices, ball.faces[:, ::-1])
    hollow = Mesh(np.concatenate([ball.vertices, inner.vertices]),
                  np.concatenate([ball.faces, inner.faces + ball.vertex_count]))  # fmt: skip
    cut, thick = measure.assess_pieces(hollow, [ball, inner], 0.01)
    assert not cut and thick * measure.compute_area(hollow) == pytest.approx(
        (1 - 0.9**3) * measure.compute_volume(ball)
    )
    assert measure.assess_pieces(halves[0], halves[:1], 0.01) == (False, 0.01)  # open
    sheet = Mesh(ball.vertices, np.concatenate([ball.faces, ball.faces[:, ::-1]]))  # a front and a back
    assert measure.assess_pieces(sheet, [sheet], 0.01) == (False, 0.01)
