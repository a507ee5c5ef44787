"""Writing materials: metallic-roughness surfaces as UsdPreviewSurface, textures as files beside the stage."""

import json
from dataclasses import dataclass, field
from math import degrees
from pathlib import Path

from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade

from neurok.files.images import find_image_suffix
from neurok.files.usd.names import make_file_stem, make_identifier
from neurok.geometry.mesh import Material, Mesh, Texture, TextureUse

WRAP_MODES = {10497: "repeat", 33071: "clamp", 33648: "mirror"}  # glTF's numbers


@dataclass
class TextureFolder:
    """Where the encoded images go; each image is written once."""

    folder: Path  # of the stage
    name: str  # of the folder beside it
    written: dict[tuple[bytes, str], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def write_texture(self, texture: Texture) -> str:
        """The image's path relative to the stage; written on first use."""
        key = (texture.image, texture.name)
        if key not in self.written:
            suffix = find_image_suffix(texture.mime)
            stem, number = make_file_stem(texture.name or "texture"), 1
            name = stem + suffix
            while name.lower() in self.taken:  # some file systems do not tell cases apart
                number += 1
                name = f"{stem}_{number}{suffix}"
            self.taken.add(name.lower())
            (self.folder / self.name).mkdir(exist_ok=True)
            (self.folder / self.name / name).write_bytes(texture.image)
            self.written[key] = f"./{self.name}/{name}"
        return self.written[key]


def write_materials(stage: Usd.Stage, mesh: Mesh, root: Usd.Prim, folder: Path, stem: str) -> list[UsdShade.Material]:
    """All materials of a mesh below <root>/Materials, in order."""
    if not mesh.materials:
        return []
    scope = UsdGeom.Scope.Define(stage, root.GetPath().AppendChild("Materials"))
    textures = TextureFolder(folder, f"{make_file_stem(stem)}_textures")
    colored = "color" in mesh.attributes or "color" in mesh.corner_attributes
    taken: set[str] = set()
    return [
        _ShaderGraph(stage, scope.GetPath().AppendChild(make_identifier(m.name or "material", taken)), textures).write(
            m, colored
        )
        for m in mesh.materials
    ]


class _ShaderGraph:
    """The shader network of one material."""

    def __init__(self, stage: Usd.Stage, path: Sdf.Path, textures: TextureFolder) -> None:
        self.stage, self.textures = stage, textures
        self.material = UsdShade.Material.Define(stage, path)
        self.shader = self._node("Surface", "UsdPreviewSurface")

    def write(self, material: Material, colored: bool) -> UsdShade.Material:
        prim = self.material.GetPrim()
        prim.SetDisplayName(material.name)
        prim.SetCustomDataByKey("neurok:doubleSided", material.double_sided)
        if material.extensions:
            prim.SetCustomDataByKey("neurok:extensions", json.dumps(dict(material.extensions), sort_keys=True))
        self.shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
        self.material.CreateSurfaceOutput().ConnectToSource(self.shader.ConnectableAPI(), "surface")
        self._base_color(material, colored)
        self._metal(material)
        self._normal(material)
        self._occlusion(material)
        self._emissive(material)
        return self.material

    def _base_color(self, material: Material, colored: bool) -> None:
        use = material.textures.get("base_color")
        blended = material.alpha_mode != "OPAQUE"
        if material.alpha_mode == "MASK":
            self._input("opacityThreshold", "Float").Set(float(material.alpha_cutoff))
        if use:
            node = self._texture("base_color", use, "sRGB", scale=material.base_color)
            self._connect("diffuseColor", "Color3f", node, "rgb", "Float3")
            if blended:
                self._connect("opacity", "Float", node, "a", "Float")
            return
        if colored and material.base_color[:3] == (1.0, 1.0, 1.0):
            # A preview surface cannot multiply; a white one shows the mesh's own colours.
            reader = self._node("Color", "UsdPrimvarReader_float3")
            reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("displayColor")
            reader.CreateInput("fallback", Sdf.ValueTypeNames.Float3).Set(Gf.Vec3f(1, 1, 1))
            self._connect("diffuseColor", "Color3f", reader, "result", "Float3")
        else:
            self._input("diffuseColor", "Color3f").Set(Gf.Vec3f(*map(float, material.base_color[:3])))
        if blended:
            self._input("opacity", "Float").Set(float(material.base_color[3]))

    def _metal(self, material: Material) -> None:
        use = material.textures.get("metallic_roughness")
        if use:
            scale = (1.0, material.roughness, material.metallic, 1.0)  # green is roughness, blue is metal
            node = self._texture("metallic_roughness", use, "raw", scale=scale)
            self._connect("roughness", "Float", node, "g", "Float")
            self._connect("metallic", "Float", node, "b", "Float")
        else:
            self._input("roughness", "Float").Set(float(material.roughness))
            self._input("metallic", "Float").Set(float(material.metallic))

    def _normal(self, material: Material) -> None:
        use = material.textures.get("normal")
        if use:
            s = float(use.strength)
            node = self._texture("normal", use, "raw", scale=(2 * s, 2 * s, 2, 1), bias=(-s, -s, -1, 0))
            self._connect("normal", "Normal3f", node, "rgb", "Float3")

    def _occlusion(self, material: Material) -> None:
        use = material.textures.get("occlusion")
        if use:
            s = float(use.strength)
            node = self._texture("occlusion", use, "raw", scale=(s, s, s, 1), bias=(1 - s, 1 - s, 1 - s, 0))
            self._connect("occlusion", "Float", node, "r", "Float")

    def _emissive(self, material: Material) -> None:
        use = material.textures.get("emissive")
        if use:
            node = self._texture("emissive", use, "sRGB", scale=(*material.emissive, 1.0))
            self._connect("emissiveColor", "Color3f", node, "rgb", "Float3")
        elif any(material.emissive):
            self._input("emissiveColor", "Color3f").Set(Gf.Vec3f(*map(float, material.emissive)))

    def _texture(
        self, slot: str, use: TextureUse, space: str, *, scale: tuple, bias: tuple | None = None
    ) -> UsdShade.Shader:
        node = self._node(f"{slot}_texture", "UsdUVTexture")
        types = Sdf.ValueTypeNames
        node.CreateInput("file", types.Asset).Set(Sdf.AssetPath(self.textures.write_texture(use.texture)))
        node.CreateInput("sourceColorSpace", types.Token).Set(space)
        for ours, theirs in (("wrapS", "wrapS"), ("wrapT", "wrapT")):
            wrap = WRAP_MODES.get(use.texture.sampler.get(ours, 10497), "repeat")
            node.CreateInput(theirs, types.Token).Set(wrap)
        if tuple(scale) != (1, 1, 1, 1):
            node.CreateInput("scale", types.Float4).Set(Gf.Vec4f(*map(float, scale)))
        if bias is not None and any(bias):
            node.CreateInput("bias", types.Float4).Set(Gf.Vec4f(*map(float, bias)))
        node.CreateInput("st", types.Float2).ConnectToSource(*self._coordinates(slot, use))
        node.GetPrim().SetCustomDataByKey("neurok:name", use.texture.name)
        if use.texture.sampler:
            node.GetPrim().SetCustomDataByKey("neurok:sampler", json.dumps(dict(use.texture.sampler), sort_keys=True))
        return node

    def _coordinates(self, slot: str, use: TextureUse) -> tuple[UsdShade.ConnectableAPI, str]:
        """What a texture is looked up with: a set of texture coordinates, shifted and turned where the file does."""
        stated = use.extensions.get("KHR_texture_transform")
        moved = stated if isinstance(stated, dict) else {}
        number = moved.get("texCoord", use.uv_set)
        reader = self._node(f"{slot}_uv", "UsdPrimvarReader_float2")
        reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st" + (str(number) if number else ""))
        reader.CreateOutput("result", Sdf.ValueTypeNames.Float2)
        if not moved:
            return reader.ConnectableAPI(), "result"
        return self._moved(slot, moved, reader), "result"

    def _moved(self, slot: str, moved: dict, reader: UsdShade.Shader) -> UsdShade.ConnectableAPI:
        """KHR_texture_transform as UsdTransform2d.

        glTF: (u, v) -> offset + R(-r) S (u, v), v downwards. With v' = 1 - v the same turn reads
        R(r) S (u, v') + t, where t makes the images of the corner v' = 1 agree.
        """
        (sx, sy), (ox, oy), r = moved.get("scale", (1, 1)), moved.get("offset", (0, 0)), moved.get("rotation", 0.0)
        node = self._node(f"{slot}_moved", "UsdTransform2d")
        types = Sdf.ValueTypeNames
        turn = Gf.Rotation(Gf.Vec3d(0, 0, 1), degrees(r))
        corner = turn.TransformDir(Gf.Vec3d(0, sy, 0))
        node.CreateInput("scale", types.Float2).Set(Gf.Vec2f(sx, sy))
        node.CreateInput("rotation", types.Float).Set(degrees(r))
        node.CreateInput("translation", types.Float2).Set(Gf.Vec2f(ox - corner[0], 1 - oy - corner[1]))
        node.CreateInput("in", types.Float2).ConnectToSource(reader.ConnectableAPI(), "result")
        node.CreateOutput("result", types.Float2)
        node.GetPrim().SetCustomDataByKey("neurok:transform", json.dumps(moved, sort_keys=True))
        return node.ConnectableAPI()

    def _node(self, name: str, kind: str) -> UsdShade.Shader:
        node = UsdShade.Shader.Define(self.stage, self.material.GetPath().AppendChild(name))
        node.CreateIdAttr(kind)
        return node

    def _input(self, name: str, kind: str) -> UsdShade.Input:
        return self.shader.CreateInput(name, getattr(Sdf.ValueTypeNames, kind))

    def _connect(self, name: str, kind: str, node: UsdShade.Shader, output: str, output_kind: str) -> None:
        node.CreateOutput(output, getattr(Sdf.ValueTypeNames, output_kind))
        self._input(name, kind).ConnectToSource(node.ConnectableAPI(), output)
