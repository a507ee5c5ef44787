"""Solids are closed, look outwards, and have the volume of what they stand for."""

import numpy as np
import pytest
import trimesh

from neurok.data.procedural import fittings, shapes
from neurok.data.procedural.placing import align, mirror, repeat_around, rotate, translate

STAR = np.array([[r * np.cos(a), r * np.sin(a)] for a, r in zip(np.arange(10) * np.pi / 5, [1.0, 0.4] * 5)])
ARC = np.array([[np.cos(a), np.sin(a), 0.2 * a] for a in np.linspace(0, 2, 30)])
STAR_AREA = 5 * 1.0 * 0.4 * np.sin(np.pi / 5)

# a solid, its volume, and how near its volume comes
SOLIDS = {
    "block": (lambda: shapes.block((1, 2, 3), round=0.0), 6.0, 1e-9),
    "rounded block": (lambda: shapes.block((1, 2, 3), round=0.05), 6.0, 0.02),
    "ball": (lambda: shapes.ball((1, 2, 3), segments=60), 8 * np.pi, 0.02),
    "rod": (lambda: shapes.rod((1, 2, 3), (4, 6, 3), 0.5, round=0.01, sides=80), 5 * np.pi * 0.25, 0.01),
    "taper": (lambda: shapes.rod((0, 0, 0), (0, 0, 3), 1, end_radius=0.5, round=0, sides=90), 1.75 * np.pi, 0.01),
    "pipe": (lambda: shapes.pipe((0, 0, 0), (0, 2, 0), 1.0, 0.25, sides=90), 2 * np.pi * (1 - 0.75**2), 0.02),
    "hoop": (lambda: shapes.hoop(1.0, 0.1, segments=80), 2 * np.pi**2 * 0.01, 0.08),
    "tube": (lambda: shapes.tube(ARC, 0.05, sides=40), np.pi * 0.0025 * (2 * np.hypot(1, 0.2) + 0.06), 0.03),
    "star": (lambda: shapes.plate(STAR, 0.3, bevel=0.0), 0.3 * STAR_AREA, 1e-9),
    "bevelled star": (lambda: shapes.plate(STAR, 0.3, plane="xz", bevel=0.01), 0.3 * STAR_AREA, 0.05),
    "tray": (lambda: shapes.tray((2, 1, 1), 0.1, axis="-y"), 2 - 1.8 * 0.8 * 0.9, 0.02),
    "frame": (lambda: shapes.frame(2, 3, 0.2, 0.1), 0.1 * (6 - 1.6 * 2.6), 0.05),
    "ribbon": (lambda: shapes.ribbon(ARC, 0.2, 0.02, "z", sides=16), 0.2 * 0.02 * 2 * np.hypot(1, 0.2), 0.25),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_have_their_volume(name):
    make, volume, tolerance = SOLIDS[name]
    mesh = make()
    body = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    assert body.is_watertight and body.is_winding_consistent
    assert body.volume == pytest.approx(volume, rel=tolerance)


@pytest.mark.parametrize(
    "pieces",
    [
        fittings.bar_handle((0, 0, 0), (0.2, 0, 0), "-y", height=0.03, radius=0.005),
        fittings.bar_handle((0, 0, 0), (0.2, 0, 0), "-y", height=0.03, radius=0.005, square=True),
        fittings.knob((0, 0, 0), "-y", 0.02),
        *[
            fittings.make_panelled_front(0.4, 0.6, 0.02, (0, 0, 0), style=s)
            for s in ("plain", "shaker", "raised", "planks")
        ],
        *[fittings.legs(1, 0.5, 0.3, 0.02, style=s) for s in ("round", "square", "tapered", "splayed")],
        list(fittings.wheel(0.1, 0.04, (0, 0, 0.1))),
        [fittings.screw_head((0, 0, 0), "x", 0.01)],
    ],
)
def test_fittings_are_closed(pieces):
    for mesh in pieces:
        body = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
        assert body.is_watertight and body.volume > 0


def test_placing_moves_as_said():
    bar = shapes.rod((0, 0, 0), (0, 0, 1), 0.1)
    assert np.allclose(rotate(bar, "x", 90).bounds[:, 1], [-1, 0])
    assert np.allclose(align(bar, "-y", (5, 0, 0)).bounds[:, 1], [-1, 0])
    assert np.allclose(align(bar, "-z").bounds[:, 2], [-1, 0])
    far = translate(bar, x=2.0)
    assert np.allclose(mirror(far).bounds[:, 0], [-2.1, -1.9], atol=1e-9)
    assert trimesh.Trimesh(mirror(far).vertices, mirror(far).faces).volume > 0
    assert np.allclose(sum(m.vertices.mean(axis=0) for m in repeat_around(far, 5))[:2], 0, atol=1e-9)


def test_curves_begin_and_end_where_they_should():
    corners = np.array([[0.0, 0], [1, 0], [1, 1]])
    bent = shapes.fillet(corners, 0.2)
    assert np.allclose(bent[[0, -1]], corners[[0, 2]])
    assert np.linalg.norm(bent - corners[1], axis=1).min() > 0.05
    smooth = shapes.curve(corners, 21)
    assert np.allclose(smooth[[0, 10, 20]], corners)
