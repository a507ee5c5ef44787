"""An umbrella or parasol: ribs that fold down together, and the cloth that they spread."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.limbs import tint_faces
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import curve, fillet, lathe, loft, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

ACROSS = 8  # points of the cloth between two ribs


def draw(kit: Kit) -> None:
    count, reach = kit.pick(6, 8, 8, 10, name="ribs"), kit.between(0.45, 0.6, name="reach")
    drop = reach * kit.between(0.3, 0.48, name="drop share")
    crown = kit.between(0.8, 0.95, name="crown share") * (1.0 if kit.chance(0.7, name="flat crown") else 1.8)
    wire = 0.008 * reach + 0.002
    hub = 3.2 * wire
    rise = np.array([[hub, 0.0], [0.45 * reach, -0.22 * drop], [reach, -drop]])
    profile = curve(rise, 15)  # rows (radius, height below the crown) along a rib

    _stick(kit, crown, wire, hub, parasol=crown > 1.2)
    shut = kit.between(42, 50, name="shut")
    colour = kit.material("metal", "dark_metal", name="colour")
    for i in range(count):
        turn = 360.0 * i / count
        path = np.stack([profile[:, 0], 0 * profile[:, 0], crown + profile[:, 1]], axis=1)
        rib = rotate(tube(path, wire * np.linspace(1.0, 0.7, len(path)), sides=8), "z", turn)
        kit.link(f"rib_{i + 1}", paint(colour, rib, parts="rib"))
        _fold(kit, f"rib_{i + 1}", turn, hub, crown, shut, 1.0)
        turn += 180.0 / count
        kit.bone(f"slack_{i + 1}")
        _fold(kit, f"slack_{i + 1}", turn, hub, crown, shut * 1.12, 1.12)
        kit.bone(f"gore_{i + 1}")
        _gust(kit, i + 1, turn, hub, crown, np.cos(np.radians(turn)) / np.cos(np.pi / count))
    cloth = _cloth(count, profile, crown, wire, drop)
    pair = (
        kit.material("fabric", "red", "plastic", "black", name="pair"),
        kit.material("white", "yellow", "fabric", name="pair"),
    )
    angle = np.arctan2(*cloth.vertices[cloth.faces].mean(axis=1)[:, 1::-1].T) % (2 * np.pi)
    gores = np.floor(angle / (2 * np.pi) * count).astype(int)
    cloth = tint_faces(cloth, pair, gores % 2 if kit.chance(0.55, name="two colours") else 0 * gores)
    kit.skin(cloth, _weights(cloth, count, hub, reach))


def _fold(kit: Kit, bone: str, turn: float, hub: float, crown: float, shut: float, factor: float) -> None:
    out = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn)), 0.0])
    axis = np.cross((0.0, 0.0, 1.0), out)  # turning about it lowers what points outwards
    kit.hinge("stick", bone, at=hub * out + (0, 0, crown), axis=axis, lower=0.0, upper=shut)
    if bone != "rib_1":
        kit.follow(bone, "rib_1", factor)


def _gust(kit: Kit, number: int, turn: float, hub: float, crown: float, share: float) -> None:
    """Wind from one side lifts the cloth there between the ribs, and presses it down on the other."""
    out = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn)), 0.0])
    axis = np.cross(out, (0.0, 0.0, 1.0))  # turning about it raises what points outwards
    limit = max(7.0 * abs(share), 0.01)
    kit.hinge(f"slack_{number}", f"gore_{number}", at=hub * out + (0, 0, crown), axis=axis, lower=-limit, upper=limit)
    if number > 1:
        kit.follow(f"gore_{number}", "gore_1", share)


def _stick(kit: Kit, crown: float, wire: float, hub: float, *, parasol: bool) -> None:
    thick = 1.5 * wire
    shaft = rod((0, 0, 0.02 if parasol else 0.16), (0, 0, crown), thick, sides=14)
    top = [rod((0, 0, crown - 3 * wire), (0, 0, crown + 1.2 * wire), hub + 0.6 * wire, sides=18)]
    top.append(
        lathe(np.array([[1.8, 0.0], [1.0, 2.5], [0.6, 8.0], [0.0, 9.0]]) * wire, (0, 0, crown + wire), segments=14)
    )
    handle, metal = (
        kit.material("wood", "black", "leather", "plastic", name="stick handle"),
        kit.material("metal", "dark_metal", "wood", name="stick metal"),
    )
    if parasol:
        foot = lathe(
            np.array([[0.0, 0.0], [0.24, 0.0], [0.24, 0.025], [0.05, 0.05], [0.035, 0.2], [0.0, 0.2]]), segments=36
        )
        grip = [foot]
    elif kit.chance(0.65, name="hooked handle"):
        r = kit.between(0.035, 0.05, name="stick r")
        angle = np.linspace(0.0, -1.08 * np.pi, 15)
        hook = np.stack([r * np.cos(angle) - r, 0 * angle, r * np.sin(angle) + r + 2.2 * thick], axis=1)
        grip = [tube(np.concatenate([[[0, 0, 0.26]], [[0, 0, 0.16]], hook]), 2.2 * thick, sides=14)]
    else:
        grip = [
            lathe(fillet(np.array([[0, 0], [3.2, 0], [2.6, 10], [2.2, 40], [0, 40]]) * thick, 1.5 * thick), segments=18)
        ]
    runner = rod((0, 0, crown * 0.72), (0, 0, crown * 0.72 + 8 * wire), 2.6 * wire, sides=14)
    kit.link("stick", paint(metal, shaft, top, runner, parts="shaft, top, runner"), paint(handle, grip, parts="handle"))


def _cloth(count: int, profile: Array, crown: float, wire: float, drop: float) -> Mesh:
    """Upper and lower face as one closed shell: straight from rib to rib, a little slack between, lying on the ribs."""
    angle = 2 * np.pi * np.arange(count * ACROSS) / (count * ACROSS)
    half = np.pi / count
    off = angle % (2 * half) - half  # from the middle of the gore
    chord = np.cos(half) / np.cos(off)
    slack = 1.0 - (off / half) ** 2
    thick = 0.9 * wire
    faces = []
    for lift in (wire + thick, wire):
        rings = []
        for k, (r, z) in enumerate(profile):
            t = k / (len(profile) - 1)
            radius = r * (1.0 + t * (chord - 1.0)) * (1.0 - 0.09 * slack * t**3) * 1.004
            level = crown + z + lift - 0.05 * drop * slack * np.sin(np.pi * t)
            rings.append(
                np.stack([radius * np.cos(angle), radius * np.sin(angle), np.broadcast_to(level, len(angle))], axis=1)
            )
        faces.append(rings)
    return loft(np.stack(faces[0] + faces[1][::-1]))


def _weights(cloth: Mesh, count: int, hub: float, reach: float) -> dict[str, Array]:
    """Each place of the cloth goes with the ribs and the middles of the gores on its two sides; the crown stays."""
    x, y = cloth.vertices[:, 0], cloth.vertices[:, 1]
    place = np.arctan2(y, x) % (2 * np.pi) / (2 * np.pi) * 2 * count  # even numbers are ribs, odd ones gores
    out = np.clip((np.hypot(x, y) - hub) / (0.12 * reach), 0.0, 1.0)
    weights: dict[str, Array] = {"stick": 1.0 - out}
    for i in range(2 * count):
        away = np.abs((place - i + count) % (2 * count) - count)
        name = f"rib_{i // 2 + 1}" if i % 2 == 0 else f"gore_{i // 2 + 1}"
        weights[name] = out * np.clip(1.0 - away, 0.0, 1.0)
    return weights
