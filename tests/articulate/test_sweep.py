"""Made boxes with known stops: what penetrates, comes away or moves nothing is found, and ranges end at the stop."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from neurok.articulate.physics import add_physics
from neurok.articulate.sweep.articulations import ArticulationTrial, stop_ranges
from neurok.articulate.sweep.surfaces import SweptSurface, subdivide_triangles
from neurok.files.registry import save
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, cylinder, icosphere

TOLERANCE = 0.01


def _box(width, depth, height, *shift) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(box(width, depth, height, cells=4), T)


def _object(base, part, joint) -> Articulation:
    meshes = [merge(base), merge(part)]
    whole = merge([Mesh(mesh.vertices, mesh.faces) for mesh in meshes])
    link = np.repeat([0, 1], [mesh.vertex_count for mesh in meshes])
    links = (Link("base", np.eye(4)), Link("moved", np.eye(4)))
    return Articulation(Mesh(whole.vertices, whole.faces, up="z"), link, links, (joint,), "made")


def _joint(kind, axis, at, lower, upper) -> Joint:
    origin = np.eye(4)
    origin[:3, 3] = at
    return Joint("joint", kind, 0, 1, origin, np.array(axis, dtype=float), lower, upper)


CABINET = (
    _box(0.6, 0.02, 0.4, 0, 0.3, 0), _box(0.02, 0.6, 0.4, 0.3, 0, 0), _box(0.02, 0.6, 0.4, -0.3, 0, 0),
    _box(0.6, 0.6, 0.02, 0, 0, 0.2), _box(0.6, 0.6, 0.02, 0, 0, -0.2),
)  # fmt: skip
TRAY = (
    _box(0.57, 0.02, 0.3, 0, -0.29, -0.03), _box(0.02, 0.5, 0.3, 0.27, -0.05, -0.03),
    _box(0.02, 0.5, 0.3, -0.27, -0.05, -0.03), _box(0.57, 0.5, 0.02, 0, -0.05, -0.18),
)  # fmt: skip


def _drawer(lower=-0.4, upper=0.3) -> Articulation:
    """A drawer that slides along y, its end 0.09 before the back of its case and 0.5 behind the front."""
    return _object(CABINET, TRAY, _joint("prismatic", (0, 1, 0), (0, 0, 0), lower, upper))


def _lid(lower=-1.0, upper=1.5) -> Articulation:
    """A lid on a solid chest, on a hinge at the edge where they touch: it opens, and shut is its stop."""
    chest, lid = _box(0.6, 0.4, 0.3, 0, 0, 0.15), _box(0.6, 0.4, 0.04, 0, 0, 0.32)
    return _object([chest], [lid], _joint("revolute", (-1, 0, 0), (0, 0.2, 0.3), lower, upper))


def _slider(end=2.0) -> Articulation:
    """A block of 0.2 on a rail of 1: it leaves the rail at 0.6."""
    return _object(
        [_box(1, 0.1, 0.1, 0, 0, 0)], [_box(0.2, 0.1, 0.1, 0, 0, 0.1)],
        _joint("prismatic", (1, 0, 0), (0, 0, 0), -end, end),
    )  # fmt: skip


def _wheel() -> Articulation:
    T = np.array([[1, 0, 0, 0], [0, 0, 1, 0.08], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    turn = _joint("continuous", (0, 1, 0), (0, 0, 0), -np.inf, np.inf)
    return _object([_box(1, 0.1, 0.1, 0, 0, 0)], [transform(cylinder(0.2, 0.05), T)], turn)


def _open_up(thing: Articulation) -> Articulation:
    """The same without every seventh face: no piece of it is closed any more."""
    keep = np.ones(thing.mesh.face_count, dtype=bool)
    keep[::7] = False
    return replace(thing, mesh=Mesh(thing.mesh.vertices, thing.mesh.faces[keep], up="z"))


def _double(thing: Articulation) -> Articulation:
    """The same with a second face on the back of each, as many modelling programs write it."""
    faces = np.concatenate([thing.mesh.faces, thing.mesh.faces[:, ::-1]])
    return replace(thing, mesh=Mesh(thing.mesh.vertices, faces, up="z"))


def _scanned(thing: Articulation) -> Articulation:
    """The same with noise of a thousandth of the diagonal on every point of finer surfaces."""
    noise = np.random.default_rng(0).normal(scale=1e-3 * thing.mesh.diagonal, size=thing.mesh.vertices.shape)
    return replace(thing, mesh=thing.mesh.with_vertices(thing.mesh.vertices + noise))


SURFACES = {"closed": lambda thing: thing, "double": _double, "scanned": _scanned}


@pytest.mark.parametrize("surface", SURFACES)
def test_a_drawer_ends_at_the_back_of_its_case(surface):
    thing = SURFACES[surface](_drawer())
    found = stop_ranges(thing, TOLERANCE).joints[0]
    assert found.upper == pytest.approx(0.09, abs=TOLERANCE * thing.mesh.diagonal)
    assert found.lower == -0.4  # pulled out, but held by its case


def test_a_drawer_with_holes_in_its_faces_ends_there_as_well():
    thing = _open_up(_drawer())
    assert stop_ranges(thing, TOLERANCE).joints[0].upper == pytest.approx(0.09, abs=TOLERANCE * thing.mesh.diagonal)


def test_a_drawer_comes_out_when_its_end_passes_the_front():
    thing = _drawer(lower=-0.8, upper=0.05)
    found = stop_ranges(thing, TOLERANCE).joints[0]
    assert found.lower == pytest.approx(-0.5, abs=TOLERANCE * thing.mesh.diagonal + 0.008)
    assert found.upper == 0.05


@pytest.mark.parametrize("surface", SURFACES)
def test_a_lid_opens_and_does_not_turn_through_its_chest(surface):
    found = stop_ranges(SURFACES[surface](_lid()), TOLERANCE).joints[0]
    # The far edge, 0.4 from the hinge, lies a tolerance deep after a turn of 0.008 / 0.4.
    assert -0.03 <= found.lower <= 0.0
    assert found.upper == 1.5


@pytest.mark.parametrize("surface", SURFACES)
def test_a_slider_stays_on_its_rail(surface):
    thing = SURFACES[surface](_slider())
    found = stop_ranges(thing, TOLERANCE).joints[0]
    near = TOLERANCE * thing.mesh.diagonal + 0.02  # 0.01 of the range of 2
    assert found.upper == pytest.approx(0.6, abs=near) and found.lower == pytest.approx(-0.6, abs=near)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_wheel_turns_for_ever(surface):
    assert stop_ranges(SURFACES[surface](_wheel()), TOLERANCE).joints[0].kind == "continuous"


def test_what_overlaps_at_rest_may_stay_so_and_leave():
    """A drawer modelled as a block in a solid block, from which it is pulled out: nothing is driven into anything."""
    thing = _object(
        [_box(0.6, 0.6, 0.4, 0, 0, 0)], [_box(0.5, 0.5, 0.3, 0, -0.06, 0)],
        _joint("prismatic", (0, -1, 0), (0, 0, 0), 0.0, 0.4),
    )  # fmt: skip
    assert stop_ranges(thing, TOLERANCE).joints[0].upper == 0.4


def test_a_cap_that_is_a_solid_over_its_neck_comes_off():
    """The neck's end lies just below the top of the cap, inside it: the cap leaves it and does not meet it."""
    neck, cap = _box(0.1, 0.1, 0.3, 0, 0, 0.15), _box(0.14, 0.14, 0.1, 0, 0, 0.251)
    thing = _object([_box(0.4, 0.4, 0.4, 0, 0, -0.2), neck], [cap], _joint("prismatic", (0, 0, 1), (0, 0, 0), 0, 0.09))
    assert stop_ranges(thing, TOLERANCE).joints[0].upper == 0.09


