"""Methods that are measured: one file each, listed in `neurok.evaluate.method`."""
