"""Examples: items with the spans that annotate them; and, in a suite, their cases and tests.

A suite is a set of frozen cases: each is a text with what is expected of the answer to it. Cases of
one name are a test.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scrutiny.core.record import Role, grouped


@dataclass(frozen=True, slots=True)
class Case:
    """Case: what is expected of the answer to an item, and where the item came from.

    Parameters
    ----------
    expect
        Expectation as it is written: ``gold``, ``same``, ``moves(label=positive,most=0.1)``.
    test
        Name of the test that it belongs to.
    capability
        What the test is about: "negation"; empty where nobody said.
    of
        Item that this one is a changed version of; empty for a text of its own.
    role
        ``measured``, or ``control`` for a matched random change.
    twin_of
        Case that a control matches.
    edits
        How it was made of that item, as stored; empty where that is not known.
    draw
        Number of the draw, where chance made it.
    made_for
        Model, and replicate, that a search made it for; empty for none.
    status, reason
        As in records: only an ``ok`` case is asked. An attack that found nothing is a case, too.
    facts
        What else is known of it: texts asked, words changed.
    """

    expect: str
    test: str
    capability: str = ""
    of: str = ""
    role: Role = "measured"
    twin_of: str = ""
    edits: str = ""
    draw: int = 0
    made_for: str = ""
    status: str = "ok"
    reason: str = ""
    facts: Mapping[str, float | str] = field(default_factory=dict)


#: Begins the labels of spans that an answer rests on (an opinion). Edits carry them, but none is
#: refused for them: one that crosses their border, or leaves nothing of them, loses them.
EVIDENCE: Final = "evidence"


#: Label of a protected stretch that holds an annotated part of a text with its marks: only a change
#: of marked parts (`Transformation.changes_marked`) may write within that part.
MARKED: Final = "marked"


class Span(NamedTuple):
    """Labeled span of one text field: code points ``start`` to ``end``, end excluded."""

    field: str
    start: int
    end: int
    label: str = ""


class Link(NamedTuple):
    """Span that an answer ties to another one: a word to its head, `to` and its end.

    ``to`` is -1 where it is tied to nothing: the root of a sentence.
    """

    field: str
    start: int
    end: int
    label: str
    to: int
    to_end: int


@dataclass(frozen=True, slots=True)
class Example:
    """Item of a dataset, or that item after edits.

    Parameters
    ----------
    id
        The user's identifier, or a content hash; unique in its dataset.
    fields
        Text fields by name, in the task's order.
    gold
        The gold answer, a value of one of the types of `scrutiny.core.answers`, or None.
    spans
        Annotations that edits must carry and that are not the gold answer.
    tokens
        Segmentation layer: token borders ``(start, end)`` by field, where the data came in tokens.
    protected
        Stretches that no edit may touch.
    source
        ``file:line`` the item came from.
    attributes
        Whatever else the row held: groups (``a_*``) and units of resampling (``u_*``).
    language
        BCP 47 code of the text; ``und`` where it could not be told (`scrutiny.core.languages`).
    case
        What is expected of the answer, in a suite; None elsewhere, and for what cases were made of.
    """

    id: str
    fields: Mapping[str, str]
    gold: Any = None
    spans: tuple[Span, ...] = ()
    tokens: Mapping[str, tuple[tuple[int, int], ...]] | None = None
    protected: tuple[Span, ...] = ()
    source: str = ""
    attributes: Mapping[str, str | float] = field(default_factory=dict)
    language: str = "en"
    case: Case | None = None

    @property
    def text(self) -> str:
        """The first text field."""
        return next(iter(self.fields.values()))

    def is_closed(self, field: str) -> bool:
        """Whether no part of a text field may be changed."""
        whole = len(self.fields[field])
        return any(s.field == field and s.start == 0 and s.end >= whole for s in self.protected)

    def with_fields(self, fields: Mapping[str, str]) -> "Example":
        """Return a copy with these texts and all else unchanged."""
        return self._copy(fields, self.language)

    def with_language(self, language: str) -> "Example":
        """Return a copy in this language and with all else unchanged."""
        return self._copy(self.fields, language)

    def _copy(self, fields: Mapping[str, str], language: str) -> "Example":
        return new_example(
            self.id,
            fields,
            self.gold,
            self.spans,
            self.tokens,
            self.protected,
            self.source,
            self.attributes,
            language,
            self.case,
        )


class _OpenExample:
    """Mutable example, while it is being built."""

    __slots__ = Example.__slots__


def new_example(  # noqa: PLR0913, PLR0917 - the members of the class, in their order
    id: str,
    fields: Mapping[str, str],
    gold: Any,
    spans: tuple[Span, ...],
    tokens: Mapping[str, tuple[tuple[int, int], ...]] | None,
    protected: tuple[Span, ...],
    source: str,
    attributes: Mapping[str, str | float],
    language: str,
    case: Case | None = None,
) -> Example:
    """Example of these members, in a tenth of the time that the class takes to set them frozen.

    Files are read into many, and searches make one for each text that they ask about.
    """
    made: Any = _OpenExample()
    made.id = id
    made.fields = fields
    made.gold = gold
    made.spans = spans
    made.tokens = tokens
    made.protected = protected
    made.source = source
    made.attributes = attributes
    made.language = language
    made.case = case
    made.__class__ = Example
    example: Example = made
    return example


#: Columns of the items that a suite brings: test, capability, and what is resampled as a whole.
TEST: Final = "a_test"
CAPABILITY: Final = "a_capability"
GROUP: Final = "u_group"
#: What was done to a changed item, where a suite says so: "tense".
PERTURBATION: Final = "a_perturbation"
#: More kinds of changes than this are no kinds.
_MOST_KINDS: Final = 25


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """Cases of one name, and what they have in common.

    Parameters
    ----------
    name, capability
        As in its cases.
    expects
        Expectations of its cases, as they are written.
    n_cases
        Number of them, controls aside.
    has_base
        Whether every case is a changed item.
    has_level, has_gold
        Whether the right answers to all these items are known, and those to the cases; items that
        no case names one by one count where they are of its group.
    has_control
        Whether each that is asked has a control.
    has_groups
        Whether a group holds a case and another one, or the item that it was made of.
    has_sets
        Whether originals belong to the groups of its cases, of which none names the one it changes.
    perturbations
        Kinds of changes of its cases, where there are several.
    """

    name: str
    capability: str
    expects: tuple[str, ...]
    n_cases: int
    has_base: bool
    has_level: bool
    has_gold: bool
    has_control: bool
    has_groups: bool
    has_sets: bool = False
    perturbations: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name of the test, unique within its suite: "negation: inserted not"."""
        return f"{self.capability}: {self.name}" if self.capability else self.name


