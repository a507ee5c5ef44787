"""Damaged URDF text: whatever is in it, the answer is an object or one of our errors."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurok.errors import NeurokError
from neurok.files.registry import load, save
from tests.files.machines import every_kind

_SAVED = tempfile.TemporaryDirectory()
_FOLDER = Path(_SAVED.name)
_TEXT = save(every_kind(), _FOLDER / "whole.urdf").read_text(encoding="utf-8")
_BY_HAND = """<robot name="r"><material name="m"><color rgba="1 0 0 1"/></material>
<link name="a"><visual><origin xyz="1 2 3" rpy="0 1 0"/><geometry><box size="1 2 3"/></geometry><material name="m"/>
</visual><visual><geometry><sphere radius="0.5"/></geometry></visual></link><link name="b"><collision><geometry>
<cylinder radius="1" length="2"/></geometry></collision><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"><visual><geometry>
<mesh filename="whole_meshes/2_door.obj" scale="1 -1 1"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/><limit lower="-1" upper="1"
effort="1" velocity="1"/><dynamics damping="1" friction="0"/></joint><joint name="k" type="prismatic">
<parent link="b"/><child link="c"/><mimic joint="j" multiplier="2" offset="0"/></joint></robot>"""

WORDS = ["nan", "inf", "-1e400", "1e308", "0", "", "-1", "../x.obj", "/etc/passwd", "a", "b", "j", "screw", "fixed",
         "floating", "<link name='a'/>", "<joint/>", "</robot>", "<!DOCTYPE x>", "&lt;", "&x;", "\x00", "é", "1 2",
         "package://", "mesh", "whole.urdf", "whole_meshes", "<mimic joint='k'/>", "<origin/>", "9" * 400]  # fmt: skip


@st.composite
def damaged(draw):
    text = draw(st.sampled_from([_TEXT, _BY_HAND]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        middle = draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=6), st.just(text[start:end] * 2)))
        text = text[:start] + middle + text[end:]
    return text.encode("utf-8", "surrogatepass")


@st.composite
def wrong_values(draw):
    """Well-formed XML with values swapped for others, so that the checks behind the parser are reached."""
    pieces = draw(st.sampled_from([_TEXT, _BY_HAND])).split('"')
    for _ in range(draw(st.integers(1, 4))):
        place = 2 * draw(st.integers(0, len(pieces) // 2 - 1)) + 1
        plain = [word for word in WORDS if "<" not in word and "\x00" not in word]
        pieces[place] = draw(st.one_of(st.sampled_from(plain), st.sampled_from(pieces[1::2])))
    return '"'.join(pieces).encode()


def assert_read_or_refused(data: bytes) -> None:
    path = _FOLDER / "damaged.urdf"
    path.write_bytes(data)
    try:
        made = load(path).articulation
    except NeurokError as fault:
        assert "\n" not in str(fault) and str(fault).endswith(".")
        return
    assert len(made.vertex_link) == made.mesh.vertex_count > 0


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])


@settings(relaxed, max_examples=300)
@given(damaged())
def test_damaged_text_is_read_or_refused(data):
    assert_read_or_refused(data)


@settings(relaxed, max_examples=500)
@given(wrong_values())
def test_wrong_values_are_read_or_refused(data):
    assert_read_or_refused(data)


@settings(relaxed, max_examples=100)
@given(st.binary(max_size=200))
def test_bytes_are_refused(data):
    assert_read_or_refused(data)
