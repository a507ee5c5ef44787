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
    """The parts of object.npz as objects, moved, turned and scaled, such that the world has the file's vertices."""
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
    bpy.context.view_layer.update()
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
        for end, limit in enumerate(bone["slide"] if bone["kind"] == "prismatic" else bone["turn"]):
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
    done = bpy.ops.neurok.simulate(
        seconds=1.0, fps=12.0, action=asked["action"], vector=asked["vector"], **asked["more"]
    )
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


def drag(folder: Path):
    """A handle is added to a part and moved; then, without it, the part is brought to the cursor."""
    things = build_objects(folder)
    select(*things)
    assert bpy.ops.neurok.find_parts() == {"FINISHED"}
    rig = find_rig()
    asked = json.loads((folder / "asked.json").read_text())
    scene, states = bpy.context.scene, []

    def note() -> None:
        states.append({bone.name: [*bone.location, *bone.rotation_euler] for bone in rig.pose.bones})

    rig.matrix_world = Matrix.LocRotScale((1.0, 2.0, 0.5), Euler((0.1, -0.3, 0.8)), None)
    bpy.context.view_layer.update()
    scene.cursor.location = rig.matrix_world @ Vector(asked["point"])
    select(rig)
    assert bpy.ops.neurok.add_handle() == {"FINISHED"}
    (handle,) = (thing for thing in bpy.data.objects if thing.type == "EMPTY")
    handle.location = rig.matrix_world @ Vector(asked["targets"][0])
    select(handle)
    assert bpy.ops.neurok.drag() == {"FINISHED"}
    note()
    # Once more from where it is: what is held is still the point that was taken.
    handle.location = rig.matrix_world @ Vector(asked["targets"][1])
    assert bpy.ops.neurok.drag() == {"FINISHED"}
    note()
    bpy.data.objects.remove(handle)
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones[asked["bone"]]
    scene.cursor.location = rig.matrix_world @ Vector(asked["targets"][2])
    bpy.context.view_layer.update()
    assert bpy.ops.neurok.drag() == {"FINISHED"}
    note()
    return {"bones": describe_bones(rig), "states": states}, {"shape": drawn(things)}


def bend(folder: Path):
    """A body without joints: its shape is simulated to shape keys, then dragged."""
    (thing,) = build_objects(folder, joined=True)
    scene = bpy.context.scene
    asked = json.loads((folder / "asked.json").read_text())
    scene.render.fps = 10
    scene.cursor.location = asked["cursor"]
    select(thing)
    done = bpy.ops.neurok.simulate(seconds=1.0, gravity=(0, 0, 0), action="PULL", vector=asked["vector"])
    assert done == {"FINISHED"}
    shapes = []
    for frame in range(1, 12):
        scene.frame_set(frame)
        shapes.append(drawn([thing]))
    thing.shape_key_clear()
    scene.cursor.location = asked["cursor"]
    scene.frame_set(1)
    bpy.context.view_layer.update()
    assert bpy.ops.neurok.add_handle() == {"FINISHED"}
    (handle,) = (other for other in bpy.data.objects if other.type == "EMPTY")
    handle.location = Vector(asked["cursor"]) + Vector(asked["vector"])
    assert bpy.ops.neurok.drag() == {"FINISHED"}
    return {"keys": len(shapes)}, {"shapes": np.array(shapes), "dragged": drawn([thing])}


