"""Wavefront MTL: the materials an OBJ file names, as glTF surfaces.

Kd becomes the base colour unchanged, as Blender does it; Ns becomes a
roughness by sqrt(2 / (Ns + 2)), which matches the width of Phong's highlight.
"""

from dataclasses import replace
from pathlib import PurePosixPath

from neurok.errors import InputError
from neurok.files.images import detect_media_type, guess_media_type
from neurok.files.rows import decode_name, normalise_lines
from neurok.files.source import Source
from neurok.geometry.mesh import Material, Texture, TextureUse

# Options of a map_ line, and how many words may follow at most.
MAP_OPTIONS = {
    **{"-blendu": 1, "-blendv": 1, "-bm": 1, "-boost": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1, "-mm": 2},
    **{"-o": 3, "-s": 3, "-t": 3, "-texres": 1, "-type": 1, "-colorspace": 1},
}
MAP_SLOTS = {
    **{"map_kd": "base_color", "map_ke": "emissive", "norm": "normal", "map_bump": "bump", "bump": "bump"},
    **{"map_kn": "normal", "map_d": "alpha"},
}
CLAMP_TO_EDGE = 33071

MapLine = tuple[str, dict[str, list[str]]]  # file name, options


def read_library(source: Source, name: str) -> "MtlLibrary":
    """The MTL file `name` beside an OBJ file."""
    beside = source.beside(name)
    library = MtlLibrary(beside)
    for line in normalise_lines(beside.data()).splitlines():
        library.read_statement(line)
    return library


class MtlLibrary:
    """The materials of one file by name; textures are read when a material is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.notes: list[str] = []
        self.surfaces: dict[str, Material] = {}
        self.maps: dict[str, dict[str, MapLine]] = {}  # material -> slot -> line
        self.textures: dict[str, Texture | None] = {}
        self.current: str | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.surfaces

    def read_statement(self, line: bytes) -> None:
        words = decode_name(line).split(None, 1)
        if not words or words[0].startswith("#"):
            return
        keyword, rest = words[0].lower(), words[1] if len(words) > 1 else ""
        if keyword == "newmtl":
            self.current = rest
            self.surfaces[rest], self.maps[rest] = Material(name=rest), {}
        elif self.current is None:
            return
        elif keyword in MAP_SLOTS:
            self.maps[self.current][MAP_SLOTS[keyword]] = _parse_map_line(rest)
        elif keyword in SURFACE_STATEMENTS:
            try:
                numbers = [float(word) for word in rest.split()]
                self.surfaces[self.current] = SURFACE_STATEMENTS[keyword](self.surfaces[self.current], numbers)
            except (ValueError, IndexError, OverflowError):
                self.notes.append(f"material '{self.current}': '{keyword} {rest[:40]}' is not understood")

    def material(self, name: str) -> Material:
        """One material with its textures."""
        material, maps = self.surfaces[name], self.maps[name]
        if "base_color" in maps and material.base_color[:3] == (0.0, 0.0, 0.0):
            # Many exporters leave Kd at zero where a texture replaces it.
            material = replace(material, base_color=(1.0, 1.0, 1.0, material.base_color[3]))
        if "emissive" in maps and material.emissive == (0.0, 0.0, 0.0):
            material = replace(material, emissive=(1.0, 1.0, 1.0))
        uses = {}
        for key in ("base_color", "emissive", "bump", "normal"):  # a normal map wins over a bump map
            use = self._use(key, maps[key]) if key in maps else None
            if use is not None:
                uses["normal" if key == "bump" else key] = use
        if "alpha" in maps:
            material = self._with_alpha(material, maps, uses)
        if material.base_color[3] < 1.0:
            material = replace(material, alpha_mode="BLEND")
        return replace(material, textures=uses)

    def _use(self, key: str, line: MapLine) -> TextureUse | None:
        name, options = line
        texture = self._texture(name)
        if texture is None:
            return None
        if key == "bump" and _is_grey(texture.image):
            self.notes.append(f"the height map '{name}' is left out: only normal maps are kept")
            return None
        if options.get("-clamp", ["off"])[0] == "on":
            texture = replace(texture, sampler={"wrapS": CLAMP_TO_EDGE, "wrapT": CLAMP_TO_EDGE})
        strength = _first_number(options.get("-bm", []), 1.0) if key in ("bump", "normal") else 1.0
        return TextureUse(texture, strength=strength, extensions=_parse_transform(options))

    def _texture(self, name: str) -> Texture | None:
        """The image a map line names, beside the library or, failing that, by its bare name."""
        if name not in self.textures:
            bare = PurePosixPath(name.replace("\\", "/")).name
            try:
                image = self.source.neighbour(name)
            except InputError as fault:
                if bare == name or not self._lies_beside(bare):
                    self.notes.append(f"the texture '{name}' is not read ({fault.problem})")
                    self.textures[name] = None
                    return None
                image = self.source.neighbour(bare)
            self.textures[name] = Texture(
                image, mime=detect_media_type(image, guess_media_type(bare)), name=bare.rpartition(".")[0] or bare
            )
        return self.textures[name]

    def _lies_beside(self, bare: str) -> bool:
        try:
            return self.source.exists(bare)
        except InputError:
            return False

    def _with_alpha(self, material: Material, maps: dict[str, MapLine], uses: dict[str, TextureUse]) -> Material:
        """An opacity map moves into the alpha of the base colour's image, where glTF keeps it."""
        name, options = maps["alpha"]
        if name == maps.get("base_color", ("", {}))[0] and "base_color" in uses:
            return replace(material, alpha_mode="BLEND")
        opacity = self._texture(name)
        if opacity is None:
            return material
        base = uses.get("base_color")
        try:
            image = _combine_opacity(base.texture.image if base else None, opacity.image)
        except Exception as fault:  # Pillow's decoders raise all kinds for damaged images
            self.notes.append(f"the opacity map '{name}' is left out ({fault})")
            return material
        sampler = base.texture.sampler if base else {}
        label = (base.texture.name if base else opacity.name) + "_alpha"
        extensions = base.extensions if base else _parse_transform(options)
        uses["base_color"] = TextureUse(Texture(image, "image/png", label, sampler), extensions=extensions)
        return replace(material, alpha_mode="BLEND")


