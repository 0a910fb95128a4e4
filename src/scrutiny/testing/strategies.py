"""Hypothesis strategies: texts and examples as irregular as real ones.

Hypothesis is imported when a strategy is made, so that the toy models work without it.
"""

from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example, Span
from scrutiny.tasks.classification.classes import TextClassification, TextPairClassification

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_WORDS: Final = (
    "good bad film the a not isn't don't Paris London Ada 3.5 25,000 2nd e-mail U.S. café Straße "
    "naïve 👍 👩‍👩‍👧 #great @you https://example.org 电影 привет ... — “quoted” ?! o'clock"
).split(" ")
_GAPS: Final = (" ", " ", " ", "  ", "\t", "\n", ", ", "")
_FIELDS: Final = {
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

    names = _FIELDS.get(task)
    if names is None:
        raise ConformanceError(
            f"There is no strategy for examples of {task!r}; there are {', '.join(_FIELDS)}, and "
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
