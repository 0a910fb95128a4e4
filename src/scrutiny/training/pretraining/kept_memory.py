"""Memory of training steps: kept between them instead of returned to the system."""

import ctypes
from typing import Final

_TRIM_THRESHOLD: Final = -1  # malloc.h
_MMAP_THRESHOLD: Final = -3
_MOST_BYTES: Final = 2**31 - 1


def keep_memory() -> bool:
    """Make glibc keep freed memory; False without glibc, where nothing is changed.

    A training step frees and takes again the same hundreds of megabytes. By default glibc maps
    each large array anew, and the page faults cost a tenth to a quarter of the time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    settings = (_TRIM_THRESHOLD, _MMAP_THRESHOLD)
    return all(mallopt(ctypes.c_int(name), ctypes.c_int(_MOST_BYTES)) == 1 for name in settings)
