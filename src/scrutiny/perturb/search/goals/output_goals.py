"""Goals about outputs: the same for another or a shorter text, another text, other spans."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from scrutiny.core.answers.answer import has_places, label_in, type_of
from scrutiny.core.answers.texts import TEXT
from scrutiny.core.boundary.parameters import at_least, one_of, shares
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Span
from scrutiny.core.facts import LABELS, SPANS, WRITTEN
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.goals.answer_goals import (
    DISTANCES,
    Against,
    Distance,
    probability,
    scores_of,
    starting_label,
    why_skipped,
)
from scrutiny.perturb.search.judging import Answer, Base, Goal, Slope, single
from scrutiny.perturb.search.state import State
from scrutiny.text.edits import apply_to_answer
from scrutiny.text.tokens import token_texts

Unit = Literal["words", "characters"]


@dataclass(frozen=True, slots=True)
class KeepOutput(Goal):
    """The model gives the same answer to a changed text.

    Another text with the output of the base; the score is 1 / (1 + distance of outputs).

    Below the least change the score falls by 1 for each unit that is missing, above the most by 1
    for each that is too many, and by 1 where the label is lost: such texts are never better than
    one that may stand. The base itself has the score 0 with the default of one word.

    Parameters
    ----------
    distance
        Between the probabilities of the base and of the text: ``l1``; ``kl`` (base relative to
        text, in bits); ``js`` (Jensen-Shannon divergence, in bits); ``max_abs``; ``mse``;
        ``cosine`` (1 - cosine).
    keeps_label
        Whether the predicted label has to stay.
    least, most
        How much of the text has to change, and may; ``most`` may be nothing.
    unit
        What that counts: words touched, or the edit distance in code points.

    **Measures** what a reference cannot tell apart: the raw material of shared invariances.

    **Misleads when** little has to change: minimizing is easy, and trivial texts win. State the
    result beside the amount of change.

    References
    ----------
    Shared invariances by search against a reference model (SCoPE), 2024.

    Examples
    --------
    >>> from scrutiny.core.edit import Edit
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.core.task import Prediction
    >>> from scrutiny.perturb.search.moves import Origin
    >>> item = Example("1", {"text": "a fine film"})
    >>> base = Base(item, Prediction("good", (0.25, 0.75)), ("bad", "good"))
    >>> text = State.start(Origin(item)).step([Edit("text", 2, 6, "good")])
    >>> KeepOutput().judge(base, Prediction("good", (0.75 - 0.25, 0.5)), text)
    (0.6666666666666666, True)
    """

    id = "keep_output@1"
    wants = (LABELS,)

    distance: Distance = "l1"
    keeps_label: bool = True
    least: int = 1
    most: int | None = None
    unit: Unit = "words"

    def __post_init__(self) -> None:
        one_of(self, distance=DISTANCES)
        if self.least < 1 or (self.most is not None and self.most < self.least):
            raise PlanError(
                f"least and most must satisfy 1 <= least <= most; they are {self.least} and "
                f"{self.most}."
            )

    def skips(self, base: Base) -> str | None:
        """Never: any answer can be kept."""
        return None

    def slope(self, base: Base) -> Slope:
        """The model's own label, whose loss should stay the same."""
        return Slope(base.labels[starting_label(base, "prediction")], 0)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 / (1 + distance) minus missing conditions, and whether all conditions are met."""
        before, after = single(base.answer), single(answer)
        labels = base.labels
        far = DISTANCES[self.distance](scores_of(before, labels), scores_of(after, labels))
        is_lost = self.keeps_label and before.label_among(labels) != after.label_among(labels)
        # units of change that are missing, or too many: words touched, or the edit distance
        if self.unit == "words":
            changed = state.words_changed
        else:
            pairs = zip(state.origin.texts, state.texts, strict=True)
            changed = sum(Levenshtein.distance(old, new) for old, new in pairs)
        if changed < self.least:
            missing = self.least - changed
        else:
            missing = 0 if self.most is None else max(0, changed - self.most)
        is_same = state.texts == state.origin.texts
        return 1.0 / (1.0 + far) - missing - is_lost, not (missing or is_lost or is_same)


@dataclass(frozen=True, slots=True)
class AnswerStays(Goal):
    """The answer stays although the text is another.

    For answers of any type: a label, or the same words of an extract.

    Parameters
    ----------
    label
        Right answer of the items that are asked, ``match``; with nothing, all items are. An answer
        that is right of the changed text as well ought to stay.

    **Measures** over-stability: whether a model answers a question that was not asked.

    **Misleads when** the same answer is right of the changed text.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> AnswerStays().does("accuracy")
    'leaves the answer of {} % of texts as it was'
    """

    id = "answer_stays@1"

    label: str = ""

    def skips(self, base: Base) -> str | None:
        """``already_wrong`` if the right answer is not given, ``other_label`` if another is right.

        Answers that are no labels are never skipped.
        """
        gold = label_in(base.example.gold)
        if gold is None:
            return None
        if self.label and gold != self.label:
            return "other_label"
        return why_skipped(base, "gold")

    def slope(self, base: Base) -> Slope | None:
        """The model's own label, whose loss should stay the same; none of other answers."""
        if not base.labels:
            return None
        return Slope(base.labels[starting_label(base, "prediction")], 0)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 if a changed text has the answer of the base, else 0; -1 for the base itself."""
        if state.texts == state.origin.texts:
            return -1.0, False
        stays = _in_words(single(base.answer), base) == _in_words(single(answer), base)
        return float(stays), stays

    def does(self, score: str) -> str:
        """What it does to texts, with their number to be filled in."""
        return "leaves the answer of {} % of texts as it was"


def _in_words(prediction: Prediction, base: Base) -> str:
    """An answer in words: a label, or what the answer says."""
    given = prediction.answer
    if given is None or label_in(given) is not None:
        return str(prediction.label_among(base.labels))
    return type_of(given).show(given, base.example.fields)


@dataclass(frozen=True, slots=True)
class FewestWords(Goal):
    """The model gives the same answer to as few words as possible.

    The starting label with as few words as possible.

    The score is the share of the base's words that are gone, plus p / words of the base, so that of
    two equally short texts the surer one is better; p / words - 1 where the label is lost. The goal
    counts as reached at ``words`` words; short of that, the shortest text found is still the
    result, and its score says how short it is.

    Parameters
    ----------
    words
        How many words may be left.
    against
        What the starting label is: what the model says of the base, or the gold answer.
    fields
        Text fields whose words count ("hypothesis" alone of a pair); empty for all.

    **Measures** how little of a text decides: a model that is as sure of one word as of the whole
    text does not use the rest.

    **Misleads when** the class prior alone gives the label: compare with the empty text.

    References
    ----------
    Feng, Wallace, Grissom, Iyyer, Rodriguez, Boyd-Graber (2018), Pathologies of neural models make
    interpretations difficult.

    Examples
    --------
    >>> FewestWords().words
    1
    """

    id = "input_reduction@1"
    wants = (LABELS,)

    words: int = 1
    against: Against = "prediction"
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        at_least(self, words=1)

    def skips(self, base: Base) -> str | None:
        """Same reasons as for losing a label."""
        return why_skipped(base, self.against)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of removed words while the label stays, and whether few enough words are left."""
        prediction, start = single(answer), starting_label(base, self.against)
        names = [n for n in state.origin.names if not self.fields or n in self.fields]
        total = max(1, sum(state.origin.document(name).word_count for name in names))
        sure = probability(prediction, start, base.labels) / total
        if prediction.label_among(base.labels) != base.labels[start]:
            return sure - 1.0, False
        left = sum(state.document(name).word_count for name in names)
        return (total - left) / total + sure, left <= self.words


