"""Which state space an object gets: its joints, those that its parts suggest, or what was learned of plain meshes."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from neurok.errors import InputError, OptionError, unknown
from neurok.geometry.articulation import Articulation

if TYPE_CHECKING:
    from neurok.files.registry import Asset
    from neurok.kinematics.kinematics import Kinematics

KINDS = ("given", "auto", "joints", "learned", "mechanism", "body")
BENDS = {"learned": None, "mechanism": False, "body": True}  # learned, and which of the two it is where that is known
SURE = 0.8  # the chance of moving as said, from which `auto` trusts a part
MOST_PARTS = 60  # of a plain mesh that `auto` looks at: beyond that the search takes minutes


@dataclass(frozen=True)
class Choice:
    """A state space, the asset with the joints it moves by (if any), and why it was taken, in one sentence.

    hint: what a person at the command line can do where it was taken for the wrong thing; may be empty.
    """

    space: "Kinematics"
    asset: "Asset"
    why: str
    hint: str = ""


def choose_space(
    asset: "Asset", kinds: str = "given", *, base: str = "fixed", possible: bool = False, model: Any = None
) -> Choice:
    """given: the joints of the file, else learned. auto: those of the file; else what its parts suggest, if some part
    surely moves; else learned. mechanism, body: learned, and told which of the two the object is.

    possible: of a learned space, also what the model is not sure of, as fits to a whole shape want it.
    model: a learned one, which then serves a file with joints as well; else the one that came with neurok.
    """
    from neurok.kinematics.build import kinematics

    if kinds not in KINDS:
        raise unknown("kinematics", kinds, KINDS)
    if model is not None and kinds in ("auto", "joints"):
        raise OptionError(f"kinematics '{kinds}' and weights of a learned space", "ask for one of the two")
    if kinds in BENDS or model is not None:
        plain = replace(asset, articulation=None)
        why = "learned, as asked" if model is None else "learned, by the weights given"
        return _learned(plain, why, model, base, possible, BENDS.get(kinds))
    if asset.articulation is not None and len(asset.articulation.joints):
        return Choice(kinematics(asset, base=base), asset, "joints: the file states them")
    if asset.articulation is not None or asset.mesh.face_count == 0:
        return Choice(kinematics(asset, base=base), asset, "the file's own links")
    if kinds == "given":
        return _learned(asset, "learned: the file states no joints", None, base, possible)
    found, why = predicted(asset, must=kinds == "joints")
    if found is None:
        return _learned(asset, f"learned: {why}", None, base, possible)
    moving = replace(asset, articulation=found, mesh=found.mesh)
    return Choice(kinematics(moving, base=base), moving, f"joints: {why}")


def _learned(
    asset: "Asset", why: str, model: Any, base: str, possible: bool, bends: bool | None = None
) -> Choice:  # fmt: skip
    """The learned space, and in words what it takes the object for."""
    from neurok.kinematics.build import kinematics

    space = kinematics(asset, model, base=base, possible=possible, bends=bends)
    if space.is_sparse or bends:
        return Choice(space, asset, why)
    hint = "if it has parts that move instead of bending as a whole, say so: --kinematics mechanism"
    return Choice(space, asset, f"{why}; it is taken for a body that bends", hint)


def predicted(asset: "Asset", *, must: bool) -> tuple[Articulation | None, str]:
    """Joints from the parts of a plain mesh and what was found; None where they are not sure enough (unless `must`)."""
    from neurok.articulate.assemble import assemble_articulation
    from neurok.articulate.parts import choose_parts
    from neurok.articulate.predict import predict_movements
    from neurok.articulate.sampling import sample_shape

    parts, origin = choose_parts(asset.mesh)
    if parts.count < 2:
        if must:
            raise InputError("the mesh is one part", "use --kinematics learned, or name its parts in the file")
        return None, "the mesh is one part, so there is nothing to joint"
    if parts.count > MOST_PARTS and not must:
        return None, f"the mesh has {parts.count} parts, too many to be tried unasked"
    moves = predict_movements(sample_shape(asset.mesh, parts), predictor="both")
    moving = [(move.confidence, parts.names[i]) for i, move in enumerate(moves) if move.kind != "fixed"]
    if not moving:
        if must:
            raise InputError("no part was found that moves against the rest", "use --kinematics learned")
        return None, f"none of {parts.count} parts ({origin}) seems to move against the rest"
    surest, name = max(moving)
    if surest < SURE and not must:
        return None, f"no part surely moves (the surest, {name}, with a chance of {surest:.2f})"
    count = f"{len(moving)} of {parts.count} parts ({origin})"
    return assemble_articulation(
        asset.mesh, parts, moves, "object"
    ), f"{count} move, surest {name} with a chance of {surest:.2f}"
