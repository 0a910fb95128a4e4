"""Toy models whose answers can be computed by hand, and faulty ones that fail at chosen items."""

import math
from collections.abc import Collection, Mapping, Sequence

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.tasks.classification import TextClassification
from scrutiny.tasks.token_tagging import TokenTagging
from scrutiny.text.tokens import token_spans, token_texts


class ToyModel(Model):
    """Base of toy models: a name, a task, labels, and a fingerprint.

    Parameters
    ----------
    task
        Name of the task.
    labels
        Labels, in the order of the probabilities.
    version, made_of
        What the fingerprint is a digest of; without a version there is none.
    """

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(
        self, task: str, labels: tuple[str, ...], *, version: str = "", made_of: object = None
    ) -> None:
        self.source = f"testing:{type(self).__name__}"
        self.task = task
        self.labels = labels
        self._identity = digest(version, canonical_json(made_of)) if version else None

    def fingerprint(self) -> str | None:
        """Digest of its fields."""
        return self._identity


def words_in(example: Example) -> list[str]:
    """Words of all texts of an item in lower case, as toy classifiers read it."""
    return [word.lower() for text in example.fields.values() for word in token_texts(text)]


class KeywordClassifier(ToyModel):
    """Classifier that counts words: p(positive) = (1 + good) / (2 + good + bad).

    Words are compared in lower case, so "Good" counts and "goood" does not: every typing error
    in a keyword changes the answer, and nothing else does. Without any keyword both labels have
    1/2, and the label is the first.

    Parameters
    ----------
    good, bad
        Keywords in lower case.
    labels
        The bad label, then the good one.
    task
        Name of the task; all texts of an example are counted together.

    Examples
    --------
    >>> model = KeywordClassifier()
    >>> model.predict([Example("1", {"text": "A good, good film, not bad."})])[0]
    Prediction(answer='positive', scores=(0.4, 0.6))
    """

    def __init__(
        self,
        good: Sequence[str] = ("good",),
        bad: Sequence[str] = ("bad",),
        *,
        labels: tuple[str, str] = ("negative", "positive"),
        task: str = TextClassification.name,
    ) -> None:
        self._good = frozenset(good)
        self._bad = frozenset(bad)
        made_of = [self._good, self._bad, labels, task]
        super().__init__(task, labels, version="keywords@1", made_of=made_of)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order."""
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example) -> Prediction:
        """Prediction for one example."""
        words = words_in(example)
        good = sum(word in self._good for word in words)
        bad = sum(word in self._bad for word in words)
        positive = (1 + good) / (2 + good + bad)
        scores = ((1 + bad) / (2 + good + bad), positive)
        return Prediction(self.labels[int(positive > 0.5)], scores=scores)


class ConstantClassifier(ToyModel):
    """Classifier that always returns the same label, with certainty.

    Parameters
    ----------
    label
        What it says.
    labels
        All labels that it knows.
    task
        Name of the task.

    Raises
    ------
    ModelError
        If the label is not among the labels.

    Examples
    --------
    >>> ConstantClassifier("b", labels=("a", "b")).predict([Example("1", {"text": "x"})])[0].scores
    (0.0, 1.0)
    """

    def __init__(
        self,
        label: str = "positive",
        *,
        labels: tuple[str, ...] = ("negative", "positive"),
        task: str = TextClassification.name,
    ) -> None:
        if label not in labels:
            raise ModelError(f"{label!r} is not among the labels {', '.join(labels)}.")
        super().__init__(task, labels, version="constant@1", made_of=[label, labels, task])
        scores = tuple(float(label == other) for other in labels)
        self._answer = Prediction(label, scores=scores)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Return the same prediction for each example."""
        return [self._answer] * len(examples)


class GazetteerTagger(ToyModel):
    """Tagger that finds listed names (longest match, case-sensitive, at word borders).

    Parameters
    ----------
    names
        Label of each name ("New York": "LOC").

    Examples
    --------
    >>> tagger = GazetteerTagger({"New York": "LOC", "York": "PER"})
    >>> tagger.predict([Example("1", {"text": "New York, York"})])[0].answer
    (Span(field='text', start=0, end=8, label='LOC'), Span(field='text', start=10, end=14, label='PER'))
    """  # noqa: E501 - the example's output is one line

    of_task = TokenTagging.name

    def __init__(self, names: Mapping[str, str]) -> None:
        labels = tuple(sorted(set(names.values())))
        super().__init__(self.of_task, labels, version="gazetteer@1", made_of=dict(names))
        self._by_words = {tuple(token_texts(name)): label for name, label in names.items()}
        self._longest = max(map(len, self._by_words), default=0)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of each example, in order."""
        return [Prediction(tuple(self._spans(example))) for example in examples]

    def _spans(self, example: Example) -> list[Span]:
        """Names in the first field of an example, from left to right."""
        field = next(iter(example.fields))
        borders = (example.tokens or {}).get(field) or token_spans(example.text)
        words = [example.text[start:end] for start, end in borders]
        spans: list[Span] = []
        place = 0
        while place < len(words):
            lengths = range(min(self._longest, len(words) - place), 0, -1)
            names = self._by_words
            length = next((n for n in lengths if tuple(words[place : place + n]) in names), 0)
            if length:
                label = self._by_words[tuple(words[place : place + length])]
                start, end = borders[place][0], borders[place + length - 1][1]
                spans.append(Span(field, start, end, label))
            place += length or 1
        return spans


class _OftenRight(ToyModel):
    """Model that fails at certain items; without fingerprint, so answers are not cached."""

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        self._inner: Model = inner or KeywordClassifier()
        self._fails_on = frozenset(fails_on)
        super().__init__(self._inner.task, tuple(self._inner.labels))


class FlakyClassifier(_OftenRight):
    """Model that raises `RuntimeError` if certain items are in the batch.

    Parameters
    ----------
    fails_on
        Identifiers of the items.
    inner
        Answers all other items; a `KeywordClassifier` unless given.

    Attributes
    ----------
    calls
        Identifiers of each batch that was asked, in order.
    """

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        super().__init__(fails_on, inner=inner)
        self.calls: list[tuple[str, ...]] = []

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, unless an item fails."""
        self.calls.append(tuple(example.id for example in examples))
        failing = [example.id for example in examples if example.id in self._fails_on]
        if failing:
            raise RuntimeError(f"item {failing[0]} makes this model fail")
        return self._inner.predict(examples)


class NanClassifier(_OftenRight):
    """Model with NaN probabilities for certain items.

    Parameters
    ----------
    fails_on
        Identifiers of the items.
    inner
        Answers all other items; a `KeywordClassifier` unless given.
    """

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, some of them NaN."""
        nan = Prediction(scores=(math.nan,) * len(self.labels))
        pairs = zip(examples, self._inner.predict(examples), strict=True)
        return [nan if example.id in self._fails_on else answer for example, answer in pairs]


class WrongShapeClassifier(ToyModel):
    """Model with a number of probabilities that differs from its number of labels.

    Parameters
    ----------
    columns
        How many it gives, each 1 / columns.
    labels
        Labels that it claims to have.
    """

    of_task = TextClassification.name

    def __init__(
        self, columns: int = 3, *, labels: tuple[str, ...] = ("negative", "positive")
    ) -> None:
        super().__init__(self.of_task, labels)
        self._columns = columns

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the wrong shape."""
        scores = (1 / self._columns,) * self._columns if self._columns else ()
        return [Prediction(scores=scores) for _ in examples]
