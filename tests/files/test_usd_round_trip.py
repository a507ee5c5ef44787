"""What is written comes back: shape, order, names, surfaces, clips, joints."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pxr")

from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh, Part, merge
from neurok.geometry.motion import Motion, rigid_skin
from tests.files.far_things import far
from tests.files.usd_things import box, dense_motion, machine, read_here, rigid_motion, skin_motion, two_boxes


def assert_same_mesh(read: Mesh, mesh: Mesh) -> None:
    assert np.allclose(read.vertices, mesh.vertices, atol=1e-6 * mesh.diagonal)
    assert np.array_equal(read.faces, mesh.faces)
    assert (read.up, read.unit) == (mesh.up, pytest.approx(mesh.unit))
    assert read.parts == mesh.parts
    assert np.array_equal(read.face_part, mesh.face_part)
    assert np.array_equal(read.face_material, mesh.face_material)
    assert np.array_equal(read.face_attributes["polygon"], mesh.face_attributes["polygon"])
    assert np.allclose(read.attributes["color"], mesh.attributes["color"], atol=1e-6)
    assert np.allclose(read.corner_attributes["uv0"], mesh.corner_attributes["uv0"], atol=1e-6)


@pytest.mark.parametrize("suffix", [".usd", ".usda", ".usdc"])
def test_a_static_mesh_comes_back(suffix, tmp_path):
    mesh = two_boxes()
    asset = load(save(mesh, tmp_path / f"m{suffix}"))  # through the parser's own process
    assert_same_mesh(asset.mesh, mesh)
    assert np.allclose(asset.mesh.attributes["normal"], mesh.attributes["normal"], atol=1e-6)
    assert asset.mesh.materials == mesh.materials
    assert asset.motions == () and asset.articulation is None and asset.notes == ()


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_axes_and_units_come_back(up, tmp_path):
    mesh = two_boxes(up=up, unit=0.0254)
    for index, thing in enumerate((mesh, dense_motion(mesh), rigid_motion(mesh), skin_motion(mesh))):
        asset = read_here(save(thing, tmp_path / f"m{index}.usda"))
        assert_same_mesh(asset.mesh, mesh)
        if isinstance(thing, Motion):
            assert np.abs(asset.motions[0].frames - thing.frames).max() < 1e-5 * mesh.diagonal


def test_texture_bytes_and_samplers_come_back(tmp_path):
    mesh = two_boxes()
    read = read_here(save(mesh, tmp_path / "m.usdc")).mesh.materials
    for new, old in zip(read, mesh.materials):
        assert set(new.textures) == set(old.textures)
        for slot, use in old.textures.items():
            assert new.textures[slot].texture.image == use.texture.image
            assert new.textures[slot].texture.mime == use.texture.mime
            assert new.textures[slot].texture.sampler == use.texture.sampler
            assert new.textures[slot].strength == pytest.approx(use.strength)


def test_a_second_set_of_coordinates_keeps_its_number(tmp_path):
    mesh = two_boxes()
    uv = {"uv0": mesh.corner_attributes["uv0"], "uv1": mesh.corner_attributes["uv0"] * 0.5}
    wood = mesh.materials[0]
    occlusion = replace(wood.textures["occlusion"], uv_set=1)
    wood = replace(wood, textures={**wood.textures, "occlusion": occlusion})
    mesh = replace(mesh, corner_attributes=uv, materials=(wood, *mesh.materials[1:]))
    read = read_here(save(mesh, tmp_path / "m.usda")).mesh
    assert np.allclose(read.corner_attributes["uv1"], uv["uv1"], atol=1e-6)
    assert read.materials[0].textures["occlusion"].uv_set == 1
    assert read.materials[0].textures["base_color"].uv_set == 0


def test_the_tree_of_parts_comes_back_with_its_empty_groups(tmp_path):
    mesh = merge([box(names=("a b", "c")), box((2, 0, 0), ("c",))])
    parts = (*mesh.parts, Part("empty", 0), Part("faces and children", -1), Part("child", 4))
    labels = mesh.face_part.copy()
    labels[12:18] = 4
    labels[18:] = -1
    separate = replace(mesh, parts=parts, face_part=np.where(np.arange(24) < 12, 1, 4))
    shared = replace(mesh, parts=parts, face_part=labels)
    for name, thing in (("separate", separate), ("shared", shared)):
        read = read_here(save(thing, tmp_path / f"{name}.usda")).mesh
        assert read.parts == parts
        assert np.array_equal(read.face_part, thing.face_part)
        assert np.array_equal(read.faces, thing.faces)


def test_parts_in_any_order_and_scattered_vertices_come_back(tmp_path):
    """The prims stand in the order of the tree; the file's own order is restored."""
    mesh = merge([box((2.0 * k, 0, 0), (f"p{k}",)) for k in range(3)])
    order = np.random.default_rng(0).permutation(mesh.vertex_count)
    place = np.argsort(order)
    shuffled = np.random.default_rng(1).permutation(mesh.face_count)
    mesh = Mesh(
        mesh.vertices[order],
        place[mesh.faces][shuffled],
        {"color": mesh.attributes["color"][order]},
        parts=(Part("late", 2), Part("middle", 2), Part("root")),
        face_part=mesh.face_part[shuffled],
    )
    for name, thing in (("mesh", mesh), ("motion", dense_motion(mesh))):
        asset = read_here(save(thing, tmp_path / f"{name}.usdc"))
        assert np.array_equal(asset.mesh.faces, mesh.faces)
        assert np.allclose(asset.mesh.vertices, mesh.vertices)
        assert np.allclose(asset.mesh.attributes["color"], mesh.attributes["color"], atol=1e-6)
        assert asset.mesh.parts == mesh.parts
        assert np.array_equal(asset.mesh.face_part, mesh.face_part)
    assert np.allclose(asset.motions[0].positions, thing.positions)


