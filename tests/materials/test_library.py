"""The library of materials obeys physics, agrees with independent tables, and refuses what cannot be."""

import numpy as np
import pytest

from neurok.errors import InputError, OptionError
from neurok.materials.library import load_library
from neurok.materials.material import Behaviour
from neurok.materials.properties import resolve_properties
from neurok.materials.quantities import QUANTITIES

LIBRARY = load_library()
ROWS = list(LIBRARY.materials.values())
SOLIDS = [row for row in ROWS if row.behaviour != Behaviour.FLUID]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_ranges_are_ordered_and_within_what_any_solid_has(row):
    for name, quantity in QUANTITIES.items():
        found = row.find_range(name)
        if found is not None:
            assert found.low <= found.typical <= found.high
            assert quantity.allows(found.low) and quantity.allows(found.high)
    assert row.sources and all(len(source) > 20 for source in row.sources)


@pytest.mark.parametrize("row", SOLIDS, ids=lambda row: row.name)
def test_solids_obey_the_laws_of_elasticity(row):
    # Thermodynamic stability: E, G and the bulk modulus are positive.
    for nu in (row.poisson.low, row.poisson.high):
        assert row.young.low > 0 and row.young.low / (2 * (1 + nu)) > 0 and row.young.low / (3 * (1 - 2 * nu)) > 0
    # Longitudinal waves in a rod: sqrt(E / rho); from about a metre a second in gels to 18 km/s in diamond.
    speed = np.sqrt(row.young.typical / row.density.typical)
    assert 1 < speed < 15e3
    if row.yield_stress is not None:
        for end in ("low", "typical", "high"):
            assert getattr(row.yield_stress, end) < getattr(row.young, end)


def test_families_lie_where_they_lie_in_every_text_book():
    typical = {row.name: row for row in SOLIDS}
    of = {kind: [row for row in SOLIDS if row.behaviour == kind] for kind in Behaviour}
    densest_other = max(row.density.high for row in SOLIDS if row.behaviour not in (Behaviour.METAL, Behaviour.BRITTLE))
    assert all(row.density.low > densest_other for row in of[Behaviour.METAL])
    assert all(row.young.low > 6e10 for row in of[Behaviour.METAL])
    assert all(row.poisson.typical >= 0.47 for row in of[Behaviour.RUBBER])
    assert max(row.young.high for row in of[Behaviour.RUBBER]) < min(row.young.low for row in of[Behaviour.RIGID])
    assert all(25 <= row.friction_angle.low and row.friction_angle.high <= 45 for row in of[Behaviour.GRANULAR])
    assert all(row.thickness.high < 0.01 for row in of[Behaviour.SHELL])
    assert all(row.restitution.typical <= 0.05 for row in (*of[Behaviour.PLASTICINE], *of[Behaviour.GRANULAR]))
    assert typical["softwood"].density.typical < 1000 < typical["porcelain"].density.typical  # wood swims, china sinks
    assert typical["ice"].density.high < LIBRARY.materials["water"].density.low
    assert LIBRARY.materials["oil"].density.high < LIBRARY.materials["water"].density.low
    # Metals ring, rubber hums, foam does neither: loss factors are decades apart.
    assert max(row.loss.typical for row in of[Behaviour.METAL]) < 0.1 * typical["rubber"].loss.typical
    assert typical["rubber"].loss.typical < typical["foam"].loss.typical < typical["memory_foam"].loss.typical
    # A steel ball is the better bouncer on stone than a copper one, and a rubber one is better than wood.
    assert typical["mild_steel"].restitution.typical > typical["copper"].restitution.typical
    assert typical["rubber"].restitution.typical > typical["hardwood"].restitution.typical


# From tables that the library does not cite: CRC Handbook of Chemistry and Physics (elements; speed of sound in rods),
# data sheets of 6061-T6 and AISI 304, single species of the Wood Handbook, textbook values of window glass.
SPOT_VALUES = [
    ("steel", "young", 200e9, 212e9),
    ("steel", "density", 7830, 7870),
    ("aluminium", "young", 68.9e9, 70.6e9),
    ("aluminium", "density", 2690, 2710),
    ("aluminium", "poisson", 0.33, 0.345),
    ("copper", "young", 110e9, 130e9),
    ("copper", "density", 8900, 8960),
    ("titanium", "density", 4420, 4510),
    ("stainless steel", "yield_stress", 205e6, 241e6),
    ("oak", "young", 11.9e9, 12.6e9),
    ("pine", "young", 8.5e9, 12.3e9),
    ("glass", "poisson", 0.21, 0.24),
    ("glass", "density", 2450, 2530),
    ("concrete", "young", 27e9, 34e9),
    ("cork", "loss", 0.13, 0.17),
    ("rubber", "young", 1e6, 3e6),
    ("ice", "young", 9e9, 9.5e9),
    ("water", "density", 997, 1000),
    ("sand", "friction_angle", 30, 35),
]


@pytest.mark.parametrize("name, quantity, low, high", SPOT_VALUES)
def test_typical_values_agree_with_independent_tables(name, quantity, low, high):
    assert low <= LIBRARY.find(name).find_typical(quantity) <= high


@pytest.mark.parametrize(
    "name, speed", [("steel", 5.15e3), ("aluminium", 5.0e3), ("copper", 3.75e3), ("glass", 5.3e3), ("brass", 3.48e3)]
)
def test_sound_in_rods_is_as_fast_as_measured(name, speed):
    """sqrt(E / rho) against measured speeds of extensional waves in rods [m/s] (CRC Handbook), within 5 %."""
    row = LIBRARY.find(name)
    assert np.sqrt(row.young.typical / row.density.typical) == pytest.approx(speed, rel=0.05)


