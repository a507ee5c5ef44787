"""What we write as URDF and MJCF, judged by MuJoCo: it loads, steps, and puts every link where the screws do."""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from neurok.errors import OutputError
from neurok.files import mjcf
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.measure import solid_inertia
from neurok.geometry.mesh import Mesh, Part
from tests.files.machines import assemble, every_kind, link_motions, place, textured, unit

SUFFIXES = [".urdf", ".xml"]
DEV = ["168", "3933", "7265", "8893", "10098", "26800", "102301", "102411"]


def values_in_mujoco(model, articulation, theta):
    """qpos for the values of our freedoms, by the joints' names; a screw's slide is its pitch times its angle."""
    qpos = np.zeros(model.nq)
    for value, freedom in zip(theta, articulation.freedoms):
        joint = articulation.joints[freedom.joint]
        second = joint.kind == "cylindrical" and not freedom.turns
        qpos[model.joint(joint.name + ("_slide" if second else "")).qposadr[0]] = value
        if joint.kind == "screw":
            qpos[model.joint(joint.name + "_slide").qposadr[0]] = joint.pitch * value
    return qpos


def body_motions(model, articulation, qpos):
    """T_world_body(qpos) T_world_body(0)^-1 of each link, [L, 4, 4]."""
    data = mujoco.MjData(model)
    frames = []
    for values in (np.zeros(model.nq), qpos):
        data.qpos[:] = values
        mujoco.mj_kinematics(model, data)
        T = np.tile(np.eye(4), (len(articulation.links), 1, 1))
        for index, link in enumerate(articulation.links):
            T[index, :3, :3] = data.body(link.name).xmat.reshape(3, 3)
            T[index, :3, 3] = data.body(link.name).xpos
        frames.append(T)
    return frames[1] @ np.linalg.inv(frames[0])


def steps_quietly(model, steps=300):
    data = mujoco.MjData(model)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    assert not [w for w in data.warning if w.number]
    return data


def assert_same_kinematics(model, articulation, count=4, seed=0):
    generator = np.random.default_rng(seed)
    for _ in range(count):
        theta = generator.uniform(-1.5, 1.5, len(articulation.freedoms))
        found = body_motions(model, articulation, values_in_mujoco(model, articulation, theta))
        np.testing.assert_allclose(found, link_motions(articulation, theta), atol=1e-6)


