"""Energies over time: their sum, and how far it drifts."""

import numpy as np

from neurok.geometry.arrays import Array


def measure_drift(kinetic: Array, potential: Array) -> float:
    """max |E - E0| / max kinetic energy, of energies [J], [t]: zero where nothing adds or takes any."""
    most, total = float(kinetic.max()), kinetic + potential
    return float(np.abs(total - total[0]).max()) / most if most > 0 else 0.0
