"""A laptop: a base with keys, and a lid on a hinge. Two links, one joint, made by code.

Standing on z = 0, its front at -y; the lid is shut at zero and opens to 130 degrees.
`python -m neurok.assets.laptop FOLDER` writes it there as URDF, as in neurok/assets/laptop/.
"""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurok.assets.shapes import barrel, block, panel, slab
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Material, Mesh, Texture, TextureUse, merge

WIDTH, DEPTH = 0.320, 0.220  # m
FEET, BASE, GAP, LID = 0.002, 0.014, 0.002, 0.006  # heights [m], from below
HINGE = np.array([0.0, DEPTH / 2 - 0.006, FEET + BASE + GAP / 2])  # a point on the hinge's axis [m]
MAX_OPENING = np.radians(130.0)
BUNDLED = Path(__file__).parent / "laptop" / "laptop.urdf"

METAL = Material("aluminium", (0.72, 0.74, 0.77, 1.0), metallic=0.7, roughness=0.4)
DARK = Material("keys", (0.07, 0.07, 0.08, 1.0), roughness=0.7)
GLASS = Material("bezel", (0.02, 0.02, 0.025, 1.0), roughness=0.25)
PAD = Material("touchpad", (0.60, 0.62, 0.65, 1.0), metallic=0.4, roughness=0.3)


def laptop() -> Articulation:
    """The laptop at zero joint values, shut; its one coordinate is the opening angle of the lid [rad]."""
    base, lid = merge(_base()), merge(_lid())
    links = tuple(Link(name, np.eye(4)) for name in ("base", "lid"))
    origin = np.eye(4)
    origin[:3, 3] = HINGE
    hinge = Joint(
        "hinge",
        "revolute",
        parent=0,
        child=1,
        origin=origin,
        axis=np.array([-1.0, 0.0, 0.0]),
        lower=0.0,
        upper=MAX_OPENING,
    )
    links = (links[0], replace(links[1], T_world_link=origin))
    vertex_link = np.repeat([0, 1], [base.vertex_count, lid.vertex_count])
    mesh = merge([base, lid], names=["base", "lid"])
    return Articulation(mesh, vertex_link, links, (hinge,), name="laptop")


def _base() -> list[Mesh]:
    deck = FEET + BASE
    pieces = [_translate(slab("body", (WIDTH, DEPTH, BASE), 0.014, 0.003, METAL), z=FEET)]
    pieces += [_translate(slab("touchpad", (0.100, 0.062, 0.0006), 0.004, 0.0002, PAD), y=-0.068, z=deck)]
    for x in (-1, 1):
        for y in (-1, 1):
            foot = block("foot", (0.024, 0.010, FEET + 0.0005), DARK)
            pieces += [_translate(foot, x=x * (WIDTH / 2 - 0.03), y=y * (DEPTH / 2 - 0.02))]
        pieces += [_translate(barrel("hinge barrel", 0.040, 0.0035, DARK), x=x * 0.1, y=HINGE[1], z=HINGE[2])]
    return pieces + _keys(deck)


def _keys(deck: float) -> list[Mesh]:
    """Four rows of keys and one with a space bar."""
    pitch, key = 0.0195, 0.0165
    keys = []
    for row in range(4):
        for column in range(14):
            keys += [
                _translate(
                    block("key", (key, key, 0.001), DARK), x=(column - 6.5) * pitch, y=0.068 - row * pitch, z=deck
                )
            ]
    widths = [3, 6, 5]  # keys side by side that one bar stands for
    left = -7 * pitch
    for width in widths:
        bar = block("key", (width * pitch - (pitch - key), key, 0.001), DARK)
        keys += [_translate(bar, x=left + width * pitch / 2, y=0.068 - 4 * pitch, z=deck)]
        left += width * pitch
    return [_one_part(merge(keys), "keyboard")]


def _lid() -> list[Mesh]:
    inner = FEET + BASE + GAP
    picture = Material(
        "screen", roughness=0.3, textures={"base_color": TextureUse(Texture(render_wallpaper(), name="screen"))}
    )
    shell = _translate(slab("shell", (WIDTH, DEPTH - 0.012, LID), 0.014, 0.0025, METAL), y=-0.006, z=inner)
    bezel = _translate(
        slab("bezel", (WIDTH - 0.012, DEPTH - 0.026, 0.0008), 0.008, 0.0003, GLASS), y=-0.006, z=inner - 0.0006
    )
    screen = _translate(panel("screen", (WIDTH - 0.028, DEPTH - 0.050, 0.0005), picture), y=-0.006, z=inner - 0.0007)
    return [shell, bezel, screen]


def render_wallpaper(width: int = 320, height: int = 186) -> bytes:
    """The picture on the screen, PNG: a sun over swinging hills."""
    from PIL import Image

    y, x = np.mgrid[0:height, 0:width] / height
    dusk, night = np.array([250, 170, 110]), np.array([30, 50, 110])
    pixels = night + (dusk - night) * y[..., None] ** 1.5
    pixels[np.hypot(x - 1.15, y - 0.45) < 0.16] = (255, 236, 190)
    for level, (height_at_rest, shade) in enumerate(
        [(0.62, (120, 80, 130)), (0.74, (70, 55, 105)), (0.87, (28, 30, 62))]
    ):
        ridge = height_at_rest + 0.07 * np.sin(4.2 * x + 1.9 * level) + 0.03 * np.sin(9.7 * x + level)
        pixels[y > ridge] = shade
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).quantize(32, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _translate(mesh: Mesh, *, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
    return replace(mesh, vertices=mesh.vertices + (x, y, z))


def _one_part(mesh: Mesh, name: str) -> Mesh:
    """Many copies of one piece as a single part with a single material."""
    zero = np.zeros(mesh.face_count, dtype=np.int64)
    part = replace(mesh.parts[0], name=name)
    return replace(mesh, parts=(part,), face_part=zero, materials=mesh.materials[:1], face_material=zero)


def main() -> None:
    import sys

    from neurok.files.registry import save

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(save(laptop(), folder / BUNDLED.name))


if __name__ == "__main__":
    main()
