"""Which parts move and how: parts, the choice among their candidate motions, colliders, checks."""
