"""Learning what parts are made of: examples from our own objects, real ones and lists of names; the training."""
