"""Every kind of stage we write: sound by USD's own validators, and evaluated by USD itself."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdSkel

from neurok.errors import OutputError
from neurok.files.registry import load, save
from neurok.files.usd.check import find_topology_faults, find_validation_errors
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.motion import Motion, rigid_skin
from tests.files.usd_things import TIME, box, dense_motion, machine, rigid_motion, skin_motion, turning, two_boxes


def shared_vertices() -> Mesh:
    """Two parts that meet in common vertices."""
    mesh = box(names=("left", "right"))
    return Mesh(**{**vars(mesh), "face_part": np.array([0] * 5 + [1] * 6 + [-1])})


def x_up() -> Mesh:
    return two_boxes(up="x")


KINDS = {
    "static": two_boxes,
    "parts that share vertices": shared_vertices,
    "x up": x_up,
    "bare": lambda: Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    "points without faces": lambda: Mesh([[0, 0, 0], [1, 0, 0]], np.zeros((0, 3), int)),
    "dense": dense_motion,
    "rigid": rigid_motion,
    "rigid, x up": lambda: rigid_motion(x_up()),
    "skin": skin_motion,
    "skin, x up": lambda: skin_motion(x_up()),
    "dense clips": lambda: [dense_motion(name="a b"), dense_motion(name="a b")],
    "rigid clips": lambda: [rigid_motion(name="one"), rigid_motion(name="two")],
    "skin clips": lambda: [skin_motion(name="one"), skin_motion(name="two")],
    "joints": machine,
}


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_sound(kind, suffix, tmp_path):
    path = save(KINDS[kind](), tmp_path / f"a thing{suffix}")
    assert find_validation_errors(path) == []
    assert find_topology_faults(path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_input_gives_the_same_bytes(kind, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for suffix in (".usda", ".usdc"):
            save(KINDS[kind](), tmp_path / folder / f"thing{suffix}")
    for path in (tmp_path / "one").iterdir():
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def evaluated(path, code) -> np.ndarray:
    """All points of a stage at a time code, in world space, by USD's own means, [n, 3]."""
    stage = Usd.Stage.Open(str(path))
    for prim in list(stage.Traverse()):
        if prim.IsA(UsdSkel.Root):
            stage.SetEditTarget(stage.GetSessionLayer())
            assert UsdSkel.BakeSkinning(UsdSkel.Root(prim), Gf.Interval.GetFullInterval())
    cache = UsdGeom.XformCache(code)
    points = []
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.Mesh):
            local = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(code), dtype=float)
            T = np.array(cache.GetLocalToWorldTransform(prim))
            points.append(local @ T[:3, :3] + T[3, :3])
    return np.concatenate(points)


@pytest.mark.parametrize("make", [dense_motion, rigid_motion, skin_motion])
@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_usd_evaluates_what_the_motion_says(make, up, tmp_path):
    motion = make(two_boxes(up=up))
    path = save(motion, tmp_path / "m.usdc")
    stage = Usd.Stage.Open(str(path))
    assert stage.GetTimeCodesPerSecond() == 24
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 6)
    assert UsdGeom.GetStageUpAxis(stage) == ("Y" if up == "y" else "Z")
    for index in range(motion.frame_count):
        frame = motion.frame(index)
        # What points up in the object points up in the stage: x to z, z to -x.
        expected = frame[:, [2, 1, 0]] * [-1, 1, 1] if up == "x" else frame
        assert np.abs(evaluated(path, index) - expected).max() < 1e-5 * motion.mesh.diagonal


def test_skeleton_is_used_for_weights_and_prims_for_rigid_parts(tmp_path):
    kinds = {}
    for make in (dense_motion, rigid_motion, skin_motion):
        stage = Usd.Stage.Open(str(save(make(), tmp_path / f"{make.__name__}.usda")))
        kinds[make] = {prim.GetTypeName() for prim in stage.Traverse()}
        animated = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh) and p.GetAttribute("points").GetNumTimeSamples()]
        assert bool(animated) == (make is dense_motion)
    assert "SkelRoot" in kinds[skin_motion] and "SkelAnimation" in kinds[skin_motion]
    assert "SkelRoot" not in kinds[rigid_motion] | kinds[dense_motion]


def test_a_hinge_interpolates_along_its_arc(tmp_path):
    """Half way between two key frames a door is half way round, not on the chord."""
    mesh = two_boxes()
    frame = np.eye(4)
    frame[:3, 3] = [2, 0, 0]
    X = np.tile(np.eye(4), (2, 2, 1, 1))
    X[:, 1] = turning([0.0, 2.0])
    motion = Motion(
        mesh,
        np.array([0.0, 1.0]),
        skin=rigid_skin(np.repeat([0, 1], 8), ("a", "b"), [-1, 0], np.stack([np.eye(4), frame])),
        transforms=X,
    )
    path = save(motion, tmp_path / "m.usda")
    half = turning([1.0])[0]
    expected = mesh.vertices.copy()
    expected[8:] = expected[8:] @ half[:3, :3].T + half[:3, 3]
    code = 0.5 * Usd.Stage.Open(str(path)).GetTimeCodesPerSecond()
    assert np.abs(evaluated(path, code) - expected).max() < 1e-6