def made_joints(_: Path):
    """Rigs that nobody had to find: a screw, joints that follow others, a knob of more than a turn, one without end."""
    from importlib import import_module

    answers, axes, rigs = (import_module(f"{MODULE}.{name}") for name in ("answers", "axes", "rig"))

    def joint(name: str, kind: str, parent: str, limits: tuple, pitch: float = 0.0, follow=None):
        axis, pivot = (0.6, 0.0, 0.8), (0.1, 0.2, 0.3)
        return answers.FoundJoint(f"{name} joint", kind, parent, name, axis, pivot, limits, pitch, follow)

    endless = (-math.inf, math.inf)
    joints = (
        joint("lead", "revolute", "base", (-1.0, 2.5)),
        joint("nut", "screw", "base", endless, pitch=0.02),
        joint("gear", "continuous", "base", endless, follow=answers.Follow("lead joint", -2.0, 0.1)),
        joint("rack", "prismatic", "base", (-1.0, 1.0), follow=answers.Follow("lead joint", 0.05, 0.0)),
        joint("knob", "revolute", "lead", (-1.0, 8.0)),
        joint("still", "fixed", "lead", (0.0, 0.0)),
    )
    names = ("base", *(each.child for each in joints))
    found = answers.FoundLinks(names, tuple(() for _ in names), joints)
    metres = 0.01
    bones = rigs.choose_bone_names(names, {"nut"})
    frame = axes.Axes(np.eye(4), metres)
    rig = rigs.make_rig("made", found, bones, np.array([[0, 0, 0], [1, 1, 1.0]]), frame, bpy.context.scene.collection)
    read = [
        [j.name, j.kind, j.parent, j.child, j.axis, j.pivot, [x if math.isfinite(x) else None for x in j.limits],
         j.pitch, j.follow and [j.follow.joint, j.follow.multiplier, j.follow.offset]]
        for j in rigs.read_joints(rig)
    ]  # fmt: skip
    arrays = {"rest": np.array([np.array(bone.matrix) for bone in rig.pose.bones])}
    for name, value in (("lead", 0.7), (bones["nut"], 1.1), ("knob", 7.0)):
        pose(rig, name, value)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    arrays["posed"] = np.array([np.array(bone.matrix) for bone in rig.evaluated_get(graph).pose.bones])
    return {"bones": [bone.name for bone in rig.pose.bones], "read": read, "metres": metres}, arrays


def failing(folder: Path):
    """What is said where something is wrong; nothing of the scene changes then."""
    said = {}

    def ask(name: str, operator) -> None:
        try:
            said[name] = str(operator())
        except RuntimeError as fault:  # how Blender tells a script of a report
            said[name] = str(fault)

    preferences = bpy.context.preferences.addons[MODULE].preferences
    command = preferences.command
    mesh = bpy.data.meshes.new("cube")
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], quads)
    cube = bpy.data.objects.new("cube", mesh)
    bare = bpy.data.objects.new("bare", bpy.data.meshes.new("bare"))
    for thing in (cube, bare):
        bpy.context.scene.collection.objects.link(thing)
    select(bare)
    ask("bare", bpy.ops.neurok.find_parts)
    select(cube)
    ask("cube", bpy.ops.neurok.find_parts)
    for name in ("absent", "faulty", "broken", "silent"):
        preferences.command = str(folder / name)
        ask(name, bpy.ops.neurok.find_parts)
    ask("check faulty", bpy.ops.neurok.check_command)
    os.environ["PATH"] = ""
    preferences.command = ""
    ask("no path", bpy.ops.neurok.find_parts)
    preferences.command = command
    ask("check", bpy.ops.neurok.check_command)
    kept = [thing.name for thing in bpy.data.objects], [m.name for m in cube.modifiers], len(mesh.vertices)
    return {"said": said, "kept": kept}, {}


def undo(folder: Path):
    """Finding is one step of undo; so is simulating."""
    things = [thing.name for thing in build_objects(folder)]
    select(*(bpy.data.objects[name] for name in things))

    def count() -> list:
        objects = sorted(thing.name for thing in bpy.data.objects)
        modifiers = sum(len(bpy.data.objects[name].modifiers) for name in things)
        groups = sum(len(bpy.data.objects[name].vertex_groups) for name in things)
        return [objects, modifiers, groups, len(bpy.data.actions)]

    bpy.ops.ed.undo_push(message="begin")
    counts = [count()]
    assert bpy.ops.neurok.find_parts() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="found")
    counts.append(count())
    select(find_rig())
    assert bpy.ops.neurok.simulate(seconds=0.2) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="simulated")
    counts.append(count())
    for _ in range(2):
        bpy.ops.ed.undo()
        counts.append(count())
    return {"counts": counts, "options": [list(bpy.ops.neurok.find_parts.get_rna_type().bl_rna.properties.keys())]}, {}


