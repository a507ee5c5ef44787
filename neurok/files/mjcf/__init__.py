"""MJCF, MuJoCo's own format; written are NAME, and beside it STEM_assets/ with meshes, hulls and pictures."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from neurok.errors import OutputError, unknown
from neurok.files.bodies import convert_to_z_up
from neurok.files.mjcf.model import MjcfModel
from neurok.files.mjcf.reading import read
from neurok.files.xmltext import format_numbers
from neurok.geometry.articulation import Articulation, Inertia

__all__ = ["build_document", "read", "write"]

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")


def write(articulation: Articulation, folder: Path, name: str) -> None:
    """Write NAME and its assets into a folder; metres, z up."""
    if not isinstance(articulation, Articulation):
        raise OutputError("MJCF holds joints, and this object has none", "use .glb, .usdc, .obj or .ply")
    assets = f"{PurePosixPath(name).stem}_assets"
    model = MjcfModel(convert_to_z_up(articulation), None, collide=True, visuals=True)
    model.compiler.set("assetdir", assets)
    (folder / assets).mkdir()
    for file, data in model.assets.items():
        (folder / assets / file).write_bytes(data)
    (folder / name).write_text(model.text(), encoding="utf-8")


def build_document(
    articulation: Articulation,
    inertias: Sequence[Inertia],
    *,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    timestep: float = 0.002,
    integrator: str = "implicitfast",
    collide: bool = True,
    limits: bool = True,
    visuals: bool = False,
) -> tuple[str, dict[str, bytes]]:
    """The model as text and its assets by name, for `mujoco.MjModel.from_xml_string(text, assets)`.

    The world is the articulation's own, axes and units unchanged. inertias: one per link, link frame.
    gravity [unit/s^2], [3]. collide, limits, visuals: whether to write hulls, joint limits, shown meshes.
    Bodies are called as their links; joints as theirs, the slide of a two-freedom joint with '_slide' behind.
    """
    if integrator not in INTEGRATORS:
        raise unknown("integrator", integrator, INTEGRATORS)
    model = MjcfModel(articulation, inertias, collide=collide, visuals=visuals, limits=limits, timestep=timestep)
    model.option.set("gravity", format_numbers(gravity))
    model.option.set("integrator", integrator)
    return model.text(), model.assets
