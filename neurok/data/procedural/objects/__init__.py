"""One file per category: `draw(kit)`."""
