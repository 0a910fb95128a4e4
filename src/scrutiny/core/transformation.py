"""Transformations: they propose edits and never rewrite texts themselves."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import Facts, wanted_in_words
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.randomness import Rng

Effect = Literal["keeps", "flips", "sets", "may change"]
Where = Literal["anywhere", "around", "within", "beside"]


class Site(NamedTuple):
    """Site that a transformation could change.

    Parameters
    ----------
    start, end
        Code-point offsets of the unit in the field.
    token
        Index of the token at the site, or -1 for the whole text.
    """

    start: int
    end: int
    token: int = -1


@dataclass(frozen=True, slots=True)
class Intensity:
    """Intensity of a change: the number of eligible units to change.

    Parameters
    ----------
    share
        Of all *words* of the text, the share to change.
    least, most
        Bounds of the number of units; ``most`` may be None.
    """

    share: float = 0.1
    least: int = 1
    most: int | None = 10

    def units(self, words: int, eligible: int) -> int:
        """Number of units to change in a text with this number of words.

        Examples
        --------
        >>> Intensity(share=0.2).units(words=20, eligible=3)
        3
        """
        wanted, most = int(self.share * words), self.most  # no calls: every change asks
        wanted = wanted if wanted > self.least else self.least
        wanted = wanted if most is None or wanted < most else most
        return wanted if wanted < eligible else eligible


class Document(Protocol):
    """Text field with its analysis, computed lazily and at most once.

    ``tokens`` are ``(start, end)`` borders. Tags, entities and the parse come from the tagger that
    the run was given. ``has_words`` tells whether the gold answer speaks of each word, so that
    edits state pieces where nobody could infer them.
    """

    example: Example
    text: str
    field: str
    language: str
    resources: Mapping[str, Any]

    def __hash__(self) -> int:
        """Hash of the object: what was found in a document is kept with it."""

    @property
    def tokens(self) -> Sequence[tuple[int, int]]:
        """Borders of all tokens."""

    @property
    def has_words(self) -> bool:
        """Whether the gold answer speaks of each word."""

    @property
    def words(self) -> Sequence[str]:
        """Surface of all tokens, punctuation among them."""

    @property
    def annotations(self) -> Sequence[Span]:
        """Gold spans and other annotations of the field."""

    @property
    def entities(self) -> Sequence[Any]:
        """Named entities that the run's finder sees: places with a label."""

    def tag(self, index: int) -> str:
        """Penn tag of one token."""

    def is_protected(self, start: int, end: int) -> bool:
        """Whether any of these code points is protected."""


