"""Pictures: known colours at known places, framing at any scale, films with the right frames."""

import io

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from neurok.errors import InputError, NeurokError, OptionError, OutputError
from neurok.files.camera import Camera, CameraView
from neurok.files.drawing import Drawing
from neurok.files.film import choose_film_times
from neurok.files.pictures import render_film_strip
from neurok.files.registry import save
from neurok.files.renderer import Renderer
from neurok.files.surface_normals import compute_group_normals, find_smoothing_groups
from neurok.geometry.mesh import Material, Mesh, Texture, TextureUse
from neurok.geometry.motion import Motion, rigid_skin

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
BOX = np.array([face for a, b, c, d in QUADS for face in ((a, b, c), (a, c, d))])
QUAD = np.array([[0, 1, 2], [0, 2, 3]])


@pytest.fixture(scope="module")
def renderer():
    with Renderer(240, 180) as renderer:
        yield renderer


def png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def box(material: Material | None = None, **more) -> Mesh:
    if material is None:
        return Mesh(CORNERS, BOX, **more)
    return Mesh(CORNERS, BOX, materials=(material,), face_material=np.zeros(12, dtype=int), **more)


def colored(picture: np.ndarray) -> np.ndarray:
    """Pixels that are clearly not the grey of background, grid and shadow, [h, w]."""
    return np.ptp(picture.astype(int), axis=2) > 40


RED = Material(base_color=(0.8, 0.0, 0.0, 1.0))


def test_a_red_box_is_red_in_the_middle_and_background_elsewhere(renderer):
    picture = renderer.picture(box(RED))
    assert picture.shape == (180, 240, 3) and picture.dtype == np.uint8
    red, green, blue = picture[90, 120].astype(int)
    assert red > 120 and green < 60 and blue < 60
    for corner in (picture[2, 2], picture[2, -3], picture[-3, 2], picture[-3, -3]):
        assert corner.min() > 180 and np.ptp(corner.astype(int)) < 15


def test_both_sides_of_a_face_are_lit(renderer):
    mesh = Mesh(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), QUAD, materials=(RED,), face_material=[0, 0])
    for azimuth in (0.0, 180.0):
        assert renderer.picture(mesh, view=CameraView(azimuth, 0.0))[90, 120, 0] > 120


def test_a_face_stored_twice_shows_the_side_that_faces_us(renderer):
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.3], [0, 1, 0.3]])
    blue = Material(base_color=(0.0, 0.0, 0.8, 1.0))
    faces = np.concatenate([QUAD, QUAD[:, ::-1]])
    mesh = Mesh(vertices, faces, materials=(RED, blue), face_material=[0, 0, 1, 1])
    front, back = (renderer.picture(mesh, view=CameraView(azimuth, 10.0)) for azimuth in (20.0, 200.0))
    seen = front[colored(front)].astype(int)
    assert np.mean(seen[:, 0] > seen[:, 2]) > 0.99
    seen = back[colored(back)].astype(int)
    assert np.mean(seen[:, 2] > seen[:, 0]) > 0.99


@pytest.mark.parametrize("table", ["vertex", "corner"])
def test_a_textured_square_shows_its_quarters_at_the_right_corners(renderer, table):
    quarters = np.zeros((64, 64, 3))
    quarters[:32, :32], quarters[:32, 32:] = (255, 0, 0), (0, 255, 0)
    quarters[32:, :32], quarters[32:, 32:] = (0, 0, 255), (255, 255, 0)
    use = TextureUse(Texture(png(quarters)))
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    uv = np.array([[0, 1], [1, 1], [1, 0], [0, 0.0]])  # the image's origin is at its upper left
    stored = {"attributes": {"uv0": uv}} if table == "vertex" else {"corner_attributes": {"uv0": uv[QUAD]}}
    material = Material(textures={"base_color": use})
    picture = renderer.picture(
        Mesh(vertices, QUAD, materials=(material,), face_material=[0, 0], **stored), view=CameraView(0.0, 0.0)
    )
    centre, step = np.array([90, 120]), 30
    seen = [picture[tuple(centre + [i * step, j * step])].astype(int) for i in (-1, 1) for j in (-1, 1)]
    for color, expected in zip(seen, [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]):
        np.testing.assert_array_equal(color > 110, np.array(expected, dtype=bool))