def test_sheared_and_flat_bones_become_points(tmp_path):
    motion = skin_motion()
    for change in (np.array([[1, 2.0, 0], [0, 1, 0], [0, 0, 1.0]]), np.diag([2.3, 1.0, 1.0]), np.diag([0.0, 1.0, 1.0])):
        X = motion.transforms.copy()
        X[3:, :, :3, :3] = X[3:, :, :3, :3] @ change
        bent = Motion(motion.mesh, motion.time, skin=motion.skin, transforms=X)
        path = save(bent, tmp_path / f"m{change[0, 0]:.0f}{change[0, 1]:.0f}.usdc")
        stage = Usd.Stage.Open(str(path))
        assert not [p for p in stage.Traverse() if p.IsA(UsdSkel.Skeleton)]
        assert np.abs(evaluated(path, 5) - bent.frame(5)).max() < 1e-5 * motion.mesh.diagonal


def test_uneven_times_are_kept(tmp_path):
    motion = dense_motion()
    time = np.array([0.5, 0.6, 0.7, 0.8, 0.93, 1.0, 1.1])
    path = save(Motion(motion.mesh, time, positions=motion.positions), tmp_path / "m.usda")
    stage = Usd.Stage.Open(str(path))
    samples = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)).GetAttribute("points").GetTimeSamples()
    assert stage.GetTimeCodesPerSecond() == 10
    assert np.allclose(np.array(samples) / 10, time, atol=1e-12)


def test_polygons_are_written_whole(tmp_path):
    stage = Usd.Stage.Open(str(save(box(), tmp_path / "m.usda")))
    mesh = UsdGeom.Mesh(next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)))
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [4] * 6
    assert np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(6, 4).tolist() == [
        [0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]
    ]  # fmt: skip


def test_a_fan_whose_corners_disagree_stays_triangles(tmp_path):
    mesh = box()
    uv = np.array(mesh.corner_attributes["uv0"])
    uv[1, 0] += 0.5  # the second triangle of the first quad
    stage = Usd.Stage.Open(str(save(Mesh(**{**vars(mesh), "corner_attributes": {"uv0": uv}}), tmp_path / "m.usda")))
    prim = UsdGeom.Mesh(next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)))
    assert list(prim.GetFaceVertexCountsAttr().Get()) == [3, 3, 4, 4, 4, 4, 4]


def test_materials_are_preview_surfaces(tmp_path):
    mesh = two_boxes()
    stage = Usd.Stage.Open(str(save(mesh, tmp_path / "m.usda")))
    prim = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh))
    bound = [
        UsdShade.MaterialBindingAPI(s.GetPrim()).ComputeBoundMaterial()[0]
        for s in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets()
    ]
    assert [m.GetPrim().GetDisplayName() for m in bound] == ["red wood", "glass", "leaf"]
    surface = bound[1].ComputeSurfaceSource()[0]
    assert surface.GetIdAttr().Get() == "UsdPreviewSurface"
    assert surface.GetInput("opacity").Get() == 0.5
    assert (tmp_path / "m_textures" / "red_wood.png").read_bytes() == mesh.materials[0].textures[
        "base_color"
    ].texture.image
    assert sorted(p.name for p in (tmp_path / "m_textures").iterdir()) == ["bumps.jpg", "red_wood.png"]


def test_a_moved_texture_is_looked_up_where_gltf_looks(tmp_path):
    """The graph of UsdTransform2d, evaluated by hand, gives KHR_texture_transform's point of the image."""
    from dataclasses import replace

    moved = {"offset": [0.2, 0.3], "scale": [2.0, 0.5], "rotation": 0.7}
    mesh = box()
    wood = mesh.materials[0]
    use = replace(wood.textures["base_color"], extensions={"KHR_texture_transform": moved})
    mesh = replace(mesh, materials=(replace(wood, textures={"base_color": use}), *mesh.materials[1:]))
    stage = Usd.Stage.Open(str(save(mesh, tmp_path / "m.usda")))
    node = next(UsdShade.Shader(p) for p in stage.Traverse() if p.GetName() == "base_color_moved")
    s, t, r = (node.GetInput(k).Get() for k in ("scale", "translation", "rotation"))
    a = np.deg2rad(r)
    for u, v in np.random.default_rng(0).uniform(size=(5, 2)):
        x, y = s[0] * u, s[1] * (1 - v)  # USD: scale, then turn counter-clockwise, then shift
        usd = np.array([x * np.cos(a) - y * np.sin(a) + t[0], x * np.sin(a) + y * np.cos(a) + t[1]])
        c, d = np.cos(moved["rotation"]), np.sin(moved["rotation"])
        x, y = moved["scale"][0] * u, moved["scale"][1] * v
        gltf = np.array([c * x + d * y + moved["offset"][0], -d * x + c * y + moved["offset"][1]])
        assert np.allclose([usd[0], 1 - usd[1]], gltf, atol=1e-6)


