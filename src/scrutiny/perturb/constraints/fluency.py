"""Constraints on fluency: likelihood by a language model, or grammar by a checker."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Constraint, Document, ScreensMany
from scrutiny.perturb.engine.edited_words import windows
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import TextScorer


@dataclass(frozen=True, slots=True)
class PerplexityRatio(ScreensMany):
    """Refuse edits that multiply the perplexity by more than a factor.

    Parameters
    ----------
    most
        Largest ratio of the perplexity afterwards to that before.

    Notes
    -----
    The resource ``perplexity`` must be given: a judgment of fluency is only as good as its model.

    **Misleads when**: the judging model is the model under test, or was trained on these texts.

    Examples
    --------
    >>> PerplexityRatio(most=1.5).resources
    ('perplexity',)
    """

    id = "perplexity_ratio@1"
    resources = ("perplexity",)

    most: float = 2.0

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each perplexity stays within the factor; all texts are scored together."""
        scorer = find_resource(document.resources, "perplexity")
        texts = [document.text, *(apply_to_text(document.text, edits) for edits in candidates)]
        before, *after = scorer.perplexity(texts)
        return [bool(one <= self.most * before) for one in after]


@dataclass(frozen=True, slots=True)
class LogprobDrop(ScreensMany):
    """Refuse edits that lower the log-probability of a text by more than a number of nats.

    Whole stretches are scored, so that a word counts with all its pieces, the space before it and
    what it does to the words behind it.

    Parameters
    ----------
    most
        Largest drop, in nats.
    window
        So many words around each edit are scored; nothing scores whole texts.

    Notes
    -----
    The resource ``perplexity`` must be given.

    **Misleads when**: texts grow: every word more costs probability, however natural it is. The
    perplexity (``perplexity_ratio``) does not have this fault.

    References
    ----------
    Jia, Raghunathan, Göksel, Liang (2019), Certified robustness to adversarial word substitutions.
    Kuleshov et al. (2018), Adversarial examples for natural language classification problems.

    Examples
    --------
    >>> LogprobDrop(most=2.0).resources
    ('perplexity',)
    """

    id = "logprob_drop@1"
    resources = ("perplexity",)

    most: float = 5.0
    window: int | None = None

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each drop is within the limit; all texts are scored together."""
        drops = _drops_of(document, candidates, self.window)
        return [max(held, default=0.0) <= self.most + 1e-6 for held in drops]


def _drops_of(
    document: Document, candidates: Sequence[Sequence[Edit]], window: int | None
) -> list[list[float]]:
    """Drops of the log-probability, in nats, around each edit of each candidate."""
    scorer: TextScorer = find_resource(document.resources, "perplexity")
    pairs = [windows(document, edits, window) for edits in candidates]
    texts = list(dict.fromkeys(text for held in pairs for pair in held for text in pair))
    scores = dict(zip(texts, scorer.log_probability(texts), strict=True))
    return [[scores[before] - scores[after] for before, after in held] for held in pairs]


@dataclass(frozen=True, slots=True)
class Likeliest(Constraint):
    """Keep the few candidates of a place that a language model finds most likely.

    Parameters
    ----------
    keep
        How many; of equal ones the first.
    window
        So many words around each edit are scored; nothing scores whole texts.

    Notes
    -----
    The resource ``perplexity`` must be given. It compares candidates that are screened together, as
    a search does with those of one place; asked about one alone, it lets it pass.

    **Misleads when**: candidates differ in length: shorter texts are likelier.

    References
    ----------
    Alzantot et al. (2018), Generating natural language adversarial examples.

    Examples
    --------
    >>> Likeliest().keep
    4
    """

    id = "likeliest@1"
    resources = ("perplexity",)

    keep: int = 4
    window: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """True: a single candidate is always the most likely one."""
        return True

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each candidate is among the most likely."""
        if len(candidates) <= self.keep:
            return [True] * len(candidates)
        drops = _drops_of(document, candidates, self.window)
        order = sorted(range(len(drops)), key=lambda i: (round(sum(drops[i]), 6), i))
        kept = set(order[: self.keep])
        return [i in kept for i in range(len(candidates))]


# Matters of spelling and taste: a new name or a rarer word is no mistake of grammar.
_IGNORED = frozenset(
    {"Spelling", "Style", "Readability", "Enhancement", "WordChoice", "Formatting", "Regionalism"}
)


@dataclass(frozen=True, slots=True)
class Grammar(Constraint):
    """Refuse edits that add a grammar error; errors of the original are ignored.

    Parameters
    ----------
    ignore
        Kinds of complaint that do not count.

    Notes
    -----
    The resource ``grammar`` is the checker; its default is Harper (extra ``nlp``).

    **Misleads when**: the texts are pre-tokenized or lower-case: the checker was made for prose,
    and its complaints there are mostly about spaces and capitals, before and after alike.

    Examples
    --------
    >>> Grammar().resources
    ('grammar',)
    """

    id = "grammar@1"
    resources = ("grammar",)

    ignore: frozenset[str] = _IGNORED

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether no kind of grammar error becomes more frequent."""
        checker = find_resource(document.resources, "grammar")
        before = Counter(kind for kind, _ in checker.lints(document.text))
        after = Counter(kind for kind, _ in checker.lints(apply_to_text(document.text, edits)))
        return all(n <= before[kind] for kind, n in after.items() if kind not in self.ignore)
