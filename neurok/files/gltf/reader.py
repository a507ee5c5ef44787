"""glTF to Asset: the scene as it is displayed by default, and a motion for each clip.

Asset.mesh holds the default scene with world transforms, skins and default
morph weights applied, in the axes of glTF: y up, metres. Each shown node is a
part. Vertices come in depth-first node order and primitives in file order;
primitives of a node that use the very same accessors share their vertices. Files
of our own whose vertices carry their numbers come back in the order of those.
"""

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.gltf.appearance import read_materials
from neurok.files.gltf.blocks import Block
from neurok.files.gltf.container import Document, open_document
from neurok.files.gltf.fields import damaged
from neurok.files.gltf.motions import read_motions
from neurok.files.gltf.numbering import restore_order
from neurok.files.gltf.pose import Model, blend, block_matrices, morphed, open_model
from neurok.files.gltf.scene import world_matrices
from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.geometry.mesh import Array, Indices, Mesh, Part


def read_asset(source: Source) -> Asset:
    """Read a .glb or .gltf file; every fault in it becomes an InputError that names the file."""
    try:
        with np.errstate(all="ignore"):  # overflow shows as numbers that are not finite, which are refused
            document = open_document(source)
            model = open_model(document)
            mesh = default_mesh(document, model)
            mesh, motions = restore_order(document, mesh, read_motions(document, model, mesh))
        return Asset(mesh=mesh, motions=motions, notes=tuple(document.notes))
    except RecursionError:
        raise InputError(f"{source.name} is nested too deeply", "export it again") from None
    except MemoryError:
        raise InputError(
            f"{source.name} needs more memory than there is", "split it, or use a larger machine"
        ) from None
    except InputError as fault:
        if source.name in fault.problem:
            raise
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from fault


def default_mesh(document: Document, model: Model) -> Mesh:
    """The displayed scene in its default pose."""
    worlds = world_matrices(model.scene)
    materials = read_materials(document)
    vertices = np.empty((model.starts[-1], 3))
    columns: list[dict[str, NDArray]] = []
    faces, face_material, face_part = [], [], []
    for block, start, end in zip(model.blocks, model.starts, model.starts[1:]):
        matrices = block_matrices(block, worlds)
        vertices[start:end], attributes, mirrored = _displayed(block, matrices)
        columns.append(attributes)
        for triangles, material in block.geometry.primitives:
            if material >= len(materials):
                raise damaged(f"the file refers to material {material} of {len(materials)}")
            faces.append((triangles[:, [0, 2, 1]] if mirrored else triangles) + start)
            face_material.append(np.full(len(triangles), material))
            face_part.append(np.full(len(triangles), block.node))
    if not np.isfinite(vertices).all():
        raise damaged("the transforms of the nodes carry vertices to infinity")
    return Mesh(
        vertices=vertices,
        faces=np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int64),
        attributes=_join(document, columns, np.diff(model.starts)),
        materials=materials,
        face_material=np.concatenate(face_material) if faces else None,
        parts=tuple(Part(n.name, n.parent) for n in model.scene.nodes[: model.scene.shown]),
        face_part=np.concatenate(face_part) if faces else None,
    )


def _displayed(block: Block, matrices: Array) -> tuple[Array, dict[str, NDArray], bool]:
    """World positions [n, 3] and attributes of a block, and whether its transform mirrors it."""
    positions = blend(block, matrices, morphed(block, block.influences, "position"))
    attributes = dict(block.geometry.attributes)
    linear = _linear_parts(block, matrices)
    volume = np.linalg.det(linear)
    mirrored = bool(np.sum(np.sign(volume)) < 0)
    for name in attributes.keys() & {"normal", "tangent"}:
        if len(linear) == 1 and np.array_equal(linear[0], np.eye(3)) and not block.influences.any():
            continue  # the file's own numbers, to the last bit
        directions = morphed(block, block.influences, name)
        carried = _cofactors(linear) if name == "normal" else linear
        moved = np.einsum("...ab,...b->...a", carried, directions)
        if name == "normal":
            moved *= np.where(volume < 0, -1.0, 1.0)[:, None]
        moved = _unit(moved).astype(np.float32)
        if name == "tangent":
            side = attributes[name][:, 3] * np.where(volume < 0, -1, 1).astype(np.float32)
            moved = np.concatenate([moved, side[:, None]], axis=1)
        attributes[name] = moved
    return positions, attributes, mirrored


def _linear_parts(block: Block, matrices: Array) -> Array:
    """The linear map at each vertex of a skinned block, [n, 3, 3], or of the whole rigid one, [1, 3, 3]."""
    if block.binding is None:
        return matrices[None, :3, :3]
    joints, weights = block.geometry.joints, block.geometry.weights
    linear = np.zeros((len(joints), 3, 3))
    for j in range(joints.shape[1]):
        linear += weights[:, j, None, None] * matrices[joints[:, j], :3, :3]
    return linear


def _cofactors(linear: Array) -> Array:
    """det(M) M^-T, which carries normals, also where M has no inverse, [..., 3, 3]."""
    a, b, c = np.moveaxis(linear, -1, 0)
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=-1)


def _unit(directions: Array) -> Array:
    length = np.linalg.norm(directions, axis=-1, keepdims=True)
    return directions / np.where(length > 0, length, 1.0)


def _join(document: Document, columns: list[dict[str, NDArray]], counts: Indices) -> dict[str, NDArray]:
    """Attributes of all blocks one after the other; what a block lacks is white or zero, made-up normals are not."""
    joined = {}
    for name in dict.fromkeys(k for column in columns for k in column):
        widths = {column[name].shape[1] for column in columns if name in column}
        missing = any(name not in column for column in columns)
        if len(widths) > 1 or (missing and name in ("normal", "tangent")):
            document.note(f"only some meshes have {name}s (or of another width); they are left out")
            continue
        filler = np.float32(1.0 if name == "color" else 0.0)
        width = widths.pop()
        parts = [c[name] if name in c else np.full((n, width), filler) for c, n in zip(columns, counts)]
        joined[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined
