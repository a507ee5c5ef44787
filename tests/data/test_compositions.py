"""What our own objects are made of: every part has a material of the library, and the palette does not give it away."""

import numpy as np
import pytest

from neurok.data.procedural import draw, list_categories
from neurok.data.procedural.compositions import draw_composition, find_materials, read_compositions, read_weights
from neurok.data.procedural.palette import FAMILIES
from neurok.errors import NeurokError
from neurok.materials.library import load_library


def test_every_family_and_rule_names_materials_of_the_library():
    library = load_library()
    families, rules = read_compositions()
    assert set(families) == set(FAMILIES) and set(rules) <= set(list_categories())
    tables = [*families.values(), *(rule.materials for rows in rules.values() for rule in rows)]
    assert all(library.find(name).name == name for weights in tables for name in weights)
    patterns = {family for rows in rules.values() for rule in rows for family in rule.families if family != "*"}
    assert patterns <= set(FAMILIES)


@pytest.mark.parametrize("category", ["office_chair", "lamp", "plant_cart"])
def test_every_part_has_a_material_and_the_object_stays_as_it_was(category):
    thing = draw(category, 3)
    before = thing.mesh.vertices.tobytes()
    made = draw_composition(thing)
    assert len(made.materials) == len(made.names) == made.parts.count == len(np.unique(thing.mesh.face_part))
    assert made.materials == draw_composition(thing).materials
    assert thing.mesh.vertices.tobytes() == before == draw(category, 3).mesh.vertices.tobytes()


def test_the_first_rule_that_fits_counts():
    assert find_materials("faucet", "spout", "metal")[0] == {"stainless_steel": 8.0, "brass": 2.0}
    assert find_materials("camera", "body", "glass")[0] == {"glass": 1.0}  # no rule of its own: the family's


def test_names_say_more_than_one_material():
    """A plain name must not be the material's name in disguise: most names go with several materials."""
    materials: dict[str, set[str]] = {}
    for category in list_categories()[::6]:
        for seed in range(3):
            made = draw_composition(draw(category, seed))
            for name, material in zip(made.names, made.materials):
                materials.setdefault(name, set()).add(material)
    assert not set(materials) & {"metal", "plastic", "abs", "mild steel", "rubber", "black"}


def test_weights_are_read():
    assert read_weights("abs 7 rubber brass .5") == {"abs": 7.0, "rubber": 1.0, "brass": 0.5}
    with pytest.raises(NeurokError):
        read_weights("abs 0")
