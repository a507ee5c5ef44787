"""Run by Blender's own Python: opens a file and writes the vertices it would draw.

evaluate.py FILE OUT.npz FPS FRAME...   frames are Blender's, FPS the rate at which it lays out seconds
"""

import os
import sys

import bpy
import numpy as np


def main() -> None:
    path, out, fps, *frames = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = int(fps)
    if path.endswith((".glb", ".gltf")):
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path)
    np.savez(out, vertices=np.stack([_vertices(float(frame)) for frame in frames]))


def _vertices(frame: float) -> np.ndarray:
    """World positions of all vertices of all visible meshes at one frame, modifiers and animation applied, [n, 3]."""
    scene = bpy.context.scene
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for thing in scene.objects:
        # The glTF importer makes a small sphere to draw bones with; it is not part of the file.
        if (
            thing.type != "MESH"
            or not thing.visible_get()
            or "glTF_not_exported" in [c.name for c in thing.users_collection]
        ):
            continue
        shape = thing.evaluated_get(graph)
        mesh = shape.to_mesh()
        local = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", local)
        T = np.array(shape.matrix_world)
        found.append(local.reshape(-1, 3) @ T[:3, :3].T + T[:3, 3])
        shape.to_mesh_clear()
    return np.concatenate(found)


main()
sys.stdout.flush()
os._exit(0)  # all is written; the module's own shutdown crashes after a glTF import
