"""Memory of a long-lived server: what closed tabs leave goes back to the system, where the C library lets it."""

import ctypes
import gc

ARENA_MAX_OPTION = -8  # M_ARENA_MAX of glibc's malloc.h


def _find_glibc() -> ctypes.CDLL | None:
    """The C library, where it is one that can be told to give memory back."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no such name
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def share_arena() -> None:
    """Have all threads take memory from one place: what a tab's thread took serves the next tab's."""
    library = _find_glibc()
    if library is not None:
        library.mallopt(ARENA_MAX_OPTION, 1)


def release_memory() -> None:
    """Free what nothing refers to any more, and give what is free back to the system."""
    gc.collect()
    library = _find_glibc()
    if library is not None:
        library.malloc_trim(0)