def test_a_joint_that_is_stuck_becomes_fixed_and_says_so():
    walls = [_box(0.1, 0.4, 0.4, x, 0, 0) for x in (-0.15, 0.15)]
    thing = _object(walls, [_box(0.2, 0.4, 0.4, 0, 0, 0)], _joint("prismatic", (1, 0, 0), (0, 0, 0), -0.3, 0.3))
    found = stop_ranges(thing, TOLERANCE)
    small = found.joints[0]
    assert small.kind == "fixed" or small.upper - small.lower < 4 * TOLERANCE * thing.mesh.diagonal


def test_the_stop_is_found_within_a_hundredth_of_the_range():
    trial = ArticulationTrial(_drawer(), TOLERANCE)
    values, faults = trial.find_faults(0, 0.3, TOLERANCE)
    step = faults[0].step
    assert values[step] - values[step - 1] <= 0.01 * 0.3 + 1e-12


def test_a_rack_behind_a_door_may_come_out_when_the_door_is_open():
    rack, door = _box(0.5, 0.5, 0.02, 0, -0.04, -0.1795), _box(0.6, 0.02, 0.4, 0, -0.31, 0)
    thing = _object(CABINET, [rack], _joint("prismatic", (0, -1, 0), (0, 0, 0), 0.0, 0.3))
    hinge = replace(_joint("revolute", (0, 0, -1), (-0.3, -0.31, 0), 0.0, 1.5), name="hinge", child=2)
    whole = merge([Mesh(thing.mesh.vertices, thing.mesh.faces), Mesh(door.vertices, door.faces)])
    link = np.concatenate([thing.vertex_link, np.full(door.vertex_count, 2)])
    mesh, links = Mesh(whole.vertices, whole.faces, up="z"), (*thing.links, Link("door", np.eye(4)))
    shut = stop_ranges(Articulation(mesh, link, links, (thing.joints[0], replace(hinge, kind="fixed"))), TOLERANCE)
    assert shut.joints[0].upper < 0.05
    found = stop_ranges(Articulation(mesh, link, links, (thing.joints[0], hinge)), TOLERANCE)
    assert found.joints[0].upper == 0.3 and found.joints[1].upper == 1.5


