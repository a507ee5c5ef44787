"""Carts pushed or pulled by hand: shopping, serving and tool trolleys, platform and sack trucks, wagons, prams."""

import numpy as np

from neurok.data.procedural.carts import pram, sack_truck, wagon
from neurok.data.procedural.fittings import bar_handle, knuckles
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.rolling import CASTOR_HEIGHT, add_castors, bow_path, list_corners
from neurok.data.procedural.shapes import block, fillet, loft, rectangle, rod, tray, tube
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    kit.pick(_shopping, _serving, _platform, _tools, sack_truck, wagon, pram, name="style")(kit)


def _shopping(kit: Kit) -> None:
    """A basket narrowing to the front, of wire with a gate that swings in when trolleys nest, or of plastic."""
    steel, color = (
        kit.material("metal", name="shopping steel"),
        kit.material("plastic", "red", "ocean", name="shopping colour"),
    )
    radius, length, half = (
        kit.between(0.05, 0.065, name="shopping radius"),
        kit.between(0.65, 0.9, name="shopping length"),
        kit.between(0.21, 0.27, name="shopping half"),
    )
    low, deep = CASTOR_HEIGHT * radius, kit.between(0.32, 0.45, name="shopping depth")
    floor = low + kit.between(0.2, 0.35, name="shopping floor share")
    top, rear, bar = floor + deep, 0.5 * length, 0.013

    def spot(side: float, forth: float, up: float) -> tuple[float, float, float]:
        """A place on the basket: side -1 to 1, forth 0 (front) to 1 (rear), up 0 to 1."""
        wide = half * (0.8 + 0.12 * up + 0.08 * forth)
        front = -rear - 0.12 * up
        return side * wide, front + forth * (rear - front), floor + up * deep + 0.06 * (1 - forth) * (1 - up)

    out = half + bar
    frame = [
        tube(
            fillet(
                [
                    (s * 0.75 * half, -rear, low + bar),
                    (s * 0.95 * half, rear - 0.1, low + bar),
                    (s * out, rear + 0.03, floor),
                    (s * out, rear + 0.05, top),
                    (s * out, rear + 0.13, top + 0.05),
                ],
                0.08,
            ),
            bar,
        )
        for s in (-1, 1)
    ]
    frame += [tube(np.array([(s * 0.93 * half, rear - 0.1, low + bar), spot(s * 0.9, 0.35, 0)]), bar) for s in (-1, 1)]
    frame += [
        rod((-k * half, y, low + bar), (k * half, y, low + bar), 0.8 * bar)
        for k, y in ((0.8, 0.9 * -rear), (0.91, 0.5 * rear))
    ]
    frame += [
        rod((s * out, rear + 0.03, z), (s * 0.9 * half, rear - 0.03, z), bar) for s in (-1, 1) for z in (floor, top)
    ]
    grip = rod((-out, rear + 0.13, top + 0.05), (out, rear + 0.13, top + 0.05), 1.3 * bar)
    wire = kit.chance(0.65, name="wire basket")
    if wire:
        bars = [
            tube(np.array([spot(-1, 1, u), spot(-1, 0, u), spot(1, 0, u), spot(1, 1, u)]), r, sides=6)
            for u, r in [
                (0, 0.007),
                *((u, 0.0045) for u in np.linspace(0, 1, kit.count(4, 7, name="basket wires"))[1:-1]),
                (1, 0.009),
            ]
        ]
        for v in np.linspace(0, 1, kit.count(9, 13, name="basket wires")):
            u_path = [spot(-1, v, 1), spot(-1, v, 0), spot(1, v, 0), spot(1, v, 1)]
            bars.append(tube(np.array(u_path), 0.0045, sides=5))
        for x in np.linspace(-1, 1, kit.count(6, 9, name="basket wires"))[1:-1]:
            bars.append(tube(np.array([spot(x, 1, 0), spot(x, 0, 0), spot(x, 0, 1)]), 0.0045, sides=5))
        basket = paint(steel, bars, parts="bars")
    else:
        rings = []
        for up, inset in ((0.0, 0.0), (1.0, 0.0), (1.0, 0.012), (0.03, 0.012)):
            bounds = np.array([spot(1, 1, up), spot(-1, 1, up), spot(-1, 0, up), spot(1, 0, up)])
            inward = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * inset
            rings.append(fillet(bounds + np.c_[inward, np.zeros(4)], 0.06, closed=True))
        lip = tube(rings[1] + (0, 0, 0.004), 0.014, closed=True, sides=8)
        basket = paint(color, loft(np.stack(rings)), lip, parts=", lip")
    kit.link("frame", paint(steel, frame, parts="frame"), basket, paint(color, grip, parts="handle"))
    fixed = kit.pick((), ("rear_left", "rear_right"), name="fixed wheels")
    add_castors(
        kit,
        "frame",
        list_corners(1.5 * half, 2 * rear - 0.12),
        radius,
        kit.material("metal", "black", name="shopping add castors"),
        fixed=fixed,
    )
    if wire:
        y, z, wide = rear - 0.025, top - 0.012, 0.8 * half
        gate = [rod((-0.97 * half, y, z), (0.97 * half, y, z), 0.008, sides=10)]
        gate += [
            tube(np.array([(x, y, z), (0.92 * x, y, floor + 0.03)]), 0.0045, sides=5)
            for x in np.linspace(-wide, wide, kit.count(7, 11, name="gate wires"))
        ]
        gate += [
            rod((-w, y, h), (w, y, h), 0.005, sides=6)
            for w, h in ((0.93 * wide, floor + 0.03), (0.97 * wide, floor + 0.5 * deep))
        ]
        flap = paint(color, block((1.5 * wide, 0.012, 0.3 * deep), (0, y, top - 0.3 * deep)))
        kit.link("gate", paint(steel, gate, parts="gate"), *([flap] if kit.chance(0.6, name="child seat") else []))
        kit.hinge(
            "frame", "gate", at=(0, y, z), axis="-x", lower=0, upper=kit.between(55, 75, name="shopping gate opens to")
        )


