"""Hostile input by the thousand: `make fuzz`."""