def test_texture_transform_moves_the_image(renderer):
    halves = np.zeros((8, 8, 3))
    halves[:, :4], halves[:, 4:] = (255, 0, 0), (0, 255, 0)
    move = {"KHR_texture_transform": {"offset": [0.5, 0.0], "scale": [0.5, 1.0]}}
    material = Material(textures={"base_color": TextureUse(Texture(png(halves)), extensions=move)})
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    uv = np.array([[0, 1], [1, 1], [1, 0], [0, 0.0]])
    picture = renderer.picture(
        Mesh(vertices, QUAD, {"uv0": uv}, materials=(material,), face_material=[0, 0]), view=CameraView(0.0, 0.0)
    )
    for column in (100, 140):
        assert picture[90, column, 1] > 110 > picture[90, column, 0]


def test_colours_of_vertices_and_faces_multiply_the_base_colour(renderer):
    picture = renderer.picture(
        box(Material(base_color=(1, 1, 0, 1)), attributes={"color": np.tile([0.8, 0, 1, 1], (8, 1))})
    )
    red, green, blue = picture[90, 120].astype(int)
    assert red > 120 and green < 60 and blue < 60
    painted = renderer.picture(box(face_attributes={"color": np.tile([0, 0.8, 0, 1], (12, 1))}))
    red, green, blue = painted[90, 120].astype(int)
    assert green > 120 and red < 60 and blue < 60


def test_masked_texels_are_holes_and_blended_ones_shine_through(renderer):
    vertices = np.array(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0], [0.3, 0.3, -1], [0.7, 0.3, -1], [0.7, 0.7, -1], [0.3, 0.7, -1]]
    )
    faces = np.concatenate([QUAD, QUAD + 4])
    blue = Material(base_color=(0.0, 0.0, 0.8, 1.0))
    for mode, alpha in (("MASK", 0.2), ("BLEND", 0.5), ("OPAQUE", 0.2)):
        front = Material(base_color=(0.8, 0.0, 0.0, alpha), alpha_mode=mode)
        mesh = Mesh(vertices, faces, materials=(front, blue), face_material=[0, 0, 1, 1])
        red, _, blueness = renderer.picture(mesh, view=CameraView(0.0, 0.0))[90, 120].astype(int)
        assert (red > 60, blueness > 60) == {"MASK": (False, True), "BLEND": (True, True), "OPAQUE": (True, False)}[
            mode
        ]


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("shape", [(1, 1, 1), (9, 1, 1), (1, 9, 1), (1, 1, 9)])
def test_framing_keeps_margins_and_fills_the_picture(renderer, up, scale, shape):
    vertices = CORNERS * shape * scale + np.array([300, -200, 100]) * scale
    mesh = Mesh(vertices, BOX, materials=(RED,), face_material=np.zeros(12, dtype=int), up=up)
    rows, columns = np.nonzero(colored(renderer.picture(mesh)))
    top, bottom, left, right = rows.min() / 180, 1 - rows.max() / 180, columns.min() / 240, 1 - columns.max() / 240
    assert min(top, bottom, left, right) > 0.08
    assert min(top + bottom, left + right) < 0.24  # one direction is filled up to the margins
    assert abs(top - bottom) < 0.03 and abs(left - right) < 0.03 or max(top + bottom, left + right) > 0.24


def test_what_is_up_is_up_in_the_picture(renderer):
    for axis, up in enumerate("xyz"):
        tint = np.where(CORNERS[:, [axis]] > 0, [0.8, 0, 0, 1], [0, 0, 0.8, 1])
        picture = renderer.picture(box(Material(), attributes={"color": tint}, up=up)).astype(int)
        rows, columns = np.nonzero(colored(picture))
        top, bottom = rows == rows.min() + 8, rows == rows.max() - 8
        assert np.all(picture[rows[top], columns[top], 0] > picture[rows[top], columns[top], 2])
        assert np.all(picture[rows[bottom], columns[bottom], 2] > picture[rows[bottom], columns[bottom], 0])


def test_axes_of_a_view_are_a_rotation():
    for up in "xyz":
        for azimuth in (None, 0.0, 77.0, -140.0):
            axes = CameraView(azimuth, 33.0).axes(up)
            np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
            assert np.linalg.det(axes) == pytest.approx(1.0)
            assert axes[2]["xyz".index(up)] == pytest.approx(np.sin(np.radians(33.0)))
    assert CameraView(0.0, 0.0).axes("y")[2] @ [0, 0, 1] == pytest.approx(1.0)


