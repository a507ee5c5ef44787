"""A coffee machine: filter, capsule, espresso with portafilters, or fully automatic."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.fittings import barrel, feet, knuckles
from neurok.data.procedural.keys import collared_key, front_knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, translate
from neurok.data.procedural.shapes import ball, block, curve, fillet, frame, hoop, lathe, pipe, plate, rod, tray, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

GAP = 0.003  # between what moves and its surroundings [m]


@dataclass(frozen=True)
class _MachineBody:
    """A foot, a tower at the rear and a head over the foot: sizes [m] and colours."""

    wide: float
    deep: float
    foot: float  # height of the foot's top
    open: float  # between foot and head
    head: float  # height of the head
    tower: float  # depth of the tower
    shell: Material
    trim: Material

    @property
    def front(self) -> float:
        return -self.deep / 2

    @property
    def top(self) -> float:
        return self.foot + self.open + self.head

    @property
    def ceiling(self) -> float:
        """The head's underside."""
        return self.foot + self.open

    @property
    def wall(self) -> float:
        """The tower's front."""
        return self.deep / 2 - self.tower


def draw(kit: Kit) -> None:
    kit.pick(_filter, _capsule, _espresso, _automatic, name="style")(kit)


def _filter(kit: Kit) -> None:
    """A glass jug on a hot plate under a filter basket that swings out; the tank behind has a lid."""
    body = _body(kit, (0.17, 0.22), (0.23, 0.28), (0.04, 0.05), (0.215, 0.25), (0.03, 0.045), (0.085, 0.11))
    radius = min(0.4 * body.wide, 0.5 * (body.wall - body.front) - 0.004, 0.075)
    centre = np.array([0.0, body.wall - radius - 0.006, body.foot])
    steel, dark = kit.material("metal", "dark_metal", name="filter steel"), kit.material("black", name="filter dark")
    hot = rod(centre - (0, 0, 0.004), centre + (0, 0, 0.004), 1.05 * radius, sides=28)
    gauge = block((0.012, 0.006, 0.12), (0.36 * body.wide, body.wall, body.foot + 0.11), round=0.002)
    hang = 0.068 if kit.chance(0.8, name="own filter hang") else 0.06  # height of the basket
    kit.link(
        "body",
        *_housing(body),
        paint(steel, hot, parts="hot"),
        paint(kit.material("glass", name="filter gauge"), gauge, parts="gauge"),
    )
    _lid(kit, body, 0.92 * body.wide, body.front + 0.012, body.deep / 2 - 0.012)

    tall = body.open - hang - 0.016
    level = body.foot + 0.0045
    belly = np.array([[0, 0], [0.9, 0], [1.0, 0.12], [1.0, 0.45], [0.72, 0.85], [0.74, 0.9], [0.5, 0.9], [0, 0.9]])
    jug = lathe(fillet(belly * (radius, tall), 0.1 * radius, steps=3), centre * (1, 1, 0) + (0, 0, level), segments=28)
    cap = rod((0, centre[1], level + 0.88 * tall), (0, centre[1], level + tall), 0.74 * radius, sides=24)
    band = pipe((0, centre[1], level + 0.72 * tall), (0, centre[1], level + 0.8 * tall), 0.86 * radius, 0.012, sides=28)
    grip = fillet(
        np.array([(0, -0.7, 0.86), (0, -1.35, 0.86), (0, -1.4, 0.3), (0, -0.97, 0.25)]) * (1, radius, tall), 0.02
    )
    handle = translate(tube(grip, 0.008), 0, centre[1], level)
    kit.link(
        "jug",
        paint(kit.material("glass", name="filter jug"), jug, parts="jug"),
        paint(dark, cap, band, handle, parts="cap, band, handle"),
    )
    kit.slide("body", "jug", axis="-y", upper=kit.between(0.6, 1.1, name="filter jug opens to") * radius)

    ceiling, floor = body.ceiling - GAP, body.ceiling - hang
    half, rear = 0.44 * body.wide, body.wall - GAP
    fore = body.front + 0.012
    angle = np.linspace(np.pi, 2 * np.pi, 13)
    nose = np.stack([half * np.cos(angle), fore + half * 0.5 * (1 + np.sin(angle))], axis=1)
    outline = np.concatenate([[(half, rear)], [(-half, rear)], nose])
    mid = (ceiling + floor) / 2
    basket = plate(outline, ceiling - floor, (0, 0, mid), bevel=0.006)
    pivot = np.array([-half - 0.004, fore + 0.5 * half, mid])
    pin = rod(pivot - (0, 0, 0.5 * hang - 0.006), pivot + (0, 0, 0.5 * hang + 0.006), 0.006, sides=14)
    pull = block((0.05, 0.012, 0.012), (0.3 * half, fore, mid), round=0.004)
    kit.link("basket", paint(body.trim, basket, pin, parts="basket, pin"), paint(steel, pull, parts="handle"))
    kit.hinge("body", "basket", at=pivot, axis="-z", lower=0, upper=kit.between(50, 80, name="filter basket opens to"))
    kit.meshes["body"].append(
        paint(body.shell, block((0.02, 0.03, 0.012), pivot + (0, 0, 0.5 * hang + 0.006), round=0.003))
    )
    if kit.chance(0.6, name="switch"):
        _rocker(kit, "switch", (0.3 * body.wide, body.front, 0.55 * body.foot), dark)
    else:
        _buttons(kit, body, kit.count(1, 3, name="buttons"), 0.55 * body.foot, 0.007)


