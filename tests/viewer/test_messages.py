"""What page and server say to each other."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurok.errors import InputError
from neurok.files.packets import pack, unpack
from neurok.viewer import messages as m
from neurok.viewer import typescript, wire


def test_the_pages_types_are_those_of_the_server():
    assert typescript.OUT.read_text(encoding="utf-8") == typescript.write_types(), "run: make page"


def test_a_packet_holds_what_was_packed():
    shape = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    pose = m.PoseMessage(7, -1, 0.5, (1.0, 2.0), (0.25, -1.0), (m.HandlePlace(3, (1.0, 2.0, 3.0)),), shape)
    found = unpack(wire.encode(pose))
    assert found["type"] == "Pose" and found["stamp"] == 7 and found["coordinates"] == [1.0, 2.0]
    assert found["handles"] == [{"handle": 3, "place": [1.0, 2.0, 3.0]}]
    np.testing.assert_array_equal(found["shape"], shape.ravel())


@given(st.lists(st.binary(max_size=13), max_size=4))
def test_arrays_of_any_length_stay_apart(blocks):
    # A tuple of arrays of bytes: each begins at a multiple of four.
    from dataclasses import make_dataclass

    kind = make_dataclass("Some", [(f"a{i}", np.ndarray) for i in range(len(blocks))])
    found = unpack(pack(kind(*(np.frombuffer(block, dtype=np.uint8) for block in blocks))))
    assert [found[f"a{i}"].tobytes() for i in range(len(blocks))] == blocks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"type": "Thing"}',
        '{"type": "Move"}',
        '{"type": "Move", "handle": 1, "place": [1, 2], "stamp": 0}',
        '{"type": "Move", "handle": 1, "place": [1, 2, "x"], "stamp": 0}',
        '{"type": "Move", "handle": 1.5, "place": [1, 2, 3], "stamp": 0}',
        '{"type": "Run", "more": 1}',
        '{"type": "Move", "handle": 1, "place": [NaN, 2, 3], "stamp": 0}',
        '{"type": "Settings", "gravity": Infinity}',
        '{"type": "Release", "handle": 1, "velocity": [1e200, 0, 0]}',
        '{"type": "Move", "handle": 1, "place": [0, -1e7, 0], "stamp": 0}',
        '{"type": "SetCoordinate", "index": 0, "value": 1e308, "stamp": 0}',
        '{"type": "Grab", "handle": 99999999999999999999, "triangle": 2, "weights": [0.2, 0.3, 0.5]}',
        '{"type": "Seek", "frame": ' + "9" * 5000 + "}",
        '{"type": "Settings", "gravity": -1}',
        '{"type": "Settings", "stiffness": 1e5}',
        '{"type": ["Run"]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(text):
    with pytest.raises(InputError):
        wire.decode(text)


def test_every_message_of_the_page_is_understood():
    assert wire.decode('{"type": "Grab", "handle": 1, "triangle": 2, "weights": [0.2, 0.3, 0.5]}') == m.Grab(
        1, 2, (0.2, 0.3, 0.5)
    )
    for kind in wire.FROM_PAGE:
        if not kind.__dataclass_fields__:
            assert wire.decode(json.dumps({"type": wire.name_message(kind)})) == kind()