def test_mujoco_knows_every_visual_by_its_name(tmp_path, capfd):
    """Parts of two links may be called alike; in the file, and so in MuJoCo, they are told apart."""
    made = textured()
    vertices = made.mesh.vertices[made.mesh.faces].reshape(-1, 3)
    faces = np.arange(len(vertices)).reshape(-1, 3)
    alike = Mesh(vertices, faces, parts=(Part("metal"), Part("metal")), face_part=made.mesh.face_part, up="z")
    made = replace(made, mesh=alike, vertex_link=made.vertex_link[made.mesh.faces].reshape(-1))
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / "box.urdf")))
    assert capfd.readouterr().err == ""
    assert {model.geom(i).name for i in range(model.ngeom)} >= {"metal", "metal_2"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_of_joint_moves_as_its_screws(suffix, tmp_path):
    made = every_kind()
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"machine{suffix}")))
    assert_same_kinematics(model, made)
    steps_quietly(model)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_limits_resistance_and_effort_arrive(suffix, tmp_path):
    model = mujoco.MjModel.from_xml_path(str(save(every_kind(), tmp_path / f"machine{suffix}")))
    door, wheel, drawer, cap = (model.joint(name) for name in ("door", "wheel", "drawer", "cap"))
    np.testing.assert_allclose(door.range, (-0.4, 1.9))
    np.testing.assert_allclose(drawer.range, (-0.1, 0.5))
    np.testing.assert_allclose(cap.range, (-2.0, 9.0))
    assert not wheel.limited[0] and door.limited[0]
    assert door.damping[0] == 0.3 and door.frictionloss[0] == 0.05 and wheel.damping[0] == 0.1
    np.testing.assert_allclose(model.jnt_actfrcrange[door.id], (-7, 7))
    np.testing.assert_allclose(model.joint("lock_slide").range, (-0.3, -0.1))
    free = model.joint("free slide")
    assert not free.limited[0] or free.range[1] >= 1e9


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_stated_inertia_arrives_and_others_are_those_of_solid_boxes(suffix, tmp_path):
    model = mujoco.MjModel.from_xml_path(str(save(every_kind(), tmp_path / f"machine{suffix}")))
    door = model.body("door")
    assert door.mass[0] == pytest.approx(3.0)
    np.testing.assert_allclose(door.ipos, (0.1, 0.2, 0.05), atol=1e-9)
    expected = np.linalg.eigvalsh(np.diag([0.2, 0.3, 0.25]) + 0.01 * (1 - np.eye(3)))
    np.testing.assert_allclose(np.sort(door.inertia), expected, rtol=1e-6)
    wheel = model.body("wheel")  # a box of 0.3 x 0.3 x 0.1 m of wood
    assert wheel.mass[0] == pytest.approx(4.5)
    np.testing.assert_allclose(np.sort(wheel.inertia), [4.5 / 12 * (0.09 + 0.01)] * 2 + [4.5 / 12 * 0.18], rtol=1e-6)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_coupling_of_a_screw_and_a_mimic_holds_under_load(suffix, tmp_path):
    joints = (
        Joint("lead", "screw", 0, 1, place((0, 0, 1)), unit(0, 0, 1), pitch=0.1),
        Joint("hinge", "revolute", 0, 2, place((1, 0, 1)), unit(0, 1, 0), -2.0, 2.0),
    )
    made = assemble(("base", "nut", "arm"), joints, [(1, 1, 0.1), (0.2, 0.3, 0.1), (0.5, 0.1, 0.1)])
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"screw{suffix}")))
    data = mujoco.MjData(model)
    for _ in range(250):
        mujoco.mj_step(model, data)
    slide, angle = data.joint("lead_slide").qpos[0], data.joint("lead").qpos[0]
    # Under gravity a nut of inertia I and mass m sinks with p^2 m g / (I + p^2 m), over half a second.
    box = model.body("nut")
    m, I, p, g = box.mass[0], box.mass[0] / 12 * (0.2**2 + 0.3**2), 0.1, 9.81
    assert slide == pytest.approx(-0.5 * p**2 * m * g / (I + p**2 * m) * 0.5**2, rel=0.02)
    # In a URDF the stiffness of a mimic is MuJoCo's own choice, and soft.
    assert slide == pytest.approx(0.1 * angle, rel=2e-3 if suffix == ".xml" else 3e-2)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_mimic_follows_its_leader(suffix, tmp_path):
    model = mujoco.MjModel.from_xml_path(str(save(every_kind(), tmp_path / f"machine{suffix}")))
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    assert abs(data.joint("door").qpos[0]) > 1e-3
    assert data.joint("twin").qpos[0] == pytest.approx(0.1 - 0.5 * data.joint("door").qpos[0], abs=5e-3)


