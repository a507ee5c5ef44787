"""A satchel: a stiff body with a pocket, a soft flap over its front and a strap that falls back."""

import numpy as np

from neurok.data.procedural.backbone import Way, add_backbone
from neurok.data.procedural.kit import Kit, compute_stretch_weights
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import block, curve, fillet, frame, rod, slab, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh, merge


def draw(kit: Kit) -> None:
    width, height = kit.between(0.28, 0.4, name="width"), kit.between(0.2, 0.32, name="height")
    depth = kit.between(0.09, 0.14, name="depth")
    hide = kit.material("leather", "fabric", "leather", name="hide")
    lid = hide if kit.chance(0.5, name="own lid") else kit.material("leather", "fabric", name="lid")
    metal = kit.material("brass", "metal", name="metal")
    _body(kit, width, depth, height, hide, metal)

    thick = 0.012 * height + 0.002
    reach = kit.between(0.5, 0.85, name="reach")  # how far down the front the flap comes
    path, bends = _over(depth, height, thick, reach)
    names = [kit.bone(f"flap_{i + 1}") for i in range(4)]
    limits = (kit.between(55, 75, name="limits share"), kit.between(35, 55, name="limits share"), 13.0, 13.0)
    for i, (name, limit) in enumerate(zip(names, limits)):
        y, z = path[bends[i]]
        kit.hinge("body" if i == 0 else names[i - 1], name, at=(0.0, y, z), axis="-x", lower=0.0, upper=limit)
    kit.follow(names[3], names[2], 1.0)
    grid, near = _flap(kit, width, path)
    flap = slab(grid, thick)
    kit.skin(paint(lid, flap, parts="flap"), _weights(near, bends, names))
    _buckles(kit, width, path, thick, metal, bends, names)
    _strap(kit, width, depth, height, hide, metal)


def _body(kit: Kit, width: float, depth: float, height: float, hide: Material, metal: Material) -> None:
    """The stiff part, standing on its floor, with a front pocket and lugs for the strap."""
    case = block((width, depth, height), (0, 0, 0.5 * height), round=0.22 * depth, cells=3)
    sole = block((0.9 * width, 0.9 * depth, 0.05 * height), (0, 0, 0.025 * height), round=0.01 * height)
    lug = rod(
        (0.49 * width, 0.18 * depth, 0.82 * height),
        (0.5 * width + 0.16 * depth, 0.18 * depth, 0.82 * height),
        0.09 * depth,
    )
    kit.link("body", paint(hide, case, sole, parts="body, sole"), paint(metal, lug, mirror(lug), parts="lug, lug"))


def _over(depth: float, height: float, thick: float, reach: float) -> tuple[Array, list[int]]:
    """The flap's profile (y, z) from the back over the top and down the front, and where it bends, [p, 2]."""
    gap = 1.1 * thick
    back, front, top = 0.5 * depth + gap, -0.5 * depth - gap, height + gap
    corners = np.array([[back, 0.72 * height], [back, top], [front, top], [front, top - reach * height]])
    rounded = fillet(corners, 0.3 * depth, steps=8)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rounded, axis=0), axis=1))])
    even = np.linspace(0.0, length[-1], 61)
    path = np.stack([np.interp(even, length, rounded[:, i]) for i in range(2)], axis=1)
    turns = [
        (back - 0.1 * depth, top),
        (front + 0.1 * depth, top),
        (front, top - 0.35 * reach * height),
        (front, top - 0.68 * reach * height),
    ]
    return path, [int(np.argmin(np.linalg.norm(path - t, axis=1))) for t in turns]


def _flap(kit: Kit, width: float, path: Array) -> tuple[Array, Array]:
    """A grid [p, c, 3] with round lower corners, and how far along the path (in points) each of its places lies."""
    across = np.sin(np.linspace(-0.5, 0.5, 17) * np.pi * 0.9) / np.sin(0.45 * np.pi)
    round_end, wide = kit.between(0.15, 0.4, name="flap round end"), kit.between(0.9, 0.98, name="flap width")
    p = len(path)
    t = np.arange(p)[:, None] / (p - 1) * np.ones((1, 17))
    short = 1.0 - round_end * 0.5 * np.clip(t - 0.6, 0, None) / 0.4 * np.abs(across) ** 3.5  # corners end higher up
    place = t * short * (p - 1)
    y, z = (np.interp(place, np.arange(p), path[:, i]) for i in range(2))
    x = 0.5 * wide * width * across * np.ones((p, 1))
    return np.stack([x, y, z], axis=2), place


