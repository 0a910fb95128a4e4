"""What conformance checks are made of: promises, irregular texts, a context without a run.

The texts are samples, and hypothesis strategies of texts and examples as irregular as real ones.
Hypothesis is imported when a strategy is made, so that the toy models work without it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.randomness import generator
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.tasks.classification import TextClassification, TextPairClassification

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


_VERSIONED: Final = re.compile(r"[a-z][a-z0-9_.-]*(\([^@\s]+\))?@[1-9][0-9]*")
#: Texts that have broken tools: empty, blank, one word, marks, other scripts, joined characters.
SAMPLE_TEXTS: Final = (
    "A wonderful, moving film that I would see again.",
    "The plot isn't bad, but 2 hours of Paris in 1999 is too much!",
    "Ada Lovelace lives in New York and likes it there.",
    "He said: “Don't go there at 5.30 p.m., it's not safe” — and left...",
    "",
    " ",
    "ok",
    "?!",
    "Straße, naïve café, Ωμέγα, привет",
    "这部电影非常好看。",
    "I ❤️ it 👩‍👩‍👧 #great @you https://example.org/a?b=c",
    "one\ttwo\nthree  four",
    "word " * 60,
)


#: Conditions of a contract, each behind the message for where it is not fulfilled.
Promises = Iterable[tuple[str, object]]


def promise(name: str, message: str, is_kept: object) -> None:
    """Raise unless a condition of a contract is fulfilled: what is true, as a test with ``if`` is.

    Raises
    ------
    ConformanceError
        With the name of what was checked and a sentence about it.
    """
    if not is_kept:
        raise ConformanceError(f"{name}: {message}")


def promises(name: str, kept: Promises) -> None:
    """Raise unless all of some conditions are fulfilled; none is looked at behind one that is not.

    Raises
    ------
    ConformanceError
        About the first that is not.
    """
    for message, is_kept in kept:
        promise(name, message, is_kept)


def require_members(thing: Any, members: Iterable[str], *, what: str) -> None:
    """Promise that an object has all members that its base class declares without default.

    Raises
    ------
    ConformanceError
        If one is missing.
    """
    for member in members:
        promise(
            type(thing).__name__,
            f"it has no {member!r}, which a {what} must have.",
            member in dir(thing),
        )


def require_versioned(thing: Any) -> None:
    """Raise unless ``id`` is a versioned name.

    Raises
    ------
    ConformanceError
        If it is not.
    """
    promise(
        thing.id,
        f"its id {thing.id!r} is no versioned name such as 'typos@1'.",
        _VERSIONED.fullmatch(str(thing.id)),
    )


def require_docstring(thing: Any, *, sections: Iterable[str] = ()) -> None:
    """Raise unless a class is documented, with these section names in the docstring.

    Raises
    ------
    ConformanceError
        If a section is missing.
    """
    text = type(thing).__doc__ or ""
    promise(thing.id, "its class has no docstring.", text.strip())
    for section in sections:
        promise(
            thing.id,
            f"the docstring of its class has no section '{section}': "
            f"write a paragraph that begins with **{section}**.",
            section in text,
        )


_WORDS: Final = (
    "good bad film the a not isn't don't Paris London Ada 3.5 25,000 2nd e-mail U.S. café Straße "
    "naïve 👍 👩‍👩‍👧 #great @you https://example.org 电影 привет ... — “quoted” ?! o'clock"
).split(" ")
_GAPS: Final = (" ", " ", " ", "  ", "\t", "\n", ", ", "")
#: Text fields of the tasks that have samples.
FIELDS: Final = {
    TextClassification.name: ("text",),
    TextPairClassification.name: ("text", "text_pair"),
}


def texts(*, max_words: int = 12) -> "SearchStrategy[str]":
    """Sentences of unusual words and gaps, and occasionally any text without surrogates."""
    from hypothesis import strategies as st

    parts = st.tuples(st.sampled_from(_WORDS), st.sampled_from(_GAPS))
    sentences = st.lists(parts, max_size=max_words).map(lambda p: "".join(w + g for w, g in p))
    return sentences | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def examples(
    task: str = TextClassification.name, *, labels: tuple[str, ...] = ("negative", "positive")
) -> "SearchStrategy[Example]":
    """Examples of a classification task, with or without gold.

    Raises
    ------
    ConformanceError
        For a task without a strategy.
    """
    from hypothesis import strategies as st

    names = FIELDS.get(task)
    if names is None:
        raise ConformanceError(
            f"There is no strategy for examples of {task!r}; there are {', '.join(FIELDS)}, and "
            "tagged_examples() for tagging."
        )
    return st.builds(
        Example,
        id=st.integers(0, 10**6).map(str),
        # not st.fixed_dictionaries, which shuffles its keys: fields have the task's order
        fields=st.tuples(*(texts() for _ in names)).map(lambda t: dict(zip(names, t, strict=True))),
        gold=st.none() | st.sampled_from(labels),
    )


def tagged_examples(
    *, labels: tuple[str, ...] = ("PER", "LOC"), max_words: int = 10
) -> "SearchStrategy[Example]":
    """Examples of a tagging task: tokens with single spaces between them, disjoint gold spans."""
    from hypothesis import strategies as st

    @st.composite
    def draw_one(draw: Any) -> Example:
        words = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=max_words))
        tags = draw(
            st.lists(st.sampled_from([None, *labels]), min_size=len(words), max_size=len(words))
        )
        starts = [sum(len(w) + 1 for w in words[:i]) for i in range(len(words))]
        borders = tuple((s, s + len(w)) for s, w in zip(starts, words, strict=True))
        pairs = zip(borders, tags, strict=True)
        gold = tuple(Span("text", start, end, tag) for (start, end), tag in pairs if tag)
        return Example(
            id=str(draw(st.integers(0, 10**6))),
            fields={"text": " ".join(words)},
            gold=gold,
            tokens={"text": borders},
        )

    return draw_one()


class ToyContext:
    """Context that calls a model directly; also a reference, the single model of its family.

    Parameters
    ----------
    task
        Task of the examples.
    model
        Called by `predict`; None while variants are prepared.
    seed
        The run's seed.
    reference
        The second model, for diagnostics of two; asked directly as well.

    Attributes
    ----------
    asked
        ``(item, variant)`` of every question, in order.
    queries
        ``(capability, query)`` of every question to a language model, in order.
    arrays
        What was kept by `array`.
    """

    languages: frozenset[str] = frozenset()
    subject = "reference"
    replicate: str | None = None

    def __init__(
        self,
        task: Task,
        model: Model | None = None,
        *,
        seed: int = 0,
        reference: Model | None = None,
    ) -> None:
        self.task = task
        self.seed = seed
        self.model: Any = model  # none while variants are prepared
        self.labels: tuple[str, ...] = () if model is None else model.labels
        self.resources: Mapping[str, Any] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.queries: list[tuple[str, Any]] = []
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.training: Sequence[Example] = ()
        self.dataset: Sequence[Example] = ()
        self._made: dict[str, Any] = {}
        self.reference: Any = None if reference is None else ToyContext(task, reference)

    def predict(
        self,
        examples: Sequence[Example],
        *,
        variants: Sequence[str | None] | None = None,
        draw: int = 0,
    ) -> list[Prediction | Failure]:
        """Checked answers of the model, asked anew for every ``draw``."""
        del draw
        names = variants or [None] * len(examples)
        self.asked += [(e.id, name) for e, name in zip(examples, names, strict=True)]
        if self.model is None:
            return [Failure("no_model")] * len(examples)
        return predict_or_fail(self.model, examples)

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Checked answers of the model to queries of `scrutiny.core.queries.language`."""
        self.queries += [(capability, query) for query in queries]
        if self.model is None:
            return [Failure("no_model")] * len(queries)
        return ask_or_fail(self.model, capability, queries)

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> np.random.Generator:
        """Random generator for this name, the same as in a run."""
        return generator(self.seed, purpose, name=name, item=item, draw=draw)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Value of ``make()``, computed once per context."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        """Store an array."""
        self.arrays[name] = value
