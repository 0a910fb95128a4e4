"""No text may become much more surprising to a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text


@dataclass(frozen=True, slots=True)
class PerplexityRatio:
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

    id: ClassVar[str] = "perplexity_ratio@1"
    reason: ClassVar[str] = "perplexity_ratio"
    resources: ClassVar[tuple[str, ...]] = ("perplexity",)

    most: float = 2.0

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the perplexity stays within the factor."""
        return self.screen(document, [edits], context)[0]

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether each of several perplexities stays within the factor, scored together."""
        scorer = find_resource(document if context is None else context, "perplexity")
        texts = [document.text, *(apply_to_text(document.text, edits) for edits in candidates)]
        before, *after = scorer.perplexity(texts)
        return [bool(one <= self.most * before) for one in after]
