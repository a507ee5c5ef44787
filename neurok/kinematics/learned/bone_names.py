"""Names of bones: those that the file gives its parts, where more than half of a bone is of one."""

import numpy as np

from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.triangles import face_areas


def bone_names(mesh: Mesh, skin: Skin) -> tuple[str, ...]:
    """One name for each bone: its part's, numbered where several bones share one; its own number where it has none.

    A file with one part says nothing by its name.
    """
    named = len({part.name for part in mesh.parts}) > 1
    bone = skin.leader[mesh.faces[:, 0]]
    part = np.full(mesh.face_count, -1) if mesh.face_part is None else mesh.face_part
    area = np.zeros((skin.bone_count, len(mesh.parts) + 1))
    np.add.at(area, (bone, part), face_areas(mesh.vertices, mesh.faces))  # faces without a part, -1, go last
    names: list[str] = []
    for number, share in enumerate(area):
        best = int(np.argmax(share[:-1])) if named else 0
        mine = named and share[best] > share.sum() - share[best]
        name = (mine and mesh.parts[best].name) or f"part {number + 1}"
        taken, plain = 2, name
        while name in names:
            name, taken = f"{plain} {taken}", taken + 1
        names.append(name)
    return tuple(names)
