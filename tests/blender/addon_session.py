"""Run by Blender's own Python: installs the add-on, does with it what a person does, and writes down what came of it.

addon_session.py ZIP COMMAND FOLDER CASE   FOLDER holds object.npz and gets CASE.npz and CASE.json
"""

import json
import math
import os
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

MODULE = "bl_ext.user_default.neurok"
LAYER = "own"  # a UV layer, a colour layer and a vertex group of the person's own


def main() -> None:
    archive, command, folder, case = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    install(archive, command)
    facts, arrays = CASES[case](Path(folder))
    (Path(folder) / f"{case}.json").write_text(json.dumps(facts))
    np.savez(Path(folder) / f"{case}.npz", **arrays)


def install(archive: str, command: str) -> None:
    import addon_utils  # which is found once bpy is there

    addon_utils.enable("bl_pkg")
    done = bpy.ops.extensions.package_install_files(repo="user_default", filepath=archive, enable_on_install=True)
    assert done == {"FINISHED"}
    bpy.context.preferences.addons[MODULE].preferences.command = command


# ---------------------------------------------------------------- objects


def build_objects(folder: Path, *, joined: bool = False, placed: bool = True) -> list[bpy.types.Object]:
    """The parts of object.npz as objects, moved, turned and scaled, such that the world has the vertices of the file."""
    with np.load(folder / "object.npz") as arrays:
        vertices, faces, part, names = (arrays[name] for name in ("vertices", "faces", "part", "names"))
    T = Matrix.LocRotScale((0.4, -0.2, 1.1), Euler((0.3, 0.2, -0.5)), (1.2, 0.7, 2.0)) if placed else Matrix()
    made = []
    for number, name in enumerate(["whole"] if joined else names.tolist()):
        mine = faces if joined else faces[part == number]
        used, inverse = np.unique(mine, return_inverse=True)
        local = [T.inverted() @ Vector(vertex) for vertex in vertices[used]]
        mesh = bpy.data.meshes.new(f"{name} mesh")
        mesh.from_pydata(local, [], inverse.reshape(-1, 3).tolist())
        paint(mesh, number)
        thing = bpy.data.objects.new(str(name), mesh)
        thing.matrix_world = T
        thing.vertex_groups.new(name=LAYER).add([0, 1], 0.5, "REPLACE")
        bpy.context.scene.collection.objects.link(thing)
        made.append(thing)
    bpy.context.view_layer.update()
    return made


def paint(mesh: bpy.types.Mesh, number: int) -> None:
    """Two materials, UVs that tell every corner, and shading of its own."""
    for slot in range(2):
        mesh.materials.append(bpy.data.materials.new(f"paint {number} {slot}"))
    for face in mesh.polygons:
        face.material_index = face.index % 2
        face.use_smooth = face.index % 3 == 0
    layer = mesh.uv_layers.new(name=LAYER)
    for index, entry in enumerate(layer.data):
        entry.uv = (index / len(layer.data), math.sin(index))


def select(*things: bpy.types.Object) -> None:
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in things)
    bpy.context.view_layer.objects.active = things[0]


