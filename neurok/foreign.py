"""Objects of other packages as assets of ours: known by their looks, so that none of those packages is imported.

trimesh.Trimesh: its vertices and faces. trimesh.Scene: its geometries where its graph puts them, named by its nodes.
mujoco.MjModel: its bodies, joints and geoms. (vertices, faces): arrays, [n, 3] and [m, 3]. A path is read.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurok.errors import InputError

if TYPE_CHECKING:
    from neurok.geometry.mesh import Mesh


def read_foreign(thing: Any) -> Any:
    """An asset, a mesh or an articulation of what was given; what is ours already, as it is."""
    from neurok.files.registry import Asset, load
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh

    if isinstance(thing, Asset | Articulation | Mesh):
        return thing
    if isinstance(thing, str | Path):
        return load(thing)
    if hasattr(thing, "body_parentid") and hasattr(thing, "jnt_type"):
        from neurok.files.mjcf.compiled import read_model

        return read_model(thing)
    if hasattr(thing, "geometry") and hasattr(thing, "graph"):
        return _read_scene(thing)
    if hasattr(thing, "vertices") and hasattr(thing, "faces"):
        return build_mesh(thing.vertices, thing.faces)
    if isinstance(thing, tuple | list) and len(thing) == 2:
        return build_mesh(*thing)
    raise InputError(
        f"a {type(thing).__name__} is no object that neurok knows",
        "give what neurok.load returned, a path, a trimesh, an MjModel, or (vertices, faces)",
    )


def build_mesh(vertices: Any, faces: Any) -> "Mesh":
    """A mesh of arrays; faces of whole numbers, three to a face."""
    import numpy as np

    from neurok.geometry.mesh import Mesh

    try:
        points, corners = np.asarray(vertices, dtype=np.float64), np.asarray(faces)
    except (TypeError, ValueError):
        raise InputError("the vertices and faces are not arrays of numbers", "give arrays [n, 3] and [m, 3]") from None
    if not np.issubdtype(corners.dtype, np.integer) and corners.size:
        raise InputError(f"the faces are of {corners.dtype}", "give whole numbers, the indices of vertices")
    if not np.all(np.isfinite(points)):
        raise InputError("some vertices are not finite numbers", "give ordinary numbers")
    return Mesh(points, corners)


def _read_scene(scene: Any) -> "Mesh":
    """Every instance of a geometry in the scene's frame, a part named after its node."""
    import numpy as np

    from neurok.geometry.mesh import merge
    from neurok.geometry.placement import transform

    pieces, names = [], []
    for node in scene.graph.nodes_geometry:
        T, key = scene.graph[node]
        geometry = scene.geometry[key]
        if hasattr(geometry, "faces"):  # paths and clouds of points have none
            pieces.append(transform(build_mesh(geometry.vertices, geometry.faces), np.asarray(T, dtype=np.float64)))
            names.append(str(node))
    if not pieces:
        raise InputError("the scene holds no mesh", "give one with faces")
    return merge(pieces, names=names)
