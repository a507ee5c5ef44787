"""Pliers: two crossing halves on a rivet, lying flat, with sleeves on the handles."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, translate
from neurok.data.procedural.shapes import circle, curve, hoop, plate, ribbon, rod
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    """Rest is shut; the jaws point to +y, the handles to -y. Each half is one layer thick at the rivet."""
    jaw, handle = kit.between(0.035, 0.08, name="jaw"), kit.between(0.1, 0.15, name="handle")
    thick, eye = kit.between(0.009, 0.012, name="thickness"), kit.between(0.011, 0.015, name="eye")
    nose = kit.pick(0.25, 0.5, 0.8, name="nose")  # breadth of the tip, as a share of the root's
    spread, bow = kit.between(10, 15, name="spread"), kit.between(0.01, 0.022, name="bow")
    steel, sleeve = (
        kit.material("metal", "dark_metal", name="steel"),
        kit.material("plastic", "red", "rubber", name="sleeve"),
    )
    long_sleeve = kit.between(0.55, 0.8, name="length sleeve")
    raised = thick / 2 + 0.002
    for name, side, level in (("left", -1, 0), ("right", 1, 1)):
        pieces = _half(jaw, handle, thick, eye, nose, spread, bow, level, long_sleeve, steel, sleeve)
        pieces = [translate(p if side < 0 else mirror(p, "x"), z=raised) for p in pieces]
        if side < 0:
            pin = rod((0, 0, raised - 0.3 * thick), (0, 0, raised + 0.56 * thick), 0.45 * eye, sides=20)
            cap = hoop(0.3 * eye, 0.12 * eye, (0, 0, raised + 0.56 * thick))
            pieces.append(paint(kit.material("metal", "dark_metal", name="pin"), pin, cap, parts="pin, cap"))
        kit.link(name, *pieces)
    kit.hinge("left", "right", at=(0, 0, raised), axis="-z", lower=0, upper=kit.between(25, 40, name="right opens to"))


def _half(
    jaw: float, handle: float, thick: float, eye: float, nose: float, spread: float, bow: float, level: int,
    long_sleeve: float, steel: Material, sleeve: Material,
) -> list[Mesh]:  # fmt: skip
    """The half whose jaw lies at x < 0 and whose handle at x > 0; level 0 is the lower layer at the rivet."""
    gap, root, layer, z = 0.0006, 0.95 * eye, 0.48 * thick, (level - 0.5) * thick / 2
    tip = [-gap - nose * 0.45 * root, jaw]
    outline = [[-gap, 0.75 * eye], [-gap, jaw], tip, [-root, 0.35 * jaw], [-1.02 * root, 0.75 * eye]]
    blade = plate(np.array(outline), thick, bevel=0.0012)
    tooth = rod((-gap - 0.0006, 0, -0.45 * thick), (-gap - 0.0006, 0, 0.45 * thick), 0.0007, sides=6)
    teeth = [translate(tooth, y=y) for y in np.arange(0.45 * jaw, 0.95 * jaw, 0.0035)]
    disc = plate(circle(eye, 28), layer, (0, 0, z), bevel=0.0008)
    bridge = [[-root, 0.2 * eye], [-0.1 * root, 0.2 * eye], [-gap, 0.95 * eye], [-root, 0.95 * eye]]
    neck = plate(np.array(bridge), layer, (0, 0, z), bevel=0.0004)
    end = np.sin(np.radians(spread)) * handle
    belly = [0.45 * end + bow, -0.5 * handle]
    path = curve(np.array([[0.25 * eye, -0.3 * eye], [0.9 * eye, -1.3 * eye], belly, [end, -handle]]), 22)
    path = np.c_[path, z * (np.arange(22) < 5)]
    shank = ribbon(path[:8], 0.85 * eye, layer, "x", sides=12)
    core = ribbon(path[6:-2], 0.6 * eye, 0.8 * thick, "x", sides=12)
    grip = ribbon(path[int(22 * (1 - long_sleeve)) :], 0.95 * eye, 1.25 * thick, "x", sides=14)
    return [
        paint(steel, blade, teeth, disc, neck, shank, core, parts="blade, teeth, disc, neck, shank, core"),
        paint(sleeve, grip, parts="handle"),
    ]