def flat():
    """A hinged single triangle, a sheet and a sliver: nothing with a volume."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0.5], [1, 0, 0.5], [1, 1, 0.5], [0, 1, 0.5]], float)
    faces = np.array([[0, 1, 2], [3, 4, 5], [3, 5, 6]])
    joint = Joint("hinge", "revolute", 0, 1, place((0, 0, 0.5)), unit(1, 0, 0), -1.0, 1.0)
    made = assemble(("base", "lid"), (joint,), [(1, 1, 1), (1, 1, 1)])
    mesh = Mesh(vertices, faces, up="z")
    return replace(made, mesh=mesh, vertex_link=np.array([0, 0, 0, 1, 1, 1, 1]))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_flat_links_load_and_step(suffix, tmp_path):
    model = mujoco.MjModel.from_xml_path(str(save(flat(), tmp_path / f"flat{suffix}")))
    assert model.body("lid").mass[0] > 0 and (model.body("lid").inertia > 0).all()
    steps_quietly(model)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_moving_links_without_geometry_load_and_step(suffix, tmp_path):
    joints = (
        Joint("a", "revolute", 0, 1, place(), unit(1, 0, 0), -1.0, 1.0),
        Joint("b", "revolute", 1, 2, place(), unit(0, 1, 0), -1.0, 1.0),
    )
    made = assemble(("base", "gimbal", "plate"), joints, [None, None, (1, 1, 0.1)])
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"gimbal{suffix}")))
    assert model.body("gimbal").mass[0] < 1e-3 * model.body("plate").mass[0]
    steps_quietly(model)


@pytest.mark.parametrize("mime, format", [("image/png", "PNG"), ("image/jpeg", "JPEG")])
def test_pictures_and_texture_coordinates_reach_mujoco(mime, format, tmp_path):
    made = textured(mime, format)
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / "box.xml")))
    assert model.ntex == 1 and model.nmat == 1
    red = model.tex_data[:3]
    assert red[0] > 240 and red[1] < 20 and red[2] < 20
    # MuJoCo turns OBJ's v round and so counts from the top, as Mesh does.
    mesh = model.mesh("1_lid_0").id
    first, count = int(model.mesh_texcoordadr[mesh]), int(model.mesh_texcoordnum[mesh])
    found = np.unique(np.round(model.mesh_texcoord[first : first + count].astype(float), 5), axis=0)
    ours = np.unique(np.round(made.mesh.corner_attributes["uv0"][12:].reshape(-1, 2), 5), axis=0)
    np.testing.assert_allclose(found, ours, atol=2e-5)


def test_neighbours_whose_hulls_overlap_are_not_thrown_apart(tmp_path):
    joints = tuple(
        Joint(f"slide {i}", "prismatic", 0, i, place((0, 0, 0.3 * i)), unit(1, 0, 0), 0.0, 1.0) for i in (1, 2, 3)
    )
    made = assemble(("base", "a", "b", "c"), joints, [(2, 2, 0.1), (0.5, 0.5, 0.4), (0.5, 0.5, 0.4), (0.1, 0.1, 0.05)])
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / "shelf.xml")))
    data = steps_quietly(model, 100)
    assert np.abs(data.qvel).max() < 1e-6
    assert model.nexclude == 3 + 1  # each with the base, and a with b; c is clear of both


def test_a_urdf_whose_hulls_overlap_stays_in_one_piece_too(tmp_path):
    joint = Joint("slide", "prismatic", 0, 1, place((0.2, 0, 0)), unit(1, 0, 0), -1.0, 1.0)
    inside = assemble(("case", "drawer"), (joint,), [(1, 1, 1), (0.5, 0.5, 0.5)])
    model = mujoco.MjModel.from_xml_path(str(save(inside, tmp_path / "inside.urdf")))
    assert np.abs(steps_quietly(model, 100).qvel).max() < 1e-6
    off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    for lower, contact in ((-0.08, True), (-1.0, False)):  # the case is met at -0.1, before a limit of -1
        way = replace(joint, lower=lower)
        clear = assemble(("case", "drawer"), (way,), [(0.1, 1, 1), (0.1, 0.5, 0.5)])
        model = mujoco.MjModel.from_xml_path(str(save(clear, tmp_path / "clear.urdf")))
        assert (not model.opt.disableflags & off) == contact
        model.opt.gravity[:] = (-9.81, 0, 0)
        assert steps_quietly(model, 1000).qpos[0] == pytest.approx(lower, abs=0.01)  # it falls as far as it may


def test_what_a_joint_sweeps_through_is_not_in_its_way(tmp_path):
    """A door and a post beside it, both on the base: they are apart at rest, and meet on the door's way."""
    joints = (
        Joint("hinge", "revolute", 0, 1, place((0, 0, 1)), unit(0, 0, 1), 0.0, 1.5),
        Joint("post", "prismatic", 0, 2, place((0.6, 0.6, 1)), unit(0, 0, 1), 0.0, 0.1),
        Joint("far", "prismatic", 0, 3, place((-3, 0, 1)), unit(0, 0, 1), 0.0, 0.1),
    )
    made = assemble(("base", "door", "pole", "other"), joints, [(0.1, 0.1, 0.1), (2, 0.1, 0.5), (0.1,) * 3, (0.1,) * 3])
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / "door.xml")))
    pairs = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in model.exclude_signature}
    ids = [model.body(name).id for name in ("base", "door", "pole", "other")]
    assert (ids[1], ids[2]) in pairs and (ids[1], ids[3]) not in pairs and (ids[2], ids[3]) not in pairs


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_joint_without_range_stays_put(suffix, tmp_path):
    joint = Joint("stuck", "revolute", 0, 1, place((0.5, 0, 0)), unit(0, 1, 0), 0.0, 0.0)
    made = assemble(("base", "arm"), (joint,), [(0.1, 0.1, 0.1), (0.4, 0.1, 0.1)])
    made = replace(
        made, mesh=made.mesh.with_vertices(made.mesh.vertices + np.where(made.vertex_link == 1, 0.3, 0)[:, None])
    )
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"stuck{suffix}")))
    assert model.joint("stuck").limited[0]
    assert abs(steps_quietly(model).qpos[0]) < 0.05


