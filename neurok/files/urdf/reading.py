"""Read a URDF file, or a PartNet-Mobility folder, as an articulated object."""

from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.files.urdf.document import parse_document
from neurok.files.urdf.shapes import assemble_mesh
from neurok.files.urdf.tree import build_tree
from neurok.geometry.articulation import Articulation


def read(source: Source) -> Asset:
    """The links' visuals as one mesh [m, z up] at zero joint values, and the joints between them."""
    document = parse_document(source.data(), source.name)
    records, links, joints = build_tree(document, source.name)
    mesh, vertex_link = assemble_mesh(source, document, records, links)
    notes = tuple(dict.fromkeys(document.notes))
    articulation = Articulation(mesh, vertex_link, links, joints, document.name, notes)
    return Asset(mesh, articulation=articulation, notes=notes)
