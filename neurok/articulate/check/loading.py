"""A file as MuJoCo compiles it, let go where that is wanted, and its size."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.check.reading import capture_warnings
from neurok.errors import InputError, MissingExtra
from neurok.geometry.arrays import Array


def load_model(path: Path) -> Any:
    """The model as MuJoCo compiles it."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("checking a file in MuJoCo", "articulate") from None
    if path.suffix.lower() not in (".urdf", ".xml"):
        raise InputError(f"{path.name} is not a file MuJoCo reads", "give a .urdf or an .xml (MJCF) file")
    if not path.is_file():
        raise InputError(f"there is no file {path}", "check the path")
    # MuJoCo keeps meshes by path and second: a file that was just written anew would be tried with its old ones.
    mujoco.mj_clearCache(mujoco.mj_getCache())
    with silence_warnings(), _translate_faults(path):
        model = mujoco.MjModel.from_xml_path(str(path))
    if model.nbody < 2:
        raise InputError(f"{path.name} holds no bodies", "give a file with links")
    return model


def load_freed(path: Path, *, ground: float | None = None) -> Any:
    """The model with nothing holding its roots in the world, over a ground at a height [m] where one is wanted."""
    import mujoco

    with capture_warnings(), _translate_faults(path):  # `load_model` has told them
        spec = mujoco.MjSpec.from_file(str(path))
    for body in spec.worldbody.bodies:
        if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints):
            if body.joints:  # a joint of its own to the world: it is free along that alone
                continue
            body.add_freejoint()
    if ground is not None:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, ground])
    with _translate_faults(path):
        return spec.compile()


def load_unfused(path: Path) -> Any:
    """The model with a body for each link, also where a fixed joint holds it; fused where MuJoCo wants it so."""
    import mujoco

    with capture_warnings(), _translate_faults(path):
        spec = mujoco.MjSpec.from_file(str(path))
    fuse, spec.compiler.fusestatic = spec.compiler.fusestatic, False
    try:
        return spec.compile()
    except (ValueError, mujoco.FatalError):  # a moving link whose mass lies in a link that is fixed to it
        spec.compiler.fusestatic = fuse
        with _translate_faults(path):
            return spec.compile()


@contextmanager
def _translate_faults(path: Path) -> Iterator[None]:
    """What MuJoCo finds wrong with a file, in one sentence."""
    import mujoco

    try:
        yield
    except (ValueError, mujoco.FatalError) as fault:
        reason = " ".join(str(fault).split())
        raise InputError(
            f"MuJoCo cannot load {path.name} ({reason[:300]})", "mend the file, or export it again"
        ) from None


@contextmanager
def silence_warnings() -> Iterator[None]:
    """What MuJoCo warns of is counted and judged; by itself it would also print it and leave a MUJOCO_LOG.TXT."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def name_body(model: Any, body: int) -> str:
    import mujoco

    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"body {body}"


def measure_diagonal(model: Any) -> float:
    """Of the box around all geometry at rest [m]."""
    points = _list_points(model)
    return (float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 1.0) or 1.0


def find_lowest(model: Any) -> float:
    """The height of the lowest point at rest [m]."""
    points = _list_points(model)
    return float(points[:, 2].min()) if len(points) else 0.0


def _list_points(model: Any) -> Array:
    """Points that bound all geometry at rest [m], [n, 3]."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return np.concatenate([np.zeros((0, 3)), *(_list_geom_points(model, data, geom) for geom in range(model.ngeom))])


def _list_geom_points(model: Any, data: Any, geom: int) -> Array:
    """Points that bound a geom, in the world [m], [n, 3]."""
    import mujoco

    R, t = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    if model.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_MESH):
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return model.mesh_vert[start : start + count] @ R.T + t
    reach = model.geom_rbound[geom]
    return t + np.array([[-reach] * 3, [reach] * 3])
