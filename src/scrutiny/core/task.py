"""Tasks: fields, gold answers, predictions, and scoring."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from scrutiny.core.answers.answer import AnswerType, label_in, type_of
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure


class Prediction(NamedTuple):
    """A model's answer to one example.

    Parameters
    ----------
    answer
        A label, spans, a text: a value of one of the types of `scrutiny.core.answers`; None if
        only probabilities are known.
    scores
        Of a label: the probability of each of the model's labels, in their order. Of other answers:
        that of each of their parts to be right, in the order of `AnswerType.judged` (a span, a
        word, the whole extract).
    said
        What the model wrote, where the answer was read from it.
    """

    answer: Any = None
    scores: tuple[float, ...] | None = None
    said: str | None = None

    def label_among(self, labels: Sequence[str]) -> str | None:
        """Label that it names, or else the likeliest of the model's; None if it is no label.

        Examples
        --------
        >>> Prediction(scores=(0.25, 0.75)).label_among(["bad", "good"])
        'good'
        """
        if self.answer is not None or not self.scores:
            return label_in(self.answer)
        return labels[self.scores.index(max(self.scores))]

    def agrees(self, other: "Prediction") -> bool:
        """Whether both answers to one text are the same.

        Examples
        --------
        >>> Prediction("a").agrees(Prediction("a", scores=(1.0,)))
        True
        """
        if self.answer is None or other.answer is None:
            return self.answer is other.answer
        kind = type_of(self.answer)
        return kind is type_of(other.answer) and kind.agree(self.answer, other.answer).is_whole


class ClassCounts(NamedTuple):
    """Parts of answers that have a class: found, given but wrong, missed."""

    tp: float = 0.0
    fp: float = 0.0
    fn: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """Scoring of a task: its level, bounds and tolerance.

    Parameters
    ----------
    level
        Metric of one text, e.g. ``accuracy@1``: drops and excesses are made of it.
    also
        Metrics that are told beside it.
    alone
        Metrics of the items as they are, which are no function of sums: no drop is made of them.
    tolerance
        Drop that can be lived with, in the statistic's own units.
    no_skill
        What `Task.chance` is, behind "no skill is".
    kept
        Metrics among ``also`` that an audit wants to be kept when texts change, too.
    note
        Sentence on how these items are scored, for the report; empty if there is no choice.
    names
        What metrics are called on these items, where their name alone does not say how they are
        computed: "BLEU (13a)" for ``bleu@1``, after its tokenizer.
    """

    level: str
    also: tuple[str, ...] = ()
    tolerance: float = 0.02
    no_skill: str = "0"
    kept: tuple[str, ...] = ()
    note: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    alone: tuple[str, ...] = ()


RoleKind = Literal[
    "id", "text", "texts", "words", "gold", "list", "group", "label", "number", "unit",
    "messages", "expected", "function",
]  # fmt: skip
#: What the names of attributes begin with, by the kind of their column.
_PREFIXES: Final = {"unit": "u_", "group": "a_", "label": "a_", "number": "a_"}


class Role(NamedTuple):
    """Role of a column in a task.

    Parameters
    ----------
    name
        Option of the data string that names the column.
    meaning
        "column of …", for messages.
    kind
        ``id``: identifiers; ``text``: a text; ``texts``: a list of options or candidates, each a
        text field (``option_1``, …); ``words``: a list of words, the text's tokens; ``gold``: the
        answer; ``list``: a list about the words; ``group``: an attribute ``a_NAME``;
        ``label``: such an attribute that names a label, and is renamed with the labels;
        ``number``: one that is a number; ``unit``: a unit of resampling ``u_NAME``;
        ``messages``: what was said before, each message a text field (``1_system``, …);
        ``expected``: a part of what is right; ``function``: a Python function that the data string
        names for all rows, never a column: no file may say what code runs.
    names
        Well-known names of such a column, in lower case, most frequent first.
    is_needed
        Whether the task cannot do without it.
    default
        Value of a group that is not there; empty for none.
    may_change
        Whether changes of texts may change this one.
    is_anchor
        Whether the answer is about what this text names (an aspect, a topic) in the others, or
        about the part of a text that it marks: no change touches it, nor its words where they stand
        in another text.
    """

    name: str
    meaning: str
    kind: RoleKind = "group"
    names: tuple[str, ...] = ()
    is_needed: bool = False
    default: str = ""
    may_change: bool = True
    is_anchor: bool = False

    @property
    def is_open(self) -> bool:
        """Whether changes of texts may touch its text."""
        return self.may_change and not self.is_anchor

    @property
    def key(self) -> str:
        """Name of the role in a mapped row, and of the attribute."""
        return _PREFIXES.get(self.kind, "") + self.name


class Task(PlugIn, ABC):
    """Task: a kind of question; one small file each.

    Attributes
    ----------
    name
        Name in data strings and models.
    roles
        Its columns, which are options of data strings (``text=``, ``label=``).
    fields, words, answer
        What the roles say: the text fields of its items besides options, the column of their words
        and that of the gold answer, where it has such.
    open_fields, closed_fields
        Text fields that changes may touch, and those that they may not.
    side_by_side
        Names under which files have several of its columns side by side, where one such name alone
        says little: those of the roles first, then what each may be called.
    identifying_columns
        Columns that identify it among tasks; without any, a data string must name the task.
    measures
        Measures that `score` returns for one example, in order.
    answer_type
        Type of its answers; None if it has none.
    holds
        What its items hold besides texts and answers, in the words of `scrutiny.core.facts`.
    scored_by
        Scoring. None if no label is predicted (pairs of sentences whose likelihoods
        are compared, word sets whose vectors are): models are asked for capabilities other than
        ``predict``.
    classes
        Classes that parts of its answers have (`class_counts`); those of the data where it has
        none.
    class_words
        What such a class is called, and what is counted of it.
    answers_are_optional
        Whether models that give no answers are measured on it as well: their attention maps, their
        vectors.
    stream
        Name of its random numbers where it has been renamed.
    """

    kind = "task"

    name: str
    fields: tuple[str, ...]
    roles: tuple[Role, ...] = ()
    words: str = ""
    answer: str = ""
    open_fields: tuple[str, ...] = ()
    closed_fields: tuple[str, ...] = ()
    side_by_side: tuple[tuple[str, ...], ...] = ()
    identifying_columns: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    answer_type: AnswerType[Any] | None = None
    holds: str = ""
    scored_by: Score | None = None
    classes: tuple[str, ...] = ()
    class_words: tuple[str, str] = ("class", "items")
    answers_are_optional: bool = False
    stream: str = ""

    def __init_subclass__(cls) -> None:
        """Derive fields and columns from the roles."""
        super().__init_subclass__()
        if cls.roles:
            named = {role.kind: role.name for role in cls.roles}
            cls.words, cls.answer = named.get("words", ""), named.get("gold", "")
            texts = tuple(role.name for role in cls.roles if role.kind == "text")
            cls.fields = ("text",) if cls.words else texts
            closed = {role.name for role in cls.roles if not role.is_open}
            cls.open_fields = tuple(name for name in cls.fields if name not in closed)
            cls.closed_fields = tuple(name for name in cls.fields if name in closed)
        elif "fields" in vars(cls):
            cls.open_fields = cls.fields

    @property
    def gives_labels(self) -> bool:
        """Whether each answer is the name of one class."""
        return self.answer_type is LABEL

    @property
    def facts(self) -> Facts:
        """Facts that diagnostics, changes of texts and models ask for in place of its name."""
        kind = "" if self.answer_type is None else self.answer_type.name
        if any(role.is_anchor for role in self.roles):
            is_named = any(role.is_anchor and role.kind == "text" for role in self.roles)
            return Facts(kind, "anchor" if is_named else "marked", self.holds)
        is_relation = self.gives_labels and len(self.open_fields) > 1
        has_options = any(role.kind == "texts" for role in self.roles)
        return Facts(kind, "relation" if is_relation or has_options else "text", self.holds)

    @property
    def must_be_answered(self) -> bool:
        """Whether every model that is measured on it has to give answers."""
        return self.scored_by is not None and not self.answers_are_optional

    @abstractmethod
    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example from a raw row with mapped columns.

        Raises
        ------
        DataError
            If a field is missing or of the wrong type; the message names the column.
        """

    def on(self, examples: Sequence[Example]) -> "Task":
        """Task as it is scored on these items, a dataset's; itself unless the items matter."""
        return self

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts about a readable row, as phrases that follow "12 rows ".

        Rows are counted by these words, and the first is named: they say nothing of one row alone.
        """
        return iter(())

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Measures of one prediction against its gold answer.

        Raises
        ------
        DataError
            If the task has no score.
        """
        raise DataError(f"Items of {self.name} have no gold answer, so they have no score.")

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """Counts of one answer by class; classes that neither side has may be left out."""
        raise DataError(f"Answers to {self.name} have no classes.")

    def chance(self, examples: Sequence[Example]) -> float:
        """Score without skill on examples with gold answers: 0 unless the task knows better."""
        return 0.0

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Who gets `chance`, in words ("always answering 'spam'"); empty where there are none."""
        return ""


class ExchangesLabels(Task):
    """Task whose items can exchange their labels at random (``#permute=``)."""

    @abstractmethod
    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with labels exchanged at random."""
