"""Memory that a step gives back is kept for the next one.

glibc hands large pieces back to the system as soon as they are freed and asks for them anew, every page of which the
system then has to clear again: over a quarter of a step of `points`, whose activations are large.
"""

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # names of glibc's settings
LARGE = 1 << 30  # bytes that are asked for in pieces of their own, or given back


def keep_memory() -> bool:
    """Have the allocator keep what is freed; whether it can be told so (glibc's can)."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        return False
    return all(mallopt(ctypes.c_int(name), ctypes.c_int(LARGE)) == 1 for name in (MMAP_THRESHOLD, TRIM_THRESHOLD))
