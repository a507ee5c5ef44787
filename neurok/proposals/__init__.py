"""What could move, told by geometry alone: units of a surface, nested parts, contacts, motions, the trial of each."""
