"""A robot arm: a turning column, upper arm, forearm, wrist and gripper, one joint after the other."""

import numpy as np

from neurok.data.procedural.fittings import screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around, translate
from neurok.data.procedural.shapes import block, fillet, hoop, lathe, plate, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

GAP = 0.002  # between the faces of two housings [m]
TURN = np.arange(5) * 2 * np.pi / 5  # where a lid's bolts are


def draw(kit: Kit) -> None:
    """The arm reaches towards -y. Its members lie side by side along x, so that they pass each other."""
    radius = kit.between(0.07, 0.095, name="radius")  # of the column
    shoulder = kit.between(0.26, 0.36, name="shoulder")
    long, reach = kit.between(0.36, 0.5, name="length"), kit.between(0.32, 0.42, name="reach")
    style = kit.pick("round", "cast", name="style")
    body = kit.material("yellow", "red", "paint", "white", "metal", "plastic", name="body")
    dark, cap = kit.material("black", "dark_metal", name="dark"), kit.material("plastic", "black", "metal", name="cap")
    _column(kit, radius, shoulder, body, dark, cap)

    lean, droop = (
        np.radians(kit.between(-15, 20, name="lean share")),
        np.radians(kit.between(-20, 15, name="droop share")),
    )
    r = 0.72 * radius  # of the members' housings
    seat = radius + GAP  # the plane between upper arm and column, along x
    start = np.array([seat + r, 0.0, shoulder])
    elbow = start + long * np.array([0, -np.sin(lean), np.cos(lean)])
    _member(kit, "upper_arm", start, elbow, r, 0.9 * radius, 1, style, body, dark, cap)
    kit.meshes["upper_arm"].append(paint(dark, _axle(start, -r - 0.02), _axle(elbow, -r - 0.02), parts="axle, axle"))
    kit.hinge(
        "column",
        "upper_arm",
        at=start,
        axis="x",
        lower=-kit.between(20, 35, name="upper arm goes back to") + np.degrees(lean) * 0.5,
        upper=kit.between(25, 40, name="upper arm opens to"),
    )

    slim = 0.78 * r
    start = elbow - np.array([r + GAP + slim, 0, 0])
    wrist = start + reach * np.array([0, -np.cos(droop), -np.sin(droop)])
    _member(kit, "forearm", start, wrist, slim, 0.95 * r, -1, style, body, dark, cap)
    kit.meshes["forearm"].append(paint(dark, _axle(wrist, slim + 0.015), parts="axle"))
    kit.hinge(
        "upper_arm",
        "forearm",
        at=elbow,
        axis="x",
        lower=-kit.between(30, 50, name="forearm goes back to"),
        upper=kit.between(25, 40, name="forearm opens to"),
    )
    _hand(kit, wrist, slim, body, dark, cap)


def _column(kit: Kit, radius: float, shoulder: float, body: Material, dark: Material, cap: Material) -> None:
    wide, ring = radius * kit.between(1.5, 1.9, name="column width share"), 0.35 * shoulder
    foot = np.array([[0, 0], [wide, 0], [wide, 0.02], [1.15 * radius, 0.05], [1.05 * radius, ring], [0, ring]])
    bolts = repeat_around(
        rod((0.88 * wide, 0, 0.01), (0.88 * wide, 0, 0.03), 0.012, sides=8), kit.count(4, 8, name="foot bolts")
    )
    plinth = block((2.3 * wide, 2.3 * wide, 0.03), (0, 0, 0.015)) if kit.chance(0.4, name="plinth") else None
    pieces = [lathe(fillet(foot, 0.015)), *bolts]
    kit.link(
        "foot",
        paint(dark if kit.chance(0.5, name="dark foot") else body, pieces),
        *([paint(cap, plinth, parts="plinth")] if plinth is not None else []),
    )
    neck = np.array(
        [[0, ring + GAP], [radius, ring + GAP], [radius, ring + 0.06], [0.8 * radius, shoulder], [0, shoulder]]
    )
    drum = rod((-radius, 0, shoulder), (radius, 0, shoulder), 0.92 * radius, sides=32, round=0.012)
    lid = rod((-radius - 0.012, 0, shoulder), (-radius + 0.01, 0, shoulder), 0.75 * radius, sides=28)
    band = hoop(radius, 0.006, (0, 0, ring + 0.03), segments=36)
    pin = rod((0, 0, ring - 0.02), (0, 0, ring + 0.02), 0.5 * radius)
    kit.link(
        "column",
        paint(body, lathe(fillet(neck, 0.02)), drum, parts=", drum"),
        paint(cap, lid, band, parts="lid, band"),
        paint(dark, pin, parts="pin"),
    )
    kit.hinge(
        "foot",
        "column",
        at=(0, 0, ring),
        axis="z",
        lower=-kit.between(120, 170, name="column column goes back to"),
        upper=kit.between(120, 170, name="column column opens to"),
    )


