"""Mutated bytes of valid files: only a NeurokError may leave a reader, and a mesh that does is sound."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurok.errors import NeurokError
from neurok.files.registry import load, save
from neurok.geometry.mesh import Material, Mesh, Part

SETTINGS = settings(max_examples=250, deadline=5000, suppress_health_check=list(HealthCheck), derandomize=True)


def valid(suffix: str) -> dict[str, bytes]:
    """A small file of each kind with most of what the format can say."""
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4]])
    mesh = Mesh(
        np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.1], [0.5, 0.5, 1 / 3]]),
        faces,
        {"color": np.linspace(0, 1, 20).reshape(5, 4), "normal": np.eye(5, 3)},
        {"uv0": np.arange(24).reshape(4, 3, 2) / 32},
        {"polygon": np.array([0, 0, 1, 2]), "color": np.ones((4, 4))},
        (Material("m", (1.0, 0.5, 0.25, 0.5)),),
        np.zeros(4, dtype=int),
        (Part("p"), Part("q", 0)),
        np.array([0, 0, 1, 1]),
    )
    with tempfile.TemporaryDirectory() as folder:
        save(mesh, Path(folder) / f"a{suffix}")
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


ASCII_PLY = b"""ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face 2
property list uchar int vertex_indices
end_header
0 0 0 255 0 0
1 0 0 255 0 0
0 1 0 255 0 0
0 0 1 255 0 0
3 0 1 2
4 0 1 2 3
"""
ASCII_STL = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
SEEDS = {f"a{suffix}": valid(suffix) for suffix in (".obj", ".stl", ".ply", ".off")}
SEEDS |= {"text.ply": {"text.ply": ASCII_PLY}, "text.stl": {"text.stl": ASCII_STL}}
# Pieces that mean something to some reader, so that mutations reach beyond the first check.
PIECES = [
    b"\n",
    b" ",
    b"/",
    b"//",
    b"\\\n",
    b"-1",
    b"0",
    b"999999999999",
    b"1e999",
    b"nan",
    b"#",
    b"\0",
    b"\xff\xff\xff\xff",
]
PIECES += [
    b"f ",
    b"v ",
    b"vt ",
    b"mtllib a.obj\n",
    b"list",
    b"element vertex 99999999999\n",
    b"property list char int q\n",
]


@st.composite
def mutations(draw, size: int):
    return draw(
        st.lists(
            st.tuples(
                st.sampled_from(["set", "insert", "delete", "cut", "repeat"]),
                st.integers(0, max(size - 1, 0)),
                st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=6)),
            ),
            min_size=1,
            max_size=6,
        )
    )


def mutate(data: bytes, changes: list[tuple[str, int, bytes]]) -> bytes:
    for kind, place, piece in changes:
        if kind == "set":
            data = data[:place] + piece + data[place + len(piece) :]
        elif kind == "insert":
            data = data[:place] + piece + data[place:]
        elif kind == "delete":
            data = data[:place] + data[place + len(piece) :]
        elif kind == "cut":
            data = data[:place]
        else:
            data = data[:place] + data[place : place + 40] * 3 + data[place:]
    return data


@pytest.mark.parametrize("name", SEEDS)
def test_mutated_files_fail_cleanly_or_give_a_sound_mesh(name):
    files = SEEDS[name]

    @SETTINGS
    @given(st.data())
    def check(data):
        target = data.draw(st.sampled_from(sorted(files)))
        broken = mutate(files[target], data.draw(mutations(len(files[target]))))
        with tempfile.TemporaryDirectory() as folder:
            for other, content in files.items():
                (Path(folder) / other).write_bytes(broken if other == target else content)
            try:
                mesh = load(Path(folder) / name).mesh
            except NeurokError as fault:
                assert fault.problem
                return
        assert np.all(np.isfinite(mesh.vertices))
        for table, lead in ((mesh.attributes, mesh.vertex_count), (mesh.face_attributes, mesh.face_count)):
            assert all(len(values) == lead for values in table.values())
        for table in (mesh.attributes, mesh.corner_attributes, mesh.face_attributes):
            assert all(np.all(np.isfinite(values)) for values in table.values())
        assert mesh.face_material.max(initial=-1) < len(mesh.materials)
        assert mesh.face_part.max(initial=-1) < len(mesh.parts)

    check()
