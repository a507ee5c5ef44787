"""Contact between the parts of one object against closed forms and MuJoCo; what it must leave alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box, grid
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.conditions import Conditions, Start, Velocity
from neurok.mechanics.scene import build_scene
from neurok.mechanics.simulate import animate
from tests.mechanics.objects import chain, shift

G = 9.81
FREE = Conditions(gravity=(0.0, 0.0, 0.0), damping=0.0, stiffness=0.0, seconds=1.0)


def at(mesh: Mesh, x: float, y: float, z: float) -> Mesh:
    return mesh.with_vertices(mesh.vertices + [x, y, z])


def joined(parts: list[Mesh], kind: str, axis, origin=(0.0, 0.0, 0.0), **limits) -> Articulated:
    """The first part is the base; all others hang on it by joints of the same kind."""
    names = [f"part {i}" for i in range(len(parts))]
    links = [Link(names[0], np.eye(4)), *(Link(name, shift(*origin)) for name in names[1:])]
    joints = [
        Joint(f"joint {i}", kind, 0, i, shift(*origin), np.asarray(axis, dtype=float), **limits)
        for i in range(1, len(parts))
    ]
    mesh = replace(merge(parts, names=names), up="z")
    return Articulated(
        Articulation(
            mesh, np.repeat(np.arange(len(parts)), [p.vertex_count for p in parts]), tuple(links), tuple(joints)
        )
    )


def drawer(gap: float = 0.3, *, panel: Mesh | None = None, **limits) -> Articulated:
    """A box that slides along x inside a cabinet without a front; its back is `gap` away from the cabinet's."""
    back = at(box(0.02, 0.5, 0.4), -0.2 - gap - 0.01, 0.0, 0.0) if panel is None else panel
    walls = [at(box(1.2, 0.02, 0.4), 0.0, side * 0.24, 0.0) for side in (-1, 1)]
    floor = at(box(1.2, 0.5, 0.02), 0.0, 0.0, -0.19)
    cabinet = merge([back, *walls, floor])
    tray = at(box(0.4, 0.44, 0.3, cells=3), 0.0, 0.0, 0.0)
    return joined([cabinet, tray], "prismatic", (1, 0, 0), **limits)


def lid(angle: float = np.pi / 2, *, cells: int = 2) -> Articulated:
    """A plate that stands upright on the edge of another, hinged at (-0.3, ., 0.02) about y, 0.01 above the base."""
    base = at(box(0.6, 0.4, 0.02, cells=cells), 0.0, 0.0, 0.0)
    plate = at(box(0.02, 0.4, 0.55, cells=cells), -0.3, 0.0, 0.05 + 0.275)
    return joined([base, plate], "revolute", (0, 1, 0), (-0.3, 0.0, 0.02))


def rate(space: Articulated, *speeds: float) -> Conditions:
    return replace(FREE, state=(0.0,) * space.size, rates=speeds)


def test_drawer_stops_at_its_back():
    space = drawer()
    motion = animate(space, rate(space, -1.0))
    assert motion.states[-1, 0] == pytest.approx(-0.3, abs=2e-4)
    before = motion.time < 0.29
    np.testing.assert_allclose(motion.states[before, 0], -motion.time[before], atol=1e-9)
    assert motion.velocities[-1, 0] == pytest.approx(0.0, abs=1e-6)  # no restitution, as against the ground
    assert "contacts at a time" in motion.status


def test_drawer_stops_at_a_back_without_thickness():
    sheet = grid(0.4, 0.5, 3, 3)  # in x and y; it is stood upright
    sheet = sheet.with_vertices(
        np.stack([np.full(sheet.vertex_count, -0.5), sheet.vertices[:, 1], sheet.vertices[:, 0]], axis=1)
    )
    both = Mesh(sheet.vertices, np.concatenate([sheet.faces, sheet.faces[:, ::-1]]))
    for panel in (Mesh(sheet.vertices, sheet.faces), both):
        space = drawer(panel=panel)
        motion = animate(space, rate(space, -1.0))
        assert -0.3 <= motion.states[:, 0].min() <= -0.3 + 5e-3 * space.mesh.diagonal


def test_drawer_with_little_play_stops_at_its_back():
    """Its corners are nearer to the walls than the way of a step: they meet the back ahead of them all the same."""
    space = drawer()
    tight = space.mesh.vertices.copy()
    tray = space.skin.leader == 0 if np.ptp(tight[space.skin.leader == 0, 0]) < 0.5 else space.skin.leader == 1
    tight[tray, 1] *= 0.229 / 0.22
    space = Articulated(replace(space.articulation, mesh=space.mesh.with_vertices(tight)))
    motion = animate(space, rate(space, -3.0))
    assert motion.states.min() == pytest.approx(-0.3, abs=3e-3)


