"""The doctor on meshes whose faults are known because they were put there."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.files.doctor import examine
from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Material, Mesh
from neurok.geometry.motion import Motion, rigid_skin

CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])
CUBE = Mesh(CORNERS, FACES)
COUNTS = ("degenerate_faces", "duplicate_faces", "non_manifold_edges", "holes", "inconsistent_edges", "unused_vertices")


def _asset(mesh: Mesh, suffix: str) -> Asset:
    """As the reader of such a file gives it."""
    return Asset(mesh, states_axes=suffix not in (".obj", ".ply", ".stl", ".off"))


def facts(mesh: Mesh, suffix: str = ".obj") -> dict:
    return examine(_asset(mesh, suffix), suffix).facts


def names(mesh: Mesh, suffix: str = ".obj") -> dict[str, str]:
    return {finding.name: finding.severity for finding in examine(_asset(mesh, suffix), suffix).findings}


def counts(mesh: Mesh) -> dict[str, int]:
    found = facts(mesh)
    return {name: found[name] for name in COUNTS if found[name]}


def test_a_sound_cube_has_no_findings():
    found = facts(CUBE)
    assert names(CUBE) == {} and counts(CUBE) == {}
    assert (found["vertices"], found["faces"], found["components"]) == (8, 12, 1)
    assert found["closed"] and found["volume"] == pytest.approx(1) and found["area"] == pytest.approx(6)
    assert np.array_equal(found["bounds"], [[0, 0, 0], [1, 1, 1]]) and found["diagonal"] == pytest.approx(3**0.5)


def test_a_seam_is_no_hole():
    split = Mesh(CORNERS[FACES].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert names(split) == {} and facts(split)["closed"]
    assert facts(split)["split_vertices"] == 36 - 8 and facts(split)["components"] == 1


def test_links_that_touch_stay_apart():
    two = Mesh(np.concatenate([CORNERS, CORNERS + [1, 0, 0]]), np.concatenate([FACES, FACES + 8]))
    joint = Joint("hinge", "revolute", 0, 1, np.eye(4), np.array([0.0, 0, 1]), -1.0, 1.0)
    links = (Link("a", np.eye(4)), Link("b", np.eye(4)))
    jointed = Articulation(two, np.repeat([0, 1], 8), links, (joint,))
    diagnosis = examine(Asset(two, articulation=jointed), ".urdf")
    assert diagnosis.facts["components"] == 2 and diagnosis.facts["closed"]
    assert diagnosis.facts["non_manifold_edges"] == 0
    assert diagnosis.facts["joints"] == [
        {"name": "hinge", "kind": "revolute", "parent": "a", "child": "b", "limits": [-1.0, 1.0], "unit": "rad"}
    ]
    assert facts(two)["components"] == 1, "without joints, what touches is one piece"


@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        (FACES[2:], {"holes": 1}),
        (np.delete(FACES, [0, 1, 2, 3], axis=0), {"holes": 2}),
        (np.concatenate([FACES, FACES[:1]]), {"duplicate_faces": 1}),
        (np.concatenate([FACES, FACES[:2, ::-1]]), {"duplicate_faces": 2}),
        (np.concatenate([FACES, [[0, 0, 1]]]), {"degenerate_faces": 1}),
        (np.concatenate([FACES[:-1], FACES[-1:, ::-1]]), {"inconsistent_edges": 3}),
        (np.concatenate([FACES, [[0, 3, 7]]]), {"non_manifold_edges": 2, "holes": 1}),
    ],
)
def test_one_fault_is_counted_once(faces, expected):
    # The diagonal of the bottom is edge 0-3, an upright is 3-7; 0-7 is new, and a border of one face.
    assert counts(Mesh(CORNERS, faces)) == expected


def test_unused_vertices_and_inside_out():
    assert counts(Mesh(np.concatenate([CORNERS, [[0.5, 0.5, 0.5]]]), FACES)) == {"unused_vertices": 1}
    assert names(Mesh(CORNERS, FACES[:, ::-1])) == {"inside_out": "warning"}
    two_sided = Mesh(CORNERS, np.concatenate([FACES[:2], FACES[:2, ::-1]]))
    assert "inside_out" not in names(two_sided)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_counted_and_the_rest_measured(bad):
    vertices = np.concatenate([CORNERS, [[bad, 0, 0], [0, bad, 1]]])
    diagnosis = examine(Asset(Mesh(vertices, np.concatenate([FACES, [[0, 1, 8]]]))))
    finding = next(f for f in diagnosis.findings if f.name == "not_finite")
    assert finding.severity == "error" and finding.count == 2
    assert diagnosis.facts["volume"] == pytest.approx(1) and diagnosis.facts["vertices"] == 10


@pytest.mark.parametrize(
    ("vertices", "faces", "finding"),
    [
        (np.zeros((0, 3)), [], "empty"),
        (CORNERS, [], "no_faces"),
        (np.ones((3, 3)), [[0, 1, 2]], "single_point"),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]]), [[0, 1, 2]], "no_area"),
        (CORNERS * 1e200, FACES, "too_large"),
    ],
)
def test_what_nothing_else_accepts_is_an_error(vertices, faces, finding):
    assert names(Mesh(vertices, np.array(faces, dtype=int).reshape(-1, 3)))[finding] == "error"


@pytest.mark.parametrize(
    ("scale", "words"), [(1000, "millimetres"), (100, "centimetres"), (1, None), (1e7, "across"), (1e-4, "across")]
)
def test_sizes_that_look_like_another_unit(scale, words):
    said = [f.problem for f in examine(Asset(Mesh(CORNERS * scale, FACES)), ".stl").findings if f.name == "size"]
    assert (len(said) == 1 and words in said[0]) if words else not said


def test_the_unit_of_the_file_counts():
    assert "size" not in names(Mesh(CORNERS * 1000, FACES, unit=0.001), ".usda")


def test_up_is_guessed_from_what_it_stands_on():
    pyramid = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1.0]])  # stands on its lowest z
    faces = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    standing = Mesh(pyramid, faces)
    assert facts(standing)["up_guess"] == "z" and names(standing) == {"up_axis": "warning"}
    assert names(replace(standing, up="z")) == {}
    lying = Mesh(pyramid[:, [1, 2, 0]], faces)  # a cyclic change of axes: stands on its lowest y
    assert facts(lying)["up_guess"] == "y" and names(lying) == {}
    assert facts(standing, ".glb")["up_guess"] == "y", "glTF knows"


def test_clips_materials_and_notes_are_named():
    skin = rigid_skin(np.zeros(8, dtype=int), ("root",), np.array([-1]), np.eye(4)[None])
    moving = Motion(CUBE, np.array([0.0, 0.5]), skin=skin, transforms=np.tile(np.eye(4), (2, 1, 1, 1)), name="still")
    points = Motion(CUBE, np.array([0.0, 1.0, 2.0]), positions=np.stack([CORNERS] * 3), name="points")
    mesh = replace(CUBE, materials=(Material("paint"),), face_material=np.array([0] * 4 + [-1] * 8))
    diagnosis = examine(Asset(mesh, motions=(moving, points), notes=("the picture 'a.png' is missing",)), ".glb")
    assert diagnosis.facts["animations"] == [
        {"name": "still", "frames": 2, "seconds": 0.5, "kind": "moving parts", "bones": 1},
        {"name": "points", "frames": 3, "seconds": 2.0, "kind": "moving points"},
    ]
    assert diagnosis.facts["materials"] == [{"name": "paint", "textures": [], "faces": 4}]
    assert [f.problem for f in diagnosis.findings] == ["the picture 'a.png' is missing"]


def test_joints_that_cannot_move_or_exclude_the_pose():
    axis, links = np.array([0.0, 0, 1]), tuple(Link(n, np.eye(4)) for n in "abc")
    stuck = Joint("stuck", "prismatic", 0, 1, np.eye(4), axis, 0.0, 0.0)
    away = Joint("away", "revolute", 0, 2, np.eye(4), axis, 0.5, 1.0)
    jointed = Articulation(CUBE, np.zeros(8, dtype=int), links, (stuck, away))
    found = {f.name: f.problem for f in examine(Asset(CUBE, articulation=jointed), ".urdf").findings}
    assert set(found) == {"stuck_joints", "rest_outside_limits"}
    assert "stuck" in found["stuck_joints"] and "away" in found["rest_outside_limits"]


def test_every_finding_says_what_will_be_done():
    broken = Mesh(np.concatenate([CORNERS * 1e6, [[np.nan] * 3]]), np.concatenate([FACES[3:], FACES[4:5], [[0, 0, 1]]]))
    findings = examine(Asset(broken), ".obj").findings
    assert len(findings) >= 5 and all(f.action and f.problem for f in findings)
    order = ["error", "warning", "note"]
    ranks = [order.index(f.severity) for f in findings]
    assert ranks == sorted(ranks)


def test_a_sheet_with_a_back_is_two_sided_and_holds_no_volume():
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    sheet = examine(Asset(Mesh(square, np.concatenate([faces, faces[:, ::-1]])))).facts
    assert (sheet["two_sided"], sheet["closed"], sheet["volume"], sheet["area"]) == (True, False, None, 2.0)
    solid = examine(Asset(Mesh(CORNERS, FACES))).facts
    assert solid["closed"] and not solid["two_sided"] and solid["volume"] > 0