def test_a_document_in_memory_needs_no_geometry_and_takes_given_inertias():
    made = every_kind()
    inertias = [Inertia(1.0 + i, np.array([0.01 * i, 0.0, 0.1]), np.diag([1.0, 1.5, 2.0])) for i in range(11)]
    text, assets = mjcf.build_document(
        made, inertias, gravity=(0.0, -1.0, 0.0), timestep=0.001, integrator="RK4", collide=False, limits=False
    )
    assert assets == {}
    model = mujoco.MjModel.from_xml_string(text, assets)
    assert model.ngeom == 0 and not model.jnt_limited.any()
    assert model.opt.timestep == 0.001 and tuple(model.opt.gravity) == (0.0, -1.0, 0.0)
    assert [model.body(link.name).mass[0] for link in made.links] == [pytest.approx(1.0 + i) for i in range(11)]
    np.testing.assert_allclose(np.sort(model.body("cap").inertia), [1.0, 1.5, 2.0], rtol=1e-9)
    assert_same_kinematics(model, made)
    text, assets = mjcf.build_document(made, inertias, collide=True, limits=True, visuals=True)
    model = mujoco.MjModel.from_xml_string(text, assets)
    assert model.ngeom >= 22 and model.jnt_limited.any()


def test_a_given_inertia_is_in_the_links_own_frame():
    """A pendulum whose link frame lies far from its joint: its period shows where the mass was put."""
    joint = Joint("pivot", "revolute", 0, 1, place((0.0, 0.0, 2.0)), unit(0, 1, 0))
    made = assemble(("base", "bob"), (joint,), [(0.1, 0.1, 0.1), (0.1, 0.1, 0.1)])
    bob = replace(made.links[1], T_world_link=place((5.0, 1.0, 0.0), (0.0, 0.0, np.pi / 2)))
    made = replace(made, links=(made.links[0], bob))
    # World (0, 0, 1), one metre below the pivot, seen from the link: turn back by 90 degrees about z.
    centre = np.array([-1.0, 5.0, 1.0])
    inertias = [Inertia(1.0, np.zeros(3), np.eye(3)), Inertia(2.0, centre, 1e-9 * np.eye(3))]
    text, assets = mjcf.build_document(made, inertias, timestep=0.0005, integrator="RK4", collide=False)
    model = mujoco.MjModel.from_xml_string(text, assets)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.01
    times = []
    for _ in range(8000):
        before = data.qpos[0]
        mujoco.mj_step(model, data)
        if before > 0 >= data.qpos[0]:
            times.append(data.time - model.opt.timestep * data.qpos[0] / (data.qpos[0] - before))
    assert times[1] - times[0] == pytest.approx(2 * np.pi / np.sqrt(9.81), rel=1e-4)


