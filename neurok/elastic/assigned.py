"""What deforms of an object, by what is stated of its parts."""

from neurok.elastic.matter import FaceMaterials, Hooke
from neurok.geometry.mesh import Mesh
from neurok.materials.assignment import PartAssignment
from neurok.materials.properties import MaterialProperties

SHEET = 0.005  # of the diagonal: the thickness of an open surface of which nobody states one, as with masses
DEFAULT_DENSITY = 500.0  # kg/m^3, as with masses
DEFAULT_POISSON = 0.3  # of most solids
MAX_POISSON = 0.49  # what hardly changes its volume is taken so: 1/2 itself has no stiffness matrix


def read_materials(mesh: Mesh, made: PartAssignment) -> FaceMaterials | None:
    """What each face is made of; None where nothing deforms, as far as anybody states."""
    materials = tuple(_read_hooke(one) for one in made.properties)
    found = FaceMaterials(made.index, made.read("thickness", SHEET * mesh.diagonal * mesh.unit), materials)
    return found if found.elastic.any() else None


def _read_hooke(one: MaterialProperties) -> Hooke:
    """Parts of which nobody says how they deform are rigid, and so are stiff ones where no modulus is stated."""
    usual = None if one.material is None else one.material.find_typical("young")
    is_stated = one.young is not None and one.young != usual
    moves_as_one = one.behaviour is not None and one.behaviour.moves_as_one and not is_stated
    return Hooke(
        young=one.young or 1.0,
        poisson=min(DEFAULT_POISSON if one.poisson is None else one.poisson, MAX_POISSON),
        density=DEFAULT_DENSITY if one.density is None else one.density,
        loss=one.loss or 0.0,
        is_rigid=one.young is None or moves_as_one or one.deforms is False,
    )