# ---------------------------------------------------------------- surfaces


def test_a_subdivided_triangle_keeps_its_area_and_its_sides_are_short():
    corners = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 0.01, 0]]])
    found, source = subdivide_triangles(corners, 0.02)
    sides = np.linalg.norm(found - np.roll(found, -1, axis=1), axis=2)
    areas = 0.5 * np.linalg.norm(np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]), axis=1)
    assert sides.max() <= 0.02 and areas.sum() == pytest.approx(0.005) and not source.any()


def test_distances_crossings_and_insides_of_a_ball_are_those_of_the_ball():
    ball = SweptSurface.of(icosphere(0.3, subdivisions=5))
    rng = np.random.default_rng(1)
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    radii = rng.uniform(0.2, 0.4, 200)
    distance = ball.measure_distances(radii[:, None] * ways, 0.2)[0]
    assert np.allclose(distance, np.abs(radii - 0.3), atol=1e-3)
    clear = np.abs(radii - 0.3) > 0.01
    assert np.array_equal(ball.contains(radii[:, None] * ways)[clear], radii[clear] < 0.3)
    near = rng.uniform(0.285, 0.315, (200, 1))
    start, end = near * ways, (near + 0.01) * ways
    expected = (near[:, 0] < 0.3) & (near[:, 0] + 0.01 > 0.3)
    sure = np.minimum(np.abs(near[:, 0] - 0.3), np.abs(near[:, 0] - 0.29)) > 1e-3
    assert np.array_equal(ball.find_crossed(start, end)[sure], expected[sure])


# ---------------------------------------------------------------- the check


def _check(tmp_path, thing, suffix="xml", **options):
    pytest.importorskip("mujoco")
    from neurok.articulate.check import check_file

    return check_file(save(add_physics(thing), tmp_path / f"made.{suffix}"), **options)


@pytest.mark.parametrize("suffix", ["xml", "urdf"])
def test_the_check_passes_on_what_is_sound(tmp_path, suffix):
    for thing in (_drawer(-0.4, 0.08), _lid(0.0, 1.5), _slider(0.5), _wheel()):
        found = _check(tmp_path, thing, suffix, expect_moving=True)
        assert found.passed, found.faults
        assert found.figures["moving_joints"] == 1


@pytest.mark.parametrize("suffix", ["xml", "urdf"])
def test_the_check_names_joint_value_pair_and_remedy(tmp_path, suffix):
    """The exporter excludes the pair from contact, so nothing but this test can find it."""
    faults = _check(tmp_path, _drawer(-0.4, 0.15), suffix).faults
    assert len(faults) == 1
    for word in ("'joint' at 0.15 m", "'moved'", "'base'", "end its range at"):
        assert word in faults[0]
    stop = float(faults[0].split("end its range at ")[1].split()[0])
    assert stop == pytest.approx(0.09, abs=0.01)


def test_the_check_finds_a_lid_in_its_base_and_a_slider_off_its_rail(tmp_path):
    faults = _check(tmp_path, _lid(-1.0, 1.5)).faults
    assert len(faults) == 1 and "'joint'" in faults[0] and "rad drives 'moved' into 'base'" in faults[0]
    faults = _check(tmp_path, _slider(0.8)).faults
    assert len(faults) == 2 and all("takes 'moved' away" in fault for fault in faults)


def test_the_check_finds_a_joint_that_moves_nothing(tmp_path):
    faults = _check(tmp_path, _lid(0.0, 0.0)).faults
    assert any("'joint' moves nothing, as its range is empty" in fault for fault in faults)
    assert any("no joint moves one" in fault for fault in faults)


def test_the_check_finds_a_joint_without_a_surface_below_it(tmp_path):
    pytest.importorskip("mujoco")
    from neurok.articulate.check import check_file

    path = save(add_physics(_lid(0.0, 1.0)), tmp_path / "made.xml")
    tree = ET.parse(path)
    body = next(each for each in tree.iter("body") if each.get("name") == "moved")
    for geom in body.findall("geom"):
        body.remove(geom)
    tree.write(path)
    assert any("'moved' and all below have no surface" in fault for fault in check_file(path).faults)


def test_an_object_without_joints_fails_only_where_motion_is_expected(tmp_path):
    still = replace(_lid(), joints=(replace(_lid().joints[0], kind="fixed"),))
    assert _check(tmp_path, still).passed
    assert any("said to have moving parts" in fault for fault in _check(tmp_path, still, expect_moving=True).faults)


def test_a_part_that_floats_at_rest_is_only_noted(tmp_path):
    thing = _slider(0.8)
    vertices = thing.mesh.vertices + np.where(np.asarray(thing.vertex_link)[:, None] == 1, (0, 0, 0.1), 0.0)
    found = _check(tmp_path, replace(thing, mesh=thing.mesh.with_vertices(vertices)))
    assert found.passed and any("touches nothing at rest" in remark for remark in found.remarks)
