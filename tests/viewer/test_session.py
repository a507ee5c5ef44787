"""A session without a network: what messages do to an object."""

import time

import numpy as np
import pytest
import torch

import neurok
from neurok.assets.laptop import laptop
from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.geometry.motion import Skin
from neurok.geometry.surface import find_nearest
from neurok.kinematics.twists import Twists
from neurok.viewer import messages as m
from neurok.viewer.motion_description import describe_motion
from neurok.viewer.points import settle_point
from neurok.viewer.session import Session
from neurok.viewer.viewed_object import FoundSpace, ViewedObject
from tests.viewer.objects import cube, laptop_session, snake, soft_sheet


@pytest.fixture
def session() -> Session:
    return laptop_session()


def triangle_of(session: Session, link: int, which: int = 5) -> int:
    """A drawn triangle of a link."""
    shown = session.state.shown
    leader = shown.space.skin.leader[shown.mesh.faces[shown.drawing.order][:, 0]]
    return int(np.flatnonzero(leader == link)[which])


def held_place(session: Session) -> np.ndarray:
    (handle,) = session.state.describe_pose().handles
    return np.array(handle.place)


def vertices(session: Session) -> np.ndarray:
    """The vertices as the page computes them, on the stage."""
    shape = session.state.describe_pose().shape.astype(np.float64)
    X = np.concatenate([shape, np.tile([[[0.0, 0.0, 0.0, 1.0]]], (len(shape), 1, 1))], axis=1)
    return session.state.space.skin.blend(X, session.state.shown.stage.points(session.state.shown.mesh.vertices))


def test_the_page_sees_what_the_kinematics_says(session):
    session.receive(m.SetCoordinate(0, 1.0, 1))
    space, q = session.state.space, torch.tensor([1.0], dtype=torch.float64)
    file = space.skin.blend(space.transforms(q).numpy(), space.mesh.vertices)
    np.testing.assert_allclose(vertices(session), session.state.shown.stage.points(file), atol=1e-6)
    np.testing.assert_allclose(session.state.shown.stage.file_points(vertices(session)), file, atol=1e-6)


