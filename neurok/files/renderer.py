"""Pictures of meshes without a screen, drawn by OpenGL through EGL.

What stays the same over the frames of a motion (faces, colours, textures) is
sent to the graphics card once; a frame sends positions and normals.
"""

import sys
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError, NeurokError, OptionError
from neurok.files import shaders
from neurok.files.camera import Camera, CameraView
from neurok.files.drawing import DrawBatch, Drawing, decode_image
from neurok.files.ground import find_ground_axes, find_ground_origin, round_length
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh, TextureUse

MAX_PICTURE_SIDE = 8192  # pixels
PIXEL_SAMPLE_COUNT = 4  # per pixel
MAX_LOADED = 3  # meshes on the graphics card: an object, the same with its moving parts painted, and with their ghost
SHADOW_PIXELS = 192  # pixels of the shadow below the object
SHADOW_SPAN = 0.75  # half the side of the square it covers; all that moves has size one, the rest is soft edge
CLAMP_TO_EDGE = 33071


def open_context() -> Any:
    """An OpenGL context without a window."""
    import moderngl

    # The full names: the bare ones come with development packages only.
    linux: dict[str, Any] = {"backend": "egl", "libegl": "libEGL.so.1", "libgl": "libGL.so.1"}
    try:
        return moderngl.create_standalone_context(require=330, **(linux if sys.platform == "linux" else {}))
    except Exception as fault:  # the loader raises plain Exceptions of many kinds
        raise NeurokError(
            f"pictures need an OpenGL driver that works without a screen, and there is none ({fault})",
            "install it, on Debian or Ubuntu with: apt install libegl1 libgl1 libgl1-mesa-dri",
        ) from None


