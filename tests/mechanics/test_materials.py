"""How things of a material fall, bounce, slide and weigh, against closed forms."""

import json
from dataclasses import replace

import numpy as np
import pytest

from neurok.errors import InputError, OptionError
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box, sphere
from neurok.kinematics.choose import rigid_space
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties, join_statements, merge_parts
from neurok.mechanics.conditions import Conditions, Obstacle
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import animate

G = 9.81
MATERIALS = ("mild_steel", "rubber", "glass", "plasticine")


def ball(radius: float = 0.1) -> Mesh:
    return replace(sphere(radius), up="z")


def two_blocks() -> Mesh:
    """Two cubes of a decimetre side by side as one rigid body, named seat and leg."""
    cube = box(0.1, 0.1, 0.1)
    sides = [cube.with_vertices(cube.vertices + [x, 0.0, 0.0]) for x in (-0.2, 0.2)]
    return replace(merge(sides, names=["seat", "leg"]), up="z")


@pytest.mark.parametrize("material", ["mild_steel", "softwood"])
def test_everything_falls_alike(material):
    """s = g t^2 / 2, whatever it weighs."""
    conditions = Conditions(
        gravity=(0, 0, -G), base="free", damping=0.0, seconds=1.0, fps=50.0, material=material, limits=False
    )
    motion = animate(rigid_space(ball()), conditions)
    np.testing.assert_allclose(motion.bases[:, 2, 3], -0.5 * G * motion.time**2, atol=1e-9)
    np.testing.assert_allclose(motion.velocities[-1, 2], -G, rtol=1e-9)


@pytest.mark.parametrize("material", MATERIALS)
def test_a_dropped_ball_rebounds_as_its_material_does(material):
    """The speed after the impact is e times that before it, and the ball rises to e^2 of the height of its fall."""
    height, e = 1.0, load_library().find(material).restitution.typical
    conditions = Conditions(
        ground=True, ground_height=-0.1 - height, base="free", damping=0.0, material=material,
        seconds=0.9, fps=1000.0, dt=1 / 1000,
    )  # fmt: skip
    motion = animate(rigid_space(ball()), conditions)
    drop = motion.bases[:, 2, 3] + height  # of the ball's lowest point above the ground
    touch = int(np.argmin(drop[: int(0.47 * 1000)]))  # before what hardly rebounds comes down again
    speed = motion.velocities[:, 2]
    before, after = speed[: touch + 2].min(), speed[touch : touch + 5].max()
    assert before == pytest.approx(-np.sqrt(2 * G * height), rel=0.01)
    assert after == pytest.approx(-e * before, rel=0.01)
    # The rebound begins up to one step early, and so up to the way of one step too high.
    assert drop[touch + 1 :].max() == pytest.approx(e**2 * height, abs=-before * conditions.dt)


def test_rebounds_end_and_nothing_that_lies_hops():
    conditions = Conditions(ground=True, base="free", damping=0.0, restitution=0.8, seconds=1.0)
    motion = animate(rigid_space(replace(box(0.2, 0.2, 0.1), up="z")), conditions)
    assert np.abs(motion.bases[:, 2, 3]).max() < 1e-3 and motion.kinetic[-1] < 1e-6


