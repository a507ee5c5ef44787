"""Furniture that there are no programs for: what things stand on, made to measure from boards.

Every piece stands on z = 0, its front at -y, its middle over the origin; it has no joints.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neurok.data.procedural.placing import label, paint
from neurok.data.procedural.shapes import block
from neurok.generate.looks import SUBSTANCES, linearise
from neurok.geometry.articulation import Articulation, Link
from neurok.geometry.mesh import Material, Mesh

# What people call the pieces.
FURNITURE_NAMES: dict[str, tuple[str, ...]] = {
    "counter": ("counter", "kitchen counter", "countertop", "worktop", "kitchen worktop", "kitchen top"),
    "table": ("table", "dining table", "kitchen table", "desk", "writing desk", "coffee table", "workbench",
              "work bench", "side table", "office desk", "wooden table"),
    "shelf": ("shelf", "bookshelf", "shelves", "bookcase", "rack", "shelving unit", "set of shelves"),
    "bench": ("bench", "stool", "low bench", "footstool"),
    "rail": ("rail", "hook rail", "hook", "clothes rail", "ceiling hook", "ceiling", "bar"),
}  # fmt: skip
BOARD = 0.03  # [m], the thickness of a board
TABLE_HEIGHTS = {"coffee table": 0.45, "side table": 0.55, "workbench": 0.88, "work bench": 0.88}
TABLE_HEIGHT = 0.74  # [m], as EN 527 has it for desks and most tables are
COUNTER_HEIGHT = 0.91  # [m], of kitchens; they are built up to MAX_COUNTER_HEIGHT
MAX_COUNTER_HEIGHT = 1.05
RAIL_HEIGHT = 1.9  # [m]


@dataclass(frozen=True)
class PieceNeeds:
    """What a piece should have room for [m].

    width, depth: of what stands on it, side by side; widest: of these alone. below: width, depth and height of what
    stands under it. tallest: height of the tallest thing on one of its boards; hung: of what hangs from it.
    """

    width: float = 0.0
    widest: float = 0.0
    depth: float = 0.0
    below: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tallest: float = 0.0
    hung: float = 0.0


def find_piece(word: str) -> str | None:
    """The piece that a name means."""
    return next((piece for piece, names in FURNITURE_NAMES.items() if word in names), None)


def make_piece(word: str, needs: PieceNeeds, substance: str | None, rng: np.random.Generator) -> Articulation:
    """The piece that a name means, large enough for what it carries."""
    piece = find_piece(word)
    assert piece is not None
    boards = _MAKERS[piece](word, needs, rng)
    wood = substance or str(rng.choice(["oak", "pine", "walnut"]))
    look = _paint(wood, rng)
    mesh = replace(paint(look, boards), up="z")
    return Articulation(mesh, np.zeros(mesh.vertex_count, int), (Link(piece, np.eye(4)),), (), name=piece)


def _paint(substance: str, rng: np.random.Generator) -> Material:
    made = SUBSTANCES[substance]
    red, green, blue = linearise(made.shade)
    light = float(rng.uniform(0.9, 1.1))
    return Material(substance, (red * light, green * light, blue * light, made.alpha), made.metallic, made.roughness)


def _board(name: str, size: tuple[float, float, float], at: tuple[float, float, float]) -> Mesh:
    """A board by its sizes and the middle of its underside [m]."""
    return label(name, block(size, (at[0], at[1], at[2] + size[2] / 2), round=0.002))


def _make_counter(word: str, needs: PieceNeeds, rng: np.random.Generator) -> list[Mesh]:
    """A worktop on two sides and a back, open to the front."""
    under = needs.below[2] + 0.04 if needs.below[2] else 0.0
    height = max(COUNTER_HEIGHT + float(rng.uniform(-0.03, 0.03)), under + BOARD)
    width = max(1.2, needs.width, needs.below[0] + 0.1 + 2 * BOARD) + float(rng.uniform(0.0, 0.3))
    depth = max(0.62, needs.depth + 0.04, needs.below[1] + 0.06 + BOARD)
    return _stand_top(width, depth, height)


def _stand_top(width: float, depth: float, height: float) -> list[Mesh]:
    side = (width - BOARD) / 2
    return [
        _board("top", (width, depth, BOARD), (0, 0, height - BOARD)),
        _board("side", (BOARD, depth, height - BOARD), (-side, 0, 0)),
        _board("side", (BOARD, depth, height - BOARD), (side, 0, 0)),
        _board("back", (width - 2 * BOARD, BOARD / 2, height - BOARD), (0, depth / 2 - BOARD / 4, 0)),
    ]


def _make_table(word: str, needs: PieceNeeds, rng: np.random.Generator) -> list[Mesh]:
    """A top on four legs."""
    usual = TABLE_HEIGHTS.get(word, TABLE_HEIGHT)
    height = max(usual + float(rng.uniform(-0.02, 0.02)), needs.below[2] + 0.03 + BOARD if needs.below[2] else 0.0)
    leg = float(rng.uniform(0.045, 0.07))
    width = max(1.0, needs.width, needs.below[0] + 0.1 + 2 * leg) + float(rng.uniform(0.0, 0.3))
    depth = max(0.6, needs.depth + 0.1, needs.below[1] + 0.1) + float(rng.uniform(0.0, 0.15))
    return _stand_on_legs(width, depth, height, leg)


def _stand_on_legs(width: float, depth: float, height: float, leg: float) -> list[Mesh]:
    x, y = (width - leg) / 2 - 0.02, (depth - leg) / 2 - 0.02
    legs = [_board("leg", (leg, leg, height - BOARD), (a * x, b * y, 0)) for a in (-1, 1) for b in (-1, 1)]
    return [_board("top", (width, depth, BOARD), (0, 0, height - BOARD)), *legs]


def _make_bench(word: str, needs: PieceNeeds, rng: np.random.Generator) -> list[Mesh]:
    wide = 0.36 if "stool" in word else 1.0
    return _stand_on_legs(max(wide, needs.width), max(0.34, needs.depth + 0.04), float(rng.uniform(0.42, 0.48)), 0.05)


def _make_shelf(word: str, needs: PieceNeeds, rng: np.random.Generator) -> list[Mesh]:
    """Boards between two sides and before a back; high enough between them for the tallest thing."""
    gap = max(0.34, needs.tallest + 0.06)
    count = 4 if gap < 0.45 else 3
    width = max(0.8, needs.widest + 0.12, 0.5 * needs.width + 0.1)  # two rows at least
    depth = max(0.32, needs.depth + 0.04)
    height = count * (gap + BOARD) + BOARD
    levels = [index * (gap + BOARD) for index in range(count + 1)]
    inner = width - 2 * BOARD
    boards = [_board("board", (inner, depth, BOARD), (0, 0, level)) for level in levels]
    side = (width - BOARD) / 2
    boards += [_board("side", (BOARD, depth, height), (a * side, 0, 0)) for a in (-1, 1)]
    return [*boards, _board("back", (width, BOARD / 2, height), (0, (depth + BOARD / 2) / 2, 0))]


def _make_rail(word: str, needs: PieceNeeds, rng: np.random.Generator) -> list[Mesh]:
    """A bar between two posts, so high that what hangs from it clears the ground."""
    height = max(RAIL_HEIGHT, needs.hung + 0.3)
    width = max(1.0, needs.width + 0.3)
    posts = [_board("post", (0.05, 0.05, height), (a * width / 2, 0, 0)) for a in (-1, 1)]
    feet = [_board("foot", (0.06, 0.5, 0.03), (a * width / 2, 0, 0)) for a in (-1, 1)]
    return [_board("bar", (width, 0.03, 0.03), (0, 0, height - 0.04)), *posts, *feet]


_MAKERS: dict[str, Callable[[str, PieceNeeds, np.random.Generator], list[Mesh]]] = {
    "counter": _make_counter, "table": _make_table, "bench": _make_bench, "shelf": _make_shelf, "rail": _make_rail,
}  # fmt: skip
