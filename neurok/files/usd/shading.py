"""Reading materials: UsdPreviewSurface as metallic-roughness, textures as the bytes of their files."""

import json
from typing import Any

import numpy as np
from pxr import Sdf, Usd, UsdShade

from neurok.errors import InputError
from neurok.files.colors import RGB, RGBA, make_rgb, make_rgba
from neurok.files.images import detect_media_type, guess_media_type
from neurok.files.source import MAX_FILE_BYTES
from neurok.files.usd.layers import StageFolder
from neurok.files.usd.tree import read_display_name
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Material, Texture, TextureUse

WRAP_NUMBERS = {"clamp": 33071, "mirror": 33648, "black": 33071}  # glTF's numbers; repeat is its default


class UsdMaterials:
    """The materials of a stage, numbered as faces ask for them."""

    def __init__(self, stage: Usd.Stage, folder: StageFolder) -> None:
        self.stage, self.folder = stage, folder
        self.place: dict[Sdf.Path, int] = {}
        self.double_sided: dict[int, bool] = {}
        self.textures: dict[tuple[str, str], Texture | None] = {}
        root = stage.GetDefaultPrim()
        scope = root.GetChild("Materials") if root and root.GetCustomDataByKey("neurok:up") else None
        for prim in scope.GetChildren() if scope else ():  # in a file of ours all are kept, in order
            if prim.IsA(UsdShade.Material):
                self.place[prim.GetPath()] = len(self.place)

    @staticmethod
    def find_bound(prim: Usd.Prim) -> UsdShade.Material | None:
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        return material if material else None

    def label_faces(self, prim: Usd.Prim, polygon_count: int) -> Indices:
        """The number of the material of each polygon, -1 for none."""
        double = bool(prim.GetAttribute("doubleSided").Get())
        labels = np.full(polygon_count, self._number(self.find_bound(prim), double))
        for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
            indices = np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int64)
            number = self._number(self.find_bound(subset.GetPrim()), double)
            labels[indices[(indices >= 0) & (indices < polygon_count)]] = number
        return labels

    def read(self, uvs: dict[str, int]) -> tuple[Material, ...]:
        """All materials that were asked for. uvs: the numbers of texture coordinates by primvar name."""
        return tuple(
            _ShaderNetwork(self, UsdShade.Material(self.stage.GetPrimAtPath(path)), uvs).read(
                self.double_sided.get(k, False)
            )
            for path, k in self.place.items()
        )

    def _number(self, material: UsdShade.Material | None, double: bool) -> int:
        if material is None:
            return -1
        number = self.place.setdefault(material.GetPath(), len(self.place))
        self.double_sided[number] = self.double_sided.get(number, False) or double
        return number

    def texture(self, asset: Sdf.AssetPath, sampler: dict[str, int], name: str | None) -> Texture | None:
        """The image an asset path leads to; None, with a note, where there is none."""
        key = (asset.resolvedPath or asset.path, json.dumps([sampler, name], sort_keys=True))
        if key not in self.textures:
            self.textures[key] = self._load(asset, sampler, name)
        return self.textures[key]

    def _load(self, asset: Sdf.AssetPath, sampler: dict[str, int], name: str | None) -> Texture | None:
        if not asset.path:
            return None
        path = self.folder.resolve_asset(self.folder.root, asset.resolvedPath or asset.path)
        if not path.is_file():
            self.folder.notes.append(f"the texture '{asset.path}' is missing")
            return None
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"the texture '{asset.path}' is larger than 4 GB", "shrink it")
        data = path.read_bytes()
        return Texture(
            data, detect_media_type(data, guess_media_type(path.name)), path.stem if name is None else name, sampler
        )