def _weights(place: Array, bends: list[int], names: list[str]) -> dict[str, Array]:
    """Each bone takes over smoothly past its bend; before it nothing may swing into the body."""
    u = np.concatenate([place.ravel(), place.ravel()])
    return _shares(u, bends, names)


def _shares(u: Array, bends: list[int], names: list[str]) -> dict[str, Array]:
    """The weights of places so far (in points) along the flap, [n] each."""
    taken = []
    for b in bends:
        ramp = np.clip((u - b) / 9.0, 0.0, 1.0)
        taken.append(ramp * ramp * (3 - 2 * ramp))
    steps = [np.ones(len(u)), *taken, np.zeros(len(u))]
    return {bone: np.maximum(steps[i] - steps[i + 1], 0.0) for i, bone in enumerate(["body", *names])}


def _buckles(
    kit: Kit, width: float, path: Array, thick: float, metal: Material, bends: list[int], names: list[str]
) -> None:  # fmt: skip
    """Straps with buckles, or one lock, on the flap's end; they move as the place of the flap they sit on."""
    y, z = path[-1]
    room = path[bends[3]][1] - z  # from the last bend down
    out = y - 0.5 * thick
    if kit.chance(0.6, name="straps"):
        for x in (-0.27 * width, 0.27 * width):
            wide = 0.09 * width
            band = block(
                (0.7 * wide, 1.4 * thick, room + 0.04 * width),
                (x, out, z + 0.5 * room - 0.02 * width),
                round=0.3 * thick,
            )
            ring = frame(wide, wide, 0.16 * wide, 2.0 * thick, (x, out - 0.8 * thick, z + 0.06 * width))
            _sewn(
                kit,
                merge(
                    [
                        paint(kit.material("leather", name="buckles band"), band),
                        paint(metal, ring),
                    ]
                ),
                path,
                bends,
                names,
            )
        return
    plate = block((0.13 * width, 2.4 * thick, 0.08 * width), (0, out, z + 0.02 * width), round=0.6 * thick)
    knob = rod((0, out, z + 0.02 * width), (0, out - 2.6 * thick, z + 0.02 * width), 0.022 * width)
    _sewn(kit, paint(metal, plate, knob, parts="plate, knob"), path, bends, names)


def _sewn(kit: Kit, mesh: Mesh, path: Array, bends: list[int], names: list[str]) -> None:
    """A fitting that stays stiff and follows the flap where its middle lies."""
    middle = mesh.vertices[:, 2].mean()
    front = np.arange(bends[2], len(path))
    at = front[np.argmin(np.abs(path[front, 1] - middle))]
    kit.skin(mesh, _shares(np.full(mesh.vertex_count, float(at)), bends, names))


def _strap(kit: Kit, width: float, depth: float, height: float, hide: Material, metal: Material) -> None:
    """A bow from lug to lug that leans back."""
    x, y, z = 0.5 * width + 0.11 * depth, 0.18 * depth, 0.82 * height
    rise, back = (
        height * kit.between(0.75, 1.15, name="strap rise share"),
        height * kit.between(0.2, 0.4, name="strap back share"),
    )
    points = [
        [x, y, z - 0.05 * height],
        [x, y + 0.15 * back, z + 0.3 * rise],
        [0.62 * x, y + 0.75 * back, z + 0.85 * rise],
        [0, y + back, z + rise],
    ]
    points += [[-a, b, c] for a, b, c in points[-2::-1]]
    path = curve(np.array(points), 45)
    mesh = tube(path, 0.014 * width, sides=10)
    near = path[np.argmin(np.linalg.norm(mesh.vertices[:, None] - path[None], axis=2), axis=1)]
    mesh = mesh.with_vertices(mesh.vertices + (mesh.vertices - near) * (0.2, 1.6, 0.6))  # flat and broad
    share = (1.02 * height - z) / rise  # what is beside the body stays
    upright = np.array([[0.0, y + share * back, 1.02 * height], [0.0, y + back, z + rise]])
    bones = add_backbone(kit, "strap", "body", upright, 4, [Way("fall", "-x", -2, 20), Way("sway", "y", -3, 3)])
    kit.skin(paint(hide, mesh), compute_stretch_weights(mesh, upright, ["body", *bones]))
