"""Named choices: old seeds give what they gave, wishes change what they name and nothing else, and all have names."""

import ast
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from neurok.data import procedural
from neurok.data.procedural import run_program

HERE = Path(__file__).parent
# Made before choices had names, from the programs of that time: a digest for each of the first seeds of every kind.
DIGESTS = json.loads((HERE / "digests.json").read_text())
OBJECTS = Path(procedural.__file__).parent / "objects"


def digest(thing) -> str:
    """Of the shape to a tenth of a micrometre, the faces, materials, parts and joints."""
    mesh, found = thing.mesh, hashlib.sha256()
    for table in (mesh.faces, mesh.face_material, mesh.face_part, thing.soft):
        found.update(np.ascontiguousarray(table).tobytes())
    found.update((np.round(mesh.vertices, 7) + 0.0).tobytes())
    words = [(m.name, *np.round(m.base_color, 6).tolist()) for m in mesh.materials]
    words += [(p.name, p.parent) for p in mesh.parts] + [link.name for link in thing.articulation.links]
    for joint in thing.articulation.joints:
        words.append((joint.name, joint.kind, joint.parent, joint.child, round(float(joint.lower), 6)))
        words.append((np.round(joint.axis, 6) + 0.0).tolist())
    return hashlib.sha256(found.digest() + repr(words).encode()).hexdigest()[:16]


@pytest.mark.parametrize("kind", procedural.list_categories())
def test_old_seeds_give_the_objects_they_gave(kind):
    assert [digest(procedural.draw(kind, seed)) for seed in range(2)] == DIGESTS[kind]


def test_the_digest_sees_a_small_change():
    thing = procedural.draw("bucket", 0)
    moved = thing.mesh.with_vertices(thing.mesh.vertices + (1e-5, 0, 0))
    thing.articulation.__dict__["mesh"] = moved
    assert digest(thing) != DIGESTS["bucket"][0]


def test_every_draw_of_every_program_has_a_name():
    draws = {"between", "count", "pick", "chance", "material"}
    for path in OBJECTS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in draws:
                if ast.unparse(node.func.value) == "kit":
                    assert any(word.arg == "name" for word in node.keywords), f"{path.name}:{node.lineno}"


def test_a_wish_changes_its_choice_and_no_other():
    free = run_program("lamp", 3).choices.made
    kit = run_program("lamp", 3, wishes={"foot radius": 0.1, "round foot": False})
    for before, after in zip(free[: len(kit.choices.made)], kit.choices.made):
        if after.asked:
            assert after.name in ("foot radius", "round foot")
        elif before.name == after.name:
            assert before.value == after.value
    asked = {choice.name: choice.value for choice in kit.choices.made if choice.asked}
    assert asked == {"foot radius": 0.1, "round foot": False}


@pytest.mark.parametrize("arms", (1, 2, 3))
def test_a_count_that_is_asked_for_is_built(arms):
    thing = run_program("lamp", 0, wishes={"arms": arms}).build()
    assert sum(link.name.startswith("arm_") for link in thing.articulation.links) == arms


def test_labels_change_names_and_nothing_else():
    plain, labelled = procedural.draw("door_cabinet", 1), run_program("door_cabinet", 1, labelled=True).build(1)
    assert np.array_equal(plain.mesh.vertices, labelled.mesh.vertices)
    assert np.array_equal(plain.mesh.face_material, labelled.mesh.face_material)
    assert {"handle", "hinges"} <= {part.name for part in labelled.mesh.parts}