def test_every_point_of_a_motion_is_inside_the_margins():
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(5, 40, 3)) * [3, 1, 2] + rng.normal(size=(5, 1, 3)) * 4
    view = CameraView(margin=0.1)
    camera = Camera.framing(frames, "z", 4 / 3, view)
    points = camera.scaled(frames.reshape(-1, 3))
    clip = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ camera.clip_matrix().T
    inside = np.abs(clip[:, :3] / clip[:, 3:])
    assert np.all(clip[:, 3] > 0) and inside[:, 2].max() < 1
    assert inside[:, :2].max() == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(
    ("vertices", "faces"),
    [
        (np.zeros((1, 3)), np.zeros((0, 3), dtype=int)),
        (np.zeros((3, 3)), np.array([[0, 1, 2]])),
        (np.random.default_rng(0).random((50, 3)), np.zeros((0, 3), dtype=int)),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), np.array([[0, 1, 2]])),
        (CORNERS * [1, 0, 1], BOX),
    ],
)
def test_points_and_flat_or_empty_shapes_do_not_fail(renderer, vertices, faces):
    assert renderer.picture(Mesh(vertices, faces)).shape == (180, 240, 3)


def test_a_damaged_texture_leaves_the_colour(renderer):
    material = Material(base_color=(0.8, 0, 0, 1), textures={"base_color": TextureUse(Texture(b"no image"))})
    assert renderer.picture(box(material, attributes={"uv0": np.zeros((8, 2))}))[90, 120, 0] > 120


def test_creases_are_sharp_and_gentle_bends_smooth():
    groups = find_smoothing_groups(CORNERS, BOX)
    assert groups.max() + 1 == 24  # three normals at each corner of a box
    angle = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    vertices = np.concatenate([ring, ring + [0, 0, 1]])
    i = np.arange(36)
    j = (i + 1) % 36
    wall = np.concatenate([np.stack([i, j, j + 36], 1), np.stack([i, j + 36, i + 36], 1)])
    groups = find_smoothing_groups(vertices, wall)
    assert groups.max() + 1 == 72  # one normal for each vertex of a pipe
    normals = compute_group_normals(vertices, wall, groups, 72)
    np.testing.assert_allclose(normals[groups.reshape(-1)][:, :2], vertices[wall.reshape(-1), :2], atol=0.05)
    # A seam, where each vertex is stored twice, does not show.
    split = find_smoothing_groups(vertices[wall.reshape(-1)], np.arange(3 * len(wall)).reshape(-1, 3))
    assert split.max() + 1 == 72


def test_a_drawing_follows_the_vertices_of_its_mesh():
    drawing = Drawing(box(corner_attributes={"color": np.random.default_rng(0).random((12, 3, 4))}))
    moved = CORNERS @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 2.0]]).T + 5
    positions, normals = drawing.shape(moved)
    corners = positions[drawing.faces]
    np.testing.assert_allclose(corners, moved[BOX], atol=1e-6)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    np.testing.assert_allclose(normals[drawing.faces], np.repeat(across[:, None], 3, axis=1), atol=1e-5)


def sliding(frame_count: int = 31, fps: float = 30.0) -> Motion:
    time = np.arange(frame_count) / fps
    positions = (
        CORNERS[None] + np.stack([6 * time / time[-1] if frame_count > 1 else 0 * time, 0 * time, 0 * time], 1)[:, None]
    )
    return Motion(box(RED), time, positions)


def test_renderers_live_side_by_side(renderer):
    before = renderer.picture(box(RED))
    with Renderer(100, 100) as other:
        assert other.picture(box(Material(base_color=(0, 0, 0.8, 1))))[50, 50, 2] > 110
        np.testing.assert_array_equal(renderer.picture(box(RED)), before)
        assert other.picture(box(Material(base_color=(0, 0.8, 0, 1))))[50, 50, 1] > 110
    np.testing.assert_array_equal(renderer.picture(box(RED)), before)


