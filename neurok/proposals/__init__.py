"""What could move, told by geometry alone: sampled parts, their contacts, candidate motions, and the trial of each."""
