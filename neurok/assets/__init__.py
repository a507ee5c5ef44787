"""Objects of our own making, bundled so that the demo, the examples and the tests need no download."""
