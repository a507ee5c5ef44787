"""The kinds of simulated objects, a small file each."""
