"""From a mesh and its motions to nodes, buffers and JSON."""
