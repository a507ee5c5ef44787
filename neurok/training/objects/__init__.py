"""Training of the learned generator: examples, the codes of parts, and the flow over parts."""
