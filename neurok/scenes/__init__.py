"""Several objects in one scene: relations become places, MuJoCo settles them, and a hand moves what it is told to."""
