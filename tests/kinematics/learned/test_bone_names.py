"""Bones are called what the file calls the part they are made of; no two bear one name."""

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh, Part, merge
from neurok.geometry.motion import Skin
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.kinematics.learned.bone_names import bone_names


def _row(part_of_box, names) -> Mesh:
    """Boxes side by side, each in a part."""
    boxes = []
    for i in range(len(part_of_box)):
        T = np.eye(4)
        T[0, 3] = 2.0 * i
        boxes.append(transform(box(), T))
    mesh = merge(boxes)
    label = np.repeat(part_of_box, boxes[0].face_count)
    return Mesh(mesh.vertices, mesh.faces, parts=tuple(Part(name) for name in names), face_part=label)


def _skin(mesh, bone_of_box) -> Skin:
    bone = np.repeat(bone_of_box, mesh.vertex_count // len(bone_of_box))
    count = max(bone_of_box) + 1
    names = tuple(f"part {i + 1}" for i in range(count))
    frames = np.tile(np.eye(4), (count, 1, 1))
    return Skin(bone[:, None], np.ones((len(bone), 1)), names, np.full(count, -1), frames)


@pytest.mark.parametrize(
    "part_of_box, names, bone_of_box, expected",
    [
        ([0, 1, 2], ("bed", "cab", "wheel"), [0, 1, 2], ("bed", "cab", "wheel")),
        ([0, 1, 1], ("bed", "wheel"), [0, 1, 2], ("bed", "wheel", "wheel 2")),
        ([0, 1], ("bed", "wheel"), [0, 0], ("part 1",)),  # half of either
        ([0, 0], ("mesh",), [0, 1], ("part 1", "part 2")),  # one part says nothing
        ([-1, 0, 1], ("bed", "cab"), [0, 1, 2], ("part 1", "bed", "cab")),
        ([0, 1, -1], ("part 3", "cab"), [0, 1, 2], ("part 3", "cab", "part 3 2")),
        ([0, 1], ("", "cab"), [0, 1], ("part 1", "cab")),
    ],
)
def test_bones_bear_the_names_of_their_parts(part_of_box, names, bone_of_box, expected):
    mesh = _row(part_of_box, names)
    assert bone_names(mesh, _skin(mesh, bone_of_box)) == expected
