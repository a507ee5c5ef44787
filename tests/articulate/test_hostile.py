"""Bad input: one part, 500 parts, nested and interpenetrating ones, sheets: a sensible answer, and never a NaN."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurok.articulate.colliders import add_colliders
from neurok.articulate.editing import describe_articulation
from neurok.articulate.parts import find_parts
from neurok.articulate.physics import add_physics
from neurok.articulate.predict import predict_articulation
from neurok.errors import NeurokError
from neurok.files.registry import save
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box

mujoco = pytest.importorskip("mujoco")
NOT_A_NUMBER = re.compile(r"(?<![a-z_])(nan|inf|-inf|infinity)(?![a-z_])", re.IGNORECASE)


def _box(size, at=(0, 0, 0)):
    T = np.eye(4)
    T[:3, 3] = at
    return transform(box(*size), T)


def _sheet(size, at=(0.0, 0, 0)):
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0.0)]) * size / 2 + np.array(at)
    return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))


def _with_parts(meshes: list[Mesh]) -> tuple[Mesh, Parts]:
    whole = merge(meshes)
    face = np.repeat(np.arange(len(meshes)), [mesh.face_count for mesh in meshes])
    return Mesh(whole.vertices, whole.faces, up="z"), Parts(face, tuple(f"part_{i}" for i in range(len(meshes))))


def _exported(meshes: list[Mesh], folder: Path, suffixes=("urdf", "xml", "json")):
    """The object written in every format; each text free of what is no number, URDF and MJCF loaded by MuJoCo."""
    mesh, parts = _with_parts(meshes)
    thing, _ = add_colliders(add_physics(predict_articulation(mesh, parts, predictor="search")))
    for suffix in suffixes:
        path = folder / f"thing.{suffix}"
        if suffix == "json":
            path.write_text(json.dumps(describe_articulation(thing, parts), allow_nan=False))
        else:
            save(thing, path)
        if suffix in ("urdf", "xml"):
            model = mujoco.MjModel.from_xml_path(str(path))
            assert np.isfinite(model.body_mass).all() and np.isfinite(model.body_inertia).all()
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, 20)
            assert np.isfinite(data.qpos).all()
    for path in folder.rglob("*"):
        if path.suffix in (".urdf", ".xml", ".usda", ".json", ".obj"):
            assert not NOT_A_NUMBER.search(path.read_text()), path.name
        if path.suffix == ".stl":
            numbers = np.frombuffer(path.read_bytes()[84:], dtype=[("x", "<f4", 12), ("n", "<u2")])["x"]
            assert np.isfinite(numbers).all(), path.name
    return thing


def test_one_part_stays(tmp_path):
    thing = _exported([_box((1, 1, 1))], tmp_path)
    assert len(thing.links) == 1 and not thing.joints


def test_nested_parts(tmp_path):
    """A ball of a box in a box in a box, none of which can come out."""
    thing = _exported([_box((s, s, s)) for s in (1.0, 0.6, 0.2)], tmp_path)
    assert 1 <= len(thing.links) <= 3


def test_interpenetrating_parts(tmp_path):
    pieces = [_box((1, 1, 0.1)), _box((0.1, 0.8, 1), (0.2, 0, 0.3)), _box((0.9, 0.1, 1), (0, 0.1, 0.3))]
    thing = _exported(pieces, tmp_path)
    assert sum(link.inertia.mass for link in thing.links) == pytest.approx(500 * (0.1 + 0.08 + 0.09), rel=1e-6)


def test_the_same_part_twice(tmp_path):
    _exported([_box((1, 1, 1)), _box((0.5, 0.5, 0.2), (0, 0, 0.6)), _box((0.5, 0.5, 0.2), (0, 0, 0.6))], tmp_path)


def test_sheets_without_volume_have_a_mass(tmp_path):
    pieces = [_sheet(1.0), _sheet(0.5, (0, 0, 0.01)), _sheet(0.2, (0.6, 0, 0))]
    thing = _exported(pieces, tmp_path, ("urdf", "xml", "usda", "json"))
    assert all(link.inertia.mass > 0 for link in thing.links)


def test_a_part_without_area(tmp_path):
    speck = Mesh(np.array([[0, 0, 0.6], [0.1, 0, 0.6], [0.2, 0, 0.6]]), np.array([[0, 1, 2]]))
    _exported([_box((1, 1, 1)), speck, Mesh(np.zeros((3, 3)) + 0.5, np.array([[0, 1, 2]]))], tmp_path)


@pytest.mark.slow
def test_five_hundred_parts(tmp_path):
    side = 23
    pieces = [_box((side, 0.1, side), (side / 2, 0.3, side / 2))]
    pieces += [_box((0.7, 0.5, 0.7), (i % side + 0.5, 0.0, i // side + 0.5)) for i in range(499)]
    thing = _exported(pieces, tmp_path, ("urdf",))
    assert 1 <= len(thing.links) <= 500
    assert sum(link.inertia.mass for link in thing.links) == pytest.approx(
        500 * (0.1 * side**2 + 499 * 0.245), rel=1e-6
    )


def test_nothing_at_all_is_a_sentence():
    with pytest.raises(NeurokError, match="no faces"):
        find_parts(Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)))


def test_the_command_says_it_in_a_sentence(tmp_path, capsys):
    from neurok.commands.main import main

    for text in ("", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"):
        (tmp_path / "bad.obj").write_text(text)
        with pytest.raises(SystemExit) as left:
            sys.exit(main(["articulate", str(tmp_path / "bad.obj"), "-o", str(tmp_path / "bad.urdf")]))
        said = capsys.readouterr()
        assert left.value.code in (0, 2), text
        assert "Traceback" not in said.err
        if left.value.code == 0:
            assert not NOT_A_NUMBER.search((tmp_path / "bad.urdf").read_text())
        else:
            assert not (tmp_path / "bad.urdf").exists()


def _said(capsys, *words: str) -> tuple[int, str]:
    """The code with which the command leaves, and what it says on stderr."""
    from neurok.commands.main import main

    with pytest.raises(SystemExit) as left:
        sys.exit(main(["articulate", *words, "--predictor", "search"]))
    return left.value.code, capsys.readouterr().err


def _chest_file(folder: Path, scale: float = 1.0, shift: float = 0.0) -> str:
    lines, count = [], 0
    for number, mesh in enumerate([_box((0.6, 0.4, 0.3)), _box((0.6, 0.4, 0.04), (0, 0, 0.17))]):
        lines += [f"g part_{number}", *("v {} {} {}".format(*(scale * v + shift)) for v in mesh.vertices)]
        lines += ["f {} {} {}".format(*(face + count + 1)) for face in mesh.faces]
        count += mesh.vertex_count
    (folder / "chest.obj").write_text("\n".join(lines) + "\n")
    return str(folder / "chest.obj")


@pytest.mark.parametrize(
    ("scale", "shift", "words"), [(1e12, 0.0, "m across"), (1e-9, 0.0, "m across"), (1.0, 1e7, "from the origin")]
)
def test_what_no_simulator_holds_is_a_sentence(tmp_path, capsys, scale, shift, words):
    code, said = _said(capsys, _chest_file(tmp_path, scale, shift), "-o", str(tmp_path / "chest.usda"))
    assert code == 2 and words in said and not (tmp_path / "chest.usda").exists()


def test_a_chest_in_millimetres(tmp_path, capsys):
    """It is asked about; told, it weighs what the same chest in metres does."""
    path, out = _chest_file(tmp_path, 1000.0), tmp_path / "chest.xml"
    code, said = _said(capsys, path, "-o", str(out))
    assert code == 0 and "797 m across" in said and "--unit" in said
    code, said = _said(capsys, path, "-o", str(out), "--unit", "0.001", "--no-predict")
    assert code == 0 and "across" not in said
    model = mujoco.MjModel.from_xml_path(str(out))
    assert model.body_mass.sum() == pytest.approx(500 * 0.6 * 0.4 * 0.34)


def test_a_file_with_joints_is_told_that_they_are_found_anew(tmp_path, capsys):
    mesh, _ = _with_parts([_box((1, 1, 0.1)), _box((0.3, 0.3, 0.3), (0, 0, 0.3))])
    joint = Joint("own", "revolute", 0, 1, np.eye(4), np.array([0, 0, 1.0]), 0.0, 1.0)
    thing = Articulation(mesh, np.repeat([0, 1], 8), (Link("a", np.eye(4)), Link("b", np.eye(4))), (joint,))
    code, said = _said(capsys, str(save(thing, tmp_path / "own.urdf")), "-o", str(tmp_path / "new.xml"))
    assert code == 0 and "neurok convert own.urdf" in said


@pytest.mark.parametrize(
    "words",
    [("--density", "1e300"), ("--density", "0"), ("--mass", "1e308"), ("--mass", "-1"), ("--damping", "1e308"),
     ("--friction", "-1"), ("--unit", "0"), ("-o", "chest.fbx"), ("-o", "chest"), ("-o", "no_such_folder/chest.json")],
)  # fmt: skip
def test_an_option_beyond_measure_is_a_sentence(tmp_path, capsys, words):
    code, said = _said(capsys, _chest_file(tmp_path), "-o", str(tmp_path / "chest.usda"), *words)
    assert code == 2 and said.count("\n") == 1 and "Traceback" not in said
    assert not (tmp_path / "chest.usda").exists()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 100_000))
def test_no_export_holds_a_nan(tmp_path_factory, seed):
    """Boxes, sheets, needles and specks of all sizes, anywhere, through each other."""
    rng = np.random.default_rng(seed)
    pieces = []
    for _ in range(rng.integers(1, 6)):
        size = 10.0 ** rng.uniform(-4, 0.5, 3) * (rng.random(3) > 0.15)
        cube = box(1, 1, 1)
        pieces.append(cube.with_vertices(cube.vertices * size + rng.normal(size=3) * 10.0 ** rng.uniform(-2, 1)))
    try:
        _exported(pieces, tmp_path_factory.mktemp("soup"), ("urdf", "xml", "usda", "json"))
    except NeurokError as fault:
        assert str(fault).count(".") >= 1  # a sentence
