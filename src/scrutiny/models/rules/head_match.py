"""Head match: coreference by main words, and pronouns by the nearest mention that fits.

The usual baseline: what it finds needs no knowledge of what a text says. Names and noun phrases
join the cluster whose latest mention has the same main word, unless their genders or numbers
differ; a noun phrase that introduces somebody (*a man*) begins a cluster. *I*, *we* and *you* have
one cluster each. Other pronouns join the nearest mention before them that may be meant.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import CLUSTERS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.inputs import borders, must_answer_task
from scrutiny.models.rules.mentions import Mention, described, find
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.source import ModelSource
from scrutiny.text.tagger import default_tagger

_VERSION: Final = "head-match@1"
_NAME: Final = "head-match"
_TOLD: Final = ("gender", "number", "is_thing")
_SPEAKERS: Final = frozenset({"i", "you", "we"})


class _Cluster:
    """Cluster in the making, and what is known of whom its mentions name."""

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self._known: dict[str, set[Any]] = {name: set() for name in _TOLD}

    def add(self, mention: Mention) -> None:
        """Take a mention in."""
        self.mentions.append(mention)
        for name, known in self._known.items():
            known.update({getattr(mention, name)} - {None})

    def fits(self, mention: Mention) -> bool:
        """Whether all that is known agrees with what a mention tells."""
        told = ((known, getattr(mention, name)) for name, known in self._known.items())
        return all(value is None or known <= {value} for known, value in told)


def _resolved(mentions: Iterable[Mention]) -> list[list[Mention]]:
    """Clusters of mentions, which come in the order of the text."""
    clusters: list[_Cluster] = []
    seen: list[tuple[Mention, _Cluster]] = []
    for mention in mentions:
        found = None if mention.is_new else _meant(mention, seen)
        if found is None:
            found = _Cluster()
            clusters.append(found)
        found.add(mention)
        seen.append((mention, found))
    return [cluster.mentions for cluster in clusters]


def _meant(mention: Mention, seen: Sequence[tuple[Mention, _Cluster]]) -> _Cluster | None:
    """Cluster of the nearest mention before another that may be meant by it."""
    is_open = mention.kind == "pronoun" and mention.head not in _SPEAKERS
    for other, cluster in reversed(seen):
        is_candidate = other.last < mention.first if is_open else other.head == mention.head
        if is_candidate and cluster.fits(mention):
            return cluster
    return None


class HeadMatch(Model):
    """Head match on English texts, with its own mentions or those of the gold answer."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})
    labels: tuple[str, ...] = ()

    def __init__(self, task: Task, source: ModelSource) -> None:
        self.source = source.text
        self.task = task.name
        self._mentions = source.options.get("mentions", "own")
        if self._mentions not in ("own", "gold"):
            raise ModelError(f"{source.text!r}: mentions= is own or gold, not {self._mentions!r}.")

    def fingerprint(self) -> str | None:
        """Digest of the rules; `None` with gold mentions, which texts alone do not settle."""
        return digest(_VERSION) if self._mentions == "own" else None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Clusters of each example."""
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example) -> Prediction:
        places = borders(example)
        words = [example.text[start:end] for start, end in places]
        mentions = find(words) if self._mentions == "own" else _given(example, places, words)
        field = next(iter(example.fields))
        clusters = _resolved(mentions)
        return Prediction(
            clusters_of(
                field, [[(places[m.first][0], places[m.last][1]) for m in c] for c in clusters]
            )
        )


def _given(
    example: Example, places: Sequence[tuple[int, int]], words: Sequence[str]
) -> list[Mention]:
    """Mentions of the gold answer; what they refer to is not looked at.

    Raises
    ------
    ModelError
        If there is none, or a mention has no words of its own.
    """
    if example.gold is None:
        raise ModelError("mentions=gold needs items with gold answers.")
    firsts = {start: i for i, (start, _) in enumerate(places)}
    lasts = {end: i for i, (_, end) in enumerate(places)}
    tags = [tag.xpos for tag in default_tagger().tag(words)]
    found = [
        described(words, tags, firsts[start], lasts[end]) for start, end in example.gold.mentions
    ]
    return sorted(found, key=lambda m: (m.first, -m.last))


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Coreference by main words; ``#mentions=gold`` takes the mentions of the gold answer.

    Raises
    ------
    ModelError
        If there are no such rules, or the task is another.
    """
    del options
    _must_be_there(source)
    source.refuse_unknown_options(("mentions",))
    must_answer_task(task, (CLUSTERS,), source=source.text)
    return HeadMatch(task, source)


def _must_be_there(source: ModelSource) -> None:
    """Refuse a target that names no rules."""
    if source.target != _NAME:
        raise ModelError(f"There are no rules {source.target!r}. There are: {_NAME}.")


ADAPTER: Final = Adapter(load, targets=lambda: (_NAME,), must_be_there=_must_be_there)
