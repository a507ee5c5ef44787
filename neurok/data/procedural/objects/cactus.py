"""A cactus in a pot: a ribbed column with arms, a globe, or flat pads; it sways stiffly."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.fittings import rim
from neurok.data.procedural.kit import Kit, compute_bend_weights
from neurok.data.procedural.limbs import attach_to_bone
from neurok.data.procedural.placing import Vector, align, direction, paint
from neurok.data.procedural.shapes import ball, curve, fillet, lathe, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

PETALS = ("red", "plastic", "yellow")


def draw(kit: Kit) -> None:
    radius, height = kit.between(0.06, 0.11, name="radius"), kit.between(0.08, 0.14, name="height")
    _pot(kit, radius, height)
    green, spike = kit.material("leaf", name="green"), kit.material("paper", "light", name="spike")
    {"column": _column, "pads": _pads, "globe": _globe}[kit.pick("column", "column", "pads", "globe", name="style")](
        kit, radius, height, green, spike
    )


def _pot(kit: Kit, radius: float, height: float) -> None:
    foot, wall = radius * kit.between(0.65, 0.85, name="pot foot share"), 0.1 * radius
    profile = [
        [0, 0],
        [foot, 0],
        [radius, height],
        [radius - wall, height],
        [radius - 1.4 * wall, 0.88 * height],
        [0, 0.86 * height],
    ]
    shell = [lathe(fillet(np.array(profile), 0.3 * wall, steps=2)), rim(radius, 0.9 * wall, height - 0.6 * wall)]
    soil = ball((radius - 1.2 * wall, radius - 1.2 * wall, 0.1 * height), (0, 0, 0.85 * height))
    kit.link(
        "pot",
        paint(kit.material("clay", "ceramic", "plastic", name="pot shell"), shell, parts="shell"),
        paint(kit.material("earth", name="pot soil"), soil, parts="soil"),
    )


def _sway(limit: float) -> list[Way]:
    return [Way("bend", "x", -limit, limit), Way("lean", "y", -limit, limit)]


def _column(kit: Kit, pot: float, height: float, green: Material, spike: Material) -> None:
    tall, thick = (
        pot * kit.between(3.4, 5.5, name="column height share"),
        pot * kit.between(0.42, 0.6, name="column thickness share"),
    )
    ribs = kit.count(7, 11, name="ribs")
    t = np.linspace(0.0, 1.0, 22)
    spine = np.stack([0.12 * pot * np.sin(2 * t), 0 * t, 0.88 * height + t * tall], axis=1)
    trunk = _fluted(spine, thick * _blunt(t), ribs)
    chain = add_backbone(kit, "trunk", "pot", spine, 4, _sway(kit.between(5, 8, name="column chain share")))
    _soft(kit, trunk, spine, ["pot", *chain], green, spike, ribs)
    start = kit.between(0, 360, name="column start")
    for i in range(kit.count(1, 3, name="arms")):
        turn = np.radians(start + 360 * i / 3 + kit.between(-25, 25, name="column turn share"))
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        share = kit.between(0.28, 0.58, name="column share")
        reach, rise, slim = (
            thick * kit.between(2.0, 2.6, name="column reach share"),
            tall * kit.between(0.22, 0.38, name="column rise share"),
            thick * kit.between(0.5, 0.68, name="column slim share"),
        )
        root = np.array([np.interp(share, t, spine[:, 0]), 0.0, 0.88 * height + share * tall])
        corner = root + reach * out + (0, 0, 0.1 * rise)
        arm_path = fillet(np.stack([root + 0.3 * thick * out, corner, corner + (0, 0, rise)]), 0.9 * reach, steps=8)
        arm_path = _even(arm_path, 18)
        u = np.linspace(0.0, 1.0, 18)
        bone = chain[min(int(share * 4), 3)]
        bones = add_backbone(
            kit,
            f"arm_{i + 1}",
            bone,
            arm_path,
            3,
            [Way("bend", np.cross(out, (0, 0, 1)), -6, 1), Way("sway", out, -4, 4)],
        )
        _soft(
            kit,
            _fluted(arm_path, slim * _blunt(u), max(ribs - 2, 6)),
            arm_path,
            [bone, *bones],
            green,
            spike,
            max(ribs - 2, 6),
        )
    if kit.chance(0.4, name="flower"):
        _flower(
            kit,
            spine[-1] + (0, 0, 0.35 * thick),
            "z",
            0.5 * thick,
            chain[-1],
            kit.material(*PETALS, name="column flower"),
        )


def _globe(kit: Kit, pot: float, height: float, green: Material, spike: Material) -> None:
    radius, ribs = pot * kit.between(0.8, 0.98, name="globe radius share"), kit.count(11, 16, name="ribs")
    tall = radius * kit.between(1.5, 2.2, name="globe height share")
    t = np.linspace(0.0, 1.0, 20)
    spine = np.stack([0 * t, 0 * t, 0.87 * height + t * tall], axis=1)
    outline = np.sqrt(np.clip(1 - (2 * (0.12 + 0.87 * t) - 1) ** 2, 0.02, 1.0))
    loose = spine[8:]  # the lower part sits firmly in the soil
    chain = add_backbone(kit, "globe", "pot", loose, 3, _sway(kit.between(1.5, 2.6, name="globe chain share")))
    _soft(kit, _fluted(spine, radius * outline, ribs), loose, ["pot", *chain], green, spike, ribs)
    petal = kit.material(*PETALS, name="globe petal")
    for _ in range(kit.count(1, 4, name="flowers")):
        turn, off = kit.between(0, 6.28, name="globe turn"), radius * kit.between(0.12, 0.3, name="globe off share")
        _flower(
            kit,
            spine[-1] + (off * np.cos(turn), off * np.sin(turn), -0.02 * tall),
            (0.3 * np.cos(turn), 0.3 * np.sin(turn), 1),
            0.22 * radius,
            chain[-1],
            petal,
        )


def _pads(kit: Kit, pot: float, height: float, green: Material, spike: Material) -> None:
    """A prickly pear: pads grow on the rims of pads."""
    size = pot * kit.between(1.0, 1.3, name="pads size share")
    _pad(kit, "pad_1", "pot", np.array([0.0, 0.0, 0.87 * height]), np.array([0.0, 0.0, 1.0]), size, green, spike)
    top, petal = np.array([0.0, 0.0, 0.87 * height]), kit.material(*PETALS, name="pads petal")
    for i, lean in enumerate(kit.pick((-38, 32), (-45, 2, 44), (-25, 40), name="pads")):
        a = np.radians(lean + kit.between(-6, 6, name="pads a share"))
        way = np.array([np.sin(a), kit.between(-0.15, 0.15, name="pads way share"), np.cos(a)])
        root = top + size * np.array([0.62 * np.sin(1.25 * a), 0.0, 0.95 + 0.83 * np.cos(1.25 * a)])
        small = size * kit.between(0.58, 0.74, name="pads small share")
        last = _pad(kit, f"pad_{i + 2}", "pad_1_lean_2", root, way, small, green, spike)
        if kit.chance(0.6, name="buds"):
            tip = root + 1.72 * small * direction(way)
            _pad(
                kit,
                f"bud_{i + 1}",
                last,
                tip,
                way + (kit.between(-0.5, 0.5, name="pads pad"), 0, 0),
                0.5 * small,
                green,
                spike,
            )
        elif kit.chance(0.5, name="flower"):
            _flower(kit, root + 1.8 * small * direction(way), way, 0.22 * small, last, petal)


def _pad(
    kit: Kit, name: str, parent: str, root: Array, way: Array, size: float, green: Material, spike: Material
) -> str:
    way = direction(way)
    path = root + np.linspace(0.0, 1.8 * size, 12)[:, None] * way
    chain = add_backbone(kit, name, parent, path, 2, [Way("bend", "x", -6, 6), Way("lean", "y", -6, 6)])
    egg = ball((0.72 * size, 0.2 * size, 0.95 * size), (0, 0, 0.88 * size), 24)
    egg = egg.with_vertices(
        egg.vertices * np.c_[0.72 + 0.32 * np.clip(egg.vertices[:, 2] / size, 0, 1.2), np.ones((egg.vertex_count, 2))]
    )
    _soft(kit, align(egg, way, root), path, [parent, *chain], green, spike, 0)
    return chain[-1]


def _soft(kit: Kit, mesh: Mesh, path: Array, bones: list[str], green: Material, spike: Material, ribs: int) -> None:
    """The flesh and its spines, which go with the flesh below them."""
    weights = compute_bend_weights(mesh, path, bones)
    kit.skin(paint(green, mesh), weights)
    spines, at = _spines(kit, mesh, path, ribs)
    if spines:
        prickles = paint(spike, spines, parts="spines")
        own = np.repeat(at, [s.vertex_count for s in spines])
        kit.skin(prickles, {bone: w[own] for bone, w in weights.items()})


def _spines(kit: Kit, mesh: Mesh, path: Array, ribs: int) -> tuple[list[Mesh], Array]:
    """Needles on the crests of the ribs (or all over), and the vertex each grows on."""
    v = mesh.vertices
    near = path[np.argmin(np.linalg.norm(v[:, None] - path[None], axis=2), axis=1)]
    out = v - near
    far = np.linalg.norm(out, axis=1)
    if ribs:
        sides = 4 * ribs
        index = np.arange(len(v) - 2)
        crest = index[(index % 4 == 0) & (index // sides % 2 == 0) & (index // sides > 3)]
    else:
        crest = np.flatnonzero((np.arange(len(v)) % 5 == 0) & (v[:, 2] > path[0, 2] + 0.15 * np.ptp(path[:, 2])))
        out = v - path.mean(axis=0)
        far = np.linalg.norm(out, axis=1)
    if len(crest) > 260:
        crest = crest[np.linspace(0, len(crest) - 1, 260).astype(int)]
    length = 0.22 * float(np.median(far[crest])) if ribs else 0.12 * float(np.median(far[crest]))
    needle = lathe(np.array([[0.09, -0.15], [0.0, 1.0]]) * length, segments=4)
    return [align(needle, out[i] / far[i] + (0, 0, 0.15), v[i]) for i in crest], crest


def _flower(kit: Kit, at: Vector, axis: str | Vector, size: float, bone: str, petal: Material) -> None:
    profile = curve(np.array([[0.0, -0.3], [0.35, 0.0], [0.75, 0.6], [1.0, 0.8]]), 7)
    cup = np.concatenate([profile, [[0.8, 0.75], [0.3, 0.25], [0.0, 0.2]]]) * size
    attach_to_bone(kit, bone, paint(petal, lathe(cup, at, axis, 14)))


def _blunt(t: Array) -> Array:
    """A column's radius along it: a little waist below, a dome above."""
    return (0.88 + 0.12 * np.sin(np.pi * t)) * np.sqrt(np.clip(1 - np.clip((t - 0.86) / 0.17, 0, 1) ** 2, 0.05, 1))


def _fluted(path: Array, radii: Array, ribs: int) -> Mesh:
    """A tube with ribs along it, cut off flat at its root."""
    sunk = path[0] - 0.02 * radii[0] * direction(path[1] - path[0])
    mesh = tube(np.concatenate([[sunk], path]), np.concatenate([[0.06 * radii[0]], radii]), sides=4 * ribs)
    rings = mesh.vertices[:-2].reshape(-1, 4 * ribs, 3)
    centre = rings.mean(axis=1, keepdims=True)
    depth = 1.0 - 0.09 * (1.0 - np.cos(ribs * 2 * np.pi * np.arange(4 * ribs) / (4 * ribs)))
    grooved = centre + (rings - centre) * depth[None, :, None]
    return mesh.with_vertices(np.concatenate([grooved.reshape(-1, 3), mesh.vertices[-2:]]))


def _even(path: Array, count: int) -> Array:
    reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.linspace(0.0, reach[-1], count)
    return np.stack([np.interp(at, reach, path[:, i]) for i in range(3)], axis=1)