def test_the_same_mesh_gives_the_same_bytes(tmp_path):
    save(box(RED), tmp_path / "a.png")
    save(box(RED), tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert Image.open(tmp_path / "a.png").size == (1200, 900)


def test_a_strip_shows_the_motion_with_one_camera_and_times_below():
    motion = sliding()
    strip = render_film_strip(motion, CameraView(0.0, 10.0), size=(160, 120))
    assert strip.shape == (120 + 12, 6 * 160, 3)
    frames = strip[:120].reshape(120, 6, 160, 3).transpose(1, 0, 2, 3)
    centres = [np.nonzero(colored(frame))[1].mean() for frame in frames]
    assert np.all(np.diff(centres) > 5)  # to the right, evenly
    assert np.ptp(np.diff(centres)) < 4
    heights = [np.ptp(np.nonzero(colored(frame))[0]) for frame in frames]
    assert np.ptp(heights) < 12  # no zooming
    captions = strip[120:].reshape(12, 6, 160, 3).min(axis=(0, 2, 3))
    assert np.all(captions < 160)
    assert render_film_strip(sliding(1), size=(64, 64)).shape[1] == 64


def test_several_motions_are_rows_of_strips(tmp_path):
    save([sliding(4), sliding(4)], tmp_path / "a.png")
    assert Image.open(tmp_path / "a.png").size == (4 * 400, 2 * (400 + 33))


def read_film(path):
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    width, height = facts["size"]
    return facts, [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]


def test_a_film_has_the_motions_frames_rate_and_colours(tmp_path):
    save(sliding(20, 25.0), tmp_path / "a.mp4")
    facts, frames = read_film(tmp_path / "a.mp4")
    assert facts["size"] == (960, 720) and facts["fps"] == 25.0
    assert facts["codec"] == "h264" and facts["pix_fmt"].startswith("yuv420p")
    assert len(frames) == 20
    centres = [np.nonzero(colored(frame))[1].mean() for frame in frames]
    assert np.all(np.diff(centres) > 0)
    data = (tmp_path / "a.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # plays while it loads


@pytest.mark.parametrize(
    ("count", "fps", "expected"), [(481, 240.0, 121), (5, 2.0, 61), (31, 30.0, 31), (61, 60.0, 61)]
)
def test_films_keep_the_duration_at_any_rate(count, fps, expected):
    motion = sliding(count, fps)
    times, rate = choose_film_times(motion)
    assert len(times) == expected and 10 <= rate <= 60
    assert (len(times) - 1) / rate == pytest.approx(motion.duration, abs=0.5 / rate)
    uneven = Motion(box(), np.array([0.0, 0.1, 1.0]), np.stack([CORNERS] * 3))
    assert choose_film_times(uneven)[1] == 30.0 and len(choose_film_times(uneven)[0]) == 31


def test_a_skin_is_filmed_as_its_frames_are(renderer):
    transforms = np.tile(np.eye(4), (3, 1, 1, 1))
    transforms[:, 0, 0, 3] = [0, 3, 6]
    skin = rigid_skin(np.zeros(8, dtype=int), ("box",), np.array([-1]), np.eye(4)[None])
    by_skin = Motion(box(RED), np.array([0, 0.5, 1.0]), skin=skin, transforms=transforms)
    by_frames = Motion(box(RED), np.array([0, 0.5, 1.0]), by_skin.frames)
    np.testing.assert_array_equal(
        render_film_strip(by_skin, size=(96, 72)), render_film_strip(by_frames, size=(96, 72))
    )


def test_faults_are_named(tmp_path, monkeypatch):
    broken = Motion(box(), np.array([0.0, 1.0]), np.stack([CORNERS, np.full((8, 3), np.nan)]))
    for name in ("a.mp4", "a.png"):
        with pytest.raises(OutputError):
            save(broken, tmp_path / name)
    with pytest.raises(OptionError):
        Renderer(0, 10)
    with Renderer(16, 16) as small, pytest.raises(InputError):
        small.picture(box(), np.zeros((7, 3)))
    with pytest.raises(OptionError):
        CameraView(elevation=90.0)
    import moderngl

    def refuse(**_):
        raise Exception("libEGL.so.1 not loaded")

    monkeypatch.setattr(moderngl, "create_standalone_context", refuse)
    with pytest.raises(NeurokError, match="apt install libegl1"):
        save(box(), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
