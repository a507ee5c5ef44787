"""A scene as the formats hold it."""

from pathlib import Path

from neurok.files.camera import CameraView
from neurok.files.pictures import render_mesh, save_picture
from neurok.files.registry import save_files, save_written
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.scenes.joining import join_things
from neurok.scenes.making import MadeScene
from neurok.scenes.recording import record_motion

SCENE_VIEW = CameraView(azimuth=-32.0, elevation=24.0, margin=0.03)
SUFFIXES = (".xml", ".usd", ".usda", ".usdc", ".glb", ".gltf", ".html", ".mp4", ".png", ".npz")


def write_scene(scene: MadeScene, path: Path, recording: Motion | None = None) -> list[Path]:
    """Write a scene to a file of its suffix's format; all files that came of it, the main one last."""
    if path.suffix.lower() == ".xml":
        return save_written(path, lambda folder, name: _write_mjcf(scene, folder, name))
    if path.suffix.lower() == ".png" and recording is None:
        mesh = join_things(scene.placed, "scene").mesh
        return save_written(path, lambda folder, name: _draw(mesh, folder / name))
    return save_files(make_scene_content(scene, path.suffix.lower(), recording), path)


def _draw(mesh: Mesh, path: Path) -> None:
    save_picture(render_mesh(mesh, SCENE_VIEW), path)


def _write_mjcf(scene: MadeScene, folder: Path, name: str) -> None:
    """NAME, and beside it STEM_assets/ with meshes and pictures."""
    spec, assets = scene.compose()
    stem = f"{Path(name).stem}_assets"
    spec.compile()
    spec.meshdir = spec.texturedir = stem
    (folder / stem).mkdir()
    for file, data in sorted(assets.items()):
        (folder / stem / file).write_bytes(data)
    (folder / name).write_text(spec.to_xml(), encoding="utf-8")


def make_scene_content(scene: MadeScene, suffix: str, recording: Motion | None = None) -> Articulation | Mesh | Motion:
    """What of a scene goes into a file: the recording where there is one, else the scene at rest, or how it came to it.

    A film of a scene without a recording shows it settle.
    """
    if recording is not None:
        return recording
    joined = join_things(scene.placed, "scene")
    if suffix in (".html", ".mp4", ".npz"):
        model = scene.compose()[0].compile()
        return record_motion(joined, scene.placed, scene.maker, model, scene.frames, "settling")
    return joined