def _serving(kit: Kit) -> None:
    """Two or three shelves between four posts; some have a drawer, some a leaf that hangs at the side."""
    post, shelf = (
        kit.material("metal", "metal", "brass", "wood", "black", name="serving post"),
        kit.material("wood", "white", "metal", "glass", "paint", name="serving shelf"),
    )
    width, length, height = (
        kit.between(0.38, 0.55, name="serving width"),
        kit.between(0.55, 0.95, name="serving length"),
        kit.between(0.7, 0.95, name="serving height"),
    )
    radius, bar, thick = (
        kit.between(0.03, 0.06, name="serving radius"),
        kit.between(0.011, 0.016, name="serving bar"),
        0.022,
    )
    low = CASTOR_HEIGHT * radius
    w, y = 0.5 * width - bar, 0.5 * length - bar
    levels = np.linspace(
        low + kit.between(0.04, 0.12, name="serving levels share"), height, kit.count(2, 3, name="shelves")
    )
    rim = kit.pick("tray", "rail", "board", name="shelf rim")
    shelves: list[Mesh] = []
    rails: list[Mesh] = []
    for z in levels:
        if rim == "tray":
            shelves.append(tray((width, length, 0.05), 0.012, (0, 0, z - 0.02), round=0.03))
        else:
            shelves.append(block((width, length, thick), (0, 0, z), round=0.006))
        if rim == "rail":
            ring = rectangle(width - 2 * bar, length - 2 * bar, 0.03)
            rails.append(tube(np.c_[ring, np.full(len(ring), z + 0.06)], 0.006, closed=True, sides=6))
    end = height + (0.07 if rim == "rail" else 0.03)
    frame = [rod((s * w, e * y, low), (s * w, e * y, end), bar, sides=12) for s in (-1, 1) for e in (-1, 1)]
    rise = kit.between(0.03, 0.12, name="serving rise")
    frame.append(tube(bow_path(w, [(y, end - 0.05), (y, end), (y + 0.1, end + rise)], 0.05), 0.9 * bar))
    if kit.chance(0.4, name="raised handle"):
        frame.append(tube(bow_path(w, [(-y, end - 0.05), (-y, end), (-y - 0.1, end + rise)], 0.05), 0.9 * bar))
    kit.link("frame", paint(post, frame, rails, parts="frame, rails"), paint(shelf, shelves, parts="shelves"))
    fixed = kit.pick((), ("front_left", "front_right"), name="fixed wheels")
    add_castors(
        kit,
        "frame",
        list_corners(2 * w, 2 * y),
        radius,
        kit.material("metal", "black", name="serving add castors"),
        fixed=fixed,
    )
    under = levels[-1] - (0.02 if rim == "tray" else 0.5 * thick)
    if kit.chance(0.35, name="drawer"):
        deep, long = 0.11, kit.between(0.7, 0.85, name="serving length share") * width
        runners = [block((0.012, long, 0.02), (s * (w - bar - 0.016), 0, under - 0.008), round=0) for s in (-1, 1)]
        runners += [block((0.012, long, 0.012), (s * (w - bar - 0.016), 0, under - 0.02), round=0) for s in (-1, 1)]
        kit.meshes["frame"].append(paint(post, runners, parts="runners"))
        broad = 2 * (w - bar - 0.026)
        front = block(
            (broad + 0.01, 0.018, deep + 0.025), (0, -0.5 * long - 0.01, under - 0.016 - deep / 2), round=0.004
        )
        box = tray((broad, long, deep - 0.03), 0.01, (0, 0, under - 0.029 - deep + 0.03))
        lips = [block((0.014, long, 0.01), (s * 0.5 * broad, 0, under - 0.0325), round=0) for s in (-1, 1)]
        pull = bar_handle(
            (-0.06, -0.5 * long - 0.018, under - 0.08),
            (0.06, -0.5 * long - 0.018, under - 0.08),
            "-y",
            height=0.025,
            radius=0.006,
        )
        kit.link("drawer", paint(shelf, front, box, lips, parts="front, box, lips"), paint(post, pull, parts="handle"))
        kit.slide("frame", "drawer", axis="-y", upper=0.6 * long)
    if rim == "board" and kit.chance(0.6, name="side leaves"):
        for name, s in (("left_leaf", -1), ("right_leaf", 1))[: kit.count(1, 2, name="leaves")]:
            x, z, drop = s * (0.5 * width + 0.008), height, kit.between(0.2, 0.3, name="serving drop")
            kit.meshes["frame"].append(paint(post, knuckles((x, 0, z), "y", 0.3 * length, 0.05, 0.009), parts="hinges"))
            leaf = block((0.018, length, drop), (x + s * 0.006, 0, z - 0.012 - drop / 2), round=0.005)
            tabs = [block((0.008, 0.05, 0.03), (x + s * 0.006, e * 0.3 * length, z - 0.01), round=0) for e in (-1, 1)]
            kit.link(name, paint(shelf, leaf, parts="leaf"), paint(post, tabs, parts="tabs"))
            kit.hinge(
                "frame",
                name,
                at=(x, 0, z),
                axis=(0, -s, 0),
                lower=0,
                upper=kit.between(80, 90, name="serving frame opens to"),
            )