@pytest.mark.parametrize("make", [dense_motion, rigid_motion, skin_motion])
def test_a_motion_comes_back(make, tmp_path):
    motion = make()
    (read,) = load(save(motion, tmp_path / "m.usdc")).motions
    assert np.allclose(read.time, motion.time, atol=1e-12)
    assert read.name == motion.name and read.facts == motion.facts
    assert np.abs(read.frames - motion.frames).max() < 1e-5 * motion.mesh.diagonal
    assert_same_mesh(read.mesh, motion.mesh)
    if motion.skin is not None:
        assert read.skin.names == motion.skin.names
        assert np.array_equal(read.skin.parents, motion.skin.parents)
        assert np.allclose(read.skin.frames, motion.skin.frames, atol=1e-6)
        assert np.allclose(read.skin.weights, motion.skin.weights, atol=1e-6)


@pytest.mark.parametrize("make", [dense_motion, rigid_motion, skin_motion])
def test_several_clips_come_back_in_order(make, tmp_path):
    first, second = make(name="z first"), make(name="a second")
    half = {"transforms": second.transforms[:3]} if second.skin else {"positions": second.positions[:3][::-1].copy()}
    second = replace(second, time=second.time[:3], **half)
    read = read_here(save([first, second], tmp_path / "m.usda")).motions
    assert [motion.name for motion in read] == ["z first", "a second"]
    for new, old in zip(read, (first, second)):
        assert np.allclose(new.time, old.time)
        assert np.abs(new.frames - old.frames).max() < 1e-5 * old.mesh.diagonal