def find_rig() -> bpy.types.Object:
    (rig,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    return rig


def drawn(things: list[bpy.types.Object]) -> np.ndarray:
    """What is drawn of some objects: the corners of their faces in the world, by their UVs, [corners, 3]."""
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for thing in things:
        mesh = thing.evaluated_get(graph).data
        rows = np.array([(*mesh.vertices[loop.vertex_index].co, 1.0) for loop in mesh.loops])
        order = np.argsort([entry.uv[0] for entry in mesh.uv_layers[LAYER].data], kind="stable")
        found.append((rows @ np.array(thing.evaluated_get(graph).matrix_world).T)[order, :3])
    return np.concatenate(found)


def looks(things: list[bpy.types.Object]) -> list:
    """What has to survive of some objects: by the UV of each face's first corner its material, shading and UVs."""
    rows = []
    for thing in things:
        mesh = thing.data
        uv = [tuple(round(x, 6) for x in entry.uv) for entry in mesh.uv_layers[LAYER].data]
        faces = [
            (uv[f.loop_start : f.loop_start + f.loop_total], mesh.materials[f.material_index].name, f.use_smooth)
            for f in mesh.polygons
        ]
        own = thing.vertex_groups[LAYER].index
        held = sorted(
            round(entry.weight, 6) for vertex in mesh.vertices for entry in vertex.groups if entry.group == own
        )
        pose = [round(x, 6) for row in thing.matrix_world for x in row]
        rows.append([thing.name, mesh.name, pose, sorted(map(str, faces)), held[:1]])
    return rows


def describe_bones(rig: bpy.types.Object) -> dict:
    """Joints as Blender's constraints have them, in the world."""
    found = {}
    for bone in rig.pose.bones:
        if "neurok_kind" not in bone.bone:
            continue
        turn, slide = bone.constraints["neurok turn"], bone.constraints["neurok slide"]
        found[bone.name] = {
            "kind": bone.bone["neurok_kind"],
            "parent": bone.parent.name,
            "axis": list(bone.bone.matrix_local.to_3x3().col[1]),
            "pivot": list(bone.bone.head_local),
            "turn": [turn.min_y, turn.max_y] if turn.use_limit_y else None,
            "slide": [slide.min_y, slide.max_y] if slide.use_min_y and slide.use_max_y else None,
            "locks": [list(bone.lock_location), list(bone.lock_rotation), list(bone.lock_scale)],
            "spaces": [turn.owner_space, slide.owner_space],
        }
    return found


def pose(rig: bpy.types.Object, name: str, value: float) -> None:
    bone = rig.pose.bones[name]
    if bone.bone["neurok_kind"] == "prismatic":
        bone.location[1] = value
    else:
        bone.rotation_euler[1] = value


# ---------------------------------------------------------------- what a person does


def find(folder: Path, **how: bool):
    """Objects are made, selected and rigged; then every joint goes to both its ends, and beyond."""
    things = build_objects(folder, **how)
    before, first = looks(things), drawn(things)
    select(*things)
    assert bpy.ops.neurok.find_parts() == {"FINISHED"}
    rig = find_rig()
    bones = describe_bones(rig)
    arrays = {"before": first, "rest": drawn(things)}
    for name, bone in bones.items():
        for end, limit in enumerate(bone["turn"] or bone["slide"]):
            for case, more in (("at", 0.0), ("beyond", 0.3 * (2 * end - 1))):
                pose(rig, name, limit + more)
                arrays[f"{case} {end} {name}"] = drawn(things)
        pose(rig, name, 0.0)
    facts = {"bones": bones, "kept": before == looks(things), "parents": [thing.parent == rig for thing in things]}
    return facts, arrays


def find_joined(folder: Path):
    return find(folder, joined=True)


def simulate(folder: Path):
    """A rig is simulated; where every joint and every corner is in each frame."""
    things = build_objects(folder)
    select(*things)
    assert bpy.ops.neurok.find_parts() == {"FINISHED"}
    rig = find_rig()
    asked = json.loads((folder / "asked.json").read_text())
    name, value = asked["pose"]
    pose(rig, name, value)
    bpy.context.scene.cursor.location = asked["cursor"]
    bpy.context.scene.render.fps = 24
    select(rig)
    bpy.context.view_layer.update()
    done = bpy.ops.neurok.simulate(seconds=1.0, fps=12.0, action=asked["action"], vector=asked["vector"])
    assert done == {"FINISHED"}
    frames, shapes, states = [], [], []
    for number in range(13):
        frames.append(1 + 2 * number)
        bpy.context.scene.frame_set(frames[-1])
        shapes.append(drawn(things))
        states.append(
            [
                bone.location[1] if bone.bone["neurok_kind"] == "prismatic" else bone.rotation_euler[1]
                for bone in rig.pose.bones
                if "neurok_kind" in bone.bone
            ]
        )
    keys = {len(curve.keyframe_points) for curve in rig.animation_data.action.fcurves}
    facts = {"bones": describe_bones(rig), "keys": sorted(keys), "end": bpy.context.scene.frame_end}
    return facts, {"shapes": np.array(shapes), "states": np.array(states)}


CASES = {"find": find, "find_joined": find_joined, "simulate": simulate}

if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # all is written; the module's own shutdown crashes at times
