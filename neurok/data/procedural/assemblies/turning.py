"""Mounts to turn or tip by hand: dials, handwheels, cranks, levers, pedals, gates. Each sits on a `Spot`."""

import numpy as np

from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import repeat_around, rotate
from neurok.data.procedural.shapes import ball, block, fillet, hoop, lathe, plate, ribbon, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def dial(kit: Kit, spot: Spot, name: str) -> None:
    """A knob that turns about the normal: plain, fluted, with a pointer or a wing, on a disc or none."""
    r = kit.between(0.3, 0.48, name="dial r share") * spot.least
    long, low = r * kit.between(0.35, 1.4, name="dial length share"), 0.0
    if kit.chance(0.5, name="dial lower edge"):
        low = max(0.06 * r, 0.5 * spot.fine)
        spot.rest(
            kit, kit.pick(*spot.tones, name="dial rest"), rod((0, 0, -0.5 * low), (0, 0, low), 1.02 * r, sides=28)
        )
    top = low + long
    style = kit.pick("mark", "mark", "flutes", "wing", "skirt", "star", name="dial style")
    taper = kit.between(0.75, 1.0, name="dial taper")
    body = [rod((0, 0, low - 0.02 * r), (0, 0, top), 0.92 * r, end_radius=0.92 * r * taper, sides=28)]
    extra: list[Mesh] = []
    if style == "flutes":
        flute = rod((0.88 * r, 0, low + 0.05 * long), (0.9 * taper * r, 0, top - 0.1 * long), 0.1 * r, sides=8)
        body += repeat_around(flute, kit.count(6, 14, name="dial detail"))
    elif style == "wing":
        body = [rod((0, 0, low - 0.02 * r), (0, 0, low + 0.3 * long), 0.92 * r, sides=28)]
        body.append(block((1.7 * r, 0.4 * r, 0.75 * long), (0, 0, top - 0.375 * long), round=0.08 * r))
    elif style == "skirt":
        profile = np.array([[0.95, 0], [0.95, 0.15], [0.65, 0.3], [0.55, 1.0], [0, 1.0]]) * (r, long)
        body = [lathe(fillet(profile, 0.05 * r), (0, 0, low - 0.01 * r), segments=28)]
    elif style == "star":
        body = [rod((0, 0, low - 0.02 * r), (0, 0, top), 0.6 * r, sides=24)]
        body += repeat_around(
            ball((0.34 * r, 0.3 * r, 0.35 * long), (0.6 * r, 0, top - 0.4 * long), 12),
            kit.count(3, 6, name="dial detail"),
        )
    if style in ("mark", "skirt", "flutes"):
        size = (0.1 * r, 0.5 * taper * r, 0.06 * r)
        extra.append(block(size, (0, 0.3 * taper * r, top), round=0))
    start = kit.between(0, 360, name="dial start")
    spot.part(kit, name, [rotate(m, "z", start) for m in body], [rotate(m, "z", start) for m in extra])
    if kit.chance(0.5, name="dial spin"):
        spot.spin(kit, name, (0, 0, low))
    else:
        spot.hinge(kit, name, (0, 0, low), "-z", 0, kit.between(90, 320, name="dial hinge"))


def handwheel(kit: Kit, spot: Spot, name: str) -> None:
    """A rim on spokes at the end of a fixed shaft; some with a grip that spins."""
    r = kit.between(0.6, 0.95, name="handwheel r share") * spot.reach
    bar, z = (
        kit.between(0.07, 0.12, name="handwheel bar share") * r,
        kit.between(0.25, 0.9, name="handwheel z share") * r,
    )
    spot.rest(kit, kit.pick(*spot.tones, name="handwheel rest"), rod((0, 0, -bar), (0, 0, z - 1.8 * bar), 1.2 * bar))
    count = kit.count(2, 6, name="handwheel")
    spoke = rod((0, 0, z), (r, 0, z + kit.pick(0.0, 0.15, name="handwheel spoke") * r), 0.7 * bar, sides=10)
    rim = hoop(r, bar, (0, 0, z), segments=36)
    spokes = [rotate(spoke, "z", 360.0 * i / count) for i in range(count)]
    hub = rod((0, 0, z - 2 * bar), (0, 0, z + 2 * bar), 2.2 * bar, sides=20)
    spot.part(kit, name, [rim], [*spokes, hub])
    spot.spin(kit, name, (0, 0, z))
    if kit.chance(0.3, name="handwheel grip"):
        grip = [rod((r, 0, z + 0.97 * bar), (r, 0, z + 6 * bar), 1.3 * bar, end_radius=1.6 * bar)]
        spot.part(kit, f"{name}_grip", grip)
        spot.spin(kit, f"{name}_grip", (r, 0, z), parent=name)