def test_a_long_chain_far_from_the_origin_stays_exact(tmp_path):
    """Errors of the single floats in a chain of twelve links stay far below the tolerance."""
    count = 12
    mesh = merge([box((1000 + 1.5 * k, -500, 0)) for k in range(count)])
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, :3, 3] = [(1000 + 1.5 * k, -500, 0) for k in range(count)]
    from tests.files.usd_things import turning

    X = np.tile(np.eye(4), (5, count, 1, 1))
    for k in range(1, count):
        X[:, k] = X[:, k - 1] @ turning(np.linspace(0, 0.4, 5), frames[k, :3, 3], (0, 0.6, 0.8))
    for w in (1.0, 0.75):
        skin = rigid_skin(
            np.repeat(np.arange(count), 8), tuple(f"b{k}" for k in range(count)), np.arange(-1, count - 1), frames
        )
        if w < 1:
            joints = np.stack([skin.joints[:, 0], np.maximum(skin.joints[:, 0] - 1, 0)], axis=1)
            skin = replace(skin, joints=joints, weights=np.tile([w, 1 - w], (len(joints), 1)))
        motion = Motion(mesh, np.arange(5) / 10, skin=skin, transforms=X)
        (read,) = read_here(save(motion, tmp_path / f"m{w}.usdc")).motions
        assert read.skin is not None
        assert np.abs(read.frames - motion.frames).max() < 1e-5 * mesh.diagonal * 100  # float32 at a thousand units


def test_joints_come_back(tmp_path):
    thing = machine()
    read = load(save(thing, tmp_path / "m.usdc")).articulation
    assert read.name == thing.name
    assert np.array_equal(read.vertex_link, thing.vertex_link)
    assert np.allclose(read.mesh.vertices, thing.mesh.vertices, atol=1e-5)
    assert [link.name for link in read.links] == [link.name for link in thing.links]
    for new, old in zip(read.links, thing.links):
        assert np.allclose(new.T_world_link, old.T_world_link, atol=1e-6)
        assert new.inertia.mass == pytest.approx(old.inertia.mass)
        assert np.allclose(new.inertia.centre, old.inertia.centre, atol=1e-6)
        assert np.allclose(new.inertia.tensor, old.inertia.tensor, atol=1e-6)
    keys = ("name", "kind", "parent", "child", "mimic")
    for new, old in zip(read.joints, thing.joints):
        assert [getattr(new, key) for key in keys] == [getattr(old, key) for key in keys]
        for key in ("friction", "effort", "velocity", "damping", "pitch"):
            assert getattr(new, key) == pytest.approx(getattr(old, key))
        assert new.slide == pytest.approx(old.slide)
    assert len(read.freedoms) == len(thing.freedoms)
    for new, old in zip(read.freedoms, thing.freedoms):
        assert np.allclose(new.screw, old.screw, atol=1e-5)
        assert (new.lower, new.upper) == pytest.approx((old.lower, old.upper), rel=1e-6)
    for new, old in zip(read.coupling, thing.coupling):
        assert np.allclose(new, old)


def test_joints_of_an_x_up_object_come_back(tmp_path):
    thing = machine()
    thing = replace(thing, mesh=replace(thing.mesh, up="x"))
    read = read_here(save(thing, tmp_path / "m.usda")).articulation
    assert read.mesh.up == "x"
    assert np.allclose(read.mesh.vertices, thing.mesh.vertices, atol=1e-5)
    for new, old in zip(read.freedoms, thing.freedoms):
        assert np.allclose(new.screw, old.screw, atol=1e-5)


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_far_from_the_origin_nothing_is_blurred(up, tmp_path):
    """Where single floats would round to a sixteenth: the root says where the object is, in double."""
    near = two_boxes(up=up)
    for index, thing in enumerate((near, dense_motion(near), rigid_motion(near), skin_motion(near))):
        thing = far(thing)
        asset = read_here(save(thing, tmp_path / f"m{index}.usdc"))
        assert_same_mesh(asset.mesh, thing if index == 0 else thing.mesh)
        if isinstance(thing, Motion):
            (motion,) = asset.motions
            assert (motion.skin is None) == (thing.skin is None)
            assert np.abs(motion.frames - thing.frames).max() < 5e-6 * near.diagonal


def test_links_far_from_the_origin_come_back(tmp_path):
    thing = far(machine())
    read = load(save(thing, tmp_path / "m.usdc")).articulation
    assert np.abs(read.mesh.vertices - thing.mesh.vertices).max() < 1e-6 * thing.mesh.diagonal
    for new, old in zip(read.links, thing.links):
        assert np.abs(new.T_world_link - old.T_world_link).max() < 1e-6 * thing.mesh.diagonal