def _capsule(kit: Kit) -> None:
    """A lever over the head opens the capsule's chamber; a tank stands behind."""
    body = _body(kit, (0.11, 0.16), (0.24, 0.3), (0.035, 0.05), (0.12, 0.15), (0.07, 0.09), (0.11, 0.14))
    nozzle = rod((0, body.front + 0.05, body.ceiling - 0.022), (0, body.front + 0.05, body.ceiling + 0.01), 0.012)
    tank = block((0.86 * body.wide, 0.07, 0.85 * body.top), (0, body.deep / 2 + 0.03, 0.46 * body.top), round=0.015)
    cap = block((0.9 * body.wide, 0.074, 0.014), (0, body.deep / 2 + 0.03, 0.89 * body.top), round=0.004)
    extra = [
        paint(body.trim, nozzle, cap, parts="nozzle, cap"),
        paint(kit.material("glass", name="capsule extra"), tank, parts="tank"),
    ]
    kit.link("body", *_housing(body, floor=0.012), *extra)
    _drip_tray(kit, body, cup=kit.chance(0.3, name="cup"))
    pivot = np.array([0.0, body.wall + 0.3 * body.tower, body.top + 0.004])
    long, half = pivot[1] - body.front + kit.between(-0.01, 0.015, name="capsule length share"), 0.5 * body.wide + 0.011
    if kit.chance(0.5, name="bow"):  # a bow around the head's sides
        pivot[2] = body.top - 0.02
        path = np.array([(-half, 0, 0), (-half, -long - 0.012, 0), (half, -long - 0.012, 0), (half, 0, 0)])
        pieces = [translate(tube(fillet(path, 0.03), 0.007), *pivot)]
        axle = barrel(pivot, "x", 2 * half + 0.022, 0.01)
    else:
        pieces = [block((0.5 * body.wide, long, 0.012), pivot + (0, -long / 2, 0.008), round=0.005)]
        axle = barrel(pivot, "x", 0.42 * body.wide, 0.008)
    kit.meshes["body"].append(paint(body.trim, axle, parts="axle"))
    kit.link("lever", paint(kit.material("metal", "black", "dark_metal", name="capsule pieces"), pieces))
    kit.hinge("body", "lever", at=pivot, axis="-x", lower=0, upper=kit.between(50, 85, name="capsule lever opens to"))
    _buttons(kit, body, kit.count(1, 2, name="buttons"), body.ceiling + 0.4 * body.head, 0.008)


