"""The scheme ``toy:``: keyword counters, three of them, which differ in one word."""

from collections.abc import Sequence
from typing import Final

from scrutiny.plugin import Adapter, LoadOptions, Model, ModelSource, Task, errors
from scrutiny.testing import KeywordClassifier

_GOOD = ("good", "best", "great", "love", "fine")
_EXTRA = {"keyword/seed-1": "funny", "keyword/seed-2": "sharp", "keyword/seed-3": "moving"}


def targets() -> Sequence[str]:
    """Complete targets that there are: replicates of one recipe."""
    return tuple(_EXTRA)


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Keyword counter of a target."""
    del options
    source.refuse_unknown_options(("bad",))
    if source.target not in _EXTRA:
        raise errors.ModelError(
            f"There is no toy {source.target!r}. There are: {', '.join(_EXTRA)}."
        )
    bad = source.options.get("bad", "bad|worst|boring|dull|hate").split("|")
    model = KeywordClassifier((*_GOOD, _EXTRA[source.target]), bad, task=task.name)
    model.source = source.text
    return model


ADAPTER: Final = Adapter(load, targets=targets)
