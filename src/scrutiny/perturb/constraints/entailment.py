"""What was said must still follow, by the judgment of a model of inference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import EntailmentJudge


@dataclass(frozen=True, slots=True)
class Entailment:
    """Refuse edits after which a text no longer follows from what it was.

    Parameters
    ----------
    least
        Smallest probability of entailment.
    both_ways
        Whether the original has to follow from the changed text, too.

    Notes
    -----
    The resource ``nli`` must be given.

    **Misleads when**: the judge is the model under test, or shares its training data: then the
    texts that fool the one fool the other.

    References
    ----------
    Bowman et al. (2015), A large annotated corpus for learning natural language inference.

    Examples
    --------
    >>> Entailment(both_ways=True).resources
    ('nli',)
    """

    id: ClassVar[str] = "entailment@1"
    reason: ClassVar[str] = "entailment"
    resources: ClassVar[tuple[str, ...]] = ("nli",)

    least: float = 0.5
    both_ways: bool = False

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the changed text follows."""
        return self.screen(document, [edits], context)[0]

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether each of several changed texts follows, judged together."""
        judge: EntailmentJudge = find_resource(document if context is None else context, "nli")
        text = document.text
        after = [apply_to_text(text, edits) for edits in candidates]
        found = self._follow(judge, [(text, new) for new in after])
        if not self.both_ways:
            return found
        back = self._follow(judge, [(new, text) for new in after])
        return [a and b for a, b in zip(found, back, strict=True)]

    def _follow(self, judge: "EntailmentJudge", pairs: Sequence[tuple[str, str]]) -> list[bool]:
        shares = judge.entailment(pairs) if pairs else ()
        return [share >= self.least - 1e-6 for share in shares]
