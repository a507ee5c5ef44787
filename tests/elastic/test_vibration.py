"""Bricks against closed forms of elasticity: bars, beams, plates, and rigid parts beside soft ones."""

import numpy as np
import pytest
from scipy.sparse import identity, kron
from scipy.sparse.linalg import spsolve

from neurok.elastic.body import _find_held
from neurok.elastic.brick import NODES, RULE, shape_functions
from neurok.elastic.bricks import assemble, find_rigid_nodes, lay_bricks
from neurok.elastic.filling import fill
from neurok.elastic.matter import Hooke, Matter
from neurok.elastic.vibration import FREE, HELD, find_vibrations
from neurok.geometry.primitives import grid
from neurok.geometry.rotation import rotation

BENDING = np.array([1.8751, 4.6941, 7.8548])  # of a cantilever: roots of cos x cosh x = -1


def _block(size, count, material, materials, turn=None):
    """A box of matter from the origin, as Gauss points of `count` cells; material: a function of position."""
    pair = np.array([-0.5, 0.5]) / np.sqrt(3.0)
    axes = [((np.arange(n) + 0.5)[:, None] + pair).ravel() / n * side for n, side in zip(count, size)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    placed = x if turn is None else x @ turn.T
    return Matter(placed, np.full(len(x), np.prod(size) / len(x)), material(x), tuple(materials))


def _stretch(matter, side, along, strain=1e-3):
    """The energy of a block that is stretched between its ends and free elsewhere [J]."""
    bricks = lay_bricks(matter, side)
    K = assemble(bricks, matter).stiffness
    low, high = bricks.places[:, along].min(), bricks.places[:, along].max()
    u = np.zeros((len(bricks.places), 3))
    ends = [np.abs(bricks.places[:, along] - at) < 1e-9 for at in (low, high)]
    u[ends[1], along] = strain * (high - low)
    fixed = np.zeros_like(u, dtype=bool)
    fixed[ends[0] | ends[1], along] = True
    across = [a for a in range(3) if a != along]
    fixed[np.flatnonzero(ends[0])[0], across] = True
    corner = np.flatnonzero(ends[0])[-1]
    fixed[corner, across[0]] = True
    free, held = np.flatnonzero(~fixed.ravel()), np.flatnonzero(fixed.ravel())
    flat = u.ravel()
    flat[free] = spsolve(K[free][:, free], -K[free][:, held] @ flat[held])
    return 0.5 * flat @ (K @ flat)


def test_shape_functions_are_one_at_their_nodes_and_hold_all_quadratics():
    N, _ = shape_functions(NODES - 1.0)
    np.testing.assert_allclose(N, np.eye(len(NODES)), atol=1e-14)
    N, slope = shape_functions(RULE)
    for a in range(3):
        for b in range(3):
            value = (NODES[:, a] - 1.0) * (NODES[:, b] - 1.0)
            np.testing.assert_allclose(N @ value, RULE[:, a] * RULE[:, b], atol=1e-12)
            expected = np.eye(3)[a] * RULE[:, [b]] + np.eye(3)[b] * RULE[:, [a]]
            np.testing.assert_allclose(np.einsum("pna,n->pa", slope, value), expected, atol=1e-12)


def test_two_materials_in_series_and_in_parallel():
    """Energies of a bar of two halves: 1 / E = (1 / E_1 + 1 / E_2) / 2 in a row, E = (E_1 + E_2) / 2 side by side."""
    materials = (Hooke(1e6, 0.3, 1000.0), Hooke(8e6, 0.3, 1000.0))
    size, strain = (1.0, 0.125, 0.125), 1e-3
    rows = _block(size, (32, 4, 4), lambda x: (x[:, 0] > 0.5).astype(int), materials)
    beside = _block(size, (32, 4, 4), lambda x: (x[:, 1] > 0.0625).astype(int), materials)
    volume = np.prod(size)
    series = 0.5 * volume * strain**2 * 2.0 / (1 / 1e6 + 1 / 8e6)
    assert _stretch(rows, 0.0625, 0, strain) == pytest.approx(series, rel=0.02)
    alike = (Hooke(1e6, 0.0, 1000.0), Hooke(8e6, 0.0, 1000.0))
    guided = Matter(beside.position, beside.volume, beside.material, alike)
    assert _stretch(guided, 0.0625, 0, strain) == pytest.approx(0.5 * volume * strain**2 * 4.5e6, rel=0.02)


def _find_beam_rates(side, turn, thick=0.04, wide=0.05, stub=0.1):
    """The rates of a beam of length one whose first part is rigid and held, over those of beam theory, [3]."""
    steel = Hooke(2e11, 0.3, 7850.0)
    matter = _block(
        (1.0 + stub, wide, thick), (66, 8, 8), lambda x: (x[:, 0] < stub).astype(int),
        (steel, Hooke(2e11, 0.3, 7850.0, is_rigid=True)), turn,
    )  # fmt: skip
    bricks = lay_bricks(matter, side)
    follows = np.where(find_rigid_nodes(bricks, matter), HELD, FREE)
    rate = find_vibrations(bricks, assemble(bricks, matter), follows, 8).rate
    theory = BENDING**2 * np.sqrt(2e11 * thick**2 / (12 * 7850.0))
    return np.array([rate[np.abs(rate - w).argmin()] / w for w in theory])


@pytest.mark.parametrize("side", [0.1, 0.06, 0.04])
def test_a_slender_beam_does_not_lock_in_bricks_thicker_than_itself(side):
    assert np.abs(_find_beam_rates(side, None) - 1).max() < 0.02


def test_a_beam_across_the_grid_bends_as_one_along_it():
    turned = _find_beam_rates(0.03, rotation(np.array([0.3, 0.5, 0.7])))
    assert np.abs(turned - 1).max() < 0.03


@pytest.mark.parametrize("thickness", [0.02, 0.005])
def test_a_clamped_sheet_sags_under_its_weight_as_plates_do(thickness):
    """w = 0.00126 q a^4 / D in the middle of a clamped square (Timoshenko and Woinowsky-Krieger, table 35)."""
    mesh = grid(1.0, 1.0, 4, 4)
    filling = fill(mesh, np.zeros(mesh.face_count, dtype=int), np.full(mesh.face_count, thickness))
    matter = Matter(filling.position, filling.volume, np.zeros_like(filling.label), (Hooke(1e9, 0.3, 1000.0),))
    bricks = lay_bricks(matter, 1.0001 / 16)
    matrices = assemble(bricks, matter)
    held = np.abs(bricks.places[:, :2]).max(axis=1) > 0.499
    free = np.flatnonzero(np.repeat(~held, 3))
    weight = kron(matrices.mass, identity(3)) @ np.tile([0.0, 0.0, -9.81], len(held))
    u = np.zeros(3 * len(held))
    u[free] = spsolve(matrices.stiffness.tocsr()[free][:, free].tocsc(), weight[free])
    sag = -(bricks.interpolate(matter.position, bricks.owner) @ u.reshape(-1, 3))[:, 2].min()
    D = 1e9 * thickness**3 / (12 * (1 - 0.3**2))
    assert sag == pytest.approx(0.00126 * 1000 * 9.81 * thickness / D, rel=0.05)


@pytest.mark.parametrize("up", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)])
def test_what_stands_is_held_at_its_foot_whatever_the_bricks(up):
    """A column sags by rho g L^2 / 2 E, though bricks of this side do not fill it evenly."""
    direction, L = np.array(up), 0.2
    matter = _block((L,) * 3, (24,) * 3, lambda x: np.zeros(len(x), dtype=int), (Hooke(1e4, 0.0, 100.0),))
    bricks = lay_bricks(matter, L / 3.4, direction)
    matrices = assemble(bricks, matter)
    held = _find_held(bricks, matter, direction, 1.0)
    free = np.flatnonzero(np.repeat(~held, 3))
    weight = kron(matrices.mass, identity(3)) @ np.tile(-9.81 * direction, len(held))
    u = np.zeros(3 * len(held))
    u[free] = spsolve(matrices.stiffness.tocsr()[free][:, free].tocsc(), weight[free])
    sag = -(bricks.interpolate(matter.position, bricks.owner) @ u.reshape(-1, 3)) @ direction
    assert sag.max() == pytest.approx(100.0 * 9.81 * L**2 / 2e4, rel=0.04)


