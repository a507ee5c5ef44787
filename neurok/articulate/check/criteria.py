"""What a file must fulfil to pass the check. Set by hand, never measured."""

TOLERANCE = 0.01  # how deep links may lie in each other, of the diagonal; by how much a mass may differ, relative
TRIAL_SECONDS = 2.0  # of being held, of being dropped, and of being pushed to a limit
MAX_DRIFT = 1e-3  # [m] of the base in that time with the joints locked
MAX_SPEED = 1e3  # diagonals a second, or radians: no part of an object moves like that
DENSITY_BOUNDS = (1.0, 30_000.0)  # [kg/m^3] of a link's hull, outside of which a mass is wrong
MASS_BOUNDS = (1e-6, 1e5)  # [kg] of the whole
RANGE_TOLERANCE = 0.02  # of a joint's range, by which it may miss its limit
MAX_LIMIT = 1e6  # [rad or m]: a limit that is farther away is none
