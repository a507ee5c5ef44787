"""Motions to learn from: importers, our own parametric objects, simulations, and the store that holds them."""