class Renderer:
    """Draws meshes into pictures of one size; use it in a `with` block.

    fineness: how many times as large, along each side, a picture is drawn before it is reduced: smoother edges.
    """

    def __init__(self, width: int = 960, height: int = 720, *, fineness: int = 1) -> None:
        largest = MAX_PICTURE_SIDE // fineness
        if not (1 <= width <= largest and 1 <= height <= largest):
            raise OptionError(f"a picture of {width} x {height} pixels", f"use 1 to {largest} on each side")
        self.width, self.height, self.fineness = int(width), int(height), fineness
        self.context = open_context()
        self.loaded: list[_Loaded] = []
        with self.context:  # several renderers may live side by side; each acts only while it is the current one
            self._set_up()

    def _set_up(self) -> None:
        context, (width, height) = self.context, (self.width * self.fineness, self.height * self.fineness)
        samples = min(PIXEL_SAMPLE_COUNT, context.max_samples)
        self.target = context.framebuffer(
            [context.renderbuffer((width, height), 4, samples=samples)],
            context.depth_renderbuffer((width, height), samples=samples),
        )
        self.resolved = context.framebuffer([context.renderbuffer((width, height), 4)])
        self.shadow_target = context.framebuffer([context.texture((SHADOW_PIXELS, SHADOW_PIXELS), 1, dtype="f4")])
        self.shadow = context.texture((SHADOW_PIXELS, SHADOW_PIXELS), 1)
        self.shadow.repeat_x = self.shadow.repeat_y = False
        sources = {
            "surface": (shaders.SURFACE_VERTEX, shaders.SURFACE_FRAGMENT),
            "shadow": (shaders.SHADOW_VERTEX, shaders.SHADOW_FRAGMENT),
            "ground": (shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT),
            "background": (shaders.BACKGROUND_VERTEX, shaders.BACKGROUND_FRAGMENT),
        }
        self.programs = {k: context.program(vertex_shader=v, fragment_shader=f) for k, (v, f) in sources.items()}
        square = context.buffer(np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], dtype="f4").tobytes())
        self.squares = {k: context.vertex_array(self.programs[k], square, "corner") for k in ("ground", "background")}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the graphics memory back."""
        self.context.release()

    def camera(self, mesh: Mesh, vertices: Array | None = None, view: CameraView | None = None) -> Camera:
        """The camera that frames one shape in pictures of this size."""
        shape = mesh.vertices if vertices is None else np.asarray(vertices, dtype=np.float64)
        return Camera.framing([shape], mesh.up, self.width / self.height, view)

    def picture(
        self, mesh: Mesh, vertices: Array | None = None, view: CameraView | None = None, *, camera: Camera | None = None
    ) -> NDArray[np.uint8]:
        """One picture, [h, w, 3]: the mesh, with these vertices [n, 3] where given.

        camera: give the same one for all frames of a motion; by default the shape itself is framed.
        """
        if vertices is not None and np.shape(vertices) != mesh.vertices.shape:
            raise InputError(f"vertices have shape {np.shape(vertices)}", f"the mesh's have {mesh.vertices.shape}")
        camera = camera or self.camera(mesh, vertices, view)
        shape = mesh.vertices if vertices is None else np.asarray(vertices, dtype=np.float64)
        with self.context:
            loaded = self._load(mesh)
            loaded.set_shape(camera.scaled(shape))
            _draw(self, loaded, camera)
            self.context.copy_framebuffer(self.resolved, self.target)
            pixels = np.frombuffer(self.resolved.read(components=3, alignment=1), dtype=np.uint8)
        fine = self.fineness
        if fine == 1:
            return pixels.reshape(self.height, self.width, 3)[::-1].copy()
        means = pixels.reshape(self.height, fine, self.width, fine, 3).mean(axis=(1, 3))
        return np.round(means).astype(np.uint8)[::-1].copy()

    def cutout(self, mesh: Mesh, camera: Camera, lights: Array | None = None) -> NDArray[np.uint8]:
        """The mesh alone, without ground or background, [h, w, 4]; colours are multiplied by their alpha.

        lights: directions towards the key and the fill light along the camera's axes, [2, 3]; by default those of
        `picture`.
        """
        with self.context:
            loaded = self._load(mesh)
            loaded.set_shape(camera.scaled(mesh.vertices))
            _draw_alone(self, loaded, camera, lights)
            self.context.copy_framebuffer(self.resolved, self.target)
            pixels = np.frombuffer(self.resolved.read(components=4, alignment=1), dtype=np.uint8)
        return pixels.reshape(self.height, self.width, 4)[::-1].copy()

    def _load(self, mesh: Mesh) -> "_Loaded":
        """The mesh on the graphics card; the last few stay there, for a motion shows them again and again."""
        known = next((loaded for loaded in self.loaded if loaded.drawing.mesh is mesh), None)
        if known is None:
            if len(self.loaded) == MAX_LOADED:
                self.loaded.pop(0).release()
            known = _Loaded(self.context, self.programs, Drawing(mesh))
            self.loaded.append(known)
        return known


class _Loaded:
    """A drawing on the graphics card."""

    def __init__(self, context: Any, programs: dict[str, Any], drawing: Drawing) -> None:
        self.context, self.drawing = context, drawing
        count = len(drawing.source)
        self.shape = context.buffer(reserve=max(24 * count, 24), dynamic=True)
        fixed = np.concatenate([drawing.uv, drawing.color], axis=1).astype("f4")
        self.fixed = context.buffer(fixed.tobytes() if count else bytes(24))
        self.index = context.buffer(drawing.faces.tobytes()) if len(drawing.faces) else None
        layout = [(self.shape, "3f 3f", "position", "normal"), (self.fixed, "2f 4f", "uv", "color")]
        self.surface = context.vertex_array(programs["surface"], layout, self.index)
        self.caster = context.vertex_array(programs["shadow"], [(self.shape, "3f 12x", "position")], self.index)
        self.white = context.texture((1, 1), 4, b"\xff" * 4)
        self.images: dict[bytes, Any] = {}
        self.positions = np.zeros((0, 3), dtype=np.float32)

    def release(self) -> None:
        textures = [self.white, *(image for image in self.images.values() if image is not self.white)]
        for thing in (self.surface, self.caster, self.shape, self.fixed, self.index, *textures):
            if thing is not None:
                thing.release()

    def set_shape(self, vertices: Array) -> None:
        positions, normals = self.drawing.shape(vertices)
        self.positions = positions
        self.shape.write(np.concatenate([positions, normals], axis=1).tobytes())

    def texture(self, use: TextureUse | None) -> Any:
        """The image on the graphics card; white where there is none or it cannot be decoded."""
        if use is None:
            return self.white
        if use.texture.image not in self.images:
            pixels = decode_image(use.texture.image)
            if pixels is None:
                self.images[use.texture.image] = self.white
            else:
                texture = self.context.texture((pixels.shape[1], pixels.shape[0]), 4, pixels.tobytes())
                texture.build_mipmaps()  # and not anisotropic: Mesa's llvmpipe then never returns from some views
                self.images[use.texture.image] = texture
        texture = self.images[use.texture.image]
        texture.repeat_x = use.texture.sampler.get("wrapS") != CLAMP_TO_EDGE
        texture.repeat_y = use.texture.sampler.get("wrapT") != CLAMP_TO_EDGE
        return texture


def _draw(renderer: Renderer, loaded: _Loaded, camera: Camera) -> None:
    """Background, opaque surfaces, ground, then transparent ones from back to front."""
    import moderngl

    context = renderer.context
    _cast_shadow(renderer, loaded, camera)
    renderer.target.use()
    renderer.target.clear(1.0, 1.0, 1.0, 1.0, depth=1.0)
    context.disable(moderngl.DEPTH_TEST | moderngl.BLEND | moderngl.CULL_FACE)
    context.enable(moderngl.PROGRAM_POINT_SIZE)
    renderer.squares["background"].render(moderngl.TRIANGLE_STRIP)
    context.enable(moderngl.DEPTH_TEST)
    _set_camera(renderer.programs["surface"], camera)
    solid = [b for b in loaded.drawing.batches if b.material.alpha_mode != "BLEND"]
    clear = [b for b in loaded.drawing.batches if b.material.alpha_mode == "BLEND"]
    for batch in solid:
        _draw_batch(renderer, loaded, batch)
    if not loaded.drawing.batches:
        _draw_points(renderer, loaded)
    context.enable(moderngl.BLEND)
    context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
    context.blend_equation = moderngl.FUNC_ADD
    renderer.target.depth_mask = False
    if (camera.eye @ camera.vertical) > camera.ground:
        _draw_ground(renderer, camera)
    for batch in clear:
        _sort_faces(loaded, batch, camera)
        _draw_batch(renderer, loaded, batch)
    renderer.target.depth_mask = True
    context.disable(moderngl.BLEND)


def _draw_alone(renderer: Renderer, loaded: _Loaded, camera: Camera, lights: Array | None) -> None:
    """Opaque surfaces on nothing, then transparent ones from back to front, which add to the alpha."""
    import moderngl

    context = renderer.context
    renderer.target.use()
    renderer.target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
    context.disable(moderngl.BLEND | moderngl.CULL_FACE)
    context.enable(moderngl.DEPTH_TEST | moderngl.PROGRAM_POINT_SIZE)
    _set_camera(renderer.programs["surface"], camera)
    for name, light in zip(("key", "fill"), () if lights is None else lights @ camera.axes):
        renderer.programs["surface"][name].value = tuple(light / np.linalg.norm(light))
    for batch in (b for b in loaded.drawing.batches if b.material.alpha_mode != "BLEND"):
        _draw_batch(renderer, loaded, batch)
    if not loaded.drawing.batches:
        _draw_points(renderer, loaded)
    context.enable(moderngl.BLEND)
    context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
    context.blend_equation = moderngl.FUNC_ADD
    renderer.target.depth_mask = False
    for batch in (b for b in loaded.drawing.batches if b.material.alpha_mode == "BLEND"):
        _sort_faces(loaded, batch, camera)
        _draw_batch(renderer, loaded, batch)
    renderer.target.depth_mask = True
    context.disable(moderngl.BLEND)


def _set_camera(program: Any, camera: Camera) -> None:
    right, upward, towards = camera.axes
    program["clip"].write(camera.clip_matrix().T.astype("f4").tobytes())
    program["eye"].value = tuple(camera.scaled(camera.eye[None])[0])
    program["vertical"].value = tuple(camera.vertical)
    for name, light in (
        ("key", towards * 0.8 + upward * 0.9 - right * 0.75),
        ("fill", towards * 0.4 + right - upward * 0.1),
    ):
        program[name].value = tuple(light / np.linalg.norm(light))


def _draw_batch(renderer: Renderer, loaded: _Loaded, batch: DrawBatch) -> None:
    import moderngl

    program, material = renderer.programs["surface"], batch.material
    use = material.textures.get("base_color")
    loaded.texture(use).use(0)
    # A glow that a texture confines would cover everything without it.
    glow = (0.0, 0.0, 0.0) if "emissive" in material.textures else material.emissive
    cutoffs = {"OPAQUE": -1.0, "MASK": material.alpha_cutoff, "BLEND": 1e-3}
    program["base"].value = tuple(material.base_color)
    program["emissive"].value = tuple(glow)
    program["roughness"].value = float(np.clip(material.roughness, 0.0, 1.0))
    program["metallic"].value = float(np.clip(material.metallic, 0.0, 1.0))
    program["cutoff"].value = cutoffs.get(material.alpha_mode, -1.0)
    program["blended"].value = material.alpha_mode == "BLEND"
    program["unlit"].value = "KHR_materials_unlit" in material.extensions
    # Back faces lie a hair deeper: many files hold each face twice, once for either side.
    context = renderer.context
    context.enable(moderngl.CULL_FACE)
    for culled, offset in (("front", (1.0, 4.0)), ("back", (0.0, 0.0))):
        context.cull_face, context.polygon_offset = culled, offset
        loaded.surface.render(vertices=3 * (batch.last - batch.first), first=3 * batch.first)
    context.disable(moderngl.CULL_FACE)


def _draw_points(renderer: Renderer, loaded: _Loaded) -> None:
    import moderngl

    program = renderer.programs["surface"]
    loaded.white.use(0)
    bare = (0.45, 0.5, 0.6, 1.0) if "color" not in loaded.drawing.mesh.attributes else (1.0, 1.0, 1.0, 1.0)
    for name, value in (("base", bare), ("emissive", (0.0, 0.0, 0.0)), ("roughness", 1.0), ("metallic", 0.0)):
        program[name].value = value
    program["cutoff"].value, program["blended"].value, program["unlit"].value = -1.0, False, True
    loaded.surface.render(moderngl.POINTS, vertices=len(loaded.drawing.source))


def _sort_faces(loaded: _Loaded, batch: DrawBatch, camera: Camera) -> None:
    """Put the faces of a transparent batch into the order from back to front."""
    faces = loaded.drawing.faces[batch.first : batch.last]
    depth = (loaded.positions @ camera.axes[2].astype(np.float32))[faces].sum(axis=1)
    if loaded.index is not None:  # a drawing with a batch has faces
        loaded.index.write(faces[np.argsort(depth, kind="stable")].tobytes(), offset=12 * batch.first)


def _cast_shadow(renderer: Renderer, loaded: _Loaded, camera: Camera) -> None:
    """What stands above each point of the ground, darker the lower it is, with a soft edge."""
    import moderngl
    from scipy.ndimage import gaussian_filter

    axes, origin, span = find_ground_axes(camera), find_ground_origin(camera), SHADOW_SPAN
    clip = np.zeros((4, 4))
    clip[:2, :3] = axes[:, :2].T / span
    clip[3, 3] = 1.0
    program = renderer.programs["shadow"]
    program["clip"].write(clip.T.astype("f4").tobytes())
    program["vertical"].value = tuple(camera.vertical)
    program["ground"].value = float(origin @ camera.vertical)
    program["reach"].value = 0.22
    context = renderer.context
    renderer.shadow_target.use()
    renderer.shadow_target.clear(0.0)
    context.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    context.enable(moderngl.BLEND)
    context.blend_func = moderngl.ONE, moderngl.ONE
    context.blend_equation = moderngl.MAX
    if len(loaded.drawing.faces):
        loaded.caster.render()
    context.blend_equation = moderngl.FUNC_ADD
    context.disable(moderngl.BLEND)
    dark = np.frombuffer(renderer.shadow_target.read(components=1, dtype="f4"), dtype="f4")
    dark = dark.reshape(SHADOW_PIXELS, SHADOW_PIXELS)
    soft = 0.45 * gaussian_filter(dark, 2.0) + 0.55 * gaussian_filter(dark, 8.0)
    renderer.shadow.write(np.round(255 * np.clip(soft, 0.0, 1.0)).astype(np.uint8).tobytes())


def _draw_ground(renderer: Renderer, camera: Camera) -> None:
    import moderngl

    program, axes = renderer.programs["ground"], find_ground_axes(camera)
    radius = 1.6
    spacing = round_length(camera.size / 8.0) / camera.size
    shift = (camera.centre @ axes[:, :2]) / camera.size
    program["clip"].write(camera.clip_matrix().T.astype("f4").tobytes())
    program["axes"].write(axes.T.astype("f4").tobytes())
    program["origin"].value = tuple(find_ground_origin(camera))
    program["radius"].value, program["span"].value = radius, SHADOW_SPAN
    program["spacing"].value = spacing
    program["shift"].value = tuple(np.mod(shift, spacing))
    renderer.shadow.use(0)
    renderer.squares["ground"].render(moderngl.TRIANGLE_STRIP)
