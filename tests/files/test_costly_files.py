"""Small files cost little: work grows with their bytes, and what would not is refused in a sentence.

Costs are told by counted work, by peak memory, or by a bound on the processor's time of a process of its own, which
the code before took several times over.
"""

import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.files import registry
from neurok.files.gltf.reading import scene
from neurok.files.registry import load, save
from neurok.files.source import Source
from neurok.geometry.articulation import MAX_JOINT_COORDINATES, Articulation, Joint, Link
from neurok.geometry.components import degenerate_faces
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.primitives import box
from neurok.kinematics.choose import joint_space

BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
{program}
"""
CLOUD = """
import numpy as np
from neurok.geometry.mesh import Mesh, Part
def build_cloud(count):
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.normal(0.0, 0.01, (count, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))
"""
# In comments: what the code before took of the processor's time.
PROGRAMS = {
    # 75 s
    "crease patches of loose triangles": (
        "from neurok.geometry.patches import crease_patches\nassert crease_patches(build_cloud(60_000)).count == 200"
    ),
    # 29 s
    "orientation of loose triangles": (
        "from neurok.geometry.orientation import orient_outwards\n"
        "assert orient_outwards(build_cloud(500_000)).face_count"
    ),
    # 30 s
    "names of parts": (
        "from neurok.geometry.parts import name_parts\n"
        "assert name_parts(np.arange(100_000), [f'a{i}' for i in range(100_000)]).count == 100_000"
    ),
    # far beyond a minute
    "materials of nested parts": (
        "from neurok.materials.assignment import assign_properties\n"
        "from neurok.materials.library import load_library\n"
        "from neurok.materials.part_properties import PartProperties\n"
        "from dataclasses import replace\n"
        "mesh = replace(build_cloud(1), parts=tuple(Part(f'a{i}', i - 1) for i in range(30_000)))\n"
        "whole = PartProperties(density=7.0)\n"
        "found = assign_properties(mesh, {}, whole, load_library())\n"
        "assert len(found.properties) == 30_001 and found.properties[29_999].density == 7.0"
    ),
}


def run_bounded(program: str, seconds: int) -> None:
    code = BOUNDED.format(seconds=seconds, program=program)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:] or f"ended by signal {-done.returncode}"


@pytest.mark.parametrize("what", PROGRAMS)
def test_work_on_many_pieces_grows_with_their_number(what):
    run_bounded(CLOUD + PROGRAMS[what], 14)


def test_sixty_thousand_loose_triangles_are_animated_soon(tmp_path):
    rng = np.random.default_rng(0)
    count = 60_000
    corners = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.normal(0.0, 0.01, (count, 3, 3))
    save(Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)), tmp_path / "cloud.ply")
    words = [
        "animate",
        str(tmp_path / "cloud.ply"),
        "--base",
        "free",
        "--seconds",
        "0.1",
        "-o",
        str(tmp_path / "o.glb"),
    ]
    run_bounded(f"from neurok.commands.main import main\nassert main({words!r}) == 0", 40)


def write_urdf(meshes):
    links = [f"<link name='l{i}'><visual><geometry><mesh filename='{name}'/></geometry></visual></link>"
             for i, name in enumerate(meshes)]  # fmt: skip
    joints = [f"<joint name='j{i}' type='fixed'><parent link='l0'/><child link='l{i}'/></joint>"
              for i in range(1, len(meshes))]  # fmt: skip
    return f"<robot name='r'>{''.join(links + joints)}</robot>"


def test_an_archive_that_swells_is_refused_before_anything_is_unpacked(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.urdf", write_urdf([f"m{i}.obj" for i in range(8)]))
        for i in range(8):
            archive.writestr(f"m{i}.obj", b"#" * (16 << 20))  # each is far below what one member may be
    unpacked = []
    monkeypatch.setattr(Source, "unpack", lambda self, archive, name: unpacked.append(name))
    with pytest.raises(InputError, match="unpacks to more than 40 times"):
        load(tmp_path / "a.zip")
    assert not unpacked


def test_a_member_that_is_named_in_many_ways_is_paid_for_each_time(tmp_path, monkeypatch):
    names = [f"x{i}/../m.obj" for i in range(50)]
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.urdf", write_urdf(names))
        archive.writestr("m.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n#" + b"x" * (4 << 20))
    read = []
    unpack = Source.unpack
    monkeypatch.setattr(Source, "unpack", lambda *words: read.append(words[2]) or unpack(*words))
    with pytest.raises(InputError, match="unpacks to more than 40 times"):
        load(tmp_path / "a.zip")
    assert len(read) < 20


def test_an_ordinary_archive_is_read(tmp_path):
    save(box(1.0, 1.0, 1.0, 30), tmp_path / "m.obj")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.urdf", write_urdf(["m.obj"]))
        archive.write(tmp_path / "m.obj", "m.obj")
    assert load(tmp_path / "a.zip").mesh.face_count == box(1.0, 1.0, 1.0, 30).face_count


def test_the_nodes_of_a_scene_are_composed_together(tmp_path, monkeypatch):
    count = 300
    faces = np.arange(3 * count).reshape(-1, 3)
    corners = np.random.default_rng(0).normal(size=(3 * count, 3))
    parts = tuple(Part(f"p{i}") for i in range(count))
    save(Mesh(corners, faces, parts=parts, face_part=np.arange(count)), tmp_path / "a.glb")
    calls = []
    compose = scene.compose_transforms
    monkeypatch.setattr(scene, "compose_transforms", lambda *words: calls.append(1) or compose(*words))
    assert registry.load(tmp_path / "a.glb").mesh.face_count == count
    assert len(calls) == 1


def build_chain(count):
    """A chain of links, each a corner of one triangle or none."""
    links = tuple(Link(f"l{i}", np.eye(4)) for i in range(count + 1))
    axis = np.array([0.0, 0.0, 1.0])
    joints = tuple(Joint(f"j{i}", "revolute", i, i + 1, np.eye(4), axis, -1.0, 1.0) for i in range(count))
    return lambda: Articulation(box(1.0, 1.0, 1.0), np.zeros(8, dtype=int), links, joints)


def measure_peak(function):
    """The most memory that a call takes at a time [bytes]."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_joints_that_follow_none_need_no_dense_coupling():
    assert measure_peak(build_chain(3000)) < 20e6  # the coupling alone would have 72 MB


def test_more_joints_than_can_be_moved_are_told_in_a_sentence():
    with pytest.raises(InputError, match=f"has {MAX_JOINT_COORDINATES + 1} joint coordinates"):
        joint_space(build_chain(MAX_JOINT_COORDINATES + 1)())


def test_a_face_of_a_million_corners_is_looked_at_piece_by_piece():
    count = 1_000_000
    corners = np.stack([np.arange(count) % 1000, (np.arange(count) + 1) % 1000, np.zeros(count, dtype=int)], axis=1)
    mesh = Mesh(np.random.default_rng(0).normal(size=(1000, 3)), corners)
    assert measure_peak(lambda: degenerate_faces(mesh)) < 150e6  # at once they would take 400 MB
