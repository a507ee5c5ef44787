"""Writing materials: surfaces, and textures as the very bytes that were read."""

import io
import warnings
from collections.abc import Mapping

from neurok.errors import OutputError
from neurok.files.gltf.writing.builder import GltfBuilder, JsonObject, to_json_value
from neurok.files.images import detect_media_type, find_image_suffix
from neurok.geometry.mesh import Material, Texture, TextureUse

# media types outside the core format, and the extension that carries them
IMAGE_EXTENSIONS = {
    "image/webp": "EXT_texture_webp",
    "image/avif": "EXT_texture_avif",
    "image/ktx2": "KHR_texture_basisu",
    "image/vnd-ms.dds": "MSFT_texture_dds",
}
# slot -> (where it goes, its key, the name of its strength)
SLOT_KEYS = {
    "base_color": ("pbrMetallicRoughness", "baseColorTexture", None),
    "metallic_roughness": ("pbrMetallicRoughness", "metallicRoughnessTexture", None),
    "normal": (None, "normalTexture", "scale"),
    "occlusion": (None, "occlusionTexture", "strength"),
    "emissive": (None, "emissiveTexture", None),
}
STRENGTH_EXTENSION = "KHR_materials_emissive_strength"


class MaterialTable:
    """Adds materials to a file being built; equal images, samplers and textures are written once.

    uv_place: where each of the mesh's uv sets went (TEXCOORD_n must be counted without gaps).
    """

    def __init__(self, builder: GltfBuilder, uv_place: Mapping[int, int]) -> None:
        self.builder = builder
        self.uv_place = uv_place
        self._images: dict[tuple[bytes, str], int | None] = {}
        self._textures: dict[tuple, int | None] = {}
        self._samplers: dict[tuple, int] = {}

    def add(self, material: Material) -> int:
        """The number of a material in the file."""
        entry: JsonObject = {"name": material.name} if material.name else {}
        surface: JsonObject = {}
        base = [_clip_unit(c) for c in material.base_color]
        if base != [1.0] * 4:
            surface["baseColorFactor"] = base
        for key, value in (("metallicFactor", material.metallic), ("roughnessFactor", material.roughness)):
            if _clip_unit(value) != 1.0:
                surface[key] = _clip_unit(value)
        if surface:
            entry["pbrMetallicRoughness"] = surface
        self._emission(entry, material)
        if material.alpha_mode in ("MASK", "BLEND"):
            entry["alphaMode"] = material.alpha_mode
        if material.alpha_mode == "MASK":
            entry["alphaCutoff"] = max(float(material.alpha_cutoff), 0.0)
        if material.double_sided:
            entry["doubleSided"] = True
        for slot, use in material.textures.items():
            self._use(entry, slot, use)
        if material.extensions:
            self._extend(entry, material.extensions)
        return self.builder.add("materials", entry)

    def _emission(self, entry: JsonObject, material: Material) -> None:
        """Emission; above one it is a unit colour times KHR_materials_emissive_strength."""
        emissive = [max(float(c), 0.0) for c in material.emissive]
        peak = max(emissive)
        if peak > 1.0:
            stated = material.extensions.get(STRENGTH_EXTENSION)
            factor = float(stated.get("emissiveStrength", 1.0)) if isinstance(stated, Mapping) else 1.0
            self._extend(entry, {STRENGTH_EXTENSION: {"emissiveStrength": peak * factor}})
            emissive = [c / peak for c in emissive]
        if peak > 0.0:
            entry["emissiveFactor"] = emissive

    def _use(self, entry: JsonObject, slot: str, use: TextureUse) -> None:
        texture = self._texture(use.texture)
        if texture is None:
            return
        inside, key, strength = SLOT_KEYS[slot]
        info: JsonObject = {"index": texture}
        place = self.uv_place.get(use.uv_set, 0)
        if place:
            info["texCoord"] = place
        if strength and use.strength != 1.0:
            info[strength] = float(use.strength)
        if use.extensions:
            self._extend(info, use.extensions)
            moved = info.get("extensions", {}).get("KHR_texture_transform", {})
            if "texCoord" in moved:
                moved["texCoord"] = self.uv_place.get(moved["texCoord"], 0)
        (entry if inside is None else entry.setdefault(inside, {}))[key] = info

    def _extend(self, entry: JsonObject, extensions: Mapping[str, object]) -> None:
        for name, value in extensions.items():
            if _names_textures(value):
                warnings.warn(f"{name} refers to textures by number and is left out", stacklevel=2)
                continue
            # What is set already (an emission above one) was computed from this and stands.
            entry.setdefault("extensions", {}).setdefault(name, to_json_value(value))
            self.builder.extensions_used.add(name)

    def _texture(self, texture: Texture) -> int | None:
        sampler = tuple(sorted((k, int(v)) for k, v in texture.sampler.items()))
        key = (texture.image, texture.name, sampler)
        if key not in self._textures:
            self._textures[key] = self._new_texture(texture, sampler)
        return self._textures[key]

    def _new_texture(self, texture: Texture, sampler: tuple) -> int | None:
        image = self._image(texture)
        if image is None:
            return None
        entry: JsonObject = {"name": texture.name} if texture.name else {}
        if sampler:
            if sampler not in self._samplers:
                self._samplers[sampler] = self.builder.add("samplers", dict(sampler))
            entry["sampler"] = self._samplers[sampler]
        carrier = IMAGE_EXTENSIONS.get(self.builder.tables["images"][image]["mimeType"])
        if carrier is None:
            entry["source"] = image
        else:
            entry["extensions"] = {carrier: {"source": image}}
            self.builder.extensions_required.add(carrier)
        return self.builder.add("textures", entry)

    def _image(self, texture: Texture) -> int | None:
        key = (texture.image, texture.name)
        if key not in self._images:
            data, mime = encode_image(texture)
            self._images[key] = None
            if data:
                named = {"name": texture.name} if texture.name else {}
                self._images[key] = self.builder.add("images", named | {"mimeType": mime})
                self.builder.images.append((data, find_image_suffix(mime)))
        return self._images[key]


def encode_image(texture: Texture) -> tuple[bytes, str]:
    """Bytes and media type of an image: its own, or those of a PNG where glTF has no place for its kind."""
    kind = detect_media_type(texture.image)
    if kind in ("image/png", "image/jpeg") or kind in IMAGE_EXTENSIONS:
        return texture.image, kind
    return _convert_to_png(texture), "image/png"


def _convert_to_png(texture: Texture) -> bytes:
    """PNG of a BMP, TGA, TIFF or GIF; nothing, with a warning, where the bytes are no image."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(texture.image)) as image:
            stream = io.BytesIO()
            clear = "A" in image.getbands() or "transparency" in image.info
            image.convert("RGBA" if clear else "RGB").save(stream, "PNG")
            return stream.getvalue()
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        warnings.warn(f"texture '{texture.name}' is no readable image and is left out ({fault})", stacklevel=2)
        return b""


def _names_textures(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(
            (str(k).endswith("Texture") and isinstance(v, Mapping) and "index" in v) or _names_textures(v)
            for k, v in value.items()
        )
    return isinstance(value, (list, tuple)) and any(_names_textures(v) for v in value)


def _clip_unit(value: float) -> float:
    if not 0.0 <= float(value) <= 1.0:
        if float(value) != float(value):
            raise OutputError("a material has a colour that is not a number", "give values from 0 to 1")
        return min(max(float(value), 0.0), 1.0)
    return float(value)
