"""Digests of files, computed once as long as a file stays the same."""

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path


def hash_file(path: Path) -> str:
    """Digest of a file's bytes, computed once as long as its size and time stay the same."""
    stat = path.stat()
    return _hash(str(path.resolve()), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _hash(path: str, size: int, changed_ns: int) -> str:
    """Digest of a file's bytes; size and time of change are there for the cache."""
    state = blake2b(digest_size=16)
    with Path(path).open("rb") as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()