def test_joints_bodies_and_masses(tmp_path):
    thing = machine()
    stage = Usd.Stage.Open(str(save(thing, tmp_path / "m.usda")))
    root = stage.GetDefaultPrim()
    assert root.HasAPI(UsdPhysics.ArticulationRootAPI)
    bodies = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)]
    assert len(bodies) == 7 + 2  # a helper for the screw and one for the cylinder
    mass = UsdPhysics.MassAPI(bodies[3])
    assert mass.GetMassAttr().Get() == 4.0
    assert np.allclose(mass.GetCenterOfMassAttr().Get(), [0.1, 0.2, 3])
    moments = np.linalg.eigvalsh(thing.links[3].inertia.tensor)
    assert np.allclose(sorted(mass.GetDiagonalInertiaAttr().Get()), moments, rtol=1e-6)
    joints = {p.GetDisplayName(): p for p in stage.Traverse() if p.IsA(UsdPhysics.Joint)}
    hinge = UsdPhysics.RevoluteJoint(joints["joint 0"])
    assert np.allclose([hinge.GetLowerLimitAttr().Get(), hinge.GetUpperLimitAttr().Get()], np.rad2deg([-0.5, 1.25]))
    slide = UsdPhysics.PrismaticJoint(joints["joint 1"])
    assert np.allclose([slide.GetLowerLimitAttr().Get(), slide.GetUpperLimitAttr().Get()], [-1.5, 2.25])
    assert joints["joint 5"].IsA(UsdPhysics.FixedJoint)
    assert UsdPhysics.PrismaticJoint(joints["joint 3_slide"]) and joints["joint 3"].IsA(UsdPhysics.RevoluteJoint)
    drive = UsdPhysics.DriveAPI(joints["joint 0"], "angular")
    assert np.isclose(drive.GetDampingAttr().Get(), 0.25 * np.pi / 180)
    meshes = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    assert all(p.HasAPI(UsdPhysics.CollisionAPI) for p in meshes)
    assert {UsdPhysics.MeshCollisionAPI(p).GetApproximationAttr().Get() for p in meshes} == {"convexHull"}


def test_joint_frames_meet_and_their_axis_is_the_screw(tmp_path):
    """In the world, both sides of a joint see the same frame, and its axis is the articulation's own screw."""
    thing = machine()
    stage = Usd.Stage.Open(str(save(thing, tmp_path / "m.usda")))
    cache = UsdGeom.XformCache()
    by_name = {p.GetDisplayName(): p for p in stage.Traverse() if p.IsA(UsdPhysics.Joint)}

    def frame(prim, side):
        body = stage.GetPrimAtPath(prim.GetRelationship(f"physics:body{side}").GetTargets()[0])
        local = Gf.Matrix4d(
            Gf.Rotation(Gf.Quatd(prim.GetAttribute(f"physics:localRot{side}").Get())),
            Gf.Vec3d(prim.GetAttribute(f"physics:localPos{side}").Get()),
        )
        return np.array(local * cache.GetLocalToWorldTransform(body)).T

    for freedom in thing.freedoms:
        joint = thing.joints[freedom.joint]
        name = joint.name if freedom.turns or joint.kind == "prismatic" else joint.name + "_slide"
        prim = by_name[name]
        T = frame(prim, 0)
        assert np.abs(T - frame(prim, 1)).max() < 1e-5
        axis = T[:3, "XYZ".index(prim.GetAttribute("physics:axis").Get())]
        expected = freedom.screw[3:] if freedom.turns else freedom.screw[:3]
        assert np.allclose(axis, expected, atol=1e-6)
        if freedom.turns:
            moment = np.cross(T[:3, 3], axis) + joint.pitch * axis
            assert np.allclose(moment, freedom.screw[:3], atol=1e-5)


def test_motions_of_different_objects_are_refused(tmp_path):
    with pytest.raises(OutputError, match="different objects"):
        save([dense_motion(), dense_motion(box())], tmp_path / "m.usda")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_finite_is_refused(tmp_path):
    motion = dense_motion()
    positions = motion.positions.copy()
    positions[2, 3, 1] = np.nan
    with pytest.raises(OutputError, match="finite"):
        save(Motion(motion.mesh, TIME, positions=positions), tmp_path / "m.usdc")
    assert list(tmp_path.iterdir()) == []


def test_a_link_of_one_vertex_without_faces_is_written(tmp_path):
    body = box()
    mesh = Mesh(
        np.concatenate([body.vertices, [[2.0, 2.0, 2.0]]]), body.faces,
        corner_attributes={"uv0": np.zeros((body.face_count, 3, 2))},
        parts=(Part("a"),), face_part=np.zeros(body.face_count, dtype=int),
    )  # fmt: skip
    joint = Joint("turn", "revolute", 0, 1, np.eye(4), np.array([0.0, 0.0, 1.0]), 0.0, 1.0)
    links = (Link("base", np.eye(4)), Link("speck", np.eye(4)))
    save(Articulation(mesh, np.repeat([0, 1], [body.vertex_count, 1]), links, (joint,)), tmp_path / "x.usda")
    assert load(tmp_path / "x.usda").articulation.mesh.vertex_count == mesh.vertex_count