def crank(kit: Kit, spot: Spot, name: str) -> None:
    """An arm on a shaft, with a grip at its end that spins by itself."""
    r = kit.between(0.6, 0.9, name="crank r share") * spot.reach
    bar, z = kit.between(0.09, 0.13, name="crank bar share") * r, kit.between(0.15, 0.6, name="crank z share") * r
    spot.rest(kit, kit.pick(*spot.tones, name="crank rest"), rod((0, 0, -bar), (0, 0, z), 1.5 * bar))
    turn, dent = kit.between(0, 360, name="crank turn"), kit.pick(0.0, 0.2, name="crank dent") * r
    path = fillet(
        np.array([(0, 0, z + bar), (0.6 * r, 0, z + bar), (0.75 * r, 0, z + bar + dent), (r, 0, z + bar + dent)]),
        0.1 * r,
    )
    arm = [
        tube(path, 0.9 * bar)
        if kit.chance(0.5, name="own crank arm")
        else ribbon(path, 2.4 * bar, 1.1 * bar, "y", sides=12)
    ]
    arm.append(rod((0, 0, z - 0.05 * bar), (0, 0, z + 2.2 * bar), 1.8 * bar, sides=20))
    end, long = z + bar + dent, kit.between(0.35, 0.7, name="crank length share") * r
    arm.append(rod((r, 0, end - bar), (r, 0, end + 1.2 * bar), 1.2 * bar))
    grip = [rod((r, 0, end + 1.25 * bar), (r, 0, end + bar + long), bar, end_radius=1.7 * bar)]
    spot.part(kit, name, [rotate(m, "z", turn) for m in arm])
    spot.spin(kit, name, (0, 0, z))
    spot.part(kit, f"{name}_grip", [rotate(m, "z", turn) for m in grip])
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    spot.spin(kit, f"{name}_grip", (r * c, r * s, z), parent=name)


def lever(kit: Kit, spot: Spot, name: str) -> None:
    """A handle that turns about the normal at its foot, at any angle at rest."""
    r = kit.between(0.65, 0.95, name="lever r share") * spot.reach
    bar = kit.between(0.08, 0.13, name="lever bar share") * r
    low = kit.between(0.5, 3.0, name="lever lower edge share") * bar
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="lever rest"),
        rod((0, 0, -0.5 * bar), (0, 0, low), kit.between(1.4, 2.2, name="lever rod size") * bar, sides=24),
    )
    z = low + bar
    if kit.chance(0.5, name="lever arm"):
        arm = [
            plate(
                np.array([[-1.5 * bar, -1.5 * bar], [r, -0.8 * bar], [r, 0.8 * bar], [-1.5 * bar, 1.5 * bar]]),
                1.2 * bar,
                (0, 0, z),
            )
        ]
    else:
        path = fillet(
            np.array(
                [
                    (0, 0, z),
                    (0.35 * r, 0, z),
                    (0.5 * r, 0, z + kit.pick(0, 2, name="lever path") * bar),
                    (r, 0, z + kit.pick(0, 2, name="lever path") * bar),
                ]
            ),
            0.12 * r,
        )
        arm = [tube(path, np.linspace(0.8, 1.2, len(path)) * bar)]
    hub = [rod((0, 0, low - 0.02 * bar), (0, 0, z + bar), 1.6 * bar, sides=24)]
    if kit.chance(0.4, name="lever ball"):
        hub.append(ball(1.6 * bar, (0.95 * r, 0, z + bar), 14))
    turn, swing = kit.between(0, 360, name="lever turn"), kit.between(45, 170, name="lever swing")
    spot.part(kit, name, [rotate(m, "z", turn) for m in arm], [rotate(m, "z", turn) for m in hub])
    share = kit.pick(0.0, 0.5, 1.0, name="lever share")
    spot.hinge(kit, name, (0, 0, low), "z", -share * swing, (1 - share) * swing)


