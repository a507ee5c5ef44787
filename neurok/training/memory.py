"""Memory that a step gives back is kept for the next one.

glibc hands large pieces back to the system as soon as they are freed and asks for them anew, every page of which the
system then has to clear again: over a quarter of a step of `points`, whose activations are large.
"""

import contextlib
import ctypes
from collections.abc import Iterator

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # names of glibc's settings
LARGE, USUAL = 1 << 30, 128 << 10  # bytes that are asked for in pieces of their own, or given back


@contextlib.contextmanager
def keep_memory() -> Iterator[bool]:
    """Have the allocator keep freed memory within the context; gives whether it can (glibc's can)."""
    try:
        library = ctypes.CDLL(None)
        mallopt, trim = library.mallopt, library.malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        yield False
        return

    def settle(size: int) -> bool:
        return all(mallopt(ctypes.c_int(name), ctypes.c_int(size)) == 1 for name in (MMAP_THRESHOLD, TRIM_THRESHOLD))

    try:
        yield settle(LARGE)
    finally:
        settle(USUAL)
        trim(0)