def test_a_free_body_has_six_motions_that_cost_nothing_and_they_are_left_out():
    matter = _block((1.0, 0.3, 0.3), (8, 4, 4), lambda x: np.zeros(len(x), dtype=int), (Hooke(1e6, 0.3, 1000.0),))
    bricks = lay_bricks(matter, 0.15)
    matrices = assemble(bricks, matter)
    found = find_vibrations(bricks, matrices, np.full(len(bricks.node), FREE), 4)
    theory = 4.7300**2 * np.sqrt(1e6 * 0.3**2 / (12 * 1000.0))  # of a slender beam with free ends
    assert 0.7 * theory < found.rate[0] < theory  # a thick one is slower
    momentum = np.einsum("n,mna->ma", np.asarray(matrices.mass.sum(axis=0)).ravel(), found.shape)
    assert np.abs(momentum).max() < 1e-6


def test_great_contrasts_leave_the_soft_part_as_it_is():
    """A rubber rod that hangs on a steel one: with E = 2e11 beside 1e6 it swings as if clamped."""
    soft, stiff = Hooke(1e6, 0.3, 1000.0), Hooke(2e11, 0.3, 7850.0, is_rigid=True)
    matter = _block((2.0, 0.05, 0.05), (128, 4, 4), lambda x: (x[:, 0] < 1.0).astype(int), (soft, stiff))
    bricks = lay_bricks(matter, 0.05)
    rigid = find_rigid_nodes(bricks, matter)
    follows = np.where(rigid, 0, FREE)
    follows[bricks.places[:, 0] < 1e-6] = HELD
    follows[rigid] = HELD
    rate = find_vibrations(bricks, assemble(bricks, matter), follows, 2).rate[0]
    assert rate == pytest.approx(BENDING[0] ** 2 * np.sqrt(1e6 * 0.05**2 / (12 * 1000.0)), rel=0.02)


def test_the_loss_of_a_vibration_is_that_of_its_material():
    matter = _block((1.0, 0.1, 0.1), (16, 2, 2), lambda x: np.zeros(len(x), dtype=int), (Hooke(1e6, 0.3, 1e3, 0.07),))
    bricks = lay_bricks(matter, 0.1)
    follows = np.where(bricks.places[:, 0] < 1e-6, HELD, FREE)
    np.testing.assert_allclose(find_vibrations(bricks, assemble(bricks, matter), follows, 3).loss, 0.07, rtol=1e-6)
