"""Of several candidates only those that a language model finds likeliest may stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.constraints.logprob_drop import drops_of


@dataclass(frozen=True, slots=True)
class Likeliest:
    """Keep the few candidates of a place that a language model finds likeliest.

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

    id: ClassVar[str] = "likeliest@1"
    reason: ClassVar[str] = "likeliest"
    resources: ClassVar[tuple[str, ...]] = ("perplexity",)

    keep: int = 4
    window: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """True: one candidate alone is the likeliest."""
        del document, edits, context
        return True

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether each candidate is among the likeliest."""
        if len(candidates) <= self.keep:
            return [True] * len(candidates)
        drops = drops_of(document, candidates, self.window, context)
        order = sorted(range(len(drops)), key=lambda i: (round(sum(drops[i]), 6), i))
        kept = set(order[: self.keep])
        return [i in kept for i in range(len(candidates))]