def stick(kit: Kit, spot: Spot, name: str) -> None:
    """A lever that tips over about a pin in the face, between two cheeks."""
    spot = spot.turn_quarters(kit.count(0, 3, name="stick spot"))
    long = kit.between(0.6, 0.9, name="stick length share") * (spot.reach if spot.alone else 0.49 * spot.height)
    bar = max(kit.between(0.07, 0.12, name="stick bar share") * long, 1.2 * spot.fine)
    z, lean, gap = 2.2 * bar, kit.between(-35, 35, name="stick lean"), 1.25 * bar
    cheek = [
        block((0.9 * bar, 3.4 * bar, 3.6 * bar), (s * (gap + 0.45 * bar), 0, 1.5 * bar), round=0.2 * bar)
        for s in (-1, 1)
    ]
    pin = [rod((s * (gap + 1.3 * bar), 0, z), (s * 0.8 * bar, 0, z), 0.6 * bar) for s in (-1, 1)]
    spot.rest(kit, kit.pick(*spot.tones, name="stick rest"), cheek, pin)
    stem = [
        rod((0, 0, z), (0, 0, z + long), 0.9 * bar, end_radius=kit.between(0.6, 0.9, name="stick stem share") * bar)
    ]
    stem.append(rod((-1.1 * bar, 0, z), (1.1 * bar, 0, z), 1.5 * bar))
    end = kit.pick("ball", "bar", "grip", "paddle", name="stick end")
    top = (0, 0, z + long)
    if end == "ball":
        head = [ball(kit.between(1.4, 2.4, name="stick head share") * bar, top, 16)]
    elif end == "bar":
        head = [rod((-3 * bar, 0, z + long), (3 * bar, 0, z + long), 1.2 * bar)]
    elif end == "grip":
        head = [rod((0, 0, z + 0.55 * long), (0, 0, z + 1.04 * long), 1.5 * bar)]
    else:
        head = [block((4 * bar, 1.0 * bar, 0.3 * long), (0, 0, z + 0.9 * long), round=0.4 * bar)]
    spot.part(kit, name, *([rotate(m, "x", lean, (0, 0, z)) for m in some] for some in (stem, head)))
    spot.hinge(kit, name, (0, 0, z), "x", min(-10, -50 - lean), max(10, 50 - lean))


def rocker(kit: Kit, spot: Spot, name: str) -> None:
    """A switch that tilts in a raised bezel."""
    w, h = (
        kit.between(0.45, 0.85, name="rocker w share") * spot.width,
        kit.between(0.45, 0.85, name="rocker h share") * spot.height,
    )
    if w > h:
        spot, w, h = spot.turn_quarters(1), h, w
    swing, rim = kit.between(8, 14, name="rocker swing"), 0.12 * w
    rise = 0.5 * h * np.sin(np.radians(swing)) + 0.08 * w + spot.fine
    bezel = [
        block((rim, h + 2 * rim, rise), (s * (w + rim) / 2, 0, rise / 2 - 0.01 * w), round=0.2 * rim) for s in (-1, 1)
    ]
    bezel += [block((w, rim, rise), (0, s * (h + rim) / 2, rise / 2 - 0.01 * w), round=0.2 * rim) for s in (-1, 1)]
    pins = [
        rod((s * (0.5 * w + 0.3 * rim), 0, rise), (s * (0.5 * w - 1.5 * spot.fine), 0, rise), 0.07 * w) for s in (-1, 1)
    ]
    spot.rest(kit, kit.pick(*spot.tones, name="rocker rest"), bezel, pins)
    half, gap = 0.5 * h - 0.04 * h - 0.3 * spot.fine, 0.5 * spot.fine
    low = rise - 0.06 * w
    wing = np.array(
        [[-half, low], [half, low], [half, rise + 0.12 * w], [0, rise + 0.02 * w + 0.06 * h], [-half, rise + 0.12 * w]]
    )
    spot.part(kit, name, [plate(wing, w - 2 * gap, (0, 0, 0), "yz", bevel=0.02 * w)])
    spot.hinge(kit, name, (0, 0, rise), "x", -swing, swing)


def pendulum(kit: Kit, spot: Spot, name: str) -> None:
    """A bob or a sign that swings on a pin which stands out of the face."""
    spot = spot.turn_quarters(kit.count(0, 3, name="pendulum spot"))
    long = kit.between(0.7, 0.95, name="pendulum length share") * (spot.height if not spot.alone else 0.9 * spot.height)
    bar, y = max(0.04 * long, 0.8 * spot.fine), 0.5 * long
    z = max(kit.between(1.5, 4.0, name="pendulum z share") * bar, 2 * spot.fine)
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="pendulum rest"),
        rod((0, y, -bar), (0, y, z + 2.2 * bar), bar),
        rod((0, y, z + 1.4 * bar), (0, y, z + 2.6 * bar), 1.7 * bar),
    )
    room = 0.5 * spot.width - 2 * bar
    r = min(kit.between(0.12, 0.25, name="pendulum r share") * long, 0.6 * room)
    stem = [
        rod((0, y - 1.4 * bar, z), (0, y - long + r, z), 0.8 * bar, sides=10),
        rod((0, y, z - bar), (0, y, z + bar), 2.0 * bar, sides=18),
    ]
    bob = rod((0, y - long + r, z - 0.9 * bar), (0, y - long + r, z + 1.2 * bar), r, sides=24)
    board = block((1.8 * r, 2.6 * r, 1.6 * bar), (0, y - long + 1.3 * r, z), round=0.2 * bar)
    spot.part(kit, name, stem, [kit.pick(bob, board, name="pendulum part")])
    swing = np.degrees(np.arcsin(np.clip((room - r) / long, 0.12, 0.7)))
    spot.hinge(kit, name, (0, y, z), "z", -swing, swing)


