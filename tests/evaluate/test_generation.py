"""The scorer of generated files, on files written by hand, and the figures made of its answers."""

import json

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.evaluate.generated_file import count_pieces, matches_colour, read_urdf
from neurok.evaluate.generation import check_attribute, evaluate_generation, read_prompts

CUBE = """mtllib look.mtl
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
usemtl {material}
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8
"""
URDF = """<robot name="r">
<link name="case"><visual name="body"><geometry><mesh filename="wood.obj"/></geometry></visual>
</link>
<link name="drawer_1"><visual name="front"><geometry><mesh filename="glass.obj"/></geometry></visual></link>
<link name="drawer_2"><visual name="front"><geometry><mesh filename="glass.obj"/></geometry></visual></link>
<joint name="a" type="prismatic"><parent link="case"/><child link="drawer_1"/><origin xyz="0 0 2" rpy="0 0 0"/></joint>
<joint name="b" type="prismatic"><parent link="drawer_1"/><child link="drawer_2"/><origin xyz="0 3 0"/></joint>
</robot>"""


@pytest.fixture
def found(tmp_path):
    (tmp_path / "wood.obj").write_text(CUBE.format(material="oak"))
    (tmp_path / "glass.obj").write_text(CUBE.format(material="glass"))
    (tmp_path / "look.mtl").write_text("newmtl oak\nKd 0.6 0.02 0.02\nnewmtl glass\nKd 0.8 0.8 0.8\nd 0.3\n")
    (tmp_path / "r.urdf").write_text(URDF)
    return read_urdf(tmp_path / "r.urdf")


@pytest.mark.parametrize(
    ("attribute", "met"),
    [
        ({"type": "count", "part": "drawer", "value": 2}, True),
        ({"type": "count", "part": "drawer", "value": 3}, False),
        ({"type": "material", "part": "drawer", "value": "glass"}, True),
        ({"type": "material", "part": "case", "value": "wood"}, True),
        ({"type": "material", "part": "body", "value": "wood"}, False),
        ({"type": "colour", "part": "case", "value": "red"}, True),
        ({"type": "colour", "part": "case", "value": "blue"}, False),
        ({"type": "absent", "part": "handle"}, True),
        ({"type": "absent", "part": "drawer"}, False),
        ({"type": "size", "axis": "width", "metres": 1.0}, True),
        ({"type": "size", "axis": "depth", "metres": 4.0}, True),
        ({"type": "size", "axis": "height", "metres": 2.0}, False),
    ],
)
def test_attributes_are_read_off_a_file(found, attribute, met):
    assert check_attribute(found, attribute) is met


def test_pieces_that_share_corners_are_one():
    triangle = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], dtype=float)
    apart = np.concatenate([triangle, triangle + (1, 0, 0), triangle + (5, 0, 0)])
    assert count_pieces(apart) == 2


def test_colours_are_told_by_hue_and_lightness():
    assert matches_colour(np.array([0.1, 0.1, 0.1]), "black") and matches_colour(np.array([0.1, 0.2, 0.8]), "blue")
    assert not matches_colour(np.array([0.1, 0.2, 0.8]), "red") and not matches_colour(
        np.array([0.9, 0.2, 0.2]), "white"
    )


def test_figures_of_three_prompts(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "prompts.json"
    rows = [
        {"text": "a red bucket without a handle", "kind": "bucket",
         "attributes": [{"type": "colour", "part": "body", "value": "red"}, {"type": "absent", "part": "handle"}]},
        {"text": "a bucket with two wheels", "kind": "bucket",
         "attributes": [{"type": "count", "part": "wheel", "value": 2}]},
        {"text": "a sofa", "refuse": True},
    ]  # fmt: skip
    file.write_text(json.dumps(rows))
    facts = evaluate_generation(file)
    assert facts["met"] == pytest.approx(2 / 3) and facts["unmet_named"] == 1.0
    assert facts["refusals"] == 1.0 and facts["false_refusals"] == 0.0 and facts["passed"] == 1.0


def test_a_file_that_holds_no_prompts_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="no list of prompts"):
        read_prompts(tmp_path / "x.json")
