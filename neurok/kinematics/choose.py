"""Which state space an object gets: the joints of its file, joints that its parts suggest, or a learned one.

This is the one place that decides; commands, viewer, evaluation and Python all come here through `neurok.opening`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from neurok.elastic.assigned import read_materials
from neurok.elastic.matter import FaceMaterials
from neurok.errors import InputError, OptionError, unknown
from neurok.geometry.articulation import MAX_JOINT_COORDINATES, Articulation, Link
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.elastic_space import elastic_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics
from neurok.materials.assignment import PartAssignment

if TYPE_CHECKING:
    from neurok.kinematics.learned.options import LearnedOptions

KINDS = ("given", "joints", "learned", "articulated", "soft")
FORMER_KINDS = {"mechanism": "articulated", "body": "soft", "auto": "given"}  # names of 0.1.0, which still work
PURPOSES = ("move", "fit")
BASES = ("fixed", "free")
IS_SOFT = {"articulated": False, "soft": True}  # what a person knows of a learned space

# The joints that the parts of a mesh suggest, and how that was decided, in words; None where none is sure enough,
# unless there must be some.
JointFinder = Callable[[Mesh, bool], tuple[Articulation | None, str]]

# What the parts of a mesh are made of, as far as anybody says.
# Of a mesh; rename: what its pieces call a part, where the parts of an object have other names.
MaterialReader = Callable[..., PartAssignment]


@dataclass(frozen=True)
class Choice:
    """A state space, the asset with the joints it moves by (if any), and why it was taken, in one sentence.

    hint: what a person at the command line can do where it was taken for the wrong thing; may be empty.
    """

    space: Kinematics
    asset: Any
    why: str
    hint: str = ""


@dataclass(frozen=True)
class Demand:
    """What is asked of a state space.

    kind: 'given' (the joints of the file; else those that its parts suggest, if some part seems to move; else a body
        that bends, if it looks like one), 'joints' (of the file or of its parts, the likeliest if none is likely),
        'articulated' (parts that move, whatever joints the file states: those that its parts suggest, the likeliest if
        none is likely; learned where there is one part only), 'learned', or 'soft' (learned, and known to bend).
    purpose: 'move' for few coordinates, all of them likely; 'fit' also for what is merely possible, since a target
        tells what moved.
    base: 'fixed', or 'free' to let the whole object fall, slide and tumble as well.
    model: a learned one, which then serves a file with joints as well; otherwise the one that came with neurok.
    assign: what parts are made of, if anybody says; where something deforms, it does by its material.
    guessed: whether what deforms by it is merely predicted to; then the joints that parts suggest are kept as well.
    """

    kind: str = "given"
    purpose: str = "move"
    base: str = "fixed"
    model: Any = None
    assign: MaterialReader | None = None
    guessed: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FORMER_KINDS.get(self.kind, self.kind))
        for name, value, known in (
            ("kinematics", self.kind, KINDS), ("purpose", self.purpose, PURPOSES), ("base", self.base, BASES)
        ):  # fmt: skip
            if value not in known:
                raise unknown(name, value, known)
        if self.model is not None and self.kind == "joints":
            raise OptionError(f"kinematics '{self.kind}' and weights of a learned space", "ask for one of the two")


def choose_space(thing: Any, demand: Demand, find_joints: JointFinder) -> Choice:
    """The state space of an asset (as `neurok.load` gives it), an articulation or a mesh."""
    mesh, joints = _mesh_of(thing), _articulation_of(thing)
    if demand.assign is not None and demand.model is None and demand.kind in ("given", "joints"):
        made = read_materials(mesh, demand.assign(mesh))
        if made is not None and joints is None and demand.guessed:
            return _choose_guessed(thing, mesh, made, demand, find_joints)
        if made is not None:
            return _choose_elastic(thing, mesh, joints, made, demand.base)
    if demand.kind == "articulated" and demand.purpose == "move" and demand.model is None:
        return _choose_parts(_without_joints(thing), mesh, demand, find_joints)
    if demand.kind in ("learned", *IS_SOFT) or demand.model is not None:
        return _choose_learned(_without_joints(thing), mesh, demand, _describe_demand(demand))
    if joints is not None:
        why = "joints: the file states them" if len(joints.joints) else "the file's own links"
        return Choice(joint_space(joints, demand.base), thing, why)
    if demand.purpose == "fit" and demand.kind == "given":
        return _choose_learned(thing, mesh, demand, "learned: the file states no joints")
    found, why = find_joints(mesh, demand.kind == "joints")
    return _choose_body(thing, mesh, demand, why) if found is None else _choose_joints(thing, found, demand, why)


def _describe_demand(demand: Demand) -> str:
    """Why a learned space was taken that someone asked for."""
    words = ["learned"]
    if demand.model is not None:
        words.append("by the weights given")
    if demand.kind in IS_SOFT:
        words.append(f"taken for {'a body that bends' if IS_SOFT[demand.kind] else 'parts that move'}")
    if demand.model is None or demand.kind in IS_SOFT:
        words.append("as asked")
    return ", ".join(words)


def joint_space(joints: Articulation, base: str = "fixed") -> Kinematics:
    """The state space of given joints."""
    count = len(joints.coordinate_freedoms)
    if count > MAX_JOINT_COORDINATES:
        raise InputError(
            f"{joints.name} has {count} joint coordinates, and at most {MAX_JOINT_COORDINATES} are moved",
            "make the joints fixed that need not move, or split the object",
        )
    space = Articulated(joints)
    if base == "free":
        return FloatingBase(space)
    if space.size == 0:
        raise InputError("none of the object's joints can move", "check its limits, or use --base free")
    return space


def learned_space(mesh: Mesh, model: Any = None, options: "LearnedOptions | None" = None) -> Kinematics:
    """The state space that a model gives a plain mesh; the model that came with neurok where none is given."""
    from neurok.kinematics.learned.decoded import decode_space
    from neurok.kinematics.learned.options import LearnedOptions
    from neurok.kinematics.learned.pipeline import learn_space
    from neurok.networks.vae import VaeModel
    from neurok.networks.weights import load_model

    if not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        raise InputError("the faces of the object have no area", "give a mesh with a surface, or check its export")
    model = load_model() if model is None else model
    options = options or LearnedOptions()
    if not isinstance(model, VaeModel):
        return learn_space(mesh, model, options)
    if options.is_soft is not None:
        raise InputError("these weights know neither bodies nor mechanisms", "use --kinematics learned with them")
    return decode_space(mesh, model, options)


def rigid_space(mesh: Mesh) -> Articulated:
    """A mesh as one link without joints: the state space of a single point, to be set free."""
    return Articulated(Articulation(mesh, np.zeros(mesh.vertex_count, dtype=int), (Link("body", np.eye(4)),), ()))


def _choose_parts(thing: Any, mesh: Mesh, demand: Demand, find_joints: JointFinder) -> Choice:
    """The joints that parts suggest; where geometry knows none, what the network takes for parts, and why."""
    try:
        found, why = find_joints(mesh, True)
    except InputError as fault:
        return _choose_learned(thing, mesh, demand, f"{_describe_demand(demand)}; {fault.problem}")
    assert found is not None  # where there must be joints, there are some, or a fault
    return _choose_joints(thing, found, demand, why)


def _choose_joints(thing: Any, found: Articulation, demand: Demand, why: str) -> Choice:
    """The joints that were found for the parts of a mesh."""
    moving = found if isinstance(thing, Mesh) else replace(thing, articulation=found, mesh=found.mesh)
    return Choice(joint_space(found, demand.base), moving, f"joints: {why}")


def _choose_elastic(thing: Any, mesh: Mesh, joints: Articulation | None, made: FaceMaterials, base: str) -> Choice:
    """What the materials say, on the joints of the file."""
    jointed = joints is not None and len(joints.joints) > 0
    space = elastic_space(mesh, made, joints=joints if jointed else None, base=base)
    space = FloatingBase(space) if base == "free" else space
    return Choice(space, thing, f"elastic by its materials{', and the joints that the file states' if jointed else ''}")


def _choose_guessed(thing: Any, mesh: Mesh, made: FaceMaterials, demand: Demand, find_joints: JointFinder) -> Choice:
    """What the predicted materials say, on the joints that the parts suggest, if they do."""
    found, why = find_joints(mesh, demand.kind == "joints")
    if found is None or not len(found.joints):
        return replace(_choose_elastic(thing, mesh, None, made, demand.base), why="elastic by predicted materials")
    assert demand.assign is not None
    moving = found if isinstance(thing, Mesh) else replace(thing, articulation=found, mesh=found.mesh)
    again = read_materials(found.mesh, demand.assign(found.mesh))
    assert again is not None  # the parts of the mesh are the same
    choice = _choose_elastic(moving, found.mesh, found, again, demand.base)
    return replace(choice, why=f"elastic by predicted materials, on joints: {why}")


def _choose_body(thing: Any, mesh: Mesh, demand: Demand, why: str) -> Choice:
    """A body that bends, where the object looks like one; else one that is rigid, and moves only as a whole."""
    learned = _choose_learned(thing, mesh, demand, f"learned: {why}")
    if not learned.space.prior.is_sparse:
        return learned
    if demand.base == "fixed":
        raise InputError(f"nothing of it moves: {why}",
                         "use --base free to move it as a whole, --kinematics soft to bend it, "
                         "or --kinematics joints for the likeliest joint")  # fmt: skip
    return Choice(FloatingBase(rigid_space(mesh)), thing, f"rigid: {why}")


def _choose_learned(thing: Any, mesh: Mesh, demand: Demand, why: str) -> Choice:
    """The learned space, and in words what it takes the object for."""
    from neurok.kinematics.learned.options import LearnedOptions

    is_soft = IS_SOFT.get(demand.kind)
    space = learned_space(mesh, demand.model, LearnedOptions(purpose=demand.purpose, is_soft=is_soft))
    space = FloatingBase(space) if demand.base == "free" else space
    if space.prior.is_sparse or is_soft:
        return Choice(space, thing, why)
    hint = "if it has parts that move instead of bending as a whole, say so: --kinematics articulated"
    return Choice(space, thing, f"{why}; it is taken for a body that bends", hint)


def _mesh_of(thing: Any) -> Mesh:
    mesh = thing if isinstance(thing, Mesh) else getattr(thing, "mesh", None)
    if not isinstance(mesh, Mesh):
        raise InputError(f"a {type(thing).__name__} has no state space", "give what neurok.load returned")
    if mesh.face_count == 0:
        raise InputError("the object has no faces, only points", "give a mesh with a surface")
    return mesh


def _articulation_of(thing: Any) -> Articulation | None:
    return thing if isinstance(thing, Articulation) else getattr(thing, "articulation", None)


def _without_joints(thing: Any) -> Any:
    if isinstance(thing, Articulation):
        return thing.mesh
    return thing if isinstance(thing, Mesh) else replace(thing, articulation=None)
