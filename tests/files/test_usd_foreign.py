"""Stages that other programs write: what they may say that ours do not."""

import zipfile

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

from neurok.errors import InputError
from neurok.files.registry import load
from tests.files.usd_things import image, read_here

QUAD = """
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
"""
NORMAL = np.array([0, 0, 1.0])


def stage(tmp_path, body: str, head: str = 'upAxis = "Z"\n metersPerUnit = 1'):
    path = tmp_path / "s.usda"
    path.write_text(f"#usda 1.0\n(\n {head}\n)\n{body}\n")
    return read_here(path)


def normals(mesh) -> np.ndarray:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def test_a_left_handed_mesh_is_turned_round(tmp_path):
    asset = stage(tmp_path, 'def Mesh "m" {' + QUAD + 'uniform token orientation = "leftHanded"\n}')
    assert np.allclose(normals(asset.mesh), -NORMAL)
    assert asset.mesh.faces[:, 0].tolist() == [0, 0]


def test_a_mirrored_mesh_keeps_its_outside_outside(tmp_path):
    body = (
        'def Mesh "m" {'
        + QUAD
        + 'float3 xformOp:scale = (-1, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n}'
    )
    asset = stage(tmp_path, body)
    assert asset.mesh.vertices[:, 0].min() == -1
    assert np.allclose(normals(asset.mesh), NORMAL)


def test_transforms_are_applied_and_parts_named(tmp_path):
    body = (
        'def Xform "top" (\n displayName = "the top"\n) { double3 xformOp:translate = (5, 0, 0)\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n'
        'def Xform "unused" {}\n def Mesh "m" {' + QUAD + "}\n}"
    )
    mesh = stage(tmp_path, body, 'upAxis = "Y"\n metersPerUnit = 0.5').mesh
    assert mesh.vertices[:, 0].tolist() == [5, 6, 6, 5]
    assert [(part.name, part.parent) for part in mesh.parts] == [("the top", -1), ("m", 0)]
    assert mesh.face_part.tolist() == [1, 1]
    assert (mesh.up, mesh.unit) == ("y", 0.5)


def test_what_is_not_shown_is_not_read(tmp_path):
    shown = 'def Mesh "a" {' + QUAD + "}\n"
    hidden = 'def Mesh "b" {' + QUAD + 'token visibility = "invisible"\n}\n'
    guide = 'def Mesh "c" {' + QUAD + 'uniform token purpose = "guide"\n}\n'
    other = 'def Sphere "d" {}\n'
    asset = stage(tmp_path, shown + hidden + guide + other)
    assert asset.mesh.vertex_count == 4
    assert [note for note in asset.notes if "Sphere" in note]
    with pytest.raises(InputError, match="no visible mesh"):
        stage(tmp_path, hidden)