def _make_color(values: list[float]) -> tuple[float, float, float]:
    """Three numbers, or one for all three, kept in 0..1."""
    values = values if len(values) >= 3 else [values[0]] * 3
    red, green, blue = (min(max(v, 0.0), 1.0) for v in values[:3])
    return red, green, blue


def _set_opacity(material: Material, opacity: float) -> Material:
    return replace(material, base_color=(*material.base_color[:3], min(max(opacity, 0.0), 1.0)))


def _set_emission(material: Material, values: list[float]) -> Material:
    brightest = max(1.0, *values[:3])
    if brightest == 1.0:
        return replace(material, emissive=_make_color(values))
    strength = {"KHR_materials_emissive_strength": {"emissiveStrength": brightest}}
    return replace(material, emissive=_make_color([v / brightest for v in values]), extensions=strength)


SURFACE_STATEMENTS = {
    "kd": lambda m, v: replace(m, base_color=(*_make_color(v), m.base_color[3])),
    "ke": _set_emission,
    "d": lambda m, v: _set_opacity(m, v[-1]),  # "-halo" never gets here: it is no number
    "tr": lambda m, v: _set_opacity(m, 1.0 - v[0]),
    "ns": lambda m, v: replace(m, roughness=min(1.0, (2.0 / (max(v[0], 0.0) + 2.0)) ** 0.5)),
    "pr": lambda m, v: replace(m, roughness=min(max(v[0], 0.0), 1.0)),
    "pm": lambda m, v: replace(m, metallic=min(max(v[0], 0.0), 1.0)),
}


def _parse_map_line(rest: str) -> MapLine:
    """File name and options of a map_ line; the name may contain spaces."""
    words = rest.split(" ")
    options: dict[str, list[str]] = {}
    place = 0
    while place < len(words):
        word = words[place].lower()
        if word == "":
            place += 1
            continue
        if word not in MAP_OPTIONS:
            break
        most = MAP_OPTIONS[word]
        values = [v for v in words[place + 1 : place + 1 + most]]
        if most == 3:  # -o, -s and -t take one to three numbers
            taken = next((i for i, v in enumerate(values) if not _is_number(v)), len(values))
            values = values[:taken]
        options[word] = values
        place += 1 + len(values)
    return " ".join(words[place:]).strip().strip('"'), options


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _first_number(values: list[str], default: float) -> float:
    return float(values[0]) if values and _is_number(values[0]) else default


def _parse_transform(options: dict[str, list[str]]) -> dict[str, object]:
    """`-o` and `-s` as a glTF texture transform; v counts downwards there, so v' = (1 - o - s) + s v."""
    if "-o" not in options and "-s" not in options:
        return {}
    shift = [float(v) for v in options.get("-o", [])] + [0.0] * 2
    scale = [float(v) for v in options.get("-s", [])] + [1.0] * 2
    offset = [shift[0], 1.0 - shift[1] - scale[1]]
    return {"KHR_texture_transform": {"offset": offset, "scale": scale[:2]}}


def _is_grey(image: bytes) -> bool:
    """Whether a bump map is a height map rather than a normal map (which needs three channels)."""
    import io

    from PIL import Image

    try:
        return Image.open(io.BytesIO(image)).mode in ("1", "L", "LA", "I", "I;16", "F")
    except Exception:  # an unreadable image is passed on as it is
        return False


def _combine_opacity(base: bytes | None, opacity: bytes) -> bytes:
    """A PNG with the colours of one image (white for None) and the brightness of another as alpha."""
    import io

    from PIL import Image

    mask: Image.Image = Image.open(io.BytesIO(opacity))
    mask = mask.getchannel("A") if mask.mode in ("RGBA", "LA") else mask.convert("L")
    color = Image.open(io.BytesIO(base)).convert("RGB") if base else Image.new("RGB", mask.size, "white")
    color.putalpha(mask.resize(color.size))
    buffer = io.BytesIO()
    color.save(buffer, "PNG")
    return buffer.getvalue()
