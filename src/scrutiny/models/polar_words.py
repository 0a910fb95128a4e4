"""Baselines for sentiment: words of praise and blame near what is asked about, and one label.

``rules:polar-words`` counts words of praise and of blame (`scrutiny.text.opinions`). One after a
negation counts as the reverse. Where the task names a part of the text, such as an aspect, a word
counts the less the farther it stands from it, and least beyond a "but"; elsewhere all count alike.
It knows English alone.
"""

import re
from collections.abc import Sequence
from typing import Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.tasks.aspects import sign_of
from scrutiny.tasks.tasks import mentions
from scrutiny.text.opinions import sign_of_word
from scrutiny.text.tokens import token_spans

_VERSION: Final = "polar-words@1"
_LABELS: Final = ("negative", "neutral", "positive")
_NEGATIONS: Final = frozenset("not no never n't cannot without hardly barely nothing".split())
_BORDERS: Final = frozenset("but although though however ; . ! ? -".split())
_REACH: Final = 3  # words before one that a negation among them reverses
_BEYOND: Final = 0.2  # what a word counts beyond a border, of what it counts in the same clause
_NEGATED: Final = re.compile(r"n['’]t$")


class PolarWords(IdentifiedModel):
    """Polarity of a text, or of what it is asked about, by the words near it."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, task: Task, source: ModelSource) -> None:
        self.labels = source.labels() or _LABELS
        self._of_sign = {sign_of(label): label for label in self.labels}
        if not {1, -1} <= self._of_sign.keys():
            raise ModelError(
                f"{source.text!r} gives praise and blame, and the labels {', '.join(self.labels)} "
                "are no names of them: #labels=negative|neutral|positive."
            )
        super().__init__(source.text, task.name, digest(_VERSION, *self.labels))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Label of each example."""
        return [Prediction(self._answer(example)) for example in examples]

    def _answer(self, example: Example) -> str:
        text, *others = example.fields.values()
        score = _score(text, others[0] if others else "")
        sign = 0 if abs(score) < 1e-9 else 1 if score > 0 else -1
        return self._of_sign.get(sign) or self._of_sign[1]


def _score(text: str, named: str) -> float:
    """Praise less blame in a text, by distance to the nearest mention of what is named.

    Examples
    --------
    >>> text = "The food was not good, but the staff was friendly."
    >>> _score(text, "food") < 0 < _score(text, "staff")
    True
    """
    places = token_spans(text)
    words = [text[a:b].lower() for a, b in places]
    asked = [
        i
        for found in mentions(named, text)
        for i, (a, b) in enumerate(places)
        if a < found.end() and found.start() < b
    ]
    total = 0.0
    for i, word in enumerate(words):
        sign = 0 if i in asked else sign_of_word(word)
        if not sign:
            continue
        before = words[max(0, i - _REACH) : i]
        if any(w in _NEGATIONS or _NEGATED.search(w) for w in before):
            sign = -sign
        total += sign * max((_weight(words, i, at) for at in asked), default=1.0)
    return total


def _weight(words: Sequence[str], one: int, other: int) -> float:
    """Weight of a polar word, by its distance in words from the place that is judged."""
    low, high = sorted((one, other))
    is_beyond = not _BORDERS.isdisjoint(words[low:high])
    return (_BEYOND if is_beyond else 1.0) / (high - low)


class OneLabel(IdentifiedModel):
    """The same label for everything, that of the data's commonest class for one."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, task: Task, source: ModelSource) -> None:
        self._label = source.options.get("label", "")
        others = source.labels()
        if not self._label or (others and self._label not in others):
            raise ModelError(
                f"{source.text!r} has to say which label: rules:one-label#label=positive, one of "
                "labels=a|b where these are stated."
            )
        self.labels = others or (self._label,)
        super().__init__(source.text, task.name, digest("one-label@1", self._label, *self.labels))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """The label, for each example."""
        return [Prediction(self._label)] * len(examples)


def load_polar_words(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Polarity by words of praise and blame near what is asked about.

    Raises
    ------
    ModelError
        If the task has no labels, or these are no names of polarities.
    """
    del options
    source.refuse_unknown_options(("labels",))
    must_answer_task(task, (LABELS,), source=source.text)
    return PolarWords(task, source)


def load_one_label(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """The same label for everything.

    Raises
    ------
    ModelError
        If the task has no labels, or none is named.
    """
    del options
    source.refuse_unknown_options(("label", "labels"))
    must_answer_task(task, (LABELS,), source=source.text)
    return OneLabel(task, source)
