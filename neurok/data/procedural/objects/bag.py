"""A cloth bag with two handles: its mouth opens, it sways, its handles flop."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.kit import Kit, compute_bend_weights, compute_stretch_weights
from neurok.data.procedural.limbs import cell_centres, tint_faces
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import curve, loft, rectangle, tube
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    width, height = kit.between(0.3, 0.45, name="width"), kit.between(0.26, 0.44, name="height")
    depth = kit.between(0.09, 0.16, name="depth")
    flare, narrow = (
        kit.between(0.85, 1.2, name="flare"),
        kit.between(0.55, 0.9, name="narrow"),
    )  # of the mouth against the floor, along x and y
    kit.bone("floor")
    spine = np.stack([np.zeros(9), np.zeros(9), np.linspace(0.05, 1.0, 9) * height], axis=1)
    ways = [Way("sway", "y", -7, 7), Way("lean", "x", -5, 5)]
    chain = ["floor", *add_backbone(kit, "body", "floor", spine, 3, ways)]
    span, rise = (
        flare * width * kit.between(0.3, 0.48, name="span share"),
        height * kit.between(0.4, 0.75, name="rise share"),
    )
    flat, thick = kit.chance(0.6, name="flat"), kit.between(0.006, 0.009, name="thickness")
    apart = 0.42 * narrow * depth - 2.0 * thick  # from a handle's top to the middle, where the other would be
    squeeze = np.degrees(min(np.arctan(0.24 * narrow * depth / (0.45 * height)), 0.75 * apart / (0.6 * height + rise)))
    panels = {}
    for side, s in (("front", -1.0), ("back", 1.0)):
        panels[side] = kit.bone(f"{side}_panel")
        at = (0.0, 0.5 * s * depth, 0.4 * height)
        kit.hinge(
            chain[2], panels[side], at=at, axis=(-s, 0, 0), lower=-squeeze, upper=kit.between(8, 12, name="opens to")
        )
    cloth, trim = (
        kit.material("fabric", "fabric", "paper", "leather", "cardboard", name="cloth"),
        kit.material("leather", "fabric", "black", name="trim"),
    )
    shell = _shell(width, depth, height, flare, narrow, kit.between(0.0, 0.12, name="shell share"))
    weights = _weights(shell, spine, chain, panels, (depth, narrow, height))
    kit.skin(tint_faces(shell, (cloth, trim), _pattern(kit, shell, width, height)), weights)
    for side, s in (("front", -1.0), ("back", 1.0)):
        handle, bones = _handle(kit, side, s, panels[side], (span, rise, 0.5 * narrow * depth, height), thick, flat)
        sewn = bones.pop(panels[side])  # what is sewn on goes with the cloth below it
        below = _weights(handle, spine, chain, panels, (depth, narrow, height))
        kit.skin(paint(trim, handle, parts="handle"), {**bones, **{bone: sewn * w for bone, w in below.items()}})


def _shell(width: float, depth: float, height: float, flare: float, narrow: float, bulge: float) -> Mesh:
    """Outside from the floor up, over the hem and down inside."""
    wall = 0.018 * depth + 0.002
    z = np.linspace(0.0, 1.0, 15)
    rings = [_ring(width, depth, flare, narrow, bulge, 0.0, 0.06 * depth, 0.0)]
    rings += [_ring(width, depth, flare, narrow, bulge, t, 0.0, t * height) for t in np.clip(z, 0.015, 1.0)]
    rings += [_ring(width, depth, flare, narrow, bulge, t, 2 * wall, max(t * height, 2 * wall)) for t in z[::-1]]
    return loft(np.stack(rings))


def _ring(
    width: float, depth: float, flare: float, narrow: float, bulge: float, t: float, inset: float, z: float
) -> Array:
    w = width * (1 + (flare - 1) * t) * (1 + bulge * np.sin(np.pi * t)) - inset
    d = depth * (1 + (narrow - 1) * t) * (1 + 3 * bulge * np.sin(np.pi * t)) - inset
    corners = rectangle(w, d, (0.22 + 0.2 * t) * d)
    loop = np.concatenate([corners, corners[:1]])
    reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(loop, axis=0), axis=1))])
    at = np.linspace(0.0, reach[-1], 57)[:-1]  # evenly, so that the long sides can bend
    ring = np.stack([np.interp(at, reach, loop[:, i]) for i in range(2)], axis=1)
    sag = -0.03 * width * t**3 * np.cos(np.pi * ring[:, 0] / w)  # the hem hangs a little between the handles
    return np.c_[ring, z + sag]


def _weights(
    shell: Mesh, spine: Array, chain: list[str], panels: dict[str, str], sizes: tuple[float, float, float]
) -> dict[str, Array]:
    depth, narrow, height = sizes
    weights = compute_bend_weights(shell, spine, chain)
    z = shell.vertices[:, 2] / height
    y = 2 * shell.vertices[:, 1] / (depth * (1 + (narrow - 1) * z))
    high = np.clip((z - 0.3) / 0.6, 0.0, 1.0) ** 1.5
    for side, s in (("front", -1.0), ("back", 1.0)):
        share = high * np.clip(0.5 + 0.5 * s * y, 0.0, 1.0)
        weights[panels[side]] = share
    left = 1.0 - sum(weights[p] for p in panels.values())
    return {bone: w if bone in panels.values() else w * np.clip(left, 0.0, 1.0) for bone, w in weights.items()}


def _handle(
    kit: Kit, side: str, s: float, panel: str, sizes: tuple[float, float, float, float], thick: float, flat: bool
) -> tuple[Mesh, dict[str, Array]]:  # fmt: skip
    """A bow sewn to one panel, and the weights of its bones and of the panel."""
    span, rise, y, height = sizes
    out, low = s * (y + 0.9 * thick), 0.82 * height
    points = [
        [-0.5 * span, out, low],
        [-0.5 * span, out, height],
        [-0.36 * span, 0.9 * out, height + 0.75 * rise],
        [0, 0.85 * out, height + rise],
    ]
    points += [[-x, b, z] for x, b, z in points[-2::-1]]
    path = curve(np.array(points), 41)
    mesh = tube(path, 0.75 * thick if flat else thick, sides=10)
    if flat:  # a broad strap: widened within the plane of the handle
        near = path[np.argmin(np.linalg.norm(mesh.vertices[:, None] - path[None], axis=2), axis=1)]
        mesh = mesh.with_vertices(mesh.vertices + (mesh.vertices - near) * (1.8, 0.0, 1.8))
    upright = np.array([[0.0, out, height], [0.0, 0.85 * out, height + rise]])
    bones = add_backbone(
        kit, f"{side}_handle", panel, upright, 3, [Way("flop", (-s, 0, 0), 0, 14), Way("sway", "y", -5, 5)]
    )
    return mesh, compute_stretch_weights(mesh, upright, [panel, *bones])


def _pattern(kit: Kit, mesh: Mesh, width: float, height: float) -> Indices:
    centre = cell_centres(mesh)
    style = kit.pick("plain", "base", "stripes", "band", name="pattern style")
    x, z = centre[:, 0] / width, centre[:, 2] / height
    return {
        "plain": 0 * x,
        "base": z < 0.25,
        "stripes": np.floor(9 * x + 0.5) % 2,
        "band": (z > 0.45) & (z < 0.62),
    }[style].astype(int)
