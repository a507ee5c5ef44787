"""Which parts move and how: parts, candidate motions and their simulator, the choice among them, colliders, checks."""
