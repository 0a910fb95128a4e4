"""Random streams of a search: apart from those of a model that changes texts when it is asked."""

from threading import local

from scrutiny.perturb.engine.streams import Streams

_OWN = local()


def named_streams() -> Streams:
    """Streams of this thread's searches."""
    found: Streams | None = getattr(_OWN, "streams", None)
    if found is None:
        found = _OWN.streams = Streams()
    return found
