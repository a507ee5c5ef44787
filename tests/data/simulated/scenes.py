"""Weather for the tests."""

import numpy as np

from neurok.data.simulated.wind import WAVE_COUNT, GustyWind


def still_air() -> GustyWind:
    """Air that only brakes."""
    none = np.zeros((WAVE_COUNT, 3))
    return GustyWind(0.0, np.array([1.0, 0.0, 0.0]), none, none, np.zeros(WAVE_COUNT), np.zeros(WAVE_COUNT), 1.0)
