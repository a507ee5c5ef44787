"""Scenery: a mesh as pages draw it, with its surfaces and textures."""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.files.colors import RGB, RGBA, make_rgb, make_rgba
from neurok.files.drawing import Drawing, decode_image
from neurok.files.packets import Bytes, Counts, Floats
from neurok.files.stage import Stage
from neurok.geometry.mesh import Material, Mesh

BROWSER_IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp")  # what every browser decodes
OPAQUE_WHITE = np.ones(4, dtype=np.float32)


@dataclass(frozen=True)
class PageTexture:
    """An image in one slot of a material: which image, how it repeats (glTF's numbers), and how strongly it acts."""

    slot: str
    image: int
    wrap_s: int
    wrap_t: int
    strength: float


@dataclass(frozen=True)
class PageMaterial:
    """A surface, with glTF's meanings."""

    color: RGBA
    metallic: float
    roughness: float
    emissive: RGB
    alpha_mode: str
    alpha_cutoff: float
    textures: tuple[PageTexture, ...]


@dataclass(frozen=True)
class PageBatch:
    """Drawn faces of one material, from first to last (that one excluded)."""

    material: int
    first: int
    last: int


@dataclass(frozen=True)
class PageImage:
    """Bytes `first` to `last` of the images, encoded as `mime`."""

    mime: str
    first: int
    last: int


@dataclass(frozen=True)
class Scenery:
    """All that a page draws, but for the motion.

    rest: vertices of the mesh on the stage, [n, 3]; source: the vertex each drawn one follows, [k];
    group: drawn vertices that share a normal, [k]; faces: of drawn vertices, [m, 3]; uv: [k, 2];
    color: [k, 4] in 0..255, empty where all is white; images: bytes of all of them.
    """

    batches: tuple[PageBatch, ...]
    materials: tuple[PageMaterial, ...]
    textures: tuple[PageImage, ...]
    rest: Floats
    source: Counts
    group: Counts
    faces: Counts
    uv: Floats
    color: Bytes
    images: Bytes


def build_scenery(mesh: Mesh, drawing: Drawing, stage: Stage) -> Scenery:
    """The mesh on its stage."""
    images = _Images()
    materials: dict[int, int] = {}
    made: list[PageMaterial] = []
    for batch in drawing.batches:
        if id(batch.material) not in materials:
            materials[id(batch.material)] = len(made)
            made.append(_convert_material(batch.material, images))
    textured = any(material.textures for material in made)
    white = np.array_equal(drawing.color, np.broadcast_to(OPAQUE_WHITE, drawing.color.shape))
    return Scenery(
        batches=tuple(PageBatch(materials[id(b.material)], int(b.first), int(b.last)) for b in drawing.batches),
        materials=tuple(made),
        textures=tuple(images.entries),
        rest=stage.points(mesh.vertices).astype(np.float32),
        source=drawing.source.astype(np.uint32),
        group=drawing.group.astype(np.uint32),
        faces=drawing.faces.astype(np.uint32),
        uv=drawing.uv if textured else np.zeros(0, dtype=np.float32),
        color=np.zeros(0, dtype=np.uint8) if white else _to_bytes(drawing.color),
        images=np.frombuffer(b"".join(images.blobs), dtype=np.uint8),
    )


def _to_bytes(color: NDArray) -> NDArray[np.uint8]:
    return np.round(255 * np.clip(color, 0.0, 1.0)).astype(np.uint8)


class _Images:
    """Encoded images, each once."""

    def __init__(self) -> None:
        self.entries: list[PageImage] = []
        self.blobs: list[bytes] = []
        self._known: dict[bytes, int | None] = {}
        self._end = 0

    def add(self, image: bytes, mime: str) -> int | None:
        """The number of an image; None where it cannot be shown."""
        if image not in self._known:
            shown, kind = (image, mime) if mime in BROWSER_IMAGE_TYPES else (_convert_to_png(image), "image/png")
            self._known[image] = len(self.entries) if shown else None
            if shown:
                self.entries.append(PageImage(kind, self._end, self._end + len(shown)))
                self.blobs.append(shown)
                self._end += len(shown)
        return self._known[image]


def _convert_to_png(image: bytes) -> bytes:
    """An image that browsers do not read, as one that they do; empty where it cannot be decoded."""
    from PIL import Image

    pixels = decode_image(image)
    if pixels is None:
        return b""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def _convert_material(material: Material, images: _Images) -> PageMaterial:
    base = material.textures.get("base_color")
    uses = []
    for slot, use in material.textures.items():
        # One set of texture coordinates is drawn, that of the base colour; others would be misplaced.
        if base is None or (use.uv_set, dict(use.extensions)) != (base.uv_set, dict(base.extensions)):
            continue
        image = images.add(use.texture.image, use.texture.mime)
        if image is not None:
            wrap_s, wrap_t = (int(use.texture.sampler.get(key, 10497)) for key in ("wrapS", "wrapT"))
            uses.append(PageTexture(slot, image, wrap_s, wrap_t, float(use.strength)))
    return PageMaterial(
        color=make_rgba(material.base_color),
        metallic=float(material.metallic),
        roughness=float(material.roughness),
        emissive=make_rgb(material.emissive),
        alpha_mode=material.alpha_mode,
        alpha_cutoff=float(material.alpha_cutoff),
        textures=tuple(uses),
    )