def _espresso(kit: Kit) -> None:
    """Portafilters turned under their groups, a steam wand at the side, knobs or keys in front."""
    groups = kit.pick(1, 1, 1, 2, name="groups")
    body = _body(
        kit,
        (0.22, 0.3) if groups == 1 else (0.42, 0.52),
        (0.27, 0.33),
        (0.05, 0.075),
        (0.15, 0.18),
        (0.09, 0.13),
        (0.11, 0.14),
    )
    steel, dark = kit.material("metal", name="espresso steel"), kit.material("black", name="espresso dark")
    spots = [0.0] if groups == 1 else [-0.22 * body.wide, 0.22 * body.wide]
    y, under = body.front + 0.065, body.ceiling
    necks = [rod((x, y, under - 0.02), (x, y, under + 0.01), 0.034, sides=24) for x in spots]
    rail: list[Mesh] = []
    if kit.chance(0.6, name="cup rail"):
        w, d, z = 0.46 * body.wide, 0.42 * body.deep, body.top + 0.025
        corners = np.array([(-w, -d, z), (w, -d, z), (w, d, z), (-w, d, z)])
        rail = [tube(fillet(corners, 0.02, closed=True), 0.004, closed=True)]
        rail += [rod(c * (0.99, 0.97, 1), c * (0.99, 0.97, 1) - (0, 0, 0.03), 0.004, sides=8) for c in corners]
    kit.link("body", *_housing(body, floor=0.012), paint(steel, necks, rail, parts="necks, rail"))
    _drip_tray(kit, body, cup=False)
    for i, x in enumerate(spots):
        z = under - 0.023
        ring = rod((x, y, z - 0.026), (x, y, z + 0.004), 0.037, sides=24)
        spouts = [rod((x + s * 0.012, y, z - 0.048), (x + s * 0.006, y, z - 0.02), 0.006, sides=10) for s in (-1, 1)]
        neck = rod((x, y - 0.03, z - 0.012), (x, y - 0.06, z - 0.014), 0.007, sides=10)
        grip = rod((x, y - 0.055, z - 0.014), (x, y - 0.15, z - 0.022), 0.011, end_radius=0.014, sides=14)
        name = kit.link(
            f"portafilter_{i + 1}",
            paint(steel, ring, spouts, neck, parts="ring, spouts, neck"),
            paint(kit.material("black", "wood", name="espresso name"), grip, parts="handle"),
        )
        kit.hinge(
            "body", name, at=(x, y, z), axis="-z", lower=0, upper=kit.between(45, 70, name="espresso body opens to")
        )
    _wand(kit, body, spots[-1], steel, dark)
    level = body.ceiling + 0.52 * body.head
    if kit.chance(0.6, name="steam knob"):
        _knob(
            kit,
            "steam_knob",
            np.array([0.37 * body.wide, body.front, level]),
            kit.between(0.014, 0.02, name="espresso knob"),
            dark,
        )
        if kit.chance(0.5, name="water knob"):
            _knob(
                kit,
                "water_knob",
                np.array([-0.37 * body.wide, body.front, level]),
                kit.between(0.014, 0.02, name="espresso knob"),
                dark,
            )
    if kit.chance(0.6, name="gauge"):
        face = rod((0, body.front + 0.004, level), (0, body.front - 0.006, level), 0.02, sides=24)
        rim = hoop(0.02, 0.003, (0, body.front - 0.005, level), "y", segments=24)
        kit.meshes["body"] += [
            paint(kit.material("white", name="espresso face"), face, parts="face"),
            paint(steel, rim, parts="rim"),
        ]
    else:
        _buttons(kit, body, kit.count(2, 4, name="buttons"), level, 0.008)


def _automatic(kit: Kit) -> None:
    """A spout that is set to the cup's height, a bean hopper with a lid, a dial and keys around a screen."""
    body = _body(kit, (0.24, 0.3), (0.34, 0.42), (0.045, 0.065), (0.15, 0.19), (0.12, 0.16), (0.2, 0.25))
    level, z = body.ceiling + 0.55 * body.head, body.ceiling
    y = body.wall - 0.034
    screen = block((0.3 * body.wide, 0.006, 0.35 * body.head), (0, body.front, level + 0.01), round=0.002)
    ridge = block((0.05, 0.02, body.open + 0.02), (0, body.wall - 0.006, body.foot + body.open / 2), round=0.003)
    kit.link(
        "body",
        *_housing(body, floor=0.012),
        paint(kit.material("glass", name="automatic screen"), screen, parts="screen"),
        paint(body.trim, ridge, parts="ridge"),
    )
    _drip_tray(kit, body, cup=False)
    travel = kit.between(0.04, 0.07, name="automatic travel")
    spout = block((0.075, 0.034, 0.06), (0, y - 0.002, z - 0.034), round=0.008)
    noses = [rod((s * 0.016, y - 0.006, z - 0.08), (s * 0.016, y - 0.006, z - 0.05), 0.007, sides=12) for s in (-1, 1)]
    kit.link(
        "spout",
        paint(body.trim, spout, parts="spout"),
        paint(kit.material("metal", name="automatic noses"), noses, parts="noses"),
    )
    kit.slide("body", "spout", axis="-z", upper=min(travel, body.open - 0.09))
    _lid(kit, body, 0.6 * body.wide, 0.02, body.deep / 2 - 0.015)
    if kit.chance(0.7, name="dial"):
        _knob(
            kit,
            "dial",
            np.array([0.36 * body.wide, body.front, level]),
            0.02,
            kit.material("metal", "black", name="automatic knob"),
        )
        _buttons(kit, body, 1, level, 0.009, -0.36 * body.wide)
    else:
        for i, s in enumerate((-1, 1)):
            _buttons(kit, body, 1, level, 0.009, s * 0.34 * body.wide, first=i + 1)