def pedal(kit: Kit, spot: Spot, name: str) -> None:
    """A tread that slopes up from a hinge at its heel and is trodden down towards the face."""
    spot = spot.turn_quarters(kit.count(0, 3, name="pedal spot"))
    long, wide = (
        kit.between(0.7, 0.92, name="pedal length share") * spot.height,
        kit.between(0.3, 0.8, name="pedal width share") * spot.width,
    )
    thick = max(0.06 * long, spot.fine)
    z, y, slope = 1.2 * thick, -0.5 * long, kit.between(15, 35, name="pedal slope")
    pin = np.array([0.0, y + thick, z])
    lugs = [
        block((0.08 * wide, 2 * thick, z + 0.8 * thick), (s * 0.54 * wide, pin[1], 0.5 * z + 0.3 * thick), round=0)
        for s in (-1, 1)
    ]
    spot.rest(
        kit,
        kit.pick(*spot.tones, name="pedal rest"),
        lugs,
        rod(pin - (0.56 * wide, 0, 0), pin + (0.56 * wide, 0, 0), 0.45 * thick),
    )
    tread = [block((0.96 * wide, 0.93 * long, thick), pin + (0, 0.48 * long, 0), round=0.3 * thick)]
    tread.append(rod(pin - (0.46 * wide, 0, 0), pin + (0.46 * wide, 0, 0), 0.85 * thick))
    ribs = [
        block((0.8 * wide, 0.04 * long, 0.4 * thick), pin + (0, (0.3 + 0.13 * i) * long, 0.6 * thick), round=0)
        for i in range(5)
    ]
    spot.part(kit, name, *([rotate(m, "x", slope, pin) for m in some] for some in (tread, ribs)))
    spot.hinge(kit, name, pin, "-x", 0, slope - 4)


def flag(kit: Kit, spot: Spot, name: str) -> None:
    """A gate or vane on a post along the normal, turning about it."""
    r = kit.between(0.6, 0.95, name="flag r share") * spot.reach
    tall, bar = kit.between(0.5, 1.6, name="flag height share") * r, max(0.06 * r, spot.fine)
    z = kit.between(0.1, 0.3, name="flag z share") * tall + bar
    spot.rest(kit, kit.pick(*spot.tones, name="flag rest"), rod((0, 0, -bar), (0, 0, z + tall + bar), bar))
    x = np.array([1.3 * bar, r])
    eyes = [rod((0, 0, z + a * tall), (0, 0, z + b * tall), 1.6 * bar) for a, b in ((0.05, 0.25), (0.75, 0.95))]
    if kit.chance(0.5, name="flag board"):
        board = [block((x[1] - x[0], 0.9 * bar, tall), (x.mean(), 0, z + tall / 2), round=0.2 * bar)]
    else:
        loop: Array = np.array(
            [(bar, 0, z + 0.15 * tall), (r, 0, z + 0.15 * tall), (r, 0, z + 0.85 * tall), (bar, 0, z + 0.85 * tall)]
        )
        board = [tube(fillet(loop, 0.15 * r), 0.7 * bar)]
        board += [
            rod((a, 0, z + 0.15 * tall), (a, 0, z + 0.85 * tall), 0.5 * bar, sides=8)
            for a in np.linspace(bar, r, 5)[1:-1]
        ]
    turn = kit.between(0, 360, name="flag turn")
    spot.part(kit, name, *([rotate(m, "z", turn) for m in some] for some in (eyes, board)))
    if kit.chance(0.3, name="flag spin"):
        spot.spin(kit, name, (0, 0, z))
    else:
        spot.hinge(
            kit, name, (0, 0, z), "z", -kit.pick(0, 60, 90, name="flag hinge"), kit.between(60, 120, name="flag hinge")
        )


TURNING = (dial, dial, handwheel, crank, lever, lever, stick, stick, rocker, pendulum, pedal, flag)
