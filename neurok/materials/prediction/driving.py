"""Predicted materials as what drives a motion, below all that a person or the file states.

Weight, friction and rebound follow whatever is likeliest. A part deforms only where it is surely elastic: a chair that
is taken for soft is worse than a cushion that is taken for rigid.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from neurok.geometry.arrays import Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts, name_parts, read_parts, read_piece_parts
from neurok.geometry.triangles import face_areas
from neurok.materials.assignment import list_statements
from neurok.materials.library import MaterialLibrary, load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.prediction.coats import split_coats
from neurok.materials.prediction.observation import observe_matter
from neurok.materials.prediction.prediction import ELASTIC, MatterPrediction, PartMatter, predict_matter
from neurok.materials.prediction.weights import load_network

NOTHING = PartProperties()


@dataclass(frozen=True)
class DrivingMaterials:
    """What is predicted for the parts of which nobody states a material.

    parts: by the names of pieces of the mesh, with the numbers that are stated of them in place of their material's.
    whole: of the faces of no piece. told: what is predicted, by the same names; "" for the whole.
    """

    parts: Mapping[str, PartProperties] = field(default_factory=dict)
    whole: PartProperties = NOTHING
    told: Mapping[str, PartMatter] = field(default_factory=dict)

    @property
    def deforms(self) -> bool:
        """Whether any part is surely elastic."""
        return any(matter.deforms for matter in self.told.values())

    def describe(self, count: int = 3) -> str:
        """One sentence, which names so many materials."""
        said = self.describe_materials(count)
        return f"materials: {said}; --material and --part say better, --no-predict leaves them out"

    def describe_materials(self, count: int = 3) -> str:
        """So many materials with their parts; '' where nothing is predicted."""
        rows: dict[tuple[str, bool], list[str]] = {}
        for name, matter in self.told.items():
            rows.setdefault((matter.material, matter.deforms), []).append(name)
        order = sorted(rows, key=lambda key: (not key[1], -len(rows[key])))
        said = [self._describe_material(*key, rows[key]) for key in order[:count]]
        more = [f"{len(order) - count} more"] if len(order) > count else []
        return ", ".join([*said, *more])

    def _describe_material(self, material: str, soft: bool, names: list[str]) -> str:
        chances = [self.told[name].chance for name in names]
        low, high = f"{min(chances):.2f}", f"{max(chances):.2f}"
        what = f"{len(names)} parts" if len(names) > 1 else names[0] or "all of it"
        sure = low if low == high else f"{low} to {high}"
        return f"{what} {material.replace('_', ' ')} (predicted, {sure}{', deforms' if soft else ''})"


NO_DRIVING = DrivingMaterials()


def predict_driving(
    mesh: Mesh, joints: Articulation | None, title: str, stated: Mapping[str, PartProperties] = {},
    whole: PartProperties = NOTHING, library: MaterialLibrary | None = None,
) -> DrivingMaterials:  # fmt: skip
    """What drives an object's motion besides what is stated: by a person of parts and of the whole, and by the file.

    A file that states the masses of its links knows its object, and nothing is predicted. title: what it is called.
    """
    library = library or load_library()
    if not is_unknown(mesh, joints, stated, whole, library):
        return NO_DRIVING
    return state_driving(mesh, joints, predict_pieces(mesh, joints, title, library), stated, whole, library)


def is_unknown(
    mesh: Mesh, joints: Articulation | None, stated: Mapping[str, PartProperties], whole: PartProperties,
    library: MaterialLibrary,
) -> bool:  # fmt: skip
    """Whether there is a part of which neither a person nor the file says what it is made of."""
    if states_masses(joints) or whole.material is not None or not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        return False
    known = list_statements(mesh, stated, whole, library)
    return any(known[piece].material is None for piece in np.unique(mesh.face_part))


def states_masses(joints: Articulation | None) -> bool:
    """Whether a file weighs its links."""
    return joints is not None and any(link.inertia is not None for link in joints.links)


def predict_pieces(mesh: Mesh, joints: Articulation | None, title: str, library: MaterialLibrary) -> MatterPrediction:
    """The prediction for the parts that the file names, the whole as one where it names none."""
    parts = split_coats(mesh, list_named(mesh, joints))
    return predict_matter(parts, observe_matter(mesh, parts, title), load_network(), library)


def list_named(mesh: Mesh, joints: Articulation | None) -> Parts:
    """The parts that a file names."""
    found = read_parts(mesh) if joints is None else read_piece_parts(joints)
    return found or name_parts(np.zeros(mesh.face_count, dtype=np.int64), ["object"])


def state_driving(
    mesh: Mesh, joints: Articulation | None, prediction: MatterPrediction,
    stated: Mapping[str, PartProperties], whole: PartProperties, library: MaterialLibrary,
) -> DrivingMaterials:  # fmt: skip
    """A prediction as statements about the pieces of a mesh of which nobody states a material; what a person said in
    its place counts all the same."""
    known = list_statements(mesh, stated, whole, library)
    settled = {part.name for part, own in zip(mesh.parts, known) if own.material is not None or states_masses(joints)}
    told: dict[str, PartMatter] = {}
    parts: dict[str, PartProperties] = {}
    for piece, matter in list_pieces(mesh, prediction):
        name = mesh.parts[piece].name if piece >= 0 else ""
        if name not in settled or matter.stated:
            told[name] = matter
            parts[name] = state_matter(matter).merge(known[piece] if known[piece].material is None else NOTHING)
    return DrivingMaterials(parts, parts.pop("", NOTHING) if -1 in mesh.face_part else NOTHING, told)


def state_matter(matter: PartMatter) -> PartProperties:
    """A predicted material as a statement."""
    rigid = matter.behaviour in ELASTIC and not matter.deforms
    return PartProperties(material=matter.material, deforms=False if rigid else None)


def list_pieces(mesh: Mesh, prediction: MatterPrediction) -> Iterator[tuple[int, PartMatter]]:
    """Every piece of the mesh that has faces (-1: no piece) and what most of it is predicted to be; of pieces of one
    name the largest alone."""
    size: dict[str, tuple[int, int]] = {}
    for piece in np.unique(mesh.face_part).tolist():
        name = mesh.parts[piece].name if piece >= 0 else ""
        size[name] = max(size.get(name, (0, piece)), (int((mesh.face_part == piece).sum()), piece))
    for _, piece in size.values():
        own: Indices = prediction.parts.face[mesh.face_part == piece]
        yield piece, prediction.matter[int(np.argmax(np.bincount(own)))]
