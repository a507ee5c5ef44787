"""What moves in a picture: tints where the part is, ghosts where it was, axes, rows of joints, turntables."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from neurok.errors import OutputError
from neurok.files.arrows import draw_axes
from neurok.files.camera import Camera, CameraView
from neurok.files.facing_view import face_front
from neurok.files.ghost import Highlighter
from neurok.files.joint_sheet import _choose_range, describe_range, list_clip_rows, list_rows, render_joints
from neurok.files.motion_pictures import MotionPictures
from neurok.files.renderer import Renderer
from neurok.files.turntable import frame_turn, render_turn, write_turn
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.front import find_front
from neurok.geometry.links import link_motions, link_skin
from neurok.geometry.mesh import Material, Mesh, merge
from neurok.geometry.motion import Motion
from neurok.geometry.moving_parts import list_joint_parts, list_moving_parts

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
BOX = np.array([face for a, b, c, d in QUADS for face in ((a, b, c), (a, c, d))])
GREY = Material(base_color=(0.03, 0.03, 0.03, 1.0))  # darker than any ghost
SIZE = (160, 120)
VIEW = CameraView(azimuth=0.0, elevation=15.0)


def block(lower, upper, **more) -> Mesh:
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    return Mesh(lower + CORNERS * (upper - lower), BOX, materials=(GREY,), face_material=np.zeros(12, dtype=int),
                up="z", **more)  # fmt: skip


def cabinet(kind="prismatic", axis=(0, -1, 0), at=(0, 0, 0), lower=0.0, upper=0.8, *, size=1) -> Articulation:
    """A box with a drawer, or a door, in its front, which is at -y."""
    mesh = merge([block((0, 0, 0), (1, 1, 1)), block((0.1, -0.1, 0.3), (0.9, 0, 0.7))])
    origin = np.eye(4)
    origin[:3, 3] = at
    joint = Joint("pull", kind, 0, 1, origin, np.array(axis, dtype=float), lower, upper)
    links = (Link("body", np.eye(4)), Link("front", np.eye(4)))
    return Articulation(replace(mesh, vertices=size * mesh.vertices), np.repeat([0, 1], 8), links, (joint,))


def sweep(joints: Articulation, values) -> Motion:
    states = np.asarray(values, dtype=float)[:, None]
    X = link_motions(joints, states)
    return Motion(joints.mesh, np.arange(len(states)) / 10, skin=link_skin(joints), transforms=X)


def is_orange(picture):
    red, green, blue = np.moveaxis(picture.astype(int), 2, 0)
    return (red > green + 25) & (green > blue)


def is_inside(points, camera, shape):
    """Whether each pixel lies within the box around some projected points, a pixel wider, [h, w]."""
    at = camera.project(points, (shape[1], shape[0]))
    (left, top), (right, bottom) = at.min(axis=0) - 1.5, at.max(axis=0) + 1.5
    rows, columns = np.mgrid[: shape[0], : shape[1]] + 0.5
    return (columns > left) & (columns < right) & (rows > top) & (rows < bottom)


def test_a_point_is_projected_to_the_pixel_where_it_is_drawn():
    camera = Camera.framing([CORNERS], "z", 4 / 3, CameraView(azimuth=25.0))
    points = CORNERS @ np.diag([0.3, 0.9, 0.7])
    clip = np.concatenate([camera.scaled(points), np.ones((8, 1))], axis=1) @ camera.clip_matrix().T
    expected = (clip[:, :2] / clip[:, 3:] * (1, -1) + 1) / 2 * SIZE
    np.testing.assert_allclose(camera.project(points, SIZE), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("turns", "joints"),
    [(False, cabinet(upper=0.6)), (True, cabinet("revolute", (0, 0, -1), (0.1, 0, 0), upper=1.2))],
)
def test_the_axis_of_a_clip_is_that_of_its_joint(turns, joints):
    lower, upper = 0.0, joints.joints[0].upper
    (part,) = list_moving_parts(sweep(joints, np.linspace(lower, upper, 7)))
    (known,) = list_joint_parts(joints)
    np.testing.assert_array_equal(part.vertices, np.repeat([False, True], 8))
    assert part.axis.turns == known.axis.turns == turns
    assert np.linalg.norm(np.cross(part.axis.direction, known.axis.direction)) < 1e-9
    np.testing.assert_allclose(part.axis.point, known.axis.point, atol=1e-9)
    np.testing.assert_allclose(np.abs(part.values), np.linspace(lower, upper, 7), atol=1e-9)


def test_what_follows_no_single_axis_has_none_and_what_moves_as_one_piece_has_no_part():
    joints = cabinet()
    X = np.tile(np.eye(4), (3, 2, 1, 1))
    X[1, 1, 0, 3], X[2, 1, 2, 3] = 0.5, 0.5
    motion = Motion(joints.mesh, np.arange(3.0), skin=link_skin(joints), transforms=X)
    assert [part.axis for part in list_moving_parts(motion)] == [None]
    X[:] = np.eye(4)
    X[2, 1, :3, :3] *= 2.0  # it grows, about a corner of the whole
    assert [part.axis for part in list_moving_parts(motion)] == [None]
    X[:, 0] = X[:, 1] = np.eye(4)
    X[2, :, 0, 3] = 2.0
    assert list_moving_parts(motion) == []
    shapes = joints.mesh.vertices + np.arange(3.0)[:, None, None]
    assert list_moving_parts(Motion(joints.mesh, np.arange(3.0), shapes)) == []
    shapes[:, :8] = joints.mesh.vertices[:8]
    assert [part.vertices.tolist() for part in list_moving_parts(Motion(joints.mesh, np.arange(3.0), shapes))] == [
        [False] * 8 + [True] * 8
    ]


def test_the_tint_lies_where_the_moving_part_is_and_the_ghost_where_it_was():
    joints = cabinet("prismatic", (1, 0, 0), upper=2.0)
    motion = sweep(joints, [0.0, 2.0])
    (part,) = list_moving_parts(motion)
    camera = Camera.framing([motion.frame(0), motion.frame(1)], "z", SIZE[0] / SIZE[1], VIEW)
    with Renderer(*SIZE) as renderer:
        own = renderer.picture(joints.mesh, motion.frame(1), camera=camera)
        plain = Highlighter(joints.mesh, part.vertices, ghost=False).picture(renderer, motion.frame(1), camera)
        ghostly = Highlighter(joints.mesh, part.vertices).picture(renderer, motion.frame(1), camera)
        at_rest = Highlighter(joints.mesh, part.vertices).picture(renderer, motion.frame(0), camera)
    now = is_inside(motion.frame(1)[8:], camera, own.shape)
    before = is_inside(motion.frame(0)[8:], camera, own.shape)
    assert is_orange(plain).sum() > 0.5 * now.sum() and not np.any(is_orange(plain) & ~now)
    assert not np.any(plain[~now] != own[~now])
    # The ghost: where the part was and nowhere else, but for the shadow below it.
    changed = np.abs(ghostly.astype(int) - plain).max(axis=2) > 12
    assert changed.sum() > 0.5 * before.sum() and np.mean(before[changed]) > 0.97
    assert not np.any(is_orange(ghostly) & ~now)
    assert is_orange(at_rest).sum() > 0.5 * before.sum() and not np.any(is_orange(at_rest) & ~before)


def test_textures_and_colours_of_other_parts_stay():
    joints = cabinet()
    colors = np.tile([0.1, 0.2, 0.9, 1.0], (16, 1))
    mesh = replace(joints.mesh, attributes={"color": colors}, materials=(Material(),) * 2)
    with Renderer(*SIZE) as renderer:
        camera = renderer.camera(mesh, view=VIEW)
        own = renderer.picture(mesh, camera=camera)
        tinted = Highlighter(mesh, np.repeat([False, True], 8), share=1.0).picture(renderer, mesh.vertices, camera)
    inside = is_inside(mesh.vertices[8:], camera, own.shape)
    np.testing.assert_array_equal(tinted[~inside], own[~inside])
    assert is_orange(tinted).sum() > 0.5 * inside.sum()


@pytest.mark.parametrize("turns", [True, False])
def test_an_axis_is_drawn_along_its_line(turns):
    kind, axis = ("revolute", (0, 0, 1)) if turns else ("prismatic", (1, 0, 0))
    (part,) = list_joint_parts(cabinet(kind, axis, (0.5, 0, 0)))
    camera = Camera.framing([4 * CORNERS - 1.5], "z", SIZE[0] / SIZE[1], VIEW)
    blank = np.full((SIZE[1], SIZE[0], 3), 120, dtype=np.uint8)
    drawn = draw_axes(blank, camera, [part.axis])
    dark = np.argwhere(drawn.max(axis=2) < 90)[:, ::-1] + 0.5
    half = 0.5 * part.axis.span
    line = camera.project(part.axis.point + np.linspace(-half, half, 60)[:, None] * part.axis.direction, SIZE)
    near = np.linalg.norm(line[:, None] - dark, axis=2).min(axis=1)
    assert near.max() < 1.5  # dark all along it
    off = np.abs(dark[:, 0 if turns else 1] - line.mean(axis=0)[0 if turns else 1])
    assert (off > 3).any() == turns  # a hinge has its curved arrow beside the line
    assert draw_axes(blank, camera, []) is blank


def test_an_axis_goes_along_with_what_carries_it():
    mesh = merge([block((i, 0, 0), (i + 0.9, 1, 1)) for i in range(3)])
    links = tuple(Link(name, np.eye(4)) for name in "abc")
    joints = Articulation(mesh, np.repeat([0, 1, 2], 8), links, (
        Joint("ab", "prismatic", 0, 1, np.eye(4), np.array([0.0, 0, 1]), 0, 3),
        Joint("bc", "revolute", 1, 2, np.eye(4), np.array([0.0, 1, 0]), 0, 1)))  # fmt: skip
    X = link_motions(joints, np.array([[0.0, 0.0], [2.0, 0.7]]))
    motion = Motion(mesh, np.arange(2.0), skin=link_skin(joints), transforms=X)
    shown = MotionPictures(motion, list_moving_parts(motion))
    rest, moved = ({axis.turns: axis for axis in shown._place_axes(i)} for i in (0, 1))
    np.testing.assert_allclose(moved[True].point - rest[True].point, [0, 0, 2], atol=1e-9)
    np.testing.assert_allclose(moved[False].point, rest[False].point, atol=1e-9)
    assert MotionPictures(motion, shown.parts * 3)._place_axes(0) == []  # more arrows than one can tell apart


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("quarters", range(4))
def test_the_front_is_where_drawers_and_doors_open_to_whichever_way_the_object_stands(up, quarters):
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][quarters]
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    R = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]) @ R if up == "y" else R
    T = np.eye(4)
    T[:3, :3] = R
    for joints in (
        cabinet(),
        cabinet("revolute", (0, 0, -1), (0.1, 0, 0), upper=1.5),  # a door that hangs on its left
        cabinet("revolute", (0, 0, -1), (0.9, 0, 0), lower=-1.5, upper=0.0),  # and on its right
        cabinet("revolute", (1, 0, 0), (0, 0, 0.3), upper=1.5),  # a flap that falls open
        cabinet("continuous", (0, 1, 0), (0.5, 0, 0.5)),  # a knob
    ):
        turned = replace(
            joints, mesh=replace(joints.mesh, vertices=joints.mesh.vertices @ R.T, up=up),
            joints=(replace(joints.joints[0], origin=T @ joints.joints[0].origin),),
        )  # fmt: skip
        front = find_front(turned.mesh, list_joint_parts(turned))
        np.testing.assert_allclose(front, R @ [0, -1, 0], atol=1e-9)
        view = face_front(turned.mesh, list_joint_parts(turned), azimuth=0.0, elevation=0.0)
        np.testing.assert_allclose(view.axes(up)[2], front, atol=1e-9)


def test_joints_that_say_nothing_of_the_front_leave_the_usual_view():
    joints = cabinet("prismatic", (0, 0, 1))
    assert find_front(joints.mesh, list_joint_parts(joints)) is None and find_front(joints.mesh, []) is None
    assert face_front(joints.mesh, []).front is None


def test_a_sheet_has_a_row_for_each_joint_with_its_part_at_both_ends():
    joints = cabinet("prismatic", (1, 0, 0), upper=2.0)
    rows = list_rows(joints, columns=3)
    assert [row.caption for row in rows] == ["pull: slide, 0 to 2 m"]
    np.testing.assert_allclose([shape[8:, 0].min() for shape in rows[0].shapes], [0.1, 1.1, 2.1])
    size = (120, 90)
    sheet = render_joints(joints.mesh, [*rows, *rows], [(0.9, 0.3, 0.0, 1.0)] * 2, VIEW, size)
    assert sheet.shape == (2 * (14 + 90), 3 * 120, 3)
    camera = Camera.framing(rows[0].shapes, "z", 4 / 3, VIEW)
    for index, shape in enumerate(rows[0].shapes):
        picture = sheet[14:104, 120 * index : 120 * (index + 1)]
        inside = is_inside(shape[8:], camera, picture.shape)
        assert is_orange(picture).sum() > 0.3 * inside.sum() and not np.any(is_orange(picture) & ~inside)
    clip = sweep(joints, np.linspace(0, 2.0, 9))
    assert [row.caption for row in list_clip_rows([clip])] == ["motion: slide, 0 to 2 m"]
    assert list_clip_rows([clip, Motion(joints.mesh, np.arange(2.0), np.stack([joints.mesh.vertices] * 2))]) == []


def test_ranges_are_in_degrees_and_lengths():
    assert describe_range(-np.pi / 2, 0.0, True, 1.0) == "-90° to 0°"
    assert describe_range(0.0, 250.0, False, 0.001) == "0 to 25 cm"
    assert describe_range(-np.inf, np.inf, True, 1.0) == "without end"


def colored_front() -> Mesh:
    """A grey box whose front, at -y, is blue."""
    blue = Material(base_color=(0.0, 0.05, 0.8, 1.0))
    mesh = block((0, 0, 0), (2, 1, 1))
    front = np.all(mesh.vertices[mesh.faces][:, :, 1] == 0, axis=1)
    return replace(mesh, materials=(GREY, blue), face_material=front.astype(int))


def is_blue(picture):
    return picture[:, :, 2].astype(int) > picture[:, :, 0].astype(int) + 60


def test_a_turntable_ends_where_it_began_and_shows_the_back_half_way():
    pictures = list(render_turn(colored_front(), 5, SIZE, VIEW))
    blue = [int(is_blue(p).sum()) for p in pictures]
    np.testing.assert_array_equal(pictures[0], pictures[-1])
    assert blue[0] > 1000 and blue[2] == 0 and blue[1] == blue[3] == 0
    slanting = [is_blue(p) for p in render_turn(colored_front(), 9, SIZE, VIEW)]
    # It turns as a turntable does, seen from above against the clock: the front goes to the viewer's right.
    assert np.nonzero(slanting[1])[1].mean() > np.nonzero(slanting[0])[1].mean() > np.nonzero(slanting[7])[1].mean()


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_a_turntable_keeps_everything_in_the_picture_from_all_sides(up):
    rng = np.random.default_rng(0)
    mesh = Mesh(rng.normal(size=(60, 3)) * [3, 1, 2] + 7, np.zeros((0, 3), dtype=int), up=up)
    camera = frame_turn(mesh, SIZE, CameraView(margin=0.1))
    at = np.stack([camera.turned(a).project(mesh.vertices, SIZE) for a in np.linspace(0, 6.28, 60)]) / SIZE
    assert at.min() > 0.1 - 1e-6 and at.max() < 0.9 + 1e-6
    assert at.max(axis=(0, 1)).max() > 0.8  # and it is not lost in it


def test_a_turntable_is_written_by_its_suffix_and_a_motion_plays_in_it(tmp_path):
    motion = sweep(cabinet("prismatic", (0, 0, 1), upper=2.0), np.linspace(0, 2, 5))
    for name in ("a.gif", "b.gif", "a.mp4", "a.png"):
        write_turn(motion, tmp_path / name, (64, 48), VIEW, count=3)
    gif = Image.open(tmp_path / "a.gif")
    assert gif.n_frames == 20 and gif.size == (64, 48)
    assert sum(_list_durations(gif)) == 1000  # ms: a motion that is shorter than a second turns for one
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    strip = np.asarray(Image.open(tmp_path / "a.png"))
    assert strip.shape == (48, 3 * 64, 3)
    assert np.abs(strip[:, :64].astype(int) - strip[:, -64:]).max() > 40  # the drawer has gone up meanwhile
    import imageio_ffmpeg

    assert imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))[0] == 31


def _list_durations(gif) -> list[int]:
    durations = []
    for frame in range(gif.n_frames):
        gif.seek(frame)
        durations.append(gif.info["duration"])
    return durations


def test_a_film_without_end_is_refused_before_it_is_drawn(tmp_path):
    motion = sweep(cabinet(), np.linspace(0, 0.8, 5))
    long = replace(motion, time=np.linspace(0.0, 3600.0, len(motion.time)))
    with pytest.raises(OutputError, match="pictures"):
        write_turn(long, tmp_path / "long.gif", (32, 32), VIEW)
    assert not list(tmp_path.iterdir())


def test_a_range_with_one_end_is_shown_to_its_side():
    assert describe_range(0.0, np.inf, False, 1.0) == "from 0"
    assert describe_range(-np.inf, np.pi / 2, True, 1.0) == "up to 90°"
    assert _choose_range(0.0, np.inf, False, 1.0)[0] == 0.0
    assert _choose_range(-np.inf, 0.5, True, 1.0)[1] == 0.5


def test_pictures_are_drawn_without_torch():
    code = "import sys, neurok.commands.drawn_joints, neurok.files.turntable; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