def test_there_are_enough_of_each_kind():
    assert 40 <= len(SOLIDS) <= 60
    for kind in Behaviour:
        assert sum(row.behaviour == kind for row in ROWS) >= 3, kind


def test_words_find_rows_whatever_their_spelling():
    for word in ("steel", "Mild Steel", "mild-steel", "MILD_STEEL", " metal "):
        assert LIBRARY.find(word).name == "mild_steel"
    assert LIBRARY.find("wood").behaviour == Behaviour.RIGID
    assert LIBRARY.find("plastic").name == "abs"
    assert LIBRARY.find("fabric").behaviour == Behaviour.SHELL


def test_an_unknown_material_is_refused_with_the_nearest_names():
    with pytest.raises(OptionError, match="no material 'leathr'; the nearest are: leather"):
        LIBRARY.find("leathr")
    with pytest.raises(OptionError, match="there are: mild_steel"):
        LIBRARY.find("xyzzyx")


EXTRA = """
[materials.balsa]
behaviour = "rigid"
density = [100, 160, 220]
young = 3.4e9
poisson = 0.23
friction = 0.4
restitution = 0.3
loss = 0.01
synonyms = ["wood"]
sources = ["Wood Handbook, tropical species"]
"""


def test_a_file_of_the_user_adds_rows_and_takes_words(tmp_path):
    path = tmp_path / "more.toml"
    path.write_text(EXTRA)
    library = load_library(path)
    assert library.find("wood").name == "balsa" and library.find("pine").name == "softwood"
    assert library.find("balsa").young.low == library.find("balsa").young.high == 3.4e9
    assert load_library().find("wood").name == "softwood"


@pytest.mark.parametrize(
    "change, sentence",
    [
        (("3.4e9", "-3"), r"young of material 'balsa' of more.toml is -3; give numbers between 1 and 2e\+12 Pa"),
        (("0.23", "0.5"), "poisson of material 'balsa' of more.toml is 0.5; give numbers between -1 and 0.5"),
        (("[100, 160, 220]", "[100, 90, 220]"), "is not in order"),
        (("[100, 160, 220]", "[100, 90]"), r"density .* is \[100, 90\]; give a number, or three"),
        (("[100, 160, 220]", '"light"'), "density .* is light"),
        (("young = 3.4e9", ""), "has no young; add young ="),
        (("young", "youngs"), "unknown key 'youngs'; use one of: behaviour, density"),
        (('"rigid"', '"hard"'), "unknown behaviour 'hard'; use one of: brittle, elastic"),
        (('"rigid"', '"shell"'), "has no thickness"),
        (('["wood"]', '"wood"'), "synonyms .* list of texts"),
        (("loss = 0.01", "loss = nan"), "loss .* is nan"),
        (("loss = 0.01", "loss = 1" + 400 * "0"), "loss .* is 1000"),
        (('"rigid"', '["rigid"]'), "unknown behaviour"),
        (("loss = 0.01", "loss = 0.01\nlook = {colour = 3}"), "unknown key 'colour'"),
        (("loss = 0.01", "loss = 0.01\nlook = {base_color = [3, 0, 0]}"), "three numbers of 0 to 1"),
        (("[materials.balsa]", "[materials.balsa"), "not valid TOML"),
        (("[materials.balsa]", "[things.balsa]"), "unknown table 'things'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(tmp_path, change, sentence):
    path = tmp_path / "more.toml"
    path.write_text(EXTRA.replace(*change))
    with pytest.raises(InputError, match=sentence):
        load_library(path)


def test_one_word_for_two_rows_of_a_file_is_refused(tmp_path):
    path = tmp_path / "more.toml"
    path.write_text(EXTRA + EXTRA.replace("balsa", "ochroma"))
    with pytest.raises(InputError, match="'wood' belongs to two materials, balsa and ochroma"):
        load_library(path)
    with pytest.raises(InputError, match="there is no file"):
        load_library(tmp_path / "none.toml")


def test_stated_numbers_stand_in_for_those_of_the_material():
    leather = resolve_properties("leather", {}, LIBRARY)
    assert leather.behaviour == Behaviour.SHELL and leather.young == LIBRARY.find("leather").young.typical
    soft = resolve_properties("leather", {"young": 2e6, "density": None}, LIBRARY)
    assert soft.young == 2e6 and soft.density == leather.density
    assert soft.yield_stress is None  # leather's own, 7 MPa, is more than the modulus that was stated
    bare = resolve_properties(None, {"young": 2e6}, LIBRARY)
    assert bare.young == 2e6 and bare.density is None and bare.behaviour is None


@pytest.mark.parametrize(
    "material, stated, sentence",
    [
        ("water", {}, "the material of the part is water, a fluid; give a solid"),
        ("leathr", {}, "nearest are: leather"),
        ("steel", {"poisson": 0.5}, "Poisson's ratio of the part is 0.5; give a number between -1 and 0.5"),
        ("steel", {"young": -1.0}, r"Young's modulus of the part is -1; give a number between 1 and 2e\+12 Pa"),
        ("steel", {"density": 1e9}, "density of the part is 1e"),
        ("steel", {"friction_angle": 80.0}, "between 0 and 60 degrees"),
        ("steel", {"loss": float("nan")}, "loss factor of the part is nan"),
        ("foam", {"yield_stress": 1e6}, "yield stress of the part is 1e"),
    ],
)
def test_absurd_properties_are_refused_with_their_range(material, stated, sentence):
    with pytest.raises(OptionError, match=sentence):
        resolve_properties(material, stated, LIBRARY)