def register(_: Path):
    """The add-on is switched off and on again; off, nothing of it is left."""
    import addon_utils

    seen = []
    for _ in range(2):
        seen.append(
            [hasattr(bpy.types.Scene, "neurok"), hasattr(bpy.types, "VIEW3D_PT_neurok"), sorted(dir(bpy.ops.neurok))]
        )
        addon_utils.disable(MODULE)
        seen.append(
            [hasattr(bpy.types.Scene, "neurok"), hasattr(bpy.types, "VIEW3D_PT_neurok"), sorted(dir(bpy.ops.neurok))]
        )
        addon_utils.enable(MODULE)
    flags = [
        getattr(bpy.types, f"NEUROK_OT_{name}").bl_options for name in ("find_parts", "simulate", "add_handle", "drag")
    ]
    return {"seen": seen, "flags": [sorted(each) for each in flags]}, {}


def list_bones() -> list:
    """The bones of all armatures, each with its name, the name of the one above it, and its head in the world."""
    return [
        [bone.name, bone.parent.name if bone.parent else "", list(thing.matrix_world @ bone.head_local)]
        for thing in bpy.data.objects
        if thing.type == "ARMATURE"
        for bone in thing.data.bones
    ]


def skeleton(folder: Path):
    """What Blender makes of GLBs of ours: armatures, their bones, and where vertices are when a bone turns."""
    facts = {}
    for name in ("clips", "skeleton"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}.glb"))
        facts[name] = {
            "kinds": sorted({thing.type for thing in bpy.data.objects}),
            "names": sorted(thing.name for thing in bpy.data.objects if thing.type in ("MESH", "EMPTY")),
            "bones": list_bones(),
            "actions": sorted(action.name for action in bpy.data.actions),
        }  # fmt: skip
    return facts, {}


def modal(folder: Path):
    """A run that lets Blender go on: it waits for the command, takes in its answer, and ends it where Esc is pressed.

    There is no window here to send events, so its function is called as Blender does, with stand-ins.
    """
    from importlib import import_module
    from types import SimpleNamespace as Stand

    running, process = (import_module(f"{MODULE}.{name}") for name in ("running", "process"))
    shown, ended = [], []
    context = Stand(workspace=Stand(status_text_set=shown.append))

    def begin(seconds: float) -> Stand:
        return Stand(
            words="waiting", _begun=0.0, report=lambda kind, text: shown.append(text),
            _process=process.Process(["sleep", str(seconds)], str(folder)),
            _clear_up=lambda context: ended.append("cleared"),
            _finish=lambda context, answer: ended.append(answer.code) or {"FINISHED"},
        )  # fmt: skip

    def send(operator: Stand, kind: str) -> str:
        return str(running.Running.modal(operator, context, Stand(type=kind)))

    long, short = begin(600), begin(0)
    answers = [send(long, "MOUSEMOVE"), send(long, "TIMER"), send(long, "ESC"), long._process.poll().code]
    short._process.wait()
    answers.append(send(short, "TIMER"))
    return {"answers": answers, "shown": shown, "ended": ended}, {}


CASES = {
    "find": find, "find_joined": find_joined, "simulate": simulate, "drag": drag, "bend": bend,
    "made_joints": made_joints, "failing": failing, "undo": undo, "register": register, "skeleton": skeleton,
    "modal": modal,
}  # fmt: skip

if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # all is written; the module's own shutdown crashes at times
