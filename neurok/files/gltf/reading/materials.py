"""Materials, textures and images."""

import numpy as np

from neurok.errors import InputError
from neurok.files.colors import make_rgb, make_rgba
from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record
from neurok.files.images import detect_media_type
from neurok.geometry.mesh import Material, Texture, TextureUse

MAX_EXTENSION_DEPTH = 16
SAMPLER_KEYS = ("magFilter", "minFilter", "wrapS", "wrapT")
GLOSSINESS_EXTENSION = "KHR_materials_pbrSpecularGlossiness"


def read_materials(document: GltfDocument) -> tuple[Material, ...]:
    """All materials of the file, in order."""
    return tuple(_read_material(document, item, i) for i, item in enumerate(document.items("materials")))


def _read_material(document: GltfDocument, item: Record, place: int) -> Material:
    what = f"material {place}"
    name = fields.text(item, "name")
    surface = fields.record(item, "pbrMetallicRoughness", what)
    extensions = fields.record(item, "extensions", what)
    if GLOSSINESS_EXTENSION in extensions:
        surface = {
            **_convert_glossiness(document, fields.record(extensions, GLOSSINESS_EXTENSION, what), what),
            **surface,
        }
        extensions = {k: v for k, v in extensions.items() if k != GLOSSINESS_EXTENSION}
    slots = {
        "base_color": (surface, "baseColorTexture", ""),
        "metallic_roughness": (surface, "metallicRoughnessTexture", ""),
        "normal": (item, "normalTexture", "scale"),
        "occlusion": (item, "occlusionTexture", "strength"),
        "emissive": (item, "emissiveTexture", ""),
    }
    uses = {slot: _read_use(document, *where, what) for slot, where in slots.items()}
    mode = fields.text(item, "alphaMode", "OPAQUE")
    return Material(
        name=name,
        base_color=make_rgba(fields.numbers(surface, "baseColorFactor", what, (1.0, 1.0, 1.0, 1.0))),
        metallic=fields.number(surface, "metallicFactor", what, 1.0),
        roughness=fields.number(surface, "roughnessFactor", what, 1.0),
        emissive=make_rgb(fields.numbers(item, "emissiveFactor", what, (0.0, 0.0, 0.0))),
        alpha_mode=mode if mode in ("OPAQUE", "MASK", "BLEND") else "OPAQUE",
        alpha_cutoff=fields.number(item, "alphaCutoff", what, 0.5),
        double_sided=item.get("doubleSided") is True,
        textures={slot: use for slot, use in uses.items() if use is not None},
        extensions=_drop_textured(document, extensions, what),
    )


def _convert_glossiness(document: GltfDocument, old: Record, what: str) -> Record:
    """The metallic-roughness surface nearest to the archived specular-glossiness one: a dielectric."""
    document.add_note(
        f"{what} uses {GLOSSINESS_EXTENSION}, which is archived; its colour and gloss are kept, its specular map is not"
    )
    surface: Record = {
        "baseColorFactor": list(fields.numbers(old, "diffuseFactor", what, (1.0, 1.0, 1.0, 1.0))),
        "metallicFactor": 0.0,
        "roughnessFactor": float(np.clip(1.0 - fields.number(old, "glossinessFactor", what, 1.0), 0.0, 1.0)),
    }
    if "diffuseTexture" in old:
        surface["baseColorTexture"] = old["diffuseTexture"]
    return surface


def _drop_textured(document: GltfDocument, extensions: Record, what: str) -> Record:
    """Extensions that name no texture; the others cannot be kept, as textures are numbered anew when written."""
    kept = {}
    for name, value in extensions.items():
        if _can_be_kept(value):
            kept[fields.text({"name": name}, "name")] = value
        else:
            shown = fields.text({"name": name}, "name")[:60]
            document.add_note(f"the extension {shown} of {what} holds textures (or nothing sensible); it is left out")
    return kept