def tilted(angle: float, mesh: Mesh) -> tuple[Mesh, Conditions]:
    """The mesh turned so that it lies on a plane tilted by an angle through the origin, and that plane."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    lifted = mesh.vertices - [0, 0, mesh.vertices[:, 2].min()]
    plane = Obstacle("plane", (0.0, 0.0, 0.0), normal=(s, 0.0, c))
    conditions = Conditions(obstacles=(plane,), gravity=(0, 0, -G), damping=0.0, base="free", seconds=0.6, fps=60.0)
    return mesh.with_vertices(lifted @ turn.T), conditions


@pytest.mark.parametrize("material", ["ice", "hardwood", "concrete"])
def test_on_a_slope_a_block_sticks_or_slides_as_its_material_does(material):
    """It sticks below arctan(mu), and above it slides at g (sin a - mu cos a)."""
    mu = load_library().find(material).friction.typical
    block = replace(box(0.2, 0.2, 0.1), up="z")
    mesh, conditions = tilted(np.arctan(0.9 * mu), block)
    still = animate(rigid_space(mesh), replace(conditions, material=material))
    assert np.linalg.norm(still.bases[-1, :3, 3]) < 1e-3
    angle = np.arctan(1.2 * mu) + 0.1
    mesh, conditions = tilted(angle, block)
    motion = animate(rigid_space(mesh), replace(conditions, material=material))
    speed = motion.velocities[:, :3] @ [np.cos(angle), 0.0, -np.sin(angle)]
    acceleration = (speed[-1] - speed[6]) / (motion.time[-1] - motion.time[6])
    assert acceleration == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=0.02)


# ---------------------------------------------------------------- what it weighs


def weigh(mesh: Mesh, **stated) -> float:
    return build_scene(rigid_space(mesh), Conditions(base="free", gravity=(0, 0, 0), **stated)).masses.total


def test_parts_weigh_what_they_are_made_of():
    steel, foam = (load_library().find(name).density.typical for name in ("steel", "foam"))
    parts = {"leg": PartProperties(material="steel"), "seat": PartProperties(material="foam")}
    assert weigh(two_blocks(), parts=parts) == pytest.approx(1e-3 * (steel + foam), rel=0.01)
    parts["seat"] = PartProperties(material="foam", density=100.0)
    assert weigh(two_blocks(), parts=parts) == pytest.approx(1e-3 * (steel + 100), rel=0.01)
    # The nearest statement counts: the object is of steel but for its seat.
    assert weigh(two_blocks(), material="steel", parts={"seat": parts["seat"]}) == pytest.approx(
        1e-3 * (steel + 100), rel=0.01
    )


def test_a_sheet_weighs_by_its_thickness_and_a_closed_one_no_more_than_its_volume():
    leather = load_library().find("leather")
    sheet = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]], up="z")
    areal = leather.density.typical * leather.thickness.typical
    assert weigh(sheet, material="leather") == pytest.approx(areal, rel=1e-6)
    assert weigh(sheet, material="steel", parts={}) == pytest.approx(7850 * 0.005 * 2**0.5, rel=1e-6)
    hollow = replace(box(0.5, 0.5, 0.5), up="z")  # a bag: its six sides of leather
    assert weigh(hollow, material="leather") == pytest.approx(1.5 * areal, rel=1e-6)
    plate = replace(box(1.0, 1.0, 2e-3), up="z")  # thinner than the leather on both of its sides
    assert weigh(plate, material="leather") == pytest.approx(leather.density.typical * 2e-3, rel=1e-2)


# ---------------------------------------------------------------- statements


def test_conditions_with_materials_survive_json():
    conditions = Conditions(
        material="oak", restitution=0.3,
        parts={"seat": PartProperties(material="leather", young=2e6), "leg": PartProperties(friction=0.3)},
    )  # fmt: skip
    text = conditions.to_json()
    assert Conditions.from_json(text) == conditions
    assert json.loads(text)["parts"]["seat"] == {"young": 2e6, "material": "leather"}


@pytest.mark.parametrize(
    "stated, sentence",
    [
        ({"material": "lether"}, "no material 'lether'; the nearest are: leather"),
        ({"young": -1.0}, "Young's modulus of part 'seat' is -1; give a number between 1 and"),
        ({"poisson": 0.6}, "between -1 and 0.5"),
        ({"material": "water"}, "the material of part 'seat' is water, a fluid"),
        ({"restitution": 1.5}, "restitution of part 'seat' is 1.5"),
        ({"stiffness": -1.0}, "stiffness of part 'seat' is -1"),
    ],
)
def test_absurd_parts_are_refused(stated, sentence):
    with pytest.raises(OptionError, match=sentence):
        Conditions(parts={"seat": PartProperties(**stated)})


def test_contradictory_statements_are_refused_and_others_join():
    leather, oak = PartProperties(material="leather"), PartProperties(material="oak")
    with pytest.raises(OptionError, match="part 'seat' is given the material 'leather' and 'oak'; keep one"):
        join_statements([("seat", leather), ("seat", oak)])
    joined = join_statements([("seat", leather), ("seat", PartProperties(young=2e6)), ("leg", oak)])
    assert joined == {"seat": PartProperties(material="leather", young=2e6), "leg": oak}
    with pytest.raises(InputError, match="'seat' twice"):
        Conditions.from_json('{"parts": {"seat": {"material": "oak"}, "seat": {"material": "leather"}}}')


def test_a_new_material_takes_the_numbers_of_the_old_one_away():
    first = {"seat": PartProperties(material="leather", young=2e6)}
    assert merge_parts(first, {"seat": PartProperties(friction=0.9)})["seat"].young == 2e6
    assert merge_parts(first, {"seat": PartProperties(material="oak")})["seat"] == PartProperties(material="oak")


def test_an_unknown_part_is_refused_with_the_nearest_names():
    with pytest.raises(OptionError, match="there is no part 'seet'; the nearest are: seat"):
        weigh(two_blocks(), parts={"seet": PartProperties(material="oak")})
    with pytest.raises(OptionError, match="there is no part 'xyz'; the parts are: leg, seat"):
        weigh(two_blocks(), parts={"xyz": PartProperties(material="oak")})
