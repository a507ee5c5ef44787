"""A chair whose back reclines, with a soft cushion on its seat."""

import numpy as np

from neurok.data.procedural.fittings import barrel, legs
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.objects.cushion import add_cushion
from neurok.data.procedural.placing import mirror, paint
from neurok.data.procedural.shapes import block, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import rotation


def draw(kit: Kit) -> None:
    width, depth, seat = (
        kit.between(0.42, 0.54, name="width"),
        kit.between(0.42, 0.52, name="depth"),
        kit.between(0.38, 0.46, name="seat"),
    )
    board, post = kit.between(0.025, 0.04, name="board"), kit.between(0.016, 0.024, name="post")
    wood = kit.material("wood", "wood", "paint", "black", "white", name="wood")
    style = kit.pick("round", "square", "tapered", "splayed", name="legs style")
    frame = [block((width, depth, board), (0, 0, seat), round=0.3 * board)]
    frame += legs(width - 3.5 * post, depth - 3.5 * post, seat - 0.5 * board, post, style=style)
    if kit.chance(0.5, name="stretchers") and style != "splayed":
        for y in (-0.5, 0.5):
            at = (depth - 3.5 * post) * y
            frame.append(
                rod(
                    (-0.5 * width + 1.75 * post, at, 0.4 * seat),
                    (0.5 * width - 1.75 * post, at, 0.4 * seat),
                    0.6 * post,
                )
            )
    pivot = np.array([0.0, 0.5 * depth + 1.3 * post, seat + 0.2 * board])
    ear = block(
        (2.2 * post, 2.6 * post, 1.6 * post),
        (0.5 * width - 1.6 * post, pivot[1] - 0.9 * post, pivot[2]),
        round=0.3 * post,
    )
    pin = barrel((0.5 * width - 1.6 * post, pivot[1], pivot[2]), "x", 2.2 * post, 1.05 * post)
    kit.link(
        "seat",
        paint(wood, frame, ear, mirror(ear), parts="frame, ear, ear"),
        paint(kit.material("metal", name="pin"), pin, mirror(pin), parts="pin, pin"),
    )

    tall, lean = kit.between(0.42, 0.6, name="height"), kit.between(4, 10, name="lean")
    R = rotation(np.radians([-lean, 0.0, 0.0]))
    kit.link("back", paint(wood, [_placed(m, R, pivot) for m in _back(kit, width, tall, post)]))
    kit.hinge("seat", "back", at=pivot, axis="-x", lower=0.0, upper=kit.between(25, 45, name="back opens to"))

    thick = kit.between(0.06, 0.1, name="thickness")
    top = seat + 0.5 * board
    span = kit.between(0.84, 0.94, name="span")
    add_cushion(kit, "seat", span * width, span * depth, thick, at=(0, -0.02 * depth, top + 0.48 * thick))
    if kit.chance(0.5, name="arm rests"):
        high = 0.55 * tall
        turn = R @ rotation(np.radians([90.0, 0.0, 0.0]))
        at = R @ (0.0, -post - 0.42 * thick, 0.56 * tall) + pivot
        add_cushion(kit, "back", 0.8 * width, high, 0.8 * thick, at=at, R=turn, name="back_cushion")


def _back(kit: Kit, width: float, tall: float, post: float) -> list[Mesh]:
    """Two posts and what is between them, upright from the pivot at the origin."""
    x = 0.5 * width - 4.0 * post
    posts = [rod((s * x, 0, 0), (s * x, 0, tall), post, sides=14) for s in (1, -1)]
    pieces = [*posts, rod((-x - 1.3 * post, 0, 0), (x + 1.3 * post, 0, 0), 0.95 * post, sides=14)]
    style = kit.pick("slats", "ladder", "panel", name="back style")
    pieces.append(block((2 * x + 2.6 * post, 1.6 * post, 0.12 * tall), (0, 0, 0.95 * tall), round=0.5 * post))
    if style == "slats":
        n = kit.count(3, 6, name="back slats")
        for i in range(n):
            at = (2 * (i + 0.5) / n - 1) * x
            pieces.append(block((0.9 * x / n, 0.7 * post, 0.72 * tall), (at, 0, 0.58 * tall), round=0.2 * post))
        pieces.append(block((2 * x, 1.2 * post, 0.06 * tall), (0, 0, 0.24 * tall), round=0.3 * post))
    elif style == "ladder":
        n = kit.count(2, 4, name="back rungs")
        for i in range(n):
            z = (0.3 + 0.52 * i / max(n - 1, 1)) * tall
            pieces.append(block((2 * x, 0.9 * post, 0.08 * tall), (0, 0, z), round=0.3 * post))
    else:
        pieces.append(block((2 * x, 0.9 * post, 0.68 * tall), (0, 0, 0.6 * tall), round=0.3 * post))
    return pieces


def _placed(mesh: Mesh, R: Array, at: Array) -> Mesh:
    return mesh.with_vertices(mesh.vertices @ R.T + at)