def test_the_stage_stands_on_the_floor_and_has_size_one(session):
    places = session.state.shown.scenery.rest
    lower, upper = places.min(axis=0), places.max(axis=0)
    assert lower[1] == pytest.approx(0.0, abs=1e-7)
    assert np.linalg.norm(upper - lower) == pytest.approx(1.0)
    assert (lower + upper)[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_held_point_follows_the_hand_along_what_the_hinge_allows(session):
    session.receive(m.Grab(1, triangle_of(session, 1), (0.2, 0.3, 0.5)))
    start = held_place(session)
    for _ in range(4):  # one move is a few steps, a hand that waits is met exactly
        (pose,) = session.receive(m.Move(1, tuple(start + [0.0, 0.2, 0.0]), 9))
    assert pose.stamp == 9
    assert pose.coordinates[0] > 0.2
    base = session.state.shown.space.skin.leader == 0
    rest = session.state.shown.stage.points(session.state.shown.mesh.vertices)
    assert np.abs(vertices(session) - rest)[base].max() < 1e-6
    # The nearest place on its circle about the hinge: the rest of the way is at right angles to the motion.
    q, step = session.state.dragging.q, 1e-4
    here = held_place(session)
    session.state.dragging.solver.q = q + step
    along = (held_place(session) - here) / step
    assert abs((start + [0.0, 0.2, 0.0] - here) @ along) < 1e-3 * np.linalg.norm(along)


def test_the_pose_stays_where_it_is_let_go(session):
    session.receive(m.Grab(1, triangle_of(session, 1), (0.2, 0.3, 0.5)))
    session.receive(m.Move(1, tuple(held_place(session) + [0.0, 0.2, 0.0]), 1))
    before = session.state.describe_pose().coordinates
    pose, said = session.receive(m.Release(1, (0.0, 0.1, 0.0)))
    assert "lid at" in said.text
    assert pose.coordinates == before and not pose.handles and not session.is_running


def test_a_grab_of_the_base_moves_nothing(session):
    session.receive(m.Grab(1, triangle_of(session, 0), (0.2, 0.3, 0.5)))
    (pose,) = session.receive(m.Move(1, tuple(held_place(session) + [0.3, 0.3, 0.0]), 1))
    assert pose.coordinates == (0.0,)


def run(session: Session, frames: int = 10_000) -> list[object]:
    said = []
    while session.is_running and frames:
        said += session.tick()
        frames -= 1
    return said


def replayed(session: Session) -> np.ndarray:
    conditions = neurok.Conditions.from_json(session.state.make_conditions().to_json())
    space = neurok.kinematics(Asset(session.state.shown.mesh, articulation=session.state.shown.space.articulation))
    return neurok.animate(space, conditions).motion().frames


def test_a_throw_flies_comes_to_rest_and_replays(session):
    session.receive(m.SetCoordinate(0, 0.6, 1))
    session.receive(m.Grab(1, triangle_of(session, 1), (0.2, 0.3, 0.5)))
    session.receive(m.Release(1, (0.0, 2.0, 0.0)))
    assert session.is_running
    said = run(session)
    assert "At rest" in said[-1].text and not session.is_running
    frames = session.state.make_motion().frames
    assert np.abs(frames - frames[0]).max() > 0.1 * session.state.shown.mesh.diagonal
    np.testing.assert_allclose(replayed(session), frames, atol=1e-9)


def test_handles_pins_and_pushes_in_running_time_replay(session):
    session.receive(m.SetCoordinate(0, 0.9, 1))
    session.receive(m.RunMessage())
    for _ in range(4):
        session.tick()
    session.receive(m.Grab(3, triangle_of(session, 1, 40), (0.4, 0.3, 0.3)))
    start = held_place(session)
    for i in range(12):
        session.receive(m.Move(3, tuple(start + [0.0, 0.02 * i, -0.01 * i]), i))
        session.tick()
    session.receive(m.Release(3, (0.0, 0.0, 0.0)))
    session.tick()
    session.receive(m.PushPoint(triangle_of(session, 1, 10), (0.3, 0.3, 0.4), (0.0, -0.5, 1.0), 1.0))
    for _ in range(15):
        session.tick()
    conditions = session.state.make_conditions()
    assert len(conditions.pulls) == 1 and len(conditions.pushes) == 1
    np.testing.assert_allclose(replayed(session), session.state.make_motion().frames, atol=1e-9)


def test_a_free_base_falls_to_the_ground_and_replays(session):
    session.receive(m.Settings(gravity=9.81, ground=True, free=True, damping=0.5))
    assert session.state.space.base_count == 6
    q = session.state.dragging.q.copy()
    q[[1, 2, 3, 6]] = [0.02, 0.2, 0.5, 0.4]
    session.state.dragging.set_state(q)
    session.receive(m.RunMessage())
    for _ in range(30):
        session.tick()
    frames = session.state.make_motion().frames
    assert frames[-1][:, 2].mean() < frames[0][:, 2].mean() - 0.05
    np.testing.assert_allclose(replayed(session), frames, atol=1e-7)
    # Pausing and running on, and a trimmed part, are the same motion.
    conditions = session.state.make_conditions(10, 20)
    part = neurok.animate(neurok.kinematics(laptop()), conditions).motion().frames
    np.testing.assert_allclose(part, frames[10:21], atol=2e-4)


def test_unrolling_keeps_the_shape_and_the_speed_of_a_free_base(session):
    from neurok.kinematics.floating_base import FloatingBase

    generator = np.random.default_rng(0)
    T = FloatingBase(session.state.space)._base_pose(np.concatenate([generator.normal(size=3), [0.4, -1.2, 0.8]]))
    space = FloatingBase(session.state.space, T)
    q, v = generator.normal(size=7) * 0.3, generator.normal(size=7)
    flat, p, w = space.unroll(q, v)
    torch.testing.assert_close(space.transforms(torch.from_numpy(q)), flat.transforms(torch.from_numpy(p)))

    def speed(of, state, rates, step=1e-6):
        ahead, behind = (of.transforms(torch.from_numpy(state + side * step * rates)) for side in (1, -1))
        return (ahead - behind) / (2 * step)

    torch.testing.assert_close(speed(space, q, v), speed(flat, p, w), atol=1e-7, rtol=1e-6)


def test_changing_a_force_while_time_runs_begins_a_new_recording_in_motion(session):
    session.receive(m.SetCoordinate(0, 1.0, 1))
    session.receive(m.RunMessage())
    for _ in range(8):
        session.tick()
    speed = session.state.playback.recording.state.v.copy()
    session.receive(m.Settings(gravity=1.0, damping=2.0))
    assert session.is_running and session.state.playback.recording.frame_count == 1
    np.testing.assert_allclose(session.state.playback.recording.state.v, speed)
    for _ in range(8):
        session.tick()
    np.testing.assert_allclose(replayed(session), session.state.make_motion().frames, atol=1e-9)


@pytest.mark.parametrize("message", [m.RunMessage(), m.StepOnce()])
def test_changing_a_force_while_paused_counts_once_time_runs_again(session, message):
    """The next recording begins where time was paused, at the speed it had, and replays under the new forces."""
    session.receive(m.SetCoordinate(0, 1.0, 1))
    session.receive(m.RunMessage())
    for _ in range(8):
        session.tick()
    session.receive(m.Pause())
    paused = session.state.playback.recording
    pose, description, words = session.receive(m.Settings(gravity=3.0, damping=0.0))
    np.testing.assert_allclose(pose.coordinates, paused.state.q, atol=1e-12)
    assert description.frames == paused.frame_count and not description.running, "what was recorded is kept"
    assert "forces have changed" in words.text
    session.receive(message)
    recording = session.state.playback.recording
    assert recording is not paused and np.linalg.norm(recording.conditions.gravity) == pytest.approx(3.0)
    np.testing.assert_allclose(recording.start.q, paused.state.q, atol=1e-15)
    np.testing.assert_allclose(recording.start.v, paused.state.v)
    for _ in range(4):
        session.tick()
    np.testing.assert_allclose(replayed(session), session.state.make_motion().frames, atol=1e-9)


def test_changing_a_force_after_seeking_keeps_the_speed_of_the_frame(session):
    session.receive(m.SetCoordinate(0, 1.0, 1))
    session.receive(m.RunMessage())
    for _ in range(8):
        session.tick()
    session.receive(m.Seek(4))
    rates = session.state.dragging.rates.copy()
    session.receive(m.Settings(gravity=1.0))
    session.receive(m.RunMessage())
    assert np.abs(rates).max() > 0
    np.testing.assert_allclose(session.state.playback.recording.start.v, rates)


def test_pause_step_seek_reset(session):
    session.receive(m.SetCoordinate(0, 1.0, 1))
    session.receive(m.StepOnce())
    session.receive(m.StepOnce())
    assert session.state.playback.recording.frame_count == 3 and not session.is_running
    session.receive(m.RunMessage())
    assert session.state.playback.recording.frame_count == 3, "running on continues the recording"
    for _ in range(5):
        session.tick()
    session.receive(m.Pause())
    state = session.state.playback.recording.records[4][0]
    session.receive(m.Seek(4))
    np.testing.assert_allclose(session.state.dragging.q, state)
    session.receive(m.RunMessage())
    np.testing.assert_allclose(session.state.playback.recording.start.q, state)
    assert np.abs(session.state.playback.recording.start.v).max() > 0, "it goes on with the speed it had"
    session.receive(m.Reset())
    assert session.state.playback.recording is None and session.state.describe_pose().coordinates == (0.0,)


def test_choices_are_admissible_and_apart(session):
    choices = session.receive(m.Surprise())[0]
    assert choices.count == 6
    states = np.array(session.choices)[:, 0]
    assert np.all((states >= 0) & (states <= float(session.state.space.upper[0])))
    assert np.diff(np.sort(states)).min() > 0.05
    session.receive(m.Choose(3))
    assert session.state.describe_pose().coordinates[0] == pytest.approx(states[3])


def test_the_hinge_is_named_and_its_region_is_the_lid(session):
    (coordinate,) = session.introduce()[0].coordinates
    assert (coordinate.name, coordinate.moves, coordinate.unit) == ("lid", "turns", "°")
    (region,) = session.receive(m.ShowRegion(0))
    lid = session.state.shown.space.skin.leader == 1
    assert region.heat[~lid].max() == 0 and region.heat[lid].max() == 255


@pytest.mark.parametrize(
    "message",
    [
        m.Grab(1, -1, (1.0, 0.0, 0.0)),
        m.Grab(1, 10**9, (1.0, 0.0, 0.0)),
        m.Grab(1, 0, (0.0, 0.0, 0.0)),
        m.SetCoordinate(5, 1.0, 0),
        m.PushPoint(10**9, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0),
    ],
)
def test_numbers_that_mean_nothing_are_refused(session, message):
    with pytest.raises(InputError):
        session.receive(message)
    assert session.state.describe_pose().coordinates == (0.0,)


def test_stray_messages_change_nothing(session):
    for message in (m.Move(9, (0.0, 0.0, 0.0), 1), m.Release(9, (9.0, 0.0, 0.0)), m.Seek(3), m.Choose(2), m.Pause()):
        session.receive(message)
    assert session.state.describe_pose().coordinates == (0.0,) and not session.is_running


def test_a_plain_mesh_without_a_state_space_tumbles_and_says_why(monkeypatch):
    def none(thing, **asked):
        raise InputError("there are no weights", "take them along")

    monkeypatch.setattr("neurok.viewer.guesses.choose_kinematics", none)
    session = Session(ViewedObject(Asset(cube()), "cube"), "token")
    thing, *_, said = session.introduce()
    assert "rigid body" in said.text and thing.movable and len(thing.coordinates) == 6
    session.receive(m.Grab(1, 0, (0.3, 0.3, 0.4)))
    session.receive(m.Move(1, tuple(held_place(session) + [0.0, 0.5, 0.0]), 1))
    session.receive(m.Release(1, (0.3, 1.0, 0.0)))
    for _ in range(20):
        session.tick()
    assert session.state.make_motion().frame_count == 21


def test_a_point_is_found_again_by_its_place_on_the_part_that_was_meant(session):
    """The lid lies on the base: a place between them is near to both."""
    shown = session.state.shown
    for link in (0, 1):
        for which in range(0, 300, 37):
            point = settle_point(shown.space, shown.find_point(triangle_of(session, link, which), (0.2, 0.3, 0.5)))
            found = find_nearest(shown.mesh, point.position)
            assert shown.space.skin.leader[found.corners[0, 0]] == link


def test_a_learned_kind_of_space_is_dragged_thrown_and_replayed():
    session = Session(soft_sheet(side=30), "token")
    thing = session.introduce()[0]
    assert thing.movable and thing.bones == 64 and len(thing.coordinates) == 16
    assert session.state.environment.settings.gravity == 0 and session.state.environment.settings.stiffness == 1, (
        "it springs back, and does not sag"
    )
    session.receive(m.Grab(1, 700, (0.2, 0.3, 0.5)))
    goal = held_place(session) + [0.02, 0.06, 0.01]
    for stamp in range(6):
        session.receive(m.Move(1, tuple(goal), stamp))
    # As few coordinates as bring it there.
    assert np.linalg.norm(held_place(session) - goal) < 2e-3
    assert np.sum(np.abs(session.state.dragging.q) > 1e-6) < session.state.space.size / 2
    session.receive(m.Release(1, (0.0, 1.0, 0.0)))
    for _ in range(10):
        session.tick()
    conditions = neurok.Conditions.from_json(session.state.make_conditions().to_json())
    frames = session.state.make_motion().frames
    assert np.abs(frames[-1] - frames[0]).max() > 1e-3
    np.testing.assert_allclose(neurok.animate(session.state.space, conditions).motion().frames, frames, atol=1e-9)


@pytest.mark.parametrize("kind", ["joints", "learned"])
def test_inverse_kinematics_keeps_up_with_a_hand_at_sixteen_coordinates(kind):
    """Under 30 ms a move, of the processor's own time: machines are shared."""
    machine = snake()
    body = ViewedObject(Asset(machine.mesh, articulation=machine), "snake") if kind == "joints" else soft_sheet()
    session = Session(body, "token")
    assert session.state.space.size == 16 and session.state.shown.mesh.vertex_count > 19_000
    session.receive(m.Grab(1, triangle_of(session, 16), (0.2, 0.3, 0.5)))
    start, by = held_place(session), np.array([-0.002, 0.003, 0.0015])
    took = []
    for i in range(30):
        begin = time.thread_time()
        session.receive(m.Move(1, tuple(start + i * by), i))
        took.append(time.thread_time() - begin)
    assert np.linalg.norm(held_place(session) - (start + 29 * by)) < 0.003
    assert np.median(took) < 0.03


@pytest.mark.parametrize("kind", ["joints", "learned"])
def test_time_keeps_up_with_the_clock_at_sixteen_coordinates(kind):
    """A frame takes less than its thirtieth of a second, of the processor's own time."""
    machine = snake()
    body = ViewedObject(Asset(machine.mesh, articulation=machine), "snake") if kind == "joints" else soft_sheet()
    session = Session(body, "token")
    session.state.adopt(session.state.rehearse())
    session.receive(m.Surprise())
    session.receive(m.RunMessage())
    took = []
    for _ in range(12):
        begin = time.thread_time()
        session.tick()
        took.append(time.thread_time() - begin)
    assert np.median(took) < 1 / 30


def test_a_hundred_and_fifty_thousand_vertices_stay_usable():
    """Bones are sent and not vertices, so a move costs what it costs for few."""
    session = Session(soft_sheet(side=390), "token")
    assert session.state.shown.mesh.vertex_count > 150_000
    assert len(session.introduce()[0].coordinates) == 16
    session.receive(m.Grab(1, 1000, (0.2, 0.3, 0.5)))
    start = held_place(session)
    begin = time.thread_time()
    for i in range(10):
        (pose,) = session.receive(m.Move(1, tuple(start + [0.0, 0.001 * i, 0.0]), i))
    assert (time.thread_time() - begin) / 10 < 0.03
    assert pose.shape.nbytes < 10_000


def two_flaps() -> Twists:
    """A sheet of two halves: one coordinate lifts the left, one the right, and one lifts both alike."""
    sheet = soft_sheet(side=24).mesh
    left = (sheet.vertices[:, 0] < 0.5).astype(int)
    skin = Skin(
        left[:, None], np.ones((len(left), 1)), ("right", "left"), np.full(2, -1), np.tile(np.eye(4), (2, 1, 1))
    )
    basis = np.zeros((2, 6, 3))
    basis[1, 5, 0] = basis[0, 5, 1] = 0.2
    basis[:, 5, 2] = 0.2
    return Twists(sheet, skin, basis, origin=np.zeros(3))


def test_a_drag_moves_what_is_held_and_leaves_the_rest_alone():
    """Three coordinates could lift the left half; the one that lifts nothing else does."""
    session = Session(ViewedObject(Asset(two_flaps().mesh), "flaps", FoundSpace(two_flaps())), "token")
    session.receive(m.Grab(1, triangle_of(session, 1), (0.2, 0.3, 0.5)))
    start = held_place(session)
    for i in range(1, 11):
        session.receive(m.Move(1, tuple(start + [0.0, 0.012 * i, 0.0]), i))
    moved = np.linalg.norm(
        vertices(session) - session.state.shown.stage.points(session.state.shown.mesh.vertices), axis=1
    )
    held = session.state.space.skin.leader == 1
    assert moved[held].min() > 0.1 and moved[~held].max() < 1e-6


def test_sliders_of_learned_objects_are_named_apart_by_where_and_how():
    body = ViewedObject(Asset(two_flaps().mesh), "flaps", FoundSpace(two_flaps()))
    found = Session(body, "token").introduce()[0].coordinates
    assert [one.name for one in found] == ["left part", "right part", "the whole"]
    assert {one.moves for one in found} == {"slides up and down"}
    assert all(one.shown and (one.lower, one.upper, one.unit) == (-2.0, 2.0, " %") for one in found)
    sliders = Session(soft_sheet(side=30), "token").introduce()[0].coordinates
    assert len({(one.name, one.moves) for one in sliders}) == 16


def test_a_coordinate_that_moves_hardly_anything_has_no_slider():
    space = two_flaps()
    space = Twists(space.mesh, space.skin, space.basis * [1.0, 0.01, 1.0], origin=np.zeros(3))
    found = Session(ViewedObject(Asset(space.mesh), "flaps", FoundSpace(space)), "token").introduce()[0].coordinates
    assert [one.shown for one in found] == [True, False, True]


@pytest.mark.parametrize(
    ("turn", "shift", "word"),
    [
        ((0.3, 0.0, 0.0), (0.0, 0.0, 0.0), "tilts"),
        ((0.0, -0.3, 0.0), (0.0, 0.0, 0.0), "turns"),
        ((0.0, 0.0, 0.3), (0.0, 0.0, 0.0), "rolls"),
        ((0.0, 0.0, 0.0), (0.0, 0.2, 0.01), "slides up and down"),
        ((0.0, 0.0, 0.0), (0.2, 0.0, 0.01), "slides sideways"),
    ],
)
def test_how_a_region_moves_is_said_in_a_word(turn, shift, word):
    from scipy.spatial.transform import Rotation

    places = np.random.default_rng(0).normal(size=(200, 3))
    moved = Rotation.from_rotvec(turn).apply(places) + shift - places
    assert describe_motion(places, moved, np.ones(200)) == word
    assert describe_motion(places, np.sin(7 * places), np.ones(200)) == "bends"


def test_changing_the_base_is_said_and_begins_a_recording_anew(session):
    session.receive(m.SetCoordinate(0, 1.0, 1))
    session.receive(m.RunMessage())
    session.tick()
    said = session.receive(m.Settings(gravity=9.81, free=True))
    assert (
        "recording anew" in said[-1].text and session.state.playback.recording.frame_count == 1 and session.is_running
    )
    said = session.receive(m.Settings(gravity=3.0, free=True))
    assert "recording anew" in said[-1].text
