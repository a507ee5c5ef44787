"""How bodies deform by what they are made of: their matter, bricks about it, vibrations, handles that carry these."""