def _axle(at: Array, reach: float) -> Mesh:
    """A shaft along x from a joint into the next member."""
    return rod(at, at + (reach, 0, 0), 0.03, sides=16)


def _member(
    kit: Kit,
    name: str,
    start: Array,
    end: Array,
    r: float,
    head: float,
    out: int,
    style: str,
    body: Material,
    dark: Material,
    cap: Material,
) -> None:
    """Two housings across the arm, joined by a tube or a cast beam; r: half its breadth along x, out: its free side."""
    tail = 0.82 * head
    drums = [rod(p - (r, 0, 0), p + (r, 0, 0), size, sides=28, round=0.012) for p, size in ((start, head), (end, tail))]
    ends = ((start, head), (end, tail))
    lids = [
        rod(p + (out * (r - 0.004), 0, 0), p + (out * (r + 0.008), 0, 0), 0.78 * size, sides=24) for p, size in ends
    ]
    if style == "round":
        beam = [rod(start, end, 0.82 * r, end_radius=0.72 * r, sides=24), *_collars(start, end, head, tail, r)]
    else:
        way = (end - start)[1:] / np.linalg.norm(end - start)
        side = np.array([-way[1], way[0]])
        a, b = start[1:], end[1:]
        outline = np.stack(
            [a + 0.85 * head * side, b + 0.8 * tail * side, b - 0.8 * tail * side, a - 0.85 * head * side]
        )
        middle = 0.5 * (a + b)
        waist = np.stack(
            [outline[0], middle + 0.55 * head * side, outline[1], outline[2], middle - 0.55 * head * side, outline[3]]
        )
        beam = [plate(fillet(waist, 0.06, closed=True), 1.5 * r, (start[0], 0, 0), "yz", bevel=0.2 * r)]
        beam += [plate(0.86 * (waist - middle) * 0.8 + middle, 1.7 * r, (start[0], 0, 0), "yz", bevel=0.1 * r)]
    spots = [
        p + (out * (r + 0.007), 0.55 * size * np.cos(t), 0.55 * size * np.sin(t)) for p, size in ends for t in TURN
    ]
    bolts = [screw_head(spot, (out, 0, 0), 0.008) for spot in spots]
    pieces = [paint(body, drums, beam, parts="drums, beam"), paint(cap, lids, parts="lids")]
    if kit.chance(0.6, name="bolts"):
        pieces.append(paint(dark, bolts, parts="bolts"))
    kit.link(name, *pieces)


def _collars(start: Array, end: Array, head: float, tail: float, r: float) -> list[Mesh]:
    way = (end - start) / np.linalg.norm(end - start)
    return [
        rod(start, start + 1.25 * head * way, 0.95 * r, sides=24),
        rod(end, end - 1.25 * tail * way, 0.92 * r, sides=24),
    ]


