"""What the parts of an object are probably made of, told by their shape, their surface and their names."""