def _can_be_kept(value: object) -> bool:
    """Whether JSON names no texture and can be written again: finite, of moderate depth, proper Unicode."""
    stack = [(value, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, dict):
            if any(key.endswith("Texture") for key in value):
                return False
            stack.extend((item, depth + 1) for pair in value.items() for item in pair)
        elif isinstance(value, list):
            stack.extend((item, depth + 1) for item in value)
        elif isinstance(value, float) and not np.isfinite(value):
            return False
        elif isinstance(value, str) and value != fields.text({"value": value}, "value"):
            return False
        if depth > MAX_EXTENSION_DEPTH:
            return False
    return True


def _read_use(document: GltfDocument, owner: Record, key: str, strength: str, what: str) -> TextureUse | None:
    if owner.get(key) is None:
        return None
    item = fields.record(owner, key, what)
    texture = _find_texture(document, fields.index(item, "index", f"the {key} of {what}"))
    if texture is None:
        return None
    return TextureUse(
        texture=texture,
        uv_set=fields.index(item, "texCoord", what, 0),
        strength=fields.number(item, strength, what, 1.0) if strength else 1.0,
        extensions=_drop_textured(document, fields.record(item, "extensions", what), what),
    )


def _find_texture(document: GltfDocument, place: int) -> Texture | None:
    key = ("texture", place)
    if key not in document.cache:
        document.cache[key] = _read_texture(document, place)
    return document.cache[key]


def _read_texture(document: GltfDocument, place: int) -> Texture | None:
    what = f"texture {place}"
    item = document.item("textures", place)
    source = fields.optional_index(item, "source", what)
    if source is None:
        webp = fields.record(fields.record(item, "extensions", what), "EXT_texture_webp", what)
        source = fields.optional_index(webp, "source", what)
    if source is None:
        document.add_note(f"{what} has no image that can be read (PNG, JPEG or WebP) and is left out")
        return None
    image = _find_image(document, source)
    if image is None:
        return None
    data, mime, name = image
    sampler = fields.optional_index(item, "sampler", what)
    settings = {} if sampler is None else document.item("samplers", sampler)
    return Texture(
        image=data,
        mime=mime,
        name=fields.text(item, "name") or name,
        sampler={k: fields.index(settings, k, "a sampler") for k in SAMPLER_KEYS if settings.get(k) is not None},
    )


def _find_image(document: GltfDocument, place: int) -> tuple[bytes, str, str] | None:
    """The encoded bytes of an image, its type and name; None, with a note, where its file is missing."""
    key = ("image", place)
    if key not in document.cache:
        document.cache[key] = _read_image(document, place)
    return document.cache[key]


def _read_image(document: GltfDocument, place: int) -> tuple[bytes, str, str] | None:
    what = f"image {place}"
    item = document.item("images", place)
    view, uri = fields.optional_index(item, "bufferView", what), item.get("uri")
    name = fields.text(item, "name")
    if view is not None:
        data = _read_view(document, view)
    elif isinstance(uri, str):
        found = _read_external(document, uri)
        if found is None:
            return None
        data = found
        name = name or ("" if uri[:5].lower() == "data:" else fields.text({"uri": uri}, "uri").rsplit("/", 1)[-1])
    else:
        document.add_note(f"{what} has no data and is left out")
        return None
    if not data:
        document.add_note(f"{what} is empty and is left out")
        return None
    return data, detect_media_type(data, fields.text(item, "mimeType", "image/png")), name


def _read_view(document: GltfDocument, view: int) -> bytes:
    """The bytes of a buffer view, copied once however many images name it."""
    key = ("bytes", view)
    if key not in document.cache:
        document.cache[key] = bytes(document.view(view))
    return document.cache[key]


def _read_external(document: GltfDocument, uri: str) -> bytes | None:
    key = ("uri", uri)
    if key in document.cache:
        return document.cache[key]
    shown = fields.text({"uri": uri}, "uri")[:80]
    if uri[:5].lower() == "data:":
        data = document.read_resource(uri)
    elif uri.lower().startswith(("http://", "https://")):
        document.add_note(f"the texture {shown} lies on the network and is left out")
        data = None
    elif _exists(document, uri):
        data = document.read_resource(uri)
    else:
        document.add_note(f"the texture file {shown} is missing; the material is shown without it")
        data = None
    document.cache[key] = data
    return data


def _exists(document: GltfDocument, uri: str) -> bool:
    try:
        return document.source.exists(uri)
    except (OSError, ValueError) as fault:  # names no file system accepts
        raise InputError(f"the file names {uri[:80]!r}, which cannot be opened ({fault})", "rename it") from None