def test_momentum_is_kept_by_the_impulse():
    """On a free base the drawer takes the cabinet along: one velocity afterwards, that of the centre of mass."""
    space = drawer()
    conditions = replace(FREE, base="free", state=(0.0,) * 7, rates=(0.0,) * 6 + (-1.0,), seconds=0.6)
    scene = build_scene(space, conditions)
    leader = space.skin.leader[scene.masses.where.corners[:, 0]]
    m0, m1 = (scene.masses.mass[leader == i].sum() for i in range(2))
    motion = animate(space, conditions)
    assert motion.velocities[-1, 6] == pytest.approx(0.0, abs=1e-6)
    where, mass = scene.masses.where, scene.masses.mass / (m0 + m1)
    centre = [mass @ motion.space_at(i).positions(torch.from_numpy(motion.states[i]), where).numpy() for i in (0, -1)]
    np.testing.assert_allclose(centre[1] - centre[0], [-0.6 * m1 / (m0 + m1), 0.0, 0.0], atol=1e-3)


def test_no_part_passes_without_contact_switched_off():
    space = drawer()
    motion = animate(space, replace(rate(space, -1.0), self_contact=False))
    assert motion.states[-1, 0] == pytest.approx(-1.0, abs=1e-9)


def test_lid_falls_onto_its_base():
    """The lid's lower face is 0.01 from the axis, which is 0.01 above the base's top: it lies flat at 90 degrees."""
    space = lid()
    conditions = replace(FREE, gravity=(0.0, 0.0, -G), state=(0.2,), seconds=2.0)
    motion = animate(space, conditions)
    assert motion.states[-1, 0] == pytest.approx(np.pi / 2, abs=2e-3)
    assert motion.states.max() < np.pi / 2 + 1e-3
    assert motion.kinetic[-1] < 1e-9


def test_lid_stops_at_a_block():
    """A block on the base, its edge at (0.1, 0.12): the lid's face, 0.01 before the axis, meets that edge."""
    base = merge([box(0.6, 0.4, 0.02), at(box(0.2, 0.1, 0.11), 0.0, 0.0, 0.065)])
    plate = at(box(0.02, 0.4, 0.55, cells=4), -0.3, 0.0, 0.05 + 0.275)
    space = joined([base, plate], "revolute", (0, 1, 0), (-0.3, 0.0, 0.02))
    motion = animate(space, replace(FREE, gravity=(0.0, 0.0, -G), state=(0.2,), seconds=2.0))
    x, z = 0.4, 0.12 - 0.02  # of the far edge; the near one is lower under the falling face
    near = np.hypot(0.2, z)
    stops = []
    for r, slope in ((np.hypot(x, z), np.arctan2(z, x)), (near, np.arctan2(z, 0.2))):
        stops.append(np.pi / 2 - slope - np.arcsin(0.01 / r))
    assert motion.states[-1, 0] == pytest.approx(min(stops), abs=5e-3)


def test_energy_never_grows():
    rng = np.random.default_rng(0)
    for space, gravity in ((drawer(), 0.0), (lid(), G), (drawer(0.0), 0.0)):
        for _ in range(3):
            start = (0.3 * rng.random(space.size),)
            conditions = replace(
                FREE,
                gravity=(0.0, 0.0, -gravity),
                state=tuple(start[0]),
                rates=tuple(rng.normal(size=space.size) * 2),
                seconds=1.0,
            )
            motion = animate(space, conditions)
            scale = motion.kinetic.max()
            assert np.diff(motion.total).max() < 5e-3 * scale
            assert motion.total[-1] <= motion.total[0] + 5e-3 * scale


def test_start_within_another_part_gains_no_energy():
    """The drawer begins half way through its back: it may leave, is not thrown out, and hardly goes deeper."""
    space = drawer()
    for speed in (0.0, 1.0, -1.0):
        motion = animate(space, replace(FREE, state=(-0.45,), rates=(speed,)))
        assert np.diff(motion.kinetic).max() < 1e-9
        if speed >= 0:
            assert motion.states[-1, 0] == pytest.approx(-0.45 + speed, abs=1e-6)
        else:
            assert motion.states[-1, 0] > -0.5


def test_parts_that_touch_at_rest_still_move():
    """A drawer without any play to its walls, and one that overlaps them a little, slide as if nothing were there."""
    for width in (0.46, 0.463):
        walls = [at(box(1.2, 0.02, 0.4), 0.0, side * 0.24, 0.0) for side in (-1, 1)]
        tray = box(0.4, width, 0.3, cells=3)
        space = joined([merge(walls), tray], "prismatic", (1, 0, 0))
        motion = animate(space, rate(space, 0.3))
        np.testing.assert_allclose(motion.states[:, 0], 0.3 * motion.time, atol=1e-9)


