"""No text may become much less likely to a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.constraints.windows import windows
from scrutiny.perturb.resources.loading import find_resource

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import TextScorer


@dataclass(frozen=True, slots=True)
class LogprobDrop:
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

    id: ClassVar[str] = "logprob_drop@1"
    reason: ClassVar[str] = "logprob_drop"
    resources: ClassVar[tuple[str, ...]] = ("perplexity",)

    most: float = 5.0
    window: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the drop is within the limit around every edit."""
        return self.screen(document, [edits], context)[0]

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether each of several drops is within the limit, scored together."""
        drops = drops_of(document, candidates, self.window, context)
        return [max(held, default=0.0) <= self.most + 1e-6 for held in drops]


def drops_of(
    document: Document, candidates: Sequence[Sequence[Edit]], window: int | None, context: Any
) -> list[list[float]]:
    """Drops of the log-probability, in nats, around each edit of each candidate."""
    scorer: TextScorer = find_resource(document if context is None else context, "perplexity")
    pairs = [windows(document, edits, window) for edits in candidates]
    texts = list(dict.fromkeys(text for held in pairs for pair in held for text in pair))
    scores = dict(zip(texts, scorer.log_probability(texts), strict=True))
    return [[scores[before] - scores[after] for before, after in held] for held in pairs]