def _hand(kit: Kit, wrist: Array, slim: float, body: Material, dark: Material, cap: Material) -> None:
    """A wrist that nods, a flange that rolls, and a gripper of two fingers or a suction cup."""
    r = 0.8 * slim
    at = wrist + np.array([slim + GAP + r, 0, 0])
    drum = rod(at - (r, 0, 0), at + (r, 0, 0), 0.95 * slim, sides=28, round=0.01)
    pitch = np.radians(kit.pick(-90, -60, -30, 0, name="hand pitch"))
    way = np.array([0.0, -np.cos(pitch), np.sin(pitch)])
    snout = rod(at, at + 1.6 * slim * way, 0.9 * r, sides=24)
    lid = rod(at + (r - 0.004, 0, 0), at + (r + 0.006, 0, 0), 0.72 * slim, sides=24)
    kit.link("wrist", paint(body, drum, snout, parts="drum, snout"), paint(cap, lid, parts="lid"))
    kit.hinge(
        "forearm",
        "wrist",
        at=wrist,
        axis="x",
        lower=-kit.between(35, 60, name="hand wrist goes back to"),
        upper=kit.between(30, 45, name="hand wrist opens to"),
    )

    face = at + 1.6 * slim * way
    flange = rod(face + 0.5 * GAP * way, face + 0.03 * way, 0.95 * r, sides=24)
    hub = rod(face - 0.01 * way, face + 0.02 * way, 0.4 * r)
    tool = kit.pick("gripper", "gripper", "gripper", "cup", name="tool")
    side, up = np.array([1.0, 0, 0]), np.cross(way, (1.0, 0, 0))
    if tool == "cup":
        cup = np.array([[0.4, 0.02], [0.4, 0.6], [0.8, 0.7], [0.5, 0.8], [0.9, 0.95], [1.1, 1.2], [0, 1.15]]) * (
            r,
            0.07,
        )
        kit.link(
            "flange",
            paint(dark, flange, hub, parts="flange, hub"),
            paint(kit.material("rubber", "red", name="hand lathe"), lathe(fillet(cup, 0.004), face + 0.02 * way, way)),
        )
        kit.spin("wrist", "flange", at=face, axis=way)
        return
    travel = kit.between(0.028, 0.042, name="hand travel")
    rail = [_box(face + 0.045 * way, (2 * (travel + 0.022), 0.026, 0.018), side, up, way)]
    kit.link(
        "flange",
        paint(dark, flange, hub, parts="flange, hub"),
        paint(cap, rail, rod(face, face + 0.04 * way, 0.7 * r), parts="rail, "),
    )
    kit.spin("wrist", "flange", at=face, axis=way)
    long = kit.between(0.08, 0.12, name="hand length")
    shut = kit.chance(0.3, name="gripper shut")
    for i, s in enumerate((-1, 1)):
        # At rest open or shut; the carriage runs on the rail's face.
        x = s * (0.012 if shut else 0.012 + travel)
        near = face + 0.065 * way + x * side
        finger = [
            _box(near + 0.008 * way, (0.02, 0.03, 0.02), side, up, way),
            _box(near + 0.5 * long * way, (0.012, 0.022, long), side, up, way),
        ]
        pad = [_box(near + 0.8 * long * way - 0.006 * s * side, (0.008, 0.02, 0.3 * long), side, up, way)]
        name = f"finger_{i + 1}"
        kit.link(
            name, paint(dark, finger, parts="finger"), paint(kit.material("rubber", name="hand pad"), pad, parts="pad")
        )
        lower, upper = (0.0, travel) if shut else (-travel, 0.0)
        kit.slide("flange", name, axis=s * side, lower=lower, upper=upper)
    kit.follow("finger_2", "finger_1")


def _box(at: Array, size: tuple[float, float, float], x: Array, y: Array, z: Array) -> Mesh:
    """A block with its sides along three directions."""
    mesh = block(size)
    return translate(mesh.with_vertices(mesh.vertices @ np.stack([x, y, z])), *at)
