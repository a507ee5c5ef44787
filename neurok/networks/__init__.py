"""Learned maps from shapes to state spaces."""
