"""What yields and flows, by material points: closed forms, and what can be told without the engine."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from neurok.commands.main import main
from neurok.errors import InputError, MissingExtra, OptionError
from neurok.files.registry import save
from neurok.geometry.mesh import Mesh, Part
from neurok.geometry.primitives import box, grid, icosphere
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties
from neurok.mechanics.conditions import Conditions, Obstacle, Pull, Push, Velocity
from neurok.mechanics.masses import assign_parts
from neurok.mechanics.mpm import engine_choice
from neurok.mechanics.mpm.engine_choice import choose_engine
from neurok.mechanics.mpm.flow_rules import NEVER, Defaults, read_flow_rule
from neurok.mechanics.mpm.particles import fill_particles
from neurok.mechanics.mpm.refusals import refuse_rest
from neurok.mechanics.mpm.simulate_particles import animate_particles
from neurok.mechanics.mpm.solver import is_installed
from neurok.mechanics.mpm.surface_carrier import build_carrier

needs_engine = pytest.mark.skipif(not is_installed(), reason="NO MPM: pip install 'neurok[mpm]'")
G = 9.81
USUAL = Defaults(500.0, 0.5)
SOFT = PartProperties(young=5e4, poisson=0.3, density=500.0, friction=0.5, loss=0.7)


def _upright(mesh: Mesh) -> Mesh:
    return replace(mesh, up="z", parts=(Part("it"),), face_part=np.zeros(mesh.face_count, dtype=np.int64))


def _fill(mesh: Mesh, made: PartProperties = SOFT, count: int = 300):
    mesh = _upright(mesh)
    return fill_particles(mesh, assign_parts(mesh, Conditions(parts={"it": made})), USUAL, count=count)


def _run(mesh: Mesh, count: int, made: PartProperties = SOFT, **more):
    usual = {"base": "free", "gravity": (0.0, 0.0, -G), "damping": 0.0, "fps": 60.0, "parts": {"it": made}}
    return animate_particles(_upright(mesh), Conditions(**(usual | more)), count=count)


@pytest.mark.parametrize(
    "mesh", [box(0.3, 0.2, 0.1), icosphere(0.1, 3), grid(0.3, 0.3, 4, 4)], ids=["box", "ball", "sheet"]
)
def test_a_rigid_motion_of_the_particles_moves_the_surface_rigidly(mesh):
    particles = _fill(mesh)
    carrier = build_carrier(mesh.vertices, particles)
    turn, shift = Rotation.from_rotvec([0.9, -1.7, 0.6]).as_matrix(), np.array([0.3, -2.0, 0.5])
    carried = carrier.carry(particles.position @ turn.T + shift)
    assert np.abs(carried - (mesh.vertices @ turn.T + shift)).max() < 1e-6 * mesh.diagonal
    assert np.abs(carrier.carry(particles.position) - mesh.vertices).max() < 1e-12


def test_a_stretch_of_the_particles_stretches_the_surface():
    mesh = box(0.3, 0.2, 0.1, 3)
    particles = _fill(mesh)
    by = np.diag([1.2, 0.9, 1.1])
    carried = build_carrier(mesh.vertices, particles).carry(particles.position @ by)
    assert np.abs(carried - mesh.vertices @ by).max() < 1e-3 * mesh.diagonal


def test_particles_fill_what_they_stand_for():
    for mesh, volume in ((box(0.3, 0.2, 0.1), 0.006), (icosphere(0.1, 4), 4 / 3 * np.pi * 1e-3)):
        particles = _fill(mesh)
        assert particles.mass.sum() == pytest.approx(500.0 * volume, rel=0.01)
        assert np.abs(particles.mass @ particles.position / particles.mass.sum()).max() < 1e-3
        assert 150 < len(particles.mass) < 600


def test_a_collapsed_triangle_goes_with_what_is_near_it():
    solid = box(0.3, 0.2, 0.1)
    there = solid.vertices[0] + np.array([[0.0, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.02, 0.0]])
    faces = np.concatenate([solid.faces, [[len(solid.vertices) + k for k in range(3)]]])
    mesh = Mesh(np.concatenate([solid.vertices, there]), faces)
    particles, plain = _fill(mesh), _fill(solid)
    assert len(particles.position) == len(plain.position) and len(np.unique(particles.label)) == 1
    assert np.abs(build_carrier(mesh.vertices, particles).carry(particles.position) - mesh.vertices).max() < 1e-9


@pytest.mark.parametrize("faces", [np.zeros((0, 3), dtype=int), [[0, 1, 2]]], ids=["points", "a collapsed triangle"])
def test_what_has_no_area_is_one_sentence(faces):
    mesh = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.asarray(faces))
    with pytest.raises(InputError, match="nothing fills it"):
        fill_particles(mesh, assign_parts(mesh, Conditions()), USUAL)


@needs_engine
@pytest.mark.parametrize("seconds", [0.001, 0.01])
def test_a_push_gives_its_impulse_however_short_it_is(seconds):
    push = Push((0.0, 0.0, 0.05), force=(200.0, 0.0, 0.0), start=0.001, end=0.001 + seconds)
    moved = _run(box(0.1, 0.1, 0.1, 2), 60, gravity=(0.0, 0.0, 0.0), pushes=(push,), seconds=0.1)
    speed = np.diff(moved.positions.mean(axis=1)[-2:], axis=0)[0, 0] * 60.0
    assert speed == pytest.approx(200.0 * seconds / (500.0 * 0.1**3), rel=0.02)


def test_what_is_said_not_to_deform_neither_yields_nor_flows():
    for name in ("sand", "plasticine"):
        stated = PartProperties(material=name, deforms=False).resolve(load_library(), "it")
        rule = read_flow_rule(stated, USUAL)
        assert rule.yield_shear == NEVER and rule.holds_tension and not rule.flows


def test_flow_rules_are_those_of_the_materials():
    library = load_library()

    def rule(name: str, **more):
        return read_flow_rule(PartProperties(material=name, **more).resolve(library, "it"), USUAL)

    clay, sand, foam, steel = rule("plasticine"), rule("sand", friction_angle=30.0), rule("foam"), rule("steel")
    assert clay.yield_shear == pytest.approx(80e3 / np.sqrt(3)) and clay.slope == 0 and clay.flows
    assert sand.yield_shear == 0 and sand.slope == pytest.approx(0.5) and not sand.holds_tension and sand.flows
    assert foam.yield_shear == NEVER and not foam.flows
    assert steel.yield_shear < NEVER and steel.is_capped and not steel.flows


def test_the_engine_follows_the_material_and_says_so(monkeypatch):
    mesh = _upright(box(0.1, 0.1, 0.1))
    falls = Conditions(base="free", ground=True)
    assert choose_engine(mesh, replace(falls, material="oak")).why == ""
    assert choose_engine(mesh, replace(falls, material="steel")).engine == "reduced"
    for name in ("plasticine", "sand", "wet_clay", "dough"):
        monkeypatch.setattr(engine_choice, "is_installed", lambda: False)
        absent = choose_engine(mesh, replace(falls, material=name))
        assert absent.engine == "reduced" and name in absent.why and "neurok[mpm]" in absent.why
        monkeypatch.setattr(engine_choice, "is_installed", lambda: True)
        monkeypatch.setattr(engine_choice, "describe_version", lambda: "Newton")
        there = choose_engine(mesh, replace(falls, material=name))
        assert there.engine == "mpm" and name in there.why
        blown = choose_engine(mesh, replace(falls, material=name, wind=(1, 0, 0)))
        assert blown.engine == "reduced" and "wind" in blown.why
    monkeypatch.setattr(engine_choice, "is_installed", lambda: False)
    with pytest.raises(MissingExtra):
        choose_engine(mesh, falls, "mpm")


@pytest.mark.parametrize("more", [
    {"wind": (1, 0, 0)}, {"restitution": 0.5}, {"stiffness": 1.0}, {"state": (0.0,)}, {"integrator": "rk4"},
    {"parts": {"it": PartProperties(stiffness=2.0)}},
])  # fmt: skip
def test_what_particles_cannot_do_is_refused(more):
    with pytest.raises(OptionError):
        refuse_rest(Conditions(base="free", **more))


def test_refusals_leave_with_code_2_and_write_nothing(tmp_path, capsys):
    ball, out = str(save(icosphere(0.05), tmp_path / "ball.glb")), tmp_path / "out.glb"
    for words in (["test", "wind", ball], ["animate", ball, "--ground", "--wind", "1,0,0"], ["animate", ball]):
        assert main([*words, "--material", "sand", "--engine", "mpm", "-o", str(out)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["test", "drop", ball, "--engine", "mpm", "--kinematics", "soft", "-o", str(out)]) == 2
    capsys.readouterr()
    laptop = "neurok/assets/laptop/laptop.urdf"
    assert main(["animate", laptop, "--ground", "--engine", "mpm", "-o", str(out)]) == 2
    assert "joints" in capsys.readouterr().err and not out.exists()


@needs_engine
def test_a_thrown_block_flies_a_parabola_and_keeps_its_momentum():
    mesh, v, w = box(0.2, 0.2, 0.2), np.array([1.0, 0.0, 2.0]), np.array([0.0, 3.0, 0.0])
    thrown = tuple(Velocity(tuple(x), tuple(v + np.cross(w, x))) for x in mesh.vertices)
    flown = _run(mesh, 64, velocities=thrown, seconds=0.25)
    t = flown.time[:, None]
    middle = flown.positions.astype(float).mean(axis=1)
    way = v * t + 0.5 * np.array([0.0, 0.0, -G]) * t**2
    assert np.abs(middle - way).max() < 0.01 * np.linalg.norm(way[-1])
    assert np.abs(np.diff(middle[:, 0]) * 60.0 - 1.0).max() < 1e-3  # momentum, where no force acts
    turned = Rotation.from_rotvec(w * flown.time[-1]).apply(np.array(mesh.vertices)) + way[-1]
    assert np.abs(flown.positions[-1] - turned).max() < 0.02 * mesh.diagonal
    assert flown.drift < 0.05


@needs_engine
def test_a_block_slides_on_a_slope_steeper_than_its_friction_angle():
    ways, stiff = [], replace(SOFT, young=5e5)
    for share in (0.0, 0.9, 1.3):
        lean = share * np.arctan(0.5)
        down = (G * np.sin(lean), 0.0, -G * np.cos(lean))
        slid = _run(box(0.2, 0.2, 0.2), 64, stiff, ground=True, gravity=down, seconds=0.2)
        ways.append(slid.positions[-1].astype(float).mean(axis=0) - slid.positions[6].astype(float).mean(axis=0))
    asked = 0.5 * G * (np.sin(lean) - 0.5 * np.cos(lean)) * (0.2**2 - 0.1**2)  # from 0.1 s on, when it stands
    assert np.abs(ways[0]).max() < 1e-4 and abs(ways[1][0]) < 1e-3
    assert ways[2][0] == pytest.approx(asked, rel=0.1)


@needs_engine
def test_what_yields_keeps_its_dent_and_its_elastic_twin_does_not():
    """Balls that fly against a floor without gravity, under which the elastic one would sag by 3 % (Hertz)."""
    made, left = replace(SOFT, density=1000.0, young=2e5), []
    for stress in (None, 4e3):
        fell = _run(
            icosphere(0.1, 3), 250, replace(made, yield_stress=stress), ground=True, ground_height=-0.105,
            gravity=(0.0, 0.0, 0.0),
            velocities=(Velocity((0.0, 0.0, 0.1), (0.0, 0.0, -2.5)),), seconds=0.25,
        )  # fmt: skip
        height = np.ptp(fell.positions[:, :, 2].astype(float), axis=1)
        left.append(1.0 - height[-1] / height[0])
    assert left[0] < 0.02 and left[1] > 0.05


@needs_engine
@pytest.mark.parametrize("angle", [22.0, 50.0])
def test_a_bank_of_sand_stands_below_its_friction_angle_and_slumps_above(angle):
    """Between smooth walls; a column that collapses comes to rest at less: `python -m benchmarks.material_points`."""
    high = 0.3 * np.tan(np.radians(angle))
    outline = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, high]])
    ends = [np.insert(outline, 1, y, axis=1) for y in (-0.05, 0.05)]
    faces = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (2, 5, 3), (2, 3, 0)]
    bank = Mesh(np.concatenate(ends), np.array(faces))
    smooth = [((0, -0.05, 0), (0, 1, 0)), ((0, 0.05, 0), (0, -1, 0)), ((0, 0, 0), (1, 0, 0))]
    walls = tuple(Obstacle("plane", p, normal=n, friction=0.0) for p, n in smooth)
    sand = PartProperties(material="sand", friction_angle=33.0, friction=1.0)
    fell = _run(bank, 250, sand, ground=True, obstacles=walls, seconds=0.3)
    sunk = 1.0 - fell.positions[-1][:, 2].max() / high
    assert (sunk < 0.03) if angle < 33.0 else (sunk > 0.2)


@needs_engine
@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_obstacles_hold_up_what_falls_on_them(kind):
    shape = {"radius": 0.3} if kind == "sphere" else {"size": (0.6, 0.6, 0.6)}
    fell = _run(box(0.2, 0.2, 0.2, 2), 64, obstacles=(Obstacle(kind, (0.0, 0.0, -0.42), **shape),), seconds=0.4)
    lowest = fell.positions[-1][:, 2].min()
    assert -0.135 < lowest < -0.115


@needs_engine
def test_a_pull_takes_its_point_along_while_the_foot_stays():
    mesh = box(0.1, 0.1, 0.2, 2)
    drawn = _run(
        mesh, 128, base="fixed", gravity=(0.0, 0.0, 0.0), seconds=0.15,
        pulls=(Pull((0.0, 0.0, 0.1), by=(0.03, 0.0, 0.0), end=0.15),),
    )  # fmt: skip
    way = drawn.positions[-1] - drawn.positions[0]
    top, foot = mesh.vertices[:, 2] > 0.099, mesh.vertices[:, 2] < -0.099
    assert way[top, 0].mean() == pytest.approx(0.03, abs=0.004)
    assert np.abs(way[foot]).max() < 0.002


@needs_engine
def test_the_verb_chooses_particles_and_writes_what_they_did(tmp_path, capsys):
    ball, out = str(save(icosphere(0.05), tmp_path / "ball.glb")), tmp_path / "out.npz"
    assert main(["test", "drop", ball, "--material", "plasticine", "--seconds", "0.05", "-o", str(out), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.count("engine: material points") == 1 and '"engine": "mpm"' in said.out
    with np.load(out) as stored:
        assert stored["frames"].shape[1] == icosphere(0.05).vertex_count
