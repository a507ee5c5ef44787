"""The writing half of OBJ: the mesh, its material library and its textures.

Coordinates are written with as many digits as it takes to read the same
numbers again. Triangles of one polygon are written as that polygon.
"""

import re
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from neurok.files.axes_note import format_axes
from neurok.files.images import find_image_suffix
from neurok.files.names import make_unique
from neurok.files.polygons import join_fans
from neurok.geometry.mesh import Material, Mesh, TextureUse


def write_files(mesh: Mesh, folder: Path, name: str) -> None:
    """Write NAME, and STEM.mtl with STEM_*.png beside it where there are materials."""
    stem = PurePosixPath(name).stem
    labels = make_unique([_make_one_line(m.name) or f"material_{i}" for i, m in enumerate(mesh.materials)])
    if labels:
        (folder / f"{stem}.mtl").write_text(_format_library(mesh.materials, labels, folder, stem), encoding="utf-8")
    blocks = [f"# {format_axes(mesh)}\n", *([f"mtllib {stem}.mtl\n"] if labels else [])]
    blocks.append(_format_vertices(mesh))
    texcoords, texcoord_index = _find_distinct_values(mesh, "uv0")
    normals, normal_index = _find_distinct_values(mesh, "normal")
    if texcoords is not None:
        blocks.append(_format_rows("vt", np.stack([texcoords[:, 0], 1.0 - texcoords[:, 1]], axis=1)))
    if normals is not None:
        blocks.append(_format_rows("vn", normals))
    blocks += _format_faces(mesh, labels, texcoord_index, normal_index)
    with open(folder / name, "w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(blocks)


def _format_rows(keyword: str, table: NDArray) -> str:
    pattern = keyword + " %r" * table.shape[1] + "\n"
    return "".join([pattern % tuple(row) for row in table.tolist()])


def _format_vertices(mesh: Mesh) -> str:
    color = mesh.attributes.get("color")
    if color is None:
        return _format_rows("v", mesh.vertices)
    return _format_rows("v", np.concatenate([mesh.vertices, np.asarray(color, dtype=np.float64)[:, :3]], axis=1))


def _find_distinct_values(mesh: Mesh, name: str) -> tuple[NDArray | None, NDArray | None]:
    """The distinct values of an attribute, [k, d], and which one each corner has, [m, 3]."""
    if name in mesh.attributes:
        return np.asarray(mesh.attributes[name], dtype=np.float64), mesh.faces
    if name not in mesh.corner_attributes:
        return None, None
    corners = np.asarray(mesh.corner_attributes[name], dtype=np.float64)
    flat = np.ascontiguousarray(corners.reshape(-1, corners.shape[-1])) + 0.0  # -0.0 is 0.0
    keys = flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return flat[first], inverse.reshape(-1, 3)


def _format_faces(mesh: Mesh, labels: list[str], texcoords: NDArray | None, normals: NDArray | None) -> list[str]:
    """The `f` lines, with `o`, `g` and `usemtl` before those for which they change."""
    blocks: list[str] = []
    state = np.stack([mesh.face_part, mesh.face_material], axis=1)
    places, counts, first = join_fans(mesh)
    every = _format_corners(mesh, texcoords, normals)
    words = [every[place] for place in places.tolist()]
    ends = np.cumsum(counts).tolist()
    lines = [f"f {' '.join(words[start:end])}\n" for start, end in zip([0, *ends], ends)]
    state = state[first]
    runs = np.flatnonzero(np.any(np.diff(state, axis=0, prepend=-2) != 0, axis=1)).tolist()
    part = material = -1
    for start, end in zip(runs, [*runs[1:], len(lines)]):
        if int(state[start, 0]) != part:
            part = int(state[start, 0])
            blocks.append(_format_part(mesh, part))
        if int(state[start, 1]) != material:
            material = int(state[start, 1])
            blocks.append(f"usemtl {labels[material] if material >= 0 else ''}\n")
        blocks += lines[start:end]
    named = set(mesh.face_part.tolist()) | {p.parent for p in mesh.parts}
    blocks += [_format_part(mesh, index) for index in range(len(mesh.parts)) if index not in named]
    return blocks


def _format_part(mesh: Mesh, part: int) -> str:
    """A part without parent is an object, one below it a group of that object."""
    if part < 0:
        return "o\n"
    root = part
    for _ in mesh.parts:  # bounded: a tree is no deeper than it has parts
        if mesh.parts[root].parent < 0:
            break
        root = mesh.parts[root].parent
    lines = f"o {_make_one_line(mesh.parts[root].name) or f'part_{root}'}\n"
    return lines if root == part else lines + f"g {_make_one_line(mesh.parts[part].name) or f'part_{part}'}\n"


def _format_corners(mesh: Mesh, texcoords: NDArray | None, normals: NDArray | None) -> list[str]:
    """v, v/vt, v//vn or v/vt/vn for each corner, [3 m]."""
    vertex = (mesh.faces.reshape(-1) + 1).tolist()
    if normals is None:
        if texcoords is None:
            return [str(v) for v in vertex]
        return [f"{v}/{vt}" for v, vt in zip(vertex, (texcoords.reshape(-1) + 1).tolist())]
    normal = (normals.reshape(-1) + 1).tolist()
    if texcoords is None:
        return [f"{v}//{vn}" for v, vn in zip(vertex, normal)]
    return [f"{v}/{vt}/{vn}" for v, vt, vn in zip(vertex, (texcoords.reshape(-1) + 1).tolist(), normal)]


def _format_library(materials: tuple[Material, ...], labels: list[str], folder: Path, stem: str) -> str:
    files: dict[bytes, str] = {}
    return "\n".join(_format_material(m, label, folder, stem, files) for m, label in zip(materials, labels))


def _format_material(material: Material, label: str, folder: Path, stem: str, files: dict[bytes, str]) -> str:
    red, green, blue, alpha = material.base_color
    shininess = 2.0 / max(material.roughness, 1e-2) ** 2 - 2.0
    lines = [f"newmtl {label}", f"Kd {red!r} {green!r} {blue!r}", f"d {alpha!r}", f"Ns {shininess!r}"]
    lines += [f"Pr {material.roughness!r}", f"Pm {material.metallic!r}"]
    glow = material.extensions.get("KHR_materials_emissive_strength", {})
    strength = float(glow.get("emissiveStrength", 1.0)) if isinstance(glow, dict) else 1.0
    if any(material.emissive):
        lines.append("Ke " + " ".join(repr(strength * e) for e in material.emissive))
    for slot, keyword in (("base_color", "map_Kd"), ("emissive", "map_Ke"), ("normal", "norm")):
        use = material.textures.get(slot)
        if use is not None:
            lines.append(f"{keyword} {_format_map_options(use, slot)}{write_texture(use, folder, stem, files)}")
    if material.alpha_mode != "OPAQUE" and "base_color" in material.textures:
        use = material.textures["base_color"]
        lines.append(f"map_d {_format_map_options(use, 'alpha')}{write_texture(use, folder, stem, files)}")
    return "\n".join(lines) + "\n"


def _format_map_options(use: TextureUse, slot: str) -> str:
    words = []
    move = use.extensions.get("KHR_texture_transform")
    if isinstance(move, dict):
        offset, scale = move.get("offset", [0.0, 0.0]), move.get("scale", [1.0, 1.0])
        words += [f"-o {offset[0]!r} {1.0 - offset[1] - scale[1]!r}", f"-s {scale[0]!r} {scale[1]!r}"]
    if slot == "normal" and use.strength != 1.0:
        words.append(f"-bm {use.strength!r}")
    if use.texture.sampler.get("wrapS") == 33071:
        words.append("-clamp on")
    return "".join(word + " " for word in words)


def write_texture(use: TextureUse, folder: Path, stem: str, files: dict[bytes, str]) -> str:
    """Write the image once; its name starts with the OBJ's own, so that no stranger's file is overwritten."""
    image = use.texture.image
    if image not in files:
        bare = re.sub(r"[^\w.-]+", "_", use.texture.name) or "texture"
        suffix = find_image_suffix(use.texture.mime)
        label = re.sub(r"\s+", "_", stem) + "_" + bare
        taken = set(files.values())
        number = next(n for n in range(1, len(taken) + 2) if _number_name(label, n, suffix) not in taken)
        files[image] = _number_name(label, number, suffix)
        (folder / files[image]).write_bytes(image)
    return files[image]


def _number_name(label: str, number: int, suffix: str) -> str:
    return label + suffix if number == 1 else f"{label}_{number}{suffix}"


def _make_one_line(name: str) -> str:
    """A name fit for one line of text."""
    return " ".join(name.split())