# ---------------------------------------------------------------- what they share


def _body(
    kit: Kit, wide: Vector, deep: Vector, foot: Vector, opening: Vector, head: Vector, tower: Vector
) -> _MachineBody:
    w, d, f, o, h, t = (
        kit.between(*span, name="body w and d and f and o and h and t share")
        for span in (wide, deep, foot, opening, head, tower)
    )
    shell = kit.material("black", "metal", "white", "red", "paint", "dark_metal", name="body shell")
    return _MachineBody(w, d, f, o, h, t, shell, kit.material("black", "dark_metal", name="body machinebody"))


def _housing(body: _MachineBody, floor: float | None = None) -> list[Mesh]:
    """Foot, tower, head and feet; with a floor, the foot is a slot for a tray between two cheeks."""
    b, arc = body, 0.012
    tower = block((b.wide, b.tower, b.top - 0.004), (0, b.wall + b.tower / 2, b.top / 2 + 0.002), round=arc)
    head = block((b.wide, b.deep, b.head), (0, 0, b.ceiling + b.head / 2), round=arc, cells=3)
    if floor is None:
        foot = [block((b.wide, b.deep, b.foot - 0.004), (0, 0, b.foot / 2 + 0.002), round=arc)]
    else:
        foot = [block((b.wide, b.deep, floor), (0, 0, 0.004 + floor / 2), round=0.004)]
        size = (0.012, b.deep, b.foot - 0.004)
        foot += [block(size, (s * (b.wide / 2 - 0.006), 0, b.foot / 2 + 0.002), round=0.004) for s in (-1, 1)]
    return [
        paint(b.shell, tower, head, foot, parts="tower, head, foot"),
        paint(b.trim, feet(0.8 * b.wide, 0.85 * b.deep, 0.01, 0.005), parts="feet"),
    ]


def _drip_tray(kit: Kit, body: _MachineBody, cup: bool) -> None:
    """A tray with a grid that is drawn out to the front."""
    wide, deep = body.wide - 0.024 - 2 * GAP, body.wall - body.front - GAP
    y, low = body.front + deep / 2 - 0.002, 0.0165
    dish = tray((wide, deep, body.foot - low - 0.004), 0.004, (0, y, low))
    count = kit.count(5, 9, name="tray slots")
    bars = [
        block(
            (wide - 0.01, 0.35 * deep / count, 0.004),
            (0, y + ((i + 0.5) / count - 0.5) * (deep - 0.012), body.foot - 0.005),
            round=0,
        )
        for i in range(count)
    ]
    spine = block((0.008, deep - 0.008, 0.004), (0, y, body.foot - 0.006), round=0)
    lip = block((0.4 * wide, 0.008, 0.3 * body.foot), (0, body.front - 0.003, 0.55 * body.foot), round=0.002)
    pieces = [
        paint(body.trim, dish, lip, parts="dish, lip"),
        paint(kit.material("metal", "dark_metal", name="drip tray pieces"), bars, spine, parts="bars, spine"),
    ]
    if cup:
        profile = np.array([[0, 0], [0.6, 0], [0.95, 0.7], [1, 2], [0.9, 2], [0.8, 0.7], [0, 0.3]]) * 0.026
        pieces.append(
            paint(
                kit.material("white", "ceramic", name="drip tray lathe"),
                lathe(profile, (0, body.front + 0.05, body.foot - 0.005), segments=20),
            )
        )
    kit.link("drip_tray", *pieces)
    kit.slide("body", "drip_tray", axis="-y", upper=kit.between(0.5, 0.8, name="drip tray drip tray opens to") * deep)


