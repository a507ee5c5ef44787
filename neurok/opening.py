"""What `neurok.load` and `neurok.kinematics` open: files and models, and the state spaces of what they hold.

This module ties rooms together that do not know each other: files and networks, state spaces and articulation.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from neurok.articulate.part_list import PartList
    from neurok.files.registry import Asset
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh
    from neurok.kinematics.choose import Choice, MaterialReader
    from neurok.kinematics.kinematics import Kinematics
    from neurok.materials.assignment import PartAssignment
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.places import Vector


def load(path: str | Path | None = None, *, allow_outside: bool = False) -> Any:
    """Read any supported file, a PartNet-Mobility folder or a zip of one; or the model of a folder of weights, as
    `neurok train` writes it; without a path, the model that came with neurok."""
    from neurok.files.registry import load as load_asset

    if path is not None and not _holds_weights(Path(path)):
        return load_asset(path, allow_outside=allow_outside)
    from neurok.networks.weights import SHIPPED, load_model

    return load_model(SHIPPED if path is None else path)


def kinematics(
    thing: Any,
    model: Any = None,
    *,
    kind: str = "given",
    purpose: str = "move",
    base: str = "fixed",
    materials: "str | Mapping[str, str] | None" = None,
) -> "Kinematics":
    """The state space of an asset (as `neurok.load` gives it), an articulation or a mesh; also of a path, a trimesh,
    a mujoco.MjModel, or (vertices, faces): see `neurok.foreign`.

    model: a learned one, as `neurok.load()` gives it; an object with joints moves by them unless a model is given,
        one without by the model, or by the one that came with neurok.
    kind: 'given', 'auto', 'joints', 'learned', 'articulated' or 'soft'; see `neurok.kinematics.choose.Demand`.
    purpose: 'move', or 'fit' for a space to be fitted to a target: `neurok fit` uses that one.
    base: 'fixed', or 'free' to let the whole object fall, slide and tumble as well.
    materials: the name of what the object is made of, or of each part by the part's name; what is elastic then deforms
        by its stiffness and density.
    """
    assign = None if materials is None else _read_materials(materials)
    return choose_kinematics(thing, model, kind=kind, purpose=purpose, base=base, assign=assign).space


def _read_materials(materials: "str | Mapping[str, str]") -> "MaterialReader":
    """What says of a mesh what it is made of."""
    from neurok.materials.assignment import assign_properties
    from neurok.materials.library import load_library
    from neurok.materials.part_properties import PartProperties

    whole = PartProperties(material=materials if isinstance(materials, str) else None)
    stated = {} if isinstance(materials, str) else {k: PartProperties(material=v) for k, v in materials.items()}
    return lambda mesh: assign_properties(mesh, stated, whole, load_library())


def assign_by(conditions: "Conditions") -> "MaterialReader":
    """What parts are made of, as far as some conditions say."""
    from neurok.materials.assignment import assign_properties

    def assign(mesh: "Mesh", rename: "Callable[[str], str]" = str) -> "PartAssignment":
        parts = {rename(name): value for name, value in conditions.parts.items()}
        return assign_properties(mesh, parts, conditions.whole, conditions.load_library())

    return assign


def choose_kinematics(
    thing: Any, model: Any = None, *, kind: str = "given", purpose: str = "move", base: str = "fixed",
    assign: "MaterialReader | None" = None, guessed: bool = False,
) -> "Choice":  # fmt: skip
    """As `kinematics`, with the reason of the choice and the joints that were found; assign, guessed: see `Demand`."""
    from neurok.articulate.find_joints import find_joints
    from neurok.foreign import read_foreign
    from neurok.kinematics.choose import Demand, choose_space

    return choose_space(
        call_links(read_foreign(thing)), Demand(kind, purpose, base, model, assign, guessed), find_joints
    )


def read_asset(thing: Any) -> "Asset":
    """What was given (see `kinematics`) as an asset, with plain names for links that have none."""
    from neurok.files.registry import Asset
    from neurok.foreign import read_foreign
    from neurok.geometry.articulation import Articulation
    from neurok.geometry.mesh import Mesh

    found = read_foreign(thing)
    if isinstance(found, Mesh):
        found = Asset(found)
    if isinstance(found, Articulation):
        found = Asset(found.mesh, articulation=found)
    named: Asset = call_links(found)
    return named


def call_links(thing: Any) -> Any:
    """An asset or an articulation with plain names for the links that its file leaves nameless (link_0, part_3)."""
    from neurok.articulate.naming import name_links
    from neurok.geometry.articulation import Articulation

    if isinstance(thing, Articulation):
        return name_links(thing)
    joints: Articulation | None = getattr(thing, "articulation", None)
    return thing if joints is None or not joints.joints else replace(thing, articulation=name_links(joints))


@dataclass(frozen=True)
class NamedChoice:
    """A state space, and the parts of the object, None where no name was used and none was looked for."""

    choice: "Choice"
    found: "PartList | None" = None

    def place(self, name: str) -> "Vector":
        """The point of the object where a person would take hold of a part."""
        from neurok.geometry.named_parts import find_named

        assert self.found is not None
        return find_named(self.found.parts, name).place_grasp(self.choice.space.mesh)

    def locate(self, conditions: "Conditions") -> "Conditions":
        """Conditions with a point for every name, and with the names of parts that the mesh itself has."""
        if self.found is None:
            return conditions
        from neurok.articulate.part_list import match_piece

        mesh = self.choice.space.mesh
        parts = {match_piece(mesh, self.found, name): value for name, value in conditions.parts.items()}
        return replace(conditions.locate(self.place), parts=parts)


def choose_named(
    thing: Any, names: "Iterable[str]", model: Any = None, *, kind: str = "given", purpose: str = "move",
    base: str = "fixed", assign: "MaterialReader | None" = None, guessed: bool = False,
    progress: "Callable[[float], None] | None" = None,
) -> NamedChoice:  # fmt: skip
    """As `choose_kinematics`, for an object of which parts are named.

    A plain mesh moves by the joints that were found where a named part has one, so that this part moves and no other.
    """
    names = tuple(names)
    if not names:
        choice = choose_kinematics(thing, model, kind=kind, purpose=purpose, base=base, assign=assign, guessed=guessed)
        return NamedChoice(choice)
    from neurok.articulate.part_list import adopt_joints, label_faces, list_parts, match_piece
    from neurok.geometry.mesh import Mesh
    from neurok.geometry.named_parts import find_named

    mesh, joints = read_content(thing)
    found = list_parts(mesh, joints, progress)
    for name in names:
        find_named(found.parts, name)
    if joints is None:
        labelled = label_faces(mesh, found)
        thing = labelled if isinstance(thing, Mesh) else replace(thing, mesh=labelled)
    if assign is not None:
        assign = partial(assign, rename=lambda name: match_piece(mesh, found, name))
    moving = adopt_joints(thing, found, names) if joints is None and kind == "given" and model is None else thing
    choice = choose_kinematics(moving, model, kind=kind, purpose=purpose, base=base, assign=assign, guessed=guessed)
    if moving is not thing and choice.space.elasticity is None:
        choice = replace(choice, why=f"joints: found for the parts that you name ({found.origin})")
    return NamedChoice(choice, found)


def locate_parts(
    thing: Any, names: "Iterable[str]", conditions: "Conditions"
) -> "tuple[Mesh, Conditions]":  # fmt: skip
    """The mesh of an object, and conditions with a point for every name and the names of parts that the mesh has."""
    mesh, joints = read_content(thing)
    names = tuple(names)
    if not names:
        return mesh, conditions
    from neurok.articulate.part_list import label_faces, list_parts, match_piece
    from neurok.geometry.named_parts import find_named

    found = list_parts(mesh, joints)
    for name in names:
        find_named(found.parts, name)
    labelled = label_faces(mesh, found) if joints is None else mesh
    parts = {match_piece(labelled, found, name): value for name, value in conditions.parts.items()}
    located = conditions.locate(lambda name: find_named(found.parts, name).place_grasp(labelled))
    return labelled, replace(located, parts=parts)


def read_content(thing: Any) -> "tuple[Mesh, Articulation | None]":
    """The mesh and the joints of an asset, an articulation or a mesh."""
    from neurok.geometry.articulation import Articulation

    if isinstance(thing, Articulation):
        return thing.mesh, thing
    return getattr(thing, "mesh", thing), getattr(thing, "articulation", None)


def _holds_weights(folder: Path) -> bool:
    # As `networks.weights` names it, which would load torch for every mesh.
    return (folder / "weights.safetensors").is_file()