def test_instances_are_read_each(tmp_path):
    body = 'class Xform "proto" { def Mesh "m" {' + QUAD + "}\n}\n"
    for k in range(3):
        body += (
            f'def Xform "i{k}" (\n instanceable = true\n references = </proto>\n) {{\n'
            f"double3 xformOp:translate = ({2 * k}, 0, 0)\n"
            'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        )
    mesh = stage(tmp_path, body).mesh
    assert mesh.vertex_count == 12
    assert mesh.vertices[::4, 0].tolist() == [0, 2, 4]


def test_holes_are_left_out_with_a_note(tmp_path):
    body = (
        'def Mesh "m" { int[] faceVertexCounts = [3, 3]\n int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n'
        "int[] holeIndices = [0]\n point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n}"
    )
    asset = stage(tmp_path, body)
    assert asset.mesh.faces.tolist() == [[0, 2, 3]]
    assert any("holes" in note for note in asset.notes)


def test_primvars_of_every_interpolation(tmp_path):
    """Indexed face-varying uvs, colours per face, and a mesh that has its uvs per vertex beside it."""
    first = (
        'def Mesh "a" {' + QUAD + "texCoord2f[] primvars:UVMap = [(0, 0), (1, 0), (1, 1)] (\n"
        ' interpolation = "faceVarying"\n)\n int[] primvars:UVMap:indices = [0, 1, 2, 0]\n'
        'color3f[] primvars:displayColor = [(1, 0, 0)] (\n interpolation = "uniform"\n)\n}\n'
    )
    second = (
        'def Mesh "b" {' + QUAD + "texCoord2f[] primvars:UVMap = [(0, 0), (1, 0), (1, 1), (0.5, 0.25)] (\n"
        ' interpolation = "vertex"\n)\n}\n'
    )
    mesh = stage(tmp_path, first + second).mesh
    uv = mesh.corner_attributes["uv0"]
    assert uv[:2].tolist() == [[[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 0], [0, 1]]]  # v from the top
    assert uv[3, 2].tolist() == [0.5, 0.75]
    assert np.allclose(mesh.corner_attributes["color"][:2], [1, 0, 0, 1])
    assert np.allclose(mesh.corner_attributes["color"][2:], 1)
    assert "uv0" not in mesh.attributes


def test_primvars_that_do_not_fit_are_left_out_with_a_note(tmp_path):
    asset = stage(
        tmp_path, 'def Mesh "m" {' + QUAD + 'texCoord2f[] primvars:st = [(0, 0)] (\n interpolation = "vertex"\n)\n}'
    )
    assert "uv0" not in asset.mesh.attributes
    assert any("does not fit" in note for note in asset.notes)


def test_moving_prims_without_a_default_value(tmp_path):
    body = (
        'def Xform "arm" { double3 xformOp:translate.timeSamples = { 10: (1, 0, 0), 20: (3, 0, 0) }\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n def Mesh "m" {' + QUAD + "}\n}\n"
        'def Mesh "still" {' + QUAD + "}"
    )
    asset = stage(tmp_path, body, 'upAxis = "Z"\n timeCodesPerSecond = 10')
    (motion,) = asset.motions
    assert motion.time.tolist() == [1, 2]
    assert motion.skin.names == ("arm", "still")
    assert asset.mesh.vertices[0, 0] == 1  # the first sample stands for the rest
    assert motion.frames[:, 0, 0].tolist() == [1, 3]
    assert motion.frames[:, 4, 0].tolist() == [0, 0]


def test_a_prim_that_leaves_its_parent_is_read_densely(tmp_path):
    body = (
        'def Xform "arm" { double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (3, 0, 0) }\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n def Mesh "m" {'
        + QUAD
        + 'uniform token[] xformOpOrder = ["!resetXformStack!"]\n}\n}'
    )
    (motion,) = stage(tmp_path, body).motions
    assert motion.skin is None
    assert np.allclose(motion.positions[1], motion.positions[0])


def test_points_that_come_and_go_are_noted(tmp_path):
    body = (
        'def Mesh "m" { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n'
        "point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "
        "1: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 1)] }\n}"
    )
    asset = stage(tmp_path, body)
    assert asset.motions == () and any("changes over time" in note for note in asset.notes)


def skeleton_stage(path, *, bind_shift=0.0, shapes=False, method=None) -> Usd.Stage:
    """A strip on two joints, bound away from rest or with a blend shape where asked."""
    s = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(s, "Z")
    root = UsdSkel.Root.Define(s, "/r")
    UsdGeom.Xformable(root).AddTranslateOp().Set(Gf.Vec3d(0, 0, 5))
    mesh = UsdGeom.Mesh.Define(s, "/r/m")
    UsdGeom.Xformable(mesh).AddTranslateOp().Set(Gf.Vec3d(9, 9, 9))  # a skin ignores the mesh's own place
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([4])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    skeleton = UsdSkel.Skeleton.Define(s, "/r/sk")
    skeleton.CreateJointsAttr(["a", "a/b"])
    place = Gf.Matrix4d().SetTranslate(Gf.Vec3d(1, 0, 0))
    bound = Gf.Matrix4d().SetTranslate(Gf.Vec3d(1, bind_shift, 0))
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([Gf.Matrix4d(1), bound]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([Gf.Matrix4d(1), place]))
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets(["/r/sk"])
    binding.CreateJointsAttr(["a/b", "a"])  # an order of its own
    binding.CreateJointIndicesPrimvar(False, 2).Set([0, 1] * 4)
    binding.CreateJointWeightsPrimvar(False, 2).Set([0, 1, 0.5, 0.5, 1, 0, 0.75, 0.25])
    if method:
        binding.CreateSkinningMethodAttr(method)
    animation = UsdSkel.Animation.Define(s, "/r/sk/an")
    animation.CreateJointsAttr(["a/b"])
    animation.CreateTranslationsAttr().Set([(1, 0, 0)])
    animation.CreateScalesAttr().Set([(1, 1, 1)])
    for code in range(4):
        turn = Gf.Quatf(Gf.Rotation(Gf.Vec3d(0, 0, 1), 30 * code).GetQuat())
        animation.CreateRotationsAttr().Set(Vt.QuatfArray([turn]), code)
    if shapes:
        shape = UsdSkel.BlendShape.Define(s, "/r/m/up")
        shape.CreateOffsetsAttr([(0, 0, 1)] * 4)
        shape.CreateNormalOffsetsAttr([(0, 0, 0)] * 4)
        binding.CreateBlendShapesAttr(["up"])
        binding.CreateBlendShapeTargetsRel().SetTargets(["/r/m/up"])
        animation.CreateBlendShapesAttr(["up"])
        for code in range(4):
            animation.CreateBlendShapeWeightsAttr().Set([0.25 * code], code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/r/sk/an"])
    s.Save()
    return s


@pytest.mark.parametrize("options", [{}, {"bind_shift": 0.5}, {"shapes": True}, {"method": "dualQuaternion"}])
def test_skeletons_move_as_usd_moves_them(options, tmp_path):
    path = tmp_path / "k.usdc"
    baked = skeleton_stage(path, **options)
    (motion,) = read_here(path).motions
    assert (motion.skin is not None) == (options == {})
    baked.SetEditTarget(baked.GetSessionLayer())
    assert UsdSkel.BakeSkinning(UsdSkel.Root(baked.GetPrimAtPath("/r")), Gf.Interval.GetFullInterval())
    mesh = UsdGeom.Mesh(baked.GetPrimAtPath("/r/m"))
    assert motion.frame_count == 4
    for code in range(4):
        T = np.array(mesh.ComputeLocalToWorldTransform(code))
        expected = np.array(mesh.GetPointsAttr().Get(code)) @ T[:3, :3] + T[3, :3]
        assert np.abs(motion.frame(code) - expected).max() < 1e-5
    assert np.ptp(motion.frames[:, 3, 0]) > 0.4


def test_a_package_is_read_with_its_textures(tmp_path):
    picture = image((1, 2, 3))
    body = (
        '#usda 1.0\n(\n upAxis = "Y"\n)\ndef Mesh "m" (\n prepend apiSchemas = ["MaterialBindingAPI"]\n) {'
        + QUAD
        + "rel material:binding = </mat>\n"
        'texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (\n interpolation = "vertex"\n)\n}\n'
        'def Material "mat" { token outputs:surface.connect = </mat/s.outputs:surface>\n'
        'def Shader "s" { uniform token info:id = "UsdPreviewSurface"\n token outputs:surface\n'
        " color3f inputs:diffuseColor.connect = </mat/t.outputs:rgb>\n float inputs:roughness = 0.3\n}\n"
        'def Shader "t" { uniform token info:id = "UsdUVTexture"\n asset inputs:file = @textures/p.png@\n'
        ' token inputs:wrapS = "clamp"\n float3 outputs:rgb\n}\n}\n'
    )
    path = tmp_path / "p.usdz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as package:
        package.writestr("p.usda", body)
        package.writestr("textures/p.png", picture)
    (material,) = load(path).mesh.materials
    assert material.name == "mat" and material.roughness == pytest.approx(0.3)
    assert material.textures["base_color"].texture.image == picture
    assert material.textures["base_color"].texture.sampler == {"wrapS": 33071}


def test_foreign_joints(tmp_path):
    """A door saved open by 30 degrees on a scaled body, hung on the world."""
    body = """
def Xform "door" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    float xformOp:rotateZ = 30
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
    def Mesh "m" {QUAD}
}
def PhysicsRevoluteJoint "hinge"
{
    rel physics:body1 = </door>
    uniform token physics:axis = "Z"
    float physics:lowerLimit = 0
    float physics:upperLimit = 90
    point3f physics:localPos0 = (0, 0, 0)
    quatf physics:localRot0 = (1, 0, 0, 0)
    point3f physics:localPos1 = (0, 0, 0)
    quatf physics:localRot1 = (1, 0, 0, 0)
}
""".replace("QUAD", QUAD)
    asset = stage(tmp_path, body)
    thing = asset.articulation
    assert [link.name for link in thing.links] == ["door", "world"]
    (joint,) = thing.joints
    assert (joint.kind, joint.parent, joint.child) == ("revolute", 1, 0)
    assert (joint.lower, joint.upper) == pytest.approx((0, np.pi / 2))
    assert np.allclose(thing.mesh.vertices[1], [2, 0, 0])  # closed
    assert np.allclose(asset.mesh.vertices[1], [2 * np.cos(np.pi / 6), 1, 0])  # as it stands
    assert any("away from zero" in note for note in asset.notes)


def test_joints_that_are_not_understood_are_noted(tmp_path):
    body = (
        'def Xform "a" (\n prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n) { def Mesh "m" {' + QUAD + "}\n}\n"
        'def PhysicsSphericalJoint "ball" { rel physics:body1 = </a>\n}'
    )
    asset = stage(tmp_path, body)
    assert asset.articulation is None
    assert any("PhysicsSphericalJoint" in note for note in asset.notes)
