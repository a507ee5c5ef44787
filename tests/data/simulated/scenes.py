"""Weather for the tests."""

import numpy as np

from neurok.data.simulated.wind import WAVES, GustyWind


def still_air() -> GustyWind:
    """Air that only brakes."""
    none = np.zeros((WAVES, 3))
    return GustyWind(0.0, np.array([1.0, 0.0, 0.0]), none, none, np.zeros(WAVES), np.zeros(WAVES), 1.0)
