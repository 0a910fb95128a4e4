"""Which likelihood a model's competence is measured by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from scrutiny.core.diagnostic import Context
from scrutiny.models.scoring import SENTENCES, Unscored, score_sentences

if TYPE_CHECKING:
    from scrutiny.core.language import Tokenizes

#: In the order of preference.
_PROCEDURES: Final = ("pll-within-word-l2r", "causal-sum")


def procedure(capabilities: frozenset[str]) -> str | None:
    """Name of the likelihood that a model with these capabilities gives, or nothing."""
    return next((name for name in _PROCEDURES if SENTENCES[name][0] <= capabilities), None)


def likelihoods(
    texts: Sequence[str], name: str, ctx: Context
) -> tuple[list[float | Unscored], list[int]]:
    """Log-likelihood of each text, and how many tokens it has."""
    model = cast("Tokenizes", ctx.model)
    needs, _ = SENTENCES[name]
    encoded = model.encode(texts, special="token_logprobs" not in needs)
    found = score_sentences(model, encoded, name, ctx.ask)
    return found, [len(s.ids) - sum(s.is_special) for s in encoded]
