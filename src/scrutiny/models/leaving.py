"""A model that calls ``sys.exit`` has failed; it does not end the run."""

from collections.abc import Iterator
from contextlib import contextmanager

from scrutiny.core.errors import ModelError


@contextmanager
def exits_refused(source: str) -> Iterator[None]:
    """Turn ``sys.exit`` in a model's code into an error that names the model.

    Raises
    ------
    ModelError
        If the code inside leaves.
    """
    try:
        yield
    except SystemExit as left:
        raise ModelError(
            f"{source} called sys.exit({left.code!r}), which would end the run: a model returns "
            "its answers or raises an error. Mend the model, then re-issue the same command."
        ) from left