@dataclass(frozen=True, slots=True)
class OutputText(Goal):
    """The generated text changes.

    Another text than the one generated for the base; the score is 1 - their overlap.

    Parameters
    ----------
    overlap
        ``words``: F1 between the words of both, as many times as they occur, in lower case;
        ``positions``: share of the base output's words that stand at the same position.
    most
        Largest overlap at which the goal is reached; with nothing, any other text will do.

    **Measures** whether what a model writes hangs on the wording of its input.

    **Misleads when** outputs are sampled: two answers to the same text differ as well. Compare with
    the base asked twice.

    References
    ----------
    Cheng, Yi, Chen, Zhang, Hsieh (2020), Seq2Sick.

    Examples
    --------
    >>> OutputText(most=0.0).overlap
    'words'
    """

    id = "output_text@1"
    wants = (WRITTEN,)

    overlap: Literal["words", "positions"] = "words"
    most: float | None = None

    def __post_init__(self) -> None:
        shares(self, "most")

    def skips(self, base: Base) -> str | None:
        """``no_output`` if nothing was generated for the base."""
        return None if _text(base.answer).strip() else "no_output"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - overlap with the output for the base, and whether the overlap is small enough."""
        before, after = _text(base.answer), _text(answer)
        shared = _OVERLAPS[self.overlap](_words(before), _words(after))
        is_reached = before != after if self.most is None else shared <= self.most
        return 1.0 - shared, is_reached


def _text(answer: Answer) -> str:
    text = single(answer).answer
    if text is None or type_of(text) is not TEXT:
        raise ModelError("The goal output_text needs models that write text.")
    return str(text)


def _words(text: str) -> list[str]:
    return [word.lower() for word in token_texts(text)]


def _of_words(before: list[str], after: list[str]) -> float:
    total = len(before) + len(after)
    return 2.0 * (Counter(before) & Counter(after)).total() / total if total else 1.0


def _of_positions(before: list[str], after: list[str]) -> float:
    same = sum(a == b for a, b in zip(before, after, strict=False))
    return same / len(before) if before else float(not after)


_OVERLAPS = {"words": _of_words, "positions": _of_positions}


@dataclass(frozen=True, slots=True)
class Tagging(Goal):
    """Any predicted span changes.

    Predicted spans that differ from the expected ones; the score is 1 - F1 between them.

    Expected are the starting spans, carried by the edits: a name that only moved is not lost.

    Parameters
    ----------
    against
        What the starting spans are: the gold answer, or what the model says of the base.
    what
        ``any`` difference, or only spans that are ``lost`` (the score is then the share of
        expected spans that are not predicted with the same borders and label).

    **Measures** whether spans can be lost, and for ``any`` whether false ones can be brought about.

    **Misleads when** an edit changes what the expected spans should be, which nobody checks.

    Examples
    --------
    >>> Tagging(what="lost").against
    'gold'
    """

    id = "tagging@1"
    wants = (SPANS,)

    against: Against = "gold"
    what: Literal["any", "lost"] = "any"

    def skips(self, base: Base) -> str | None:
        """``no_gold`` without gold spans; ``already_wrong`` if the model misses them already."""
        if self.against == "prediction":
            return "nothing_to_lose" if self._has_nothing(single(base.answer).answer) else None
        gold = base.example.gold
        if not has_places(gold):
            return "no_gold"
        if self._has_nothing(gold):
            return "nothing_to_lose"
        _, is_wrong = self._compare(frozenset(gold), single(base.answer).answer)
        return "already_wrong" if is_wrong else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - F1, or the share that is lost; not reached where the edits break a span."""
        expected = state.example.gold
        if self.against == "prediction":
            said = single(base.answer).answer or ()
            try:
                expected = apply_to_answer(said, base.example, state.edits)
            except EditRefusedError:
                return 0.0, False
        return self._compare(frozenset(expected), single(answer).answer)

    def _has_nothing(self, spans: tuple[Span, ...] | None) -> bool:
        return self.what == "lost" and not spans

    def _compare(
        self, expected: frozenset[Span], spans: tuple[Span, ...] | None
    ) -> tuple[float, bool]:
        predicted = frozenset(spans or ())
        hits = len(expected & predicted)
        if self.what == "lost":
            return 1.0 - hits / len(expected) if expected else 0.0, hits < len(expected)
        total = len(expected) + len(predicted)
        return (1.0 - 2.0 * hits / total if total else 0.0), expected != predicted
