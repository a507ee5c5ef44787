"""A desk lamp: arms on hinges, and a shade that tilts."""

import numpy as np

from neurok.data.procedural.fittings import barrel, screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import align, paint, translate
from neurok.data.procedural.shapes import ball, block, fillet, lathe, plate, rectangle, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    """The arms lie in the plane x = 0; the lamp leans back and forth over its foot, the shade looks to -y."""
    metal, color = (
        kit.material("metal", "dark_metal", "brass", name="metal"),
        kit.material("paint", "plastic", "black", "white", name="colour"),
    )
    thick = kit.between(0.007, 0.011, name="thickness")
    arms, length = kit.count(1, 3, name="arms"), kit.between(0.2, 0.32, name="length")
    twin = kit.chance(0.5, name="twin arms")
    shoulder = np.array([0.0, 0.02, _foot(kit, color, metal, thick)])
    leans: dict[int, list[float]] = {
        1: [kit.between(-10, 10, name="detail")],
        2: [kit.between(20, 40, name="detail"), -kit.between(35, 60, name="detail")],
        3: [35, -15, -75],
    }
    parent, at = "foot", shoulder
    for i, lean in enumerate(leans[arms]):
        size = length * (1.0 if arms == 1 else 0.8) * (0.85**i) * (1.5 if arms == 1 else 1.0)
        end = at + size * np.array([0.0, np.sin(np.radians(lean)), np.cos(np.radians(lean))])
        name = kit.link(f"arm_{i + 1}", paint(metal, _arm(at, end, thick, twin, last=i % 2 == 0), parts="arm"))
        swing = 22 if i == 0 else 28
        kit.hinge(
            parent,
            name,
            at=at,
            axis="x",
            lower=-kit.between(0.6, 1.0, name="goes back to") * swing,
            upper=kit.between(0.6, 1.0, name="opens to") * swing,
        )
        parent, at = name, end
    tilt = kit.between(100, 140, name="tilt")
    way = np.array([0.0, -np.sin(np.radians(tilt)), np.cos(np.radians(tilt))])
    kit.link("shade", *_shade(kit, at, way, color, metal, thick))
    down = (
        kit.between(5, 15, name="down") if arms == 1 else kit.between(12, 25, name="down")
    )  # a single arm stands where the shade would go
    kit.hinge(parent, "shade", at=at, axis="x", lower=-kit.between(15, 30, name="shade goes back to"), upper=down)


def _foot(kit: Kit, color: Material, metal: Material, thick: float) -> float:
    """The base with its fork; the height of the first hinge [m]."""
    radius, height = kit.between(0.08, 0.11, name="foot radius"), kit.between(0.014, 0.03, name="foot height")
    if kit.chance(0.6, name="round foot"):
        dome = np.array([[0, 0], [radius, 0], [0.97 * radius, 0.6 * height], [0.3 * radius, height], [0, height]])
        base = lathe(fillet(dome, 0.4 * height), segments=40)
    else:
        base = translate(
            plate(rectangle(2 * radius, 1.6 * radius, 0.3 * radius), height, bevel=0.2 * height), z=height / 2
        )
    hinge = height + kit.between(0.03, 0.06, name="foot hinge share")
    stem = rod((0, 0.02, height * 0.5), (0, 0.02, hinge - 2.5 * thick), 1.2 * thick)
    bridge = block((5.2 * thick, 2 * thick, thick), (0, 0.02, hinge - 2.8 * thick))
    kit.link(
        "foot",
        paint(color, base, parts="base"),
        paint(
            metal,
            stem,
            bridge,
            _fork(np.array([0, 0.02, hinge]), np.array([0.0, 0.0, -1.0]), thick),
            parts="stem, bridge, fork",
        ),
    )
    return hinge


def _fork(at: Array, back: Array, thick: float) -> list[Mesh]:
    """Two cheeks beside a hinge along x, reaching back, with a bolt through them."""
    cheeks = []
    for side in (-1, 1):
        x = np.array([side * 2.1 * thick, 0.0, 0.0])
        cheeks.append(rod(at + x + 3.0 * thick * back, at + x, 0.5 * thick, sides=8))
        cheeks.append(barrel(at + x, "x", 0.9 * thick, 1.3 * thick))
        cheeks.append(screw_head(at + x * 1.2, (side, 0, 0), 0.8 * thick))
    return [*cheeks, barrel(at, "x", 4.2 * thick, 0.45 * thick)]


def _arm(start: Array, end: Array, thick: float, twin: bool, last: bool) -> list[Mesh]:
    """An arm with an eye at its beginning and a fork at its end."""
    way = (end - start) / np.linalg.norm(end - start)
    neck, stop = start + 2.5 * thick * way, end - 4.0 * thick * way
    eye = barrel(start, "x", 2.6 * thick, 1.2 * thick)
    pieces = [eye, rod(start, neck + 2 * thick * way, 0.9 * thick), *_fork(end, -way, thick)]
    bridge = align(block((5.2 * thick, 2 * thick, 2 * thick)), way, end - 3.5 * thick * way)
    if not twin:
        return [*pieces, bridge, rod(neck, stop, 0.8 * thick)]
    foot = align(block((5.2 * thick, 2 * thick, 2 * thick)), way, neck + 2 * thick * way)
    rails = [
        rod(neck + 1.5 * thick * way + (s * 1.7 * thick, 0, 0), stop + (s * 1.7 * thick, 0, 0), 0.5 * thick)
        for s in (-1, 1)
    ]
    return [*pieces, bridge, foot, *rails]


def _shade(kit: Kit, at: Array, way: Array, color: Material, metal: Material, thick: float) -> list[Mesh]:
    """A hollow shade that opens along `way`, its bulb in it, hung on an eye at the hinge."""
    mouth, long = kit.between(0.06, 0.09, name="shade mouth"), kit.between(0.1, 0.15, name="shade length")
    crown = kit.between(0.25, 0.45, name="shade crown share") * mouth
    begin = 3.2 * thick
    outer = np.array(
        [[crown, 0], [kit.between(0.55, 0.8, name="shade outer share") * mouth, 0.45 * long], [mouth, long]]
    )
    inner = outer[::-1] - (0.06 * mouth, 0.0)
    inner[-1, 1] = 0.06 * mouth
    profile = np.concatenate([[[0, 0]], fillet(outer, 0.4 * long), inner, [[0, 0.06 * mouth]]])
    shell = align(lathe(profile, segments=32), way, at + begin * way)
    cap = align(
        lathe(fillet(np.array([[0, -1.0], [0.6, -1.0], [1.02, 0.3], [0, 0.3]]) * (crown, 0.25 * crown), 0.1 * crown)),
        way,
        at + (begin + 0.02 * mouth) * way,
    )
    bulb = ball(0.42 * mouth, at + (begin + 0.55 * long) * way)
    eye = [barrel(at, "x", 2.6 * thick, 1.2 * thick), rod(at, at + (begin + 0.1 * mouth) * way, 0.9 * thick)]
    socket = rod(at + begin * way, at + (begin + 0.4 * long) * way, 0.22 * mouth)
    return [
        paint(color, shell, cap, parts="shell, cap"),
        paint(metal, eye, socket, parts="eye, socket"),
        paint(kit.material("light", name="shade bulb"), bulb, parts="bulb"),
    ]