def test_other_axes_and_units_become_metres_with_z_up(tmp_path):
    joint = Joint("lift", "prismatic", 0, 1, place((0, 30.0, 0)), unit(0, 1, 0), -10.0, 50.0)
    made = assemble(("base", "car"), (joint,), [(20, 10, 30), (10, 20, 30)], up="y", unit=0.01)
    model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / "lift.xml")))
    np.testing.assert_allclose(model.joint("lift").range, (-0.1, 0.5))
    assert model.body("car").mass[0] == pytest.approx(500 * 0.1 * 0.2 * 0.3)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.2
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body("car").xpos, (0, 0, 0.5), atol=1e-9)
    again = load(save(made, tmp_path / "lift.urdf")).articulation
    np.testing.assert_allclose(again.mesh.bounds, [[-0.1, -0.15, -0.05], [0.1, 0.15, 0.4]], atol=1e-9)


def test_a_chain_too_deep_for_mujoco_is_refused(tmp_path):
    count = 401
    joints = tuple(Joint(f"j{i}", "fixed", i, i + 1, place(), unit(1, 0, 0)) for i in range(count))
    made = assemble([f"l{i}" for i in range(count + 1)], joints, [(1, 1, 1)] + [None] * count)
    with pytest.raises(OutputError, match="deeper"):
        save(made, tmp_path / "chain.xml")
    assert list(tmp_path.iterdir()) == []


def test_odd_names_are_made_fit_for_xml(tmp_path):
    joint = Joint("a\x00<&\"'>", "revolute", 0, 1, place(), unit(1, 0, 0), -1.0, 1.0)
    second = Joint("a\x00<&\"'>", "revolute", 1, 2, place(), unit(0, 1, 0), -1.0, 1.0)
    made = assemble(("world", "x", "x"), (joint, second), [(1, 1, 1)] * 3)
    for suffix in SUFFIXES:
        model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"odd{suffix}")))
        assert model.njnt == 2 and model.body("x").id != model.body("x_2").id


@pytest.mark.parametrize("identity", DEV)
def test_real_objects_load_step_and_move_alike(identity, shared_data, tmp_path):
    assert identity in {
        item["id"] for item in json.loads((shared_data / "index.json").read_text())["partnet_mobility"]["dev"]
    }
    made = load(shared_data / "partnet_mobility" / identity).articulation
    for suffix in SUFFIXES:
        model = mujoco.MjModel.from_xml_path(str(save(made, tmp_path / f"object{suffix}")))
        assert_same_kinematics(model, made, count=2)
        steps_quietly(model, 200)
        assert model.njnt == sum(2 if j.kind in ("cylindrical", "screw") else j.kind != "fixed" for j in made.joints)


def test_the_hull_of_a_box_is_the_box():
    from neurok.files.hulls import compute_convex_hull
    from tests.files.machines import block

    points, _ = block((1.0, 2.0, 3.0), place((4, 5, 6), (0.1, 0.2, 0.3)))
    inside = np.random.default_rng(0).uniform(-0.25, 0.25, (200, 3)) + points.mean(axis=0)
    hull = compute_convex_hull(np.concatenate([points, inside]))
    inertia = solid_inertia(hull, 1.0)
    assert inertia.mass == pytest.approx(6.0) and hull.vertex_count == 8
    np.testing.assert_allclose(inertia.centre, points.mean(axis=0))


@pytest.mark.parametrize("points", [[[0, 0, 0]], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]])
def test_thin_hulls_get_a_thickness(points):
    from neurok.files.hulls import compute_convex_hull

    hull = compute_convex_hull(np.array(points, dtype=float))
    if len(points) > 1:
        assert np.ptp(hull.vertices, axis=0).min() == pytest.approx(
            1e-3 * np.linalg.norm(np.ptp(points, axis=0)), rel=0.1
        )
        assert isinstance(hull, Mesh)
    else:
        assert hull is None


def test_articulation_type_is_required(tmp_path):
    assert isinstance(every_kind(), Articulation)
    for suffix in SUFFIXES:
        with pytest.raises(OutputError):
            save(every_kind().mesh, tmp_path / f"mesh{suffix}")
        assert list(tmp_path.iterdir()) == []
