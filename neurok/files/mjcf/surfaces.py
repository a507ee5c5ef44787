"""The visuals of a MuJoCo model: a mesh for each material of each body, and pictures that MuJoCo can decode."""

import io
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neurok.files.bodies import LinkBody
from neurok.files.xmltext import format_numbers, make_unique_text
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Material, Mesh, Texture, TextureUse, split_corners
from neurok.geometry.triangles import face_areas

GREY_RGBA = (0.7, 0.7, 0.7, 1.0)
MIN_VISUAL_AREA = 1e-12  # [m^2]; MuJoCo refuses meshes below 1e-15


class MjcfVisuals:
    """Adds visuals to a model; every material and picture enters it once."""

    def __init__(self, asset: ET.Element, files: dict[str, bytes], materials: Sequence[Material]) -> None:
        self.asset, self.files = asset, files
        # By identity: the bodies' meshes share the whole mesh's materials, which have no hash of their own.
        self.names = dict(
            zip(map(id, materials), make_unique_text(material.name or "material" for material in materials))
        )
        self.written: set[str] = set()
        self.pictures: dict[bytes, str | None] = {}

    def show(self, element: ET.Element, body: LinkBody) -> None:
        """Add the visual geoms of a body, which never collide."""
        if body.mesh is None:
            return
        for label in np.unique(body.mesh.face_material).tolist():
            mesh = select_faces(body.mesh, body.mesh.face_material == label)
            if face_areas(mesh.vertices, mesh.faces).sum() < MIN_VISUAL_AREA:
                continue
            material = body.mesh.materials[label] if label >= 0 else None
            name = f"{body.file}_{label}" if label >= 0 else f"{body.file}_plain"
            use = material.textures.get("base_color") if material else None
            self.files[f"{name}.obj"] = _encode_visual(mesh, use)
            # As a shell: MuJoCo takes the volume of a flat mesh for a mistake.
            ET.SubElement(self.asset, "mesh", name=name, file=f"{name}.obj", inertia="shell")
            look = {"material": self._material(material)} if material else {"rgba": format_numbers(_mean_color(mesh))}
            seen = {"contype": "0", "conaffinity": "0", "group": "2", "mass": "0"}
            ET.SubElement(element, "geom", {"type": "mesh", "mesh": name, **seen, **look})

    def _material(self, material: Material) -> str:
        name = self.names[id(material)]
        if name in self.written:
            return name
        self.written.add(name)
        look = {"name": name, "rgba": format_numbers(material.base_color), "specular": "0.2"}
        look["shininess"] = format_numbers([float(np.clip(1.0 - material.roughness, 0.0, 1.0))])
        picture = self._picture(material.textures["base_color"].texture) if "base_color" in material.textures else None
        if picture is not None:
            look["texture"] = picture
        ET.SubElement(self.asset, "material", look)
        return name

    def _picture(self, texture: Texture) -> str | None:
        if texture.image not in self.pictures:
            name = f"picture_{len(self.pictures)}"
            data = encode_png(texture)
            self.pictures[texture.image] = name if data is not None else None
            if data is not None:
                self.files[f"{name}.png"] = data
                ET.SubElement(self.asset, "texture", name=name, type="2d", file=f"{name}.png")
        return self.pictures[texture.image]


def encode_png(texture: Texture) -> bytes | None:
    """The picture as a PNG with 8 bits a channel, unchanged where it is one already.

    None, with a warning, where it cannot be decoded.
    """
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(texture.image))
        image.load()
        if image.format == "PNG" and image.mode in ("RGB", "RGBA"):
            return texture.image
        buffer = io.BytesIO()
        image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB").save(buffer, "PNG")
        return buffer.getvalue()
    except Exception as fault:  # Pillow's decoders raise all kinds for damaged pictures
        warnings.warn(f"the picture '{texture.name}' cannot be decoded ({fault}) and is left out", stacklevel=2)
        return None


def _encode_visual(mesh: Mesh, use: TextureUse | None) -> bytes:
    """The OBJ of a mesh with one material; texture coordinates where it has a picture."""
    key = f"uv{use.uv_set}" if use is not None else ""
    mesh = replace(mesh, corner_attributes={k: v for k, v in mesh.corner_attributes.items() if k == key})
    mesh, _ = split_corners(mesh)
    used, faces = np.unique(mesh.faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    vertices, uv = mesh.vertices[used], mesh.attributes.get(key)
    if uv is not None and use is not None:
        uv = transform_uv(np.asarray(uv)[used], use.extensions)
    if len(vertices) == 3:  # one triangle becomes three around its middle: MuJoCo wants four vertices
        vertices = np.vstack([vertices, vertices.mean(axis=0)])
        uv = np.vstack([uv, uv.mean(axis=0)]) if uv is not None else None
        a, b, c = faces[0]
        faces = np.array([[a, b, 3], [b, c, 3], [c, a, 3]])
    return encode_obj(vertices, faces, uv)


def transform_uv(uv: Array, extensions: Mapping[str, object]) -> Array:
    """Texture coordinates after a KHR_texture_transform, uv' = offset + R(rotation) (scale * uv), [n, 2]."""
    move = extensions.get("KHR_texture_transform")
    if not isinstance(move, Mapping):
        return uv
    c, s = np.cos(float(move.get("rotation", 0.0))), np.sin(float(move.get("rotation", 0.0)))
    scaled = uv * np.asarray(move.get("scale", (1.0, 1.0)))
    return scaled @ np.array([[c, -s], [s, c]]) + np.asarray(move.get("offset", (0.0, 0.0)))


def encode_obj(vertices: Array, faces: Indices, uv: Array | None = None) -> bytes:
    """An OBJ of triangles, with one texture coordinate per vertex (origin at the top left) where given."""
    lines = ["v {!r} {!r} {!r}".format(*row) for row in vertices.tolist()]
    if uv is None:
        lines += ["f {} {} {}".format(*row) for row in (faces + 1).tolist()]
    else:
        lines += [f"vt {u!r} {1.0 - v!r}" for u, v in np.asarray(uv, dtype=np.float64).tolist()]
        lines += ["f {0}/{0} {1}/{1} {2}/{2}".format(*row) for row in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _mean_color(mesh: Mesh) -> tuple[float, ...]:
    """The mean of the vertices' colours, which MuJoCo cannot show one by one; grey where there are none."""
    color = mesh.attributes.get("color")
    if color is None or mesh.face_count == 0:
        return GREY_RGBA
    return tuple(np.clip(np.asarray(color, dtype=np.float64)[mesh.faces].reshape(-1, 4).mean(axis=0), 0.0, 1.0))
