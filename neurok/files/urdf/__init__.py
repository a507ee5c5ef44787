"""URDF: links, visuals and joints in XML, meshes in files beside it."""

from neurok.files.urdf.reading import read

__all__ = ["read"]