def test_drawer_shut_at_rest_opens_and_shuts():
    """Its front lies on the frame at rest; it comes back to that, not farther."""
    frame = merge([at(box(0.4, 0.02, 0.4), 0.0, side * 0.24, 0.0) for side in (-1, 1)])
    tray = merge([at(box(0.4, 0.4, 0.3), 0.0, 0.0, 0.0), at(box(0.02, 0.5, 0.4, cells=2), 0.21, 0.0, 0.0)])
    space = joined([frame, tray], "prismatic", (1, 0, 0))
    motion = animate(space, replace(FREE, state=(0.2,), rates=(-1.0,)))
    assert abs(motion.states[-1, 0]) < 3e-3 * space.mesh.diagonal
    assert motion.velocities[-1, 0] == pytest.approx(0.0, abs=1e-6)


def test_hinges_that_overlap_do_not_lock():
    """The bars of a chain meet at their joints: swings are those without contact, to the byte."""
    conditions = Conditions(gravity=(0.0, -G, 0.0), starts=(Start((0.0, -1.0, 0.0), (0.3, 0.1, 0.0)),), seconds=1.0)
    for count in (1, 2):
        space = Articulated(chain(count))
        on, off = (animate(space, replace(conditions, self_contact=which)) for which in (True, False))
        assert np.array_equal(on.states, off.states)


def test_parts_that_never_meet_change_nothing():
    parts = [at(box(0.1, 0.1, 0.1), 0.0, 0.5 * i, 0.0) for i in range(3)]
    space = joined(parts, "prismatic", (1, 0, 0), lower=-0.1, upper=0.1)
    assert build_scene(space, Conditions()).self_contacts is None
    on, off = (animate(space, Conditions(self_contact=which, seed=3)) for which in (True, False))
    assert np.array_equal(on.states, off.states) and np.array_equal(on.kinetic, off.kinetic)


def test_slider_against_a_spring_loaded_mate_agrees_with_mujoco():
    """Two sliders on one rail, the first thrown at the second; MuJoCo's contact is as hard as it can be made."""
    mujoco = pytest.importorskip("mujoco")
    rail = at(box(2.0, 0.1, 0.02), 0.0, 0.0, -0.2)
    blocks = [at(box(0.1, 0.1, 0.1), x, 0.0, 0.0) for x in (-0.4, 0.0)]
    stop = at(box(0.02, 0.2, 0.4), 0.5, 0.0, 0.0)
    space = joined([merge([rail, stop]), *blocks], "prismatic", (1, 0, 0))
    conditions = replace(FREE, mass=3.0, state=(0.0, 0.0), rates=(2.0, 0.0), seconds=1.2, fps=60, friction=0.0)
    ours = animate(space, conditions)
    xml = """<mujoco><option gravity="0 0 0" timestep="0.000166666666666666667" cone="elliptic"/>
    <default><geom friction="0 0 0" solref="0.002 4" solimp="0.99 0.999 0.0001" density="500"/></default><worldbody>
    <geom type="box" size="0.01 0.1 0.2" pos="0.5 0 0"/>
    <body pos="-0.4 0 0"><joint type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.05 0.05"/></body>
    <body pos="0 0 0"><joint type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.05 0.05"/></body>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qvel[:] = 2.0, 0.0
    theirs = []
    for t in ours.time:
        while data.time < t - 1e-9:
            mujoco.mj_step(model, data)
        theirs.append(data.qpos.copy())
    assert np.abs(ours.states - np.array(theirs)).max() < 0.02  # of ways of up to 0.8


def test_contact_is_independent_of_the_placing():
    """The same object turned and moved, its base free, meets itself in the same way."""
    space = drawer()
    free = replace(FREE, base="free", state=(0.0,) * 7, rates=(0.0,) * 6 + (-1.0,), seconds=0.5)
    turned = replace(free, state=(5.0, -3.0, 2.0, 0.4, 1.0, -0.7, 0.0))
    a, b = animate(space, free), animate(space, turned)
    np.testing.assert_allclose(a.states[:, 6], b.states[:, 6], atol=1e-3)


def test_velocity_of_a_point_may_press_a_part_against_another():
    space = drawer()
    conditions = replace(FREE, velocities=(Velocity((0.2, 0.0, 0.0), (-50.0, 0.0, 0.0)),), seconds=0.2)
    motion = animate(space, conditions)
    assert motion.states.min() > -0.3 - 2e-4
