"""glTF to Asset: the scene as it is displayed by default, and a motion for each clip.

Asset.mesh holds the default scene with world transforms, skins and default
morph weights applied, in the axes of glTF: y up, metres. Each shown node is a
part. Vertices come in depth-first node order and primitives in file order;
primitives of a node that use the very same accessors share their vertices.
Files of our own may say otherwise: see `part_table` and `numbering`.
"""

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.gltf.numbering import restore_order
from neurok.files.gltf.part_table import read_parts, read_properties
from neurok.files.gltf.reading.attributes import carry_attributes, compute_linear_parts, join_attributes
from neurok.files.gltf.reading.container import GltfDocument, open_document
from neurok.files.gltf.reading.fields import damage_error
from neurok.files.gltf.reading.materials import read_materials
from neurok.files.gltf.reading.motions import read_motions
from neurok.files.gltf.reading.pose import GltfModel, apply_morphs, blend_block, compute_block_matrices, open_model
from neurok.files.gltf.reading.scene import compute_world_matrices
from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.geometry.mesh import NO_LABELS, Mesh


def read_asset(source: Source) -> Asset:
    """Read a .glb or .gltf file; every fault in it becomes an InputError that names the file."""
    try:
        with np.errstate(all="ignore"):  # overflow shows as numbers that are not finite, which are refused
            document = open_document(source)
            model = open_model(document)
            mesh = build_default_mesh(document, model)
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


def build_default_mesh(document: GltfDocument, model: GltfModel) -> Mesh:
    """The displayed scene in its default pose."""
    worlds = compute_world_matrices(model.scene)
    materials = read_materials(document)
    parts, node_part = read_parts(document, model.scene)
    parts = read_properties(parts, node_part, model.scene)
    vertices = np.empty((model.starts[-1], 3))
    columns: list[dict[str, NDArray]] = []
    faces, face_material, face_part = [], [], []
    for block, start, end in zip(model.blocks, model.starts, model.starts[1:]):
        matrices = compute_block_matrices(block, worlds)
        vertices[start:end] = blend_block(block, matrices, apply_morphs(block, block.influences, "position"))
        linear = compute_linear_parts(block, matrices)
        columns.append(carry_attributes(block, linear))
        mirrored = np.sum(np.sign(np.linalg.det(linear))) < 0
        for triangles, material in block.geometry.primitives:
            if material >= len(materials):
                raise damage_error(f"the file refers to material {material} of {len(materials)}")
            faces.append((triangles[:, [0, 2, 1]] if mirrored else triangles) + start)
            face_material.append(np.full(len(triangles), material))
            face_part.append(np.full(len(triangles), node_part[block.node]))
    if not np.isfinite(vertices).all():
        raise damage_error("the transforms of the nodes carry vertices to infinity")
    return Mesh(
        vertices=vertices,
        faces=np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int64),
        attributes=join_attributes(document, columns, np.diff(model.starts).tolist()),
        materials=materials,
        face_material=np.concatenate(face_material) if faces else NO_LABELS,
        parts=parts,
        face_part=np.concatenate(face_part) if faces else NO_LABELS,
    )