class _ShaderNetwork:
    """One material's shaders."""

    def __init__(self, table: UsdMaterials, material: UsdShade.Material, uvs: dict[str, int]) -> None:
        self.table, self.material, self.uvs = table, material, uvs
        self.notes = table.folder.notes
        found = material.ComputeSurfaceSource()
        self.shader = found[0] if found and found[0] else None
        self.uses: dict[str, TextureUse] = {}

    def read(self, double: bool) -> Material:
        prim = self.material.GetPrim()
        name = read_display_name(prim)
        if self.shader is None or self.shader.GetIdAttr().Get() != "UsdPreviewSurface":
            self.notes.append(f"the material '{name}' is not a UsdPreviewSurface: only its name is kept")
            return Material(name, double_sided=double)
        own = prim.GetCustomDataByKey("neurok:doubleSided")
        rgb, alpha, mode = self._base_color()
        metallic, roughness = self._metal()
        self._strengths()
        return Material(
            name=name,
            base_color=(*rgb, alpha),
            metallic=metallic,
            roughness=roughness,
            emissive=self._emissive(),
            alpha_mode=mode,
            alpha_cutoff=self._number("opacityThreshold", 0.5) if mode == "MASK" else 0.5,
            double_sided=double if own is None else bool(own),
            textures=self.uses,
            extensions=parse_kept_dictionary(prim.GetCustomDataByKey("neurok:extensions")),
        )

    def _base_color(self) -> tuple[RGB, float, str]:
        node, _ = self._source("diffuseColor")
        rgb = self._vector("diffuseColor", (0.18, 0.18, 0.18))
        alpha = self._number("opacity", 1.0)
        kind = node.GetIdAttr().Get() if node else None
        fade = self._source("opacity")[0]
        if kind == "UsdUVTexture" and self._use("base_color", node):
            *color, opacity = _read_rgba(node, "scale", 1.0)
            rgb, alpha = make_rgb(color), opacity if fade else alpha
        elif kind == "UsdPrimvarReader_float3":
            rgb = (1.0, 1.0, 1.0)  # the mesh's own colours
        elif kind:
            rgb = (1.0, 1.0, 1.0)
            self.notes.append(f"the colour of '{self.material.GetPrim().GetName()}' is computed by {kind}: left white")
        if self._number("opacityThreshold", 0.0) > 0:
            return rgb, alpha, "MASK"
        return rgb, alpha, "BLEND" if fade or alpha < 1 else "OPAQUE"

    def _metal(self) -> tuple[float, float]:
        rough, rough_channel = self._source("roughness")
        metal, metal_channel = self._source("metallic")
        metallic, roughness = self._number("metallic", 0.0), self._number("roughness", 0.5)
        if not rough and not metal:
            return metallic, roughness
        nodes = [node for node in (rough, metal) if node]
        fits = (not rough or rough_channel == "g") and (not metal or metal_channel == "b")
        files = {str(_read_file_input(node)) for node in nodes}
        if not fits or len(files) > 1 or any(node.GetIdAttr().Get() != "UsdUVTexture" for node in nodes):
            name = self.material.GetPrim().GetName()
            self.notes.append(f"'{name}' has separate maps of roughness and metal, which are left out")
            return (0.0 if metal else metallic), (1.0 if rough else roughness)
        if self._use("metallic_roughness", nodes[0]):
            roughness = _read_rgba(rough, "scale", 1.0)[1] if rough else roughness
            metallic = _read_rgba(metal, "scale", 1.0)[2] if metal else metallic
        return metallic, roughness

    def _emissive(self) -> RGB:
        node, _ = self._source("emissiveColor")
        if node and node.GetIdAttr().Get() == "UsdUVTexture" and self._use("emissive", node):
            return _read_rgba(node, "scale", 1.0)[:3]
        return self._vector("emissiveColor", (0.0, 0.0, 0.0))

    def _strengths(self) -> None:
        """Normal and occlusion maps, whose strength lies in the scale of the texture."""
        node, _ = self._source("normal")
        if node and node.GetIdAttr().Get() == "UsdUVTexture":
            self._use("normal", node, strength=_read_rgba(node, "scale", 2.0)[0] / 2.0)
        node, _ = self._source("occlusion")
        if node and node.GetIdAttr().Get() == "UsdUVTexture":
            self._use("occlusion", node, strength=_read_rgba(node, "scale", 1.0)[0])

    def _use(self, slot: str, node: UsdShade.Shader, strength: float = 1.0) -> bool:
        asset = _read_file_input(node)
        if asset is None or "<UDIM>" in asset.path:
            if asset is not None:
                self.notes.append(f"the tiled texture '{asset.path}' is left out")
            return False
        name = node.GetPrim().GetCustomDataByKey("neurok:name")
        texture = self.table.texture(asset, _read_sampler(node), name if isinstance(name, str) else None)
        if texture is None:
            return False
        name, moved = _read_coordinates(node)
        extensions = {"KHR_texture_transform": moved} if moved else {}
        self.uses[slot] = TextureUse(texture, self.uvs.get(name, 0), strength, extensions)
        return True

    def _source(self, name: str) -> tuple[UsdShade.Shader | None, str]:
        return find_source(self.shader, name)

    def _number(self, name: str, otherwise: float) -> float:
        value = _read_input(self.shader, name)
        return float(value) if isinstance(value, (int, float)) and np.isfinite(value) else otherwise

    def _vector(self, name: str, otherwise: RGB) -> RGB:
        value = _read_input(self.shader, name)
        if value is None or not hasattr(value, "__len__") or len(value) != 3 or not np.isfinite(list(value)).all():
            return otherwise
        return make_rgb(value)


def find_source(shader: UsdShade.Shader, name: str) -> tuple[UsdShade.Shader | None, str]:
    """The shader that feeds an input, and the name of its output."""
    field = shader.GetInput(name)
    for attribute in UsdShade.Utils.GetValueProducingAttributes(field) if field else ():
        if UsdShade.Output.IsOutput(attribute):
            return UsdShade.Shader(attribute.GetPrim()), UsdShade.Output(attribute).GetBaseName()
    return None, ""


def _read_input(shader: UsdShade.Shader, name: str) -> Any:
    """The value of an input that no shader feeds, of whatever type the file gives it."""
    field = shader.GetInput(name)
    for attribute in UsdShade.Utils.GetValueProducingAttributes(field) if field else ():
        if not UsdShade.Output.IsOutput(attribute):
            return attribute.Get()
    return None


def _read_file_input(node: UsdShade.Shader) -> Sdf.AssetPath | None:
    value = _read_input(node, "file")
    return value if isinstance(value, Sdf.AssetPath) else None


def _read_rgba(node: UsdShade.Shader, name: str, otherwise: float) -> RGBA:
    value = _read_input(node, name)
    if value is None or not hasattr(value, "__len__") or len(value) != 4:
        return otherwise, otherwise, otherwise, otherwise
    return make_rgba(value)


def _read_sampler(node: UsdShade.Shader) -> dict[str, int]:
    own = parse_kept_dictionary(node.GetPrim().GetCustomDataByKey("neurok:sampler"))
    if own:
        return own
    wraps = {key: WRAP_NUMBERS.get(_read_input(node, key)) for key in ("wrapS", "wrapT")}
    return {key: value for key, value in wraps.items() if value is not None}


def _read_coordinates(node: UsdShade.Shader) -> tuple[str, dict]:
    """The primvar a texture is looked up with, and the shift it undergoes, where a file of ours says so."""
    moved: dict = {}
    source, _ = find_source(node, "st")
    if source and source.GetIdAttr().Get() == "UsdTransform2d":
        moved = parse_kept_dictionary(source.GetPrim().GetCustomDataByKey("neurok:transform"))
        source, _ = find_source(source, "in")
    name = _read_input(source, "varname") if source else None
    return str(name) if name else "st", moved


def parse_kept_dictionary(text: object) -> dict:
    """A dictionary that a writer kept as JSON; empty where the text is not one (a stranger may have changed it)."""
    if not isinstance(text, str):
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