def _platform(kit: Kit) -> None:
    """A deck with a push bar, fixed or folding down on the deck; some with a second one in front."""
    steel, deck = (
        kit.material("metal", "ocean", "paint", "dark_metal", name="platform steel"),
        kit.material("wood", "ocean", "plastic", "black", "metal", name="platform deck"),
    )
    width, length, rise = (
        kit.between(0.45, 0.65, name="platform width"),
        kit.between(0.75, 1.1, name="platform length"),
        kit.between(0.65, 0.85, name="platform rise"),
    )
    radius, thick, bar = (
        kit.between(0.05, 0.075, name="platform radius"),
        kit.between(0.03, 0.05, name="platform thickness"),
        kit.between(0.013, 0.017, name="platform bar"),
    )
    low = CASTOR_HEIGHT * radius
    top, y, half = low + thick, 0.5 * length - 0.05, 0.5 * width - 0.05
    ring = rectangle(width, length, 0.04)
    bumper = tube(np.c_[ring, np.full(len(ring), low + thick / 2)], 0.45 * thick, closed=True, sides=8)
    mat = block((width - 0.12, length - 0.16, 0.01), (0, -0.03, top), round=0.003)
    kit.link(
        "deck",
        paint(deck, block((width, length, thick), (0, 0, low + thick / 2), round=0.008)),
        paint(
            kit.material("rubber", name="platform bumper"),
            bumper,
            *([mat] if kit.chance(0.6, name="mat") else []),
            parts="bumper, mat",
        ),
    )
    fixed = ("front_left", "front_right")
    add_castors(
        kit,
        "deck",
        list_corners(width - 0.14, length - 0.18),
        radius,
        kit.material("metal", "black", name="platform add castors"),
        fixed=fixed,
    )
    folds = kit.chance(0.65, name="folding handle")
    foot = top + 0.045 if folds else top - 0.01
    rise = min(rise, length - 0.12) if folds else rise
    lean = kit.between(0.0, 0.06, name="platform lean")
    push = [tube(bow_path(half, [(y, foot), (y, foot + 0.1), (y + lean, foot + rise)], 0.09), bar)]
    bars = np.linspace(0.2, 0.75, kit.count(1, 3, name="rungs"))
    push += [
        rod((-half, y + lean * b, foot + b * rise), (half, y + lean * b, foot + b * rise), 0.8 * bar, sides=10)
        for b in bars
    ]
    if not folds:
        if kit.chance(0.6, name="front bow"):
            front = tube(bow_path(half, [(-y, foot), (-y - lean, foot + rise)], 0.09), bar)
            push += [
                front,
                *(
                    rod(
                        (-half, -y - lean * b, foot + b * rise),
                        (half, -y - lean * b, foot + b * rise),
                        0.8 * bar,
                        sides=10,
                    )
                    for b in bars
                ),
            ]
        kit.meshes["deck"].append(paint(steel, push, parts="push"))
        return
    lugs = [
        block((0.016, 0.05, 0.07), (s * half + t * (bar + 0.012), y, top + 0.03), round=0.004, cells=1)
        for s in (-1, 1)
        for t in (-1, 1)
    ]
    pins = [rod((s * half - bar - 0.025, y, foot), (s * half + bar + 0.025, y, foot), 0.008) for s in (-1, 1)]
    kit.meshes["deck"].append(paint(steel, lugs, pins, parts="lugs, pins"))
    kit.link("push_bar", paint(steel, push, parts="push"))
    kit.hinge(
        "deck",
        "push_bar",
        at=(0, y, foot),
        axis="x",
        lower=0,
        upper=kit.between(78, 85, name="platform push bar opens to"),
    )