def _lid(kit: Kit, body: _MachineBody, wide: float, near: float, far: float) -> None:
    """A flat lid on the head, hinged at its rear edge."""
    at = np.array([0.0, far, body.top + 0.004])
    cover = block((wide, far - near, 0.01), (0, (near + far) / 2, body.top + 0.008), round=0.004)
    grip = block((0.3 * wide, 0.014, 0.008), (0, near, body.top + 0.009), round=0.003)
    kit.meshes["body"].append(paint(body.trim, knuckles(at, "x", 0.3 * wide, 0.15 * wide, 0.006), parts="hinges"))
    kit.link(
        "lid",
        paint(body.shell if kit.chance(0.5, name="plain lid") else body.trim, cover, parts="cover"),
        paint(body.trim, grip, parts="handle"),
    )
    kit.hinge("body", "lid", at=at, axis="-x", lower=0, upper=kit.between(70, 100, name="lid lid opens to"))


def _wand(kit: Kit, body: _MachineBody, last: float, steel: Material, dark: Material) -> None:
    """A bent pipe that hangs from a ball under the head, at its right front corner."""
    x, y, z = min(body.wide / 2 - 0.02, last + 0.12), body.front + 0.035, body.ceiling
    long = body.open - kit.between(0.035, 0.06, name="wand length share")
    path = curve(np.array([(0, 0, 0), (0.006, -0.006, -0.4 * long), (0.026, -0.03, -long)]), 10)
    tip = rod(path[-2], path[-1] + (0.001, -0.001, -0.008), 0.006, sides=10)
    pieces = [
        paint(
            steel,
            translate(tube(path, 0.004), x, y, z - 0.004),
            ball(0.01, (x, y, z - 0.004), 14),
            translate(tip, x, y, z - 0.004),
            parts=", , tip",
        )
    ]
    kit.link("steam_wand", *pieces, paint(dark, translate(tube(path[4:7], 0.007), x, y, z - 0.004)))
    kit.hinge(
        "body",
        "steam_wand",
        at=(x, y, z),
        axis="z",
        lower=-kit.between(5, 20, name="wand steam wand goes back to"),
        upper=kit.between(30, 60, name="wand steam wand opens to"),
    )


def _knob(kit: Kit, name: str, at: Array, radius: float, color: Material) -> None:
    front_knob(
        kit, "body", name, at, radius, long=0.02, taper=0.85, mark=(0.003, 0.004, 0.8 * radius),
        lift=(0.02, 0.4 * radius), colors=(color, kit.material("white", "red", name="knob body colors")), sides=20,
    )  # fmt: skip


def _rocker(kit: Kit, name: str, at: Vector, dark: Material) -> None:
    """A switch that tilts in its bezel."""
    x, y, z = at
    kit.meshes["body"].append(paint(dark, frame(0.03, 0.03, 0.004, 0.012, (x, y - 0.001, z))))
    key = block((0.0185, 0.005, 0.0185), (x, y - 0.0065, z), round=0.001)
    dot = rod((x, y - 0.008, z + 0.005), (x, y - 0.0095, z + 0.005), 0.0025, sides=10)
    kit.link(
        name,
        paint(kit.material("red", "black", "plastic", name="rocker key"), key, parts="key"),
        paint(kit.material("white", name="rocker dot"), dot, parts="dot"),
    )
    kit.hinge("body", name, at=(x, y - 0.004, z), axis="x", lower=-9, upper=9)


def _buttons(kit: Kit, body: _MachineBody, count: int, z: float, radius: float, x: float = 0.0, first: int = 1) -> None:
    """Round keys in collars on the front, each pressed in by itself."""
    color, y = kit.material("metal", "white", "black", "red", name="buttons colour"), body.front
    for i in range(count):
        at = np.array([x + (i - (count - 1) / 2) * 3.2 * radius, y, z])
        collared_key(
            kit, "body", f"button_{first + i}", at, "-y", key=(radius, 0.003, 0.009),
            collar=(radius + 0.003, 0.002, -0.003, 0.006), colors=(body.trim, color), travel=0.0025,
        )  # fmt: skip
