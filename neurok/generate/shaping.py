"""What is done to an object after its program: parts left out, painted, and the whole brought to a size."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.generate.looks import find_substance, make_material
from neurok.generate.parts import find_faces, find_links, find_pieces
from neurok.geometry.arrays import Array, Mask
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.triangles import area_vectors

PAINTED_SHARE = 0.8  # of the area of what is painted, its largest materials first, that the new one covers at least
KEPT_SUBSTANCES = ("glass", "rubber")  # what stays as it is when a whole object gets a material or a colour


def remove_parts(thing: ProceduralObject, word: str) -> ProceduralObject:
    """Without the links and pieces that a word means; the base and what is soft stay."""
    articulation = thing.articulation
    roots = {i for i, above in enumerate(articulation.parent_joint) if above < 0}
    gone = set(find_links(thing, word)) - roots
    for link in articulation.order:  # what hangs on a part goes with it
        if int(articulation.link_parents[link]) in gone:
            gone.add(link)
    mesh = thing.mesh
    pieces = find_pieces(mesh, word) & ~thing.soft[mesh.faces[:, 0]]
    if thing.is_soft and gone:
        return thing
    drop = pieces | np.isin(articulation.vertex_link[mesh.faces[:, 0]], list(gone))
    if not drop.any() or drop.all():
        return thing
    return _keep_faces(thing, ~drop, gone)


def _keep_faces(thing: ProceduralObject, keep: Mask, gone: set[int]) -> ProceduralObject:
    """The object with these faces and without these links."""
    articulation, mesh = thing.articulation, thing.mesh
    used = np.zeros(mesh.vertex_count, dtype=bool)
    used[mesh.faces[keep]] = True
    place = np.cumsum(used) - 1
    cut = select_faces(mesh, keep)
    attributes = {name: np.asarray(value)[used] for name, value in mesh.attributes.items()}
    cut = replace(cut, vertices=mesh.vertices[used], faces=place[mesh.faces[keep]], attributes=attributes)
    cut = cut.with_vertices(cut.vertices - (0.0, 0.0, cut.vertices[:, 2].min()))
    low = mesh.vertices[used][:, 2].min()
    links = [i for i in range(len(articulation.links)) if i not in gone]
    number = {old: new for new, old in enumerate(links)}
    joints = [i for i, joint in enumerate(articulation.joints) if joint.child not in gone]
    order = {old: new for new, old in enumerate(joints)}
    drop = np.eye(4)
    drop[2, 3] = -low
    smaller = Articulation(
        cut, np.array([number[int(i)] for i in articulation.vertex_link[used]], dtype=np.int64),
        tuple(replace(articulation.links[i], T_world_link=drop @ articulation.links[i].T_world_link) for i in links),
        tuple(_renumber(articulation.joints[i], number, order) for i in joints), name=articulation.name,
    )  # fmt: skip
    contacts = tuple((number[a], number[b]) for a, b in thing.contacts if a in number and b in number)
    skin = thing.skin
    if skin is not None:
        frames = skin.frames.copy()
        frames[:, 2, 3] -= low
        skin = Skin(skin.joints[used], skin.weights[used], skin.names, skin.parents, frames)
    return replace(thing, articulation=smaller, soft=thing.soft[used], contacts=contacts, skin=skin)


def _renumber(joint: Joint, links: dict[int, int], joints: dict[int, int]) -> Joint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, joint=joints[mimic.joint]) if mimic.joint in joints else None
    return replace(joint, parent=links[joint.parent], child=links[joint.child], mimic=mimic)


# ---------------------------------------------------------------- painting


def compute_areas(mesh: Mesh) -> Array:
    """Of each face [m^2], [m]."""
    return np.asarray(np.linalg.norm(area_vectors(mesh.vertices, mesh.faces), axis=1))


def paint_part(
    thing: ProceduralObject, word: str, *, substance: str | None, colour: str | None, sparing: Sequence[str] = ()
) -> ProceduralObject:
    """The largest materials of a part, or of the whole for an empty word, made of a substance or in a colour.

    sparing: words for parts that keep what they have.
    """
    mesh = thing.mesh
    chosen = find_faces(thing, word) if word else np.ones(mesh.face_count, dtype=bool)
    for other in sparing:
        if other != word:
            spared = find_faces(thing, other)
            chosen = chosen & ~spared if (chosen & ~spared).any() else chosen
    if not chosen.any():
        return thing
    areas = compute_areas(mesh)
    totals = np.bincount(mesh.face_material[chosen], areas[chosen], len(mesh.materials)).astype(np.float64)
    alike = _merge_alike(mesh, totals)
    materials, rows = list(mesh.materials), mesh.face_material.copy()
    covered = 0.0
    for group in alike:
        if not word and find_substance(mesh.materials[group[0]]) in KEPT_SUBSTANCES and len(alike) > 1:
            continue  # a red lamp keeps its glass
        if covered >= PAINTED_SHARE * totals.sum():
            break
        faces = chosen & np.isin(mesh.face_material, group)
        covered += float(areas[faces].sum())
        rows[faces] = len(materials)
        materials.append(make_material(substance, colour, mesh.materials[group[0]]))
    painted = replace(mesh, materials=tuple(materials), face_material=rows)
    return replace(thing, articulation=replace(thing.articulation, mesh=painted))


def _merge_alike(mesh: Mesh, totals: Array) -> list[list[int]]:
    """Indices of equal materials together, the largest area first; those without area left out."""
    groups: dict[object, list[int]] = {}
    for index in np.flatnonzero(totals):
        material = mesh.materials[index]
        groups.setdefault((material.name, material.base_color), []).append(int(index))
    return sorted(groups.values(), key=lambda group: -float(totals[group].sum()))


# ---------------------------------------------------------------- sizes


def scale_object(thing: ProceduralObject, factors: Array) -> ProceduralObject:
    """Stretched along x, y, z about the origin; axes of joints that are not along these turn with the stretch."""
    S = np.diag(factors)
    articulation = thing.articulation
    mesh = articulation.mesh.with_vertices(articulation.mesh.vertices * factors)
    links = tuple(replace(link, T_world_link=_stretch_place(link.T_world_link, S)) for link in articulation.links)
    joints = []
    for joint in articulation.joints:
        T = articulation.links[joint.parent].T_world_link @ joint.origin
        axis = S @ T[:3, :3] @ joint.axis
        rate = float(np.linalg.norm(axis))
        slides = joint.kind == "prismatic"
        origin = np.linalg.inv(links[joint.parent].T_world_link) @ _stretch_place(T, S)
        joints.append(
            replace(
                joint, origin=origin, axis=T[:3, :3].T @ (axis / rate), pitch=joint.pitch * rate,
                lower=joint.lower * (rate if slides else 1.0), upper=joint.upper * (rate if slides else 1.0),
            )
        )  # fmt: skip
    stretched = replace(articulation, mesh=mesh, links=links, joints=tuple(joints))
    skin = thing.skin
    if skin is not None:
        skin = replace(skin, frames=np.stack([_stretch_place(frame, S) for frame in skin.frames]))
    return replace(thing, articulation=stretched, skin=skin)


def _stretch_place(T: Array, S: Array) -> Array:
    placed = np.array(T)
    placed[:3, 3] = S @ T[:3, 3]
    return placed