def suite_tests(examples: Sequence[Example]) -> tuple[SuiteTest, ...]:
    """Tests of a suite in the order of their first cases; none of other items."""
    named = [(case, e) for e in examples if (case := e.case) is not None]
    known = {e.id: e for e in examples if e.gold is not None}
    twins = Counter(case.twin_of for case, _ in named if case.role == "control")
    loose = grouped((e.attributes.get(GROUP), e) for e in examples if e.case is None)
    found = []
    for (name, capability), cases in grouped(
        ((case.test, case.capability), (case, e)) for case, e in named if case.role == "measured"
    ).items():
        has_base = all(case.of for case, _ in cases)
        has_level = has_base and all(case.of in known for case, _ in cases)
        has_sets = False
        if not any(case.of for case, _ in cases):
            own = [one for _, e in cases for one in loose.get(e.attributes.get(GROUP), ())]
            has_sets = bool(own)
            has_level = has_sets and all(one.id in known for one in own)
        named_kinds = (str(e.attributes.get(PERTURBATION, "")) for _, e in cases)
        kinds = dict.fromkeys(filter(None, named_kinds))
        found.append(
            SuiteTest(
                name,
                capability,
                expects=tuple(dict.fromkeys(case.expect for case, _ in cases)),
                n_cases=len(cases),
                has_base=has_base,
                has_level=has_level,
                has_gold=(has_level or not has_base) and all(e.id in known for _, e in cases),
                has_control=bool(twins)
                and all(e.id in twins for case, e in cases if case.status == "ok"),
                has_groups=has_base or has_sets or _share_groups(e for _, e in cases),
                has_sets=has_sets,
                perturbations=tuple(kinds) if 1 < len(kinds) <= _MOST_KINDS else (),
            )
        )
    return tuple(found)


def originals(examples: Sequence[Example]) -> list[Example]:
    """Original items of a suite: those that its cases change.

    Where no case names one, those that are no cases; all items, where there are none of these.
    """
    made_of = {e.case.of for e in examples if e.case is not None} - {""}
    if made_of:
        return [e for e in examples if e.id in made_of]
    return [e for e in examples if e.case is None] or list(examples)


def _share_groups(examples: Iterable[Example]) -> bool:
    """Whether two items belong to one group."""
    groups = Counter(example.attributes.get(GROUP) for example in examples)
    return groups.total() > len(groups)
