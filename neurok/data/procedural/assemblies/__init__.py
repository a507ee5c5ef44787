"""Objects that are no particular thing: bodies, what is mounted on them, and what only rests there."""
