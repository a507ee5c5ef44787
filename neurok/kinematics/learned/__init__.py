"""State spaces that a network gives plain meshes: observe, merge, snap, group, correct, skin (see `pipeline`)."""
