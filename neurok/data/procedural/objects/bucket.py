"""A bucket with a bow that swings over its mouth."""

import numpy as np

from neurok.data.procedural.fittings import rim
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import curve, fillet, hoop, lathe, rod, tube


def draw(kit: Kit) -> None:
    top = kit.between(0.11, 0.18, name="top")  # radii and heights [m]
    foot = top * kit.between(0.62, 0.88, name="foot share")
    height = top * kit.between(1.5, 2.3, name="height share")
    wall = 0.022 * top + 0.002
    body = kit.material("metal", "plastic", "plastic", "paint", name="body")
    profile = np.array(
        [[0, 0], [foot, 0], [top, height], [top - wall, height], [foot - wall, 0.06 * height], [0, 0.06 * height]]
    )
    edge = 1.6 * wall
    pail = [lathe(fillet(profile, 0.4 * wall, steps=2), segments=40), rim(top, edge, height)]
    for z in kit.pick((), (0.3,), (0.25, 0.75), (0.68, 0.76), name="beads"):  # beads around the wall
        pail.append(hoop(foot + (top - foot) * z - 0.3 * wall, 0.9 * wall, (0, 0, z * height), segments=40))
    if kit.chance(0.5, name="foot ring"):
        pail.append(hoop(foot - 0.5 * wall, wall, (0, 0, wall), segments=40))

    # The bow's ends sit in ears outside the rim; it may lie against the rim on either side.
    drop = kit.between(0.06, 0.16, name="drop share") * height
    pivot = np.array([top + edge + 1.4 * wall, 0.0, height - drop])
    near = foot + (top - foot) * (1 - drop / height)
    ear = rod((near - 0.5 * wall, 0, pivot[2]), (pivot[0] + 0.6 * wall, 0, pivot[2]), 3.2 * wall, round=0.3 * wall)
    kit.link(
        "pail",
        paint(body, pail, parts="body"),
        paint(
            kit.material("metal", "dark_metal", name="ear") if kit.chance(0.5, name="contrasting ears") else body,
            ear,
            mirror(ear),
            parts="ear, ear",
        ),
    )

    wire = 0.9 * wall + kit.between(0.0, 0.001, name="wire share")
    reach = pivot[0] + 1.6 * wall
    crown = height * kit.between(0.45, 0.75, name="crown share") if kit.chance(0.7, name="tall bow") else 1.05 * reach
    crown = max(crown, 1.08 * reach + drop)
    side = reach * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 21))
    rise = crown * np.cos(np.linspace(-np.pi / 2, np.pi / 2, 21)) ** kit.between(0.55, 0.9, name="rise share")
    arch = np.stack([side, 0 * side, pivot[2] + rise], axis=1)
    pins = np.array([[pivot[0] - 0.8 * wall, 0, pivot[2]]])
    bow = tube(np.concatenate([-pins * (1, 1, -1), arch, pins]), wire)
    pieces = [paint(kit.material("metal", "dark_metal", name="pieces"), bow, parts="bow")]
    grip = kit.pick("none", "wood", "plastic", name="grip")
    if grip != "none":
        middle = curve(arch[8:13], 9)
        pieces.append(
            paint(
                kit.material(grip, name="tube"), tube(middle, wire * kit.between(2.2, 3.2, name="tube size"), sides=14)
            )
        )
    kit.link("bow", *pieces)
    kit.hinge(
        "pail",
        "bow",
        at=pivot * (0, 1, 1),
        axis="x",
        lower=-kit.between(75, 88, name="bow goes back to"),
        upper=kit.between(75, 88, name="bow opens to"),
    )
