"""A fish that swims: waves run down its body, its fins beat."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone, compute_wave_factors
from neurok.data.procedural.kit import Kit, compute_bend_weights
from neurok.data.procedural.limbs import cell_centres, tint_faces
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import ball, curve, loft, slab
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh

BONES = 6
FRONT = 0.28  # share of the length that is head and stays stiff


def draw(kit: Kit) -> None:
    length = kit.between(0.15, 0.5, name="length")
    deep = length * kit.between(0.13, 0.3, name="depth share")  # half height and half width at the middle
    wide = deep * kit.between(0.38, 0.62, name="width share")
    middle = deep * 1.55
    kit.bone("head")
    spine = np.stack([0 * np.arange(13), np.linspace(FRONT - 0.5, 0.62, 13) * length, np.full(13, middle)], axis=1)
    turns = kit.between(0.55, 0.9, name="turns")
    limit = kit.between(14, 19, name="limit")
    ways = [
        Way(n, "z", -limit, limit, compute_wave_factors(BONES, turns, p)) for n, p in (("sway", 0.1), ("wave", 0.35))
    ]
    bones = ["head", *add_backbone(kit, "spine", "head", spine, BONES, ways)]

    back, belly = (
        kit.material("plastic", "fabric", "metal", "paint", name="back"),
        kit.material("paper", "metal", "yellow", name="belly"),
    )
    fin = kit.material("plastic", "red", "yellow", "paint", name="fin")
    trunk = _trunk(length, deep, wide, middle, kit.between(0.32, 0.45, name="trunk share"))
    stripes = kit.pick("none", "belly", "belly", "bands", name="stripes")
    centre = cell_centres(trunk)
    if stripes == "bands":
        choice = (np.sin(centre[:, 1] / length * kit.between(18, 32, name="choice share")) > 0.2).astype(int)
    else:
        choice = (centre[:, 2] < middle - 0.35 * deep).astype(int) * (stripes == "belly")
    trunk = tint_faces(trunk, (back, belly), choice)
    kit.skin(trunk, compute_bend_weights(trunk, spine, bones))
    for mesh in (_tail(kit, length, deep, middle), *_spine_fins(kit, length, deep, middle)):
        kit.skin(paint(fin, mesh), compute_bend_weights(mesh, spine, bones))
    _breast_fins(kit, length, deep, wide, middle, fin)
    eye = 0.035 * length * kit.between(0.8, 1.3, name="eye share")
    at = np.array([0.62 * wide, -0.38 * length, middle + 0.22 * deep])
    white, black = ball(eye, at, 12), ball(0.65 * eye, at + eye * np.array([0.55, -0.25, 0.05]), 12)
    pairs = ((kit.material("white", name="pairs"), white), (kit.material("black", name="pairs"), black))
    for eyes in (paint(tint, mesh, mirror(mesh)) for tint, mesh in pairs):
        kit.skin(eyes, compute_bend_weights(eyes, spine, bones))  # as the trunk below them, or they would sink into it


def _profile(u: Array, peak: float) -> Array:
    """Half height along the body (0 nose, 1 tail root) as a share of the greatest."""
    points = np.array([[0.0, 0.03], [0.03, 0.28], [0.12, 0.6], [peak, 1.0], [0.7, 0.66], [0.88, 0.28], [1.0, 0.2]])
    smooth = curve(points, 61)
    return np.interp(u, smooth[:, 0], smooth[:, 1])


def _trunk(length: float, deep: float, wide: float, middle: float, peak: float) -> Mesh:
    u = np.concatenate([[0.0, 0.012], np.linspace(0.035, 1.0, 30)])
    angle = 2 * np.pi * np.arange(24) / 24
    half = _profile(u, peak)[:, None]
    width = half * (1.0 - 0.55 * u[:, None] ** 2)
    y = np.broadcast_to((u[:, None] - 0.5) * length, (len(u), 24))
    return loft(np.stack([wide * width * np.sin(angle), y, middle + deep * half * np.cos(angle)], axis=2))


def _fin(outline: Array, thickness: float) -> Mesh:
    """A sheet in the yz plane between two curves [2, p, 2] of (y, z); thin at its outer edge."""
    root, edge = outline
    t = np.linspace(0.0, 1.0, 6)[:, None, None]
    flat = root + t * (edge - root)
    grid = np.concatenate([0 * flat[..., :1], flat], axis=2)
    return slab(grid, np.broadcast_to(thickness * (1.0 - 0.5 * t[..., 0]), grid.shape[:2]))


def _tail(kit: Kit, length: float, deep: float, middle: float) -> Mesh:
    style, span = (
        kit.pick("forked", "round", "fan", name="tail style"),
        deep * kit.between(0.75, 1.15, name="tail span share"),
    )
    s = np.linspace(-1.0, 1.0, 15)
    reach = {"forked": 0.1 + 0.13 * np.abs(s) ** 1.3, "round": 0.2 - 0.06 * s**2, "fan": 0.19 + 0.0 * s}[style]
    root = np.stack([0.47 * length + 0 * s, middle + 0.15 * deep * s], axis=1)
    edge = np.stack([(0.5 + reach) * length, middle + span * s], axis=1)
    return _fin(np.stack([root, edge]), 0.02 * length)


def _spine_fins(kit: Kit, length: float, deep: float, middle: float) -> list[Mesh]:
    """Back fin and belly fin."""
    fins = []
    high = deep * kit.between(0.3, 0.75, name="spine fins height share")
    for sign, start, end, tall in ((1.0, 0.3, 0.72, high), (-1.0, 0.6, 0.82, 0.7 * high)):
        u = np.linspace(start, end, 12)
        t = np.linspace(0.0, 1.0, 12)
        z = deep * (_profile(u, 0.38) * 0.8)
        crest = z + tall * (np.sin(np.pi * t**0.6) * 0.75 + 0.25) + 0.15 * deep
        lean = 0.08 * length * (0.4 + t)
        y = (u - 0.5) * length
        fins.append(
            _fin(
                np.stack(
                    [np.stack([y, middle + sign * z], axis=1), np.stack([y + lean, middle + sign * crest], axis=1)]
                ),
                0.018 * length,
            )
        )
    return fins


def _breast_fins(kit: Kit, length: float, deep: float, wide: float, middle: float, fin: Material) -> None:
    reach, broad = (
        length * kit.between(0.12, 0.2, name="breast fins reach share"),
        length * kit.between(0.06, 0.1, name="breast fins breadth share"),
    )
    t, s = np.meshgrid(np.linspace(0.0, 1.0, 8), np.linspace(-0.5, 0.5, 5), indexing="ij")
    width = broad * (0.35 + 0.9 * t**0.7 - 0.35 * t**3)
    root = np.array([0.72 * wide, (FRONT - 0.52) * length, middle - 0.32 * deep])
    grid = root + np.stack([0.75 * reach * t, reach * 0.75 * t, s * width - 0.35 * reach * t], axis=2)
    mesh = slab(grid, 0.013 * length * (1.0 - 0.5 * t))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        own = mesh if sign > 0 else mirror(mesh)
        path = (root + np.array([[0, 0, 0], [0.75, 0.75, -0.35]]) * reach) * (sign, 1, 1)
        axis = (0, sign, 0.6 * sign)
        kit.bend(f"fin_{side}", "head", paint(fin, own), path, axis=axis, lower=-16, upper=16, bones=2)
