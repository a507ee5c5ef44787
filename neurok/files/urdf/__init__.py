"""URDF: links, visuals and joints in XML, meshes in files beside it."""

from neurok.files.urdf.reading import read
from neurok.files.urdf.writing import write

__all__ = ["read", "write"]