def _tools(kit: Kit) -> None:
    """A cabinet of drawers on castors, pushed by a bar at its side; some have a lid over a well."""
    shell, dark, steel = (
        kit.material("red", "ocean", "paint", "black", "dark_metal", name="tools shell"),
        kit.material("black", name="tools dark"),
        kit.material("metal", name="tools steel"),
    )
    width, depth, rows = (
        kit.between(0.55, 0.8, name="tools width"),
        kit.between(0.38, 0.48, name="tools depth"),
        kit.count(3, 6, name="drawers"),
    )
    radius, wall = kit.between(0.045, 0.065, name="tools radius"), 0.014
    low, lidded = CASTOR_HEIGHT * radius, kit.chance(0.4, name="lid")
    heights = np.sort(np.array([kit.between(0.07, 0.16, name="tools heights share") for _ in range(rows)]))
    tall = float(heights.sum()) + (rows + 1) * 0.006 + 2 * wall
    case = [tray((width, tall, depth), wall, (0, depth / 2, low + tall / 2), "-y")]
    top = low + tall
    if lidded:
        well = kit.between(0.05, 0.1, name="tools well")
        case.append(tray((width, depth, well), wall, (0, 0, top - 0.004)))
        top += well - 0.004
    else:
        case.append(tray((width + 0.02, depth + 0.02, 0.035), 0.01, (0, 0, top - 0.004), round=0.02))
    bumpers = [
        rod((s * width / 2, e * depth / 2, low), (s * width / 2, e * depth / 2, low + 0.07), 0.02)
        for s in (-1, 1)
        for e in (-1, 1)
    ]
    x, z = width / 2, low + tall - 0.05
    bar = bar_handle((x, -0.35 * depth, z), (x, 0.35 * depth, z), "x", height=0.07, radius=0.013)
    under = block((width - 0.01, depth - 0.01, 0.02), (0, 0, low + 0.01), round=0.004, cells=1)
    kit.link(
        "case",
        paint(shell, case, under, parts="body, under"),
        paint(dark, bumpers, parts="bumpers"),
        paint(steel, bar, parts="bar"),
    )
    fixed = kit.pick((), ("front_left", "rear_left"), name="fixed wheels")
    spots = list_corners(width - 0.14, depth - 0.14)
    add_castors(
        kit, "case", spots, radius, kit.material("metal", "black", name="tools add castors"), fixed=fixed, heading=-90.0
    )
    inner, z, travel = width - 2 * wall, low + wall + 0.006, kit.between(0.5, 0.7, name="tools travel share") * depth
    for i, h in enumerate(heights[::-1]):
        y, middle = -depth / 2, z + h / 2
        front = block((inner - 0.008, 0.018, h), (0, y + 0.006, middle), round=0.004, cells=1)
        box = tray((inner - 0.016, depth - wall - 0.018, 0.75 * h), 0.008, (0, -0.006, z + 0.004))
        rails = [block((0.0075, depth - 0.05, 0.012), (s * (inner / 2 - 0.0045), 0, middle), round=0) for s in (-1, 1)]
        lip = block((0.8 * inner, 0.02, 0.012), (0, y - 0.008, z + h - 0.012), round=0.004, cells=1)
        name = kit.link(
            f"drawer_{i + 1}",
            paint(shell, front, box, parts="front, box"),
            paint(steel, rails, lip, parts="rails, lip"),
        )
        kit.slide("case", name, axis="-y", upper=travel)
        z += h + 0.006
    if lidded:
        pivot = np.array([0.0, depth / 2 + 0.009, top + 0.012])
        lugs = [block((0.05, 0.014, 0.042), pivot + (s * 0.3 * width, -0.003, -0.021), round=0.002) for s in (-1, 1)]
        kit.meshes["case"].append(
            paint(steel, knuckles(pivot, "x", 0.3 * width, 0.05, 0.008), lugs, parts="hinges, lugs")
        )
        aside = 0.3 * width - 0.052
        eyes = knuckles(pivot, "x", aside, 0.05, 0.008)
        eyes += [block((0.05, 0.014, 0.008), pivot + (s * aside, -0.007, 0.002), round=0.002) for s in (-1, 1)]
        lid = block((width, depth, 0.02), (0, -0.002, top + 0.014), round=0.006)
        kit.link("lid", paint(shell, lid, parts="lid"), paint(steel, eyes, parts="eyes"))
        kit.hinge("case", "lid", at=pivot, axis="-x", lower=0, upper=kit.between(70, 90, name="tools lid opens to"))