class Transformation(PlugIn, ABC):
    """Transformation: a way to change a text; one small file each.

    Attributes
    ----------
    id
        Versioned name.
    languages
        Supported languages; ``*`` for any, ``*-Latn`` for any in this script
        (`scrutiny.core.languages`).
    resources
        Names of the resources it needs ("tagger", "wordnet", "masked_lm", "vectors",
        "translator").
    effect
        Effect on the gold answer by what the answer is ("*" for all others): a label of one text
        (``label``), of a part of it (``anchor``; as ``label`` where it is not named) or of the
        ``relation`` of two, ``spans``, heads of ``words``, ``clusters``, an ``extract`` or a
        written ``text``. It ``keeps`` the answer, ``sets``
        another that it knows (`new_gold`), ``flips`` it, or ``may change`` it, so that nothing
        says what is right. And by layer of an answer about words (``arcs``, ``upos``, ``xpos``),
        which is kept where nothing else is said.
    intensity
        Default number of units to change.
    allowed
        Values that a parameter may have where its type does not name them (the regions of a
        table): others are refused.
    wants
        Facts of tasks in whose items it can find a place, of which any suffices; empty for any
        task.
    where
        What it may do to annotated spans unless the recipe says otherwise: "anywhere", "around" or
        "within" them, or "beside" them in their sentences.
    is_for_search
        Whether its candidates are meant for a search to choose among: it runs where it is named,
        and no list of defaults has it.
    changes_marked
        Whether it changes the marked parts that an answer hangs on, which no other may touch.
    is_default
        Whether lists of defaults have it; not so where its outputs are too seldom texts that
        somebody would write.
    is_local
        Whether the word alone decides whether it is a site, so that a search need not look at the
        others again.
    stream
        Name of its random numbers where it has been renamed
        (`scrutiny.core.randomness.stream_of`).
    """

    __slots__ = ()
    kind = "transformation"

    id: ClassVar[str]
    languages: ClassVar[frozenset[str]]
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity()
    allowed: ClassVar[Mapping[str, Iterable[Any]]] = {}
    wants: ClassVar[tuple[Facts, ...]] = ()
    where: ClassVar[Where] = "anywhere"
    is_for_search: ClassVar[bool] = False
    is_default: ClassVar[bool] = True
    is_local: ClassVar[bool] = False
    changes_marked: ClassVar[bool] = False
    stream: ClassVar[str] = ""

    @abstractmethod
    def sites(self, document: Document) -> Sequence[Site]:
        """Sites that could be changed, in text order; uses no randomness."""

    @abstractmethod
    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Ways to change one site, lazily; each is a set of disjoint edits."""

    def new_gold(self, gold: Any) -> Any:
        """Gold answer to a text that is changed throughout, where the effect is ``sets``."""
        return gold

    def must_suit(self, task: Facts, labels: Sequence[str]) -> None:
        """Raise a `PlanError` if it finds no place in items of such a task.

        Also where it cannot say what is right of them with these labels. Asked before anything is
        changed; labels are those of the data, empty where it has none.
        """
        if self.wants and not task.any_of(self.wants):
            name = self.id.partition("@")[0]
            raise PlanError(
                f"{name} changes data whose right answers are {wanted_in_words(self.wants)}; here "
                f"they are {task}, and it would find nothing that it can change. Leave it out, or "
                f"give data of a task that it is for: `scrutiny show {name}`."
            )

    def signs_of(self) -> frozenset[str]:
        """Words in names of classes that what it adds may be a sign of: a link, of "spam".

        A report says so beside data that have such a class.
        """
        return frozenset()


class AsksAhead(Transformation):
    """Transformation that uses a model of its own and can query it in batches."""

    __slots__ = ()

    @abstractmethod
    def warm(self, documents: Sequence[Document], sites: Sequence[Sequence[Site]]) -> None:
        """Query the model for documents, of one run each, before these sites of each are changed.

        What comes out is the same without: only the batches differ.
        """


class ChangesAtOnce(Transformation):
    """Transformation with a fast path if each site gets its first candidate.

    Its candidates draw a single ``rng.random()`` and are one edit inside of their token each.
    """

    __slots__ = ()

    @abstractmethod
    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """First candidates of these sites, with these random shares.

        None if one of them does not change the text.
        """


class SetsGold(Transformation):
    """Transformation that knows the right answer to what it made of an item.

    Where its effect is ``sets``, it says so whatever the number of units that it changes: another
    label of a pair, a reference that follows the text.
    """

    __slots__ = ()

    @abstractmethod
    def gold_after(self, gold: Any, before: Example, edits: Sequence[Edit]) -> Any:
        """Right answer to an item after edits, if this one was right of it before.

        Also of an answer that a model gave to the item: what it should say of the changed one. The
        edits are those of the whole recipe, at places of ``before``; of two such steps there is no
        recipe. None where it cannot tell: the variant has no right answer then.
        """


class Constraint(PlugIn, ABC):
    """Constraint: a veto on candidates.

    Attributes
    ----------
    id
        Versioned name.
    reason
        Stable code that goes into the records; its name without the version unless it says another.
    resources
        Names of the resources it needs.
    """

    __slots__ = ()
    kind = "constraint"

    id: ClassVar[str]
    reason: ClassVar[str] = ""
    resources: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether this set of edits is allowed."""

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each of several sets of edits of one document is allowed.

        One by one, unless it can ask a model about all of them for less.
        """
        return [self.allows(document, edits) for edits in candidates]


class ScreensMany(Constraint):
    """Constraint that checks several sets of edits at once."""

    __slots__ = ()

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether this set of edits is allowed."""
        return self.screen(document, [edits])[0]

    @abstractmethod
    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each of several sets of edits of one document is allowed."""


def effect_of(transformation: Transformation, task: Facts) -> Effect:
    """Effect of a transformation on a task's gold answer; ``may change`` if not declared."""
    effects = transformation.effect
    named = (effects[ground] for ground in task.grounds if ground in effects)
    return next(named, effects.get("*", "may change"))


def keeps_unless(*grounds: str) -> Mapping[str, Effect]:
    """Effect that a transformation declares: gold is kept, except of some kinds, or layers."""
    changed: dict[str, Effect] = dict.fromkeys(grounds, "may change")
    return {"*": "keeps", **changed}


def may_change_unless(*grounds: str) -> Mapping[str, Effect]:
    """Effect that a transformation declares: gold may change, except of some kinds."""
    kept: dict[str, Effect] = dict.fromkeys(grounds, "keeps")
    return {"*": "may change", **kept}
