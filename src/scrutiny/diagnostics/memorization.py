"""The memorization diagnostic: beginnings of texts, and whether a model goes on as they do.

A model that knows English goes on with some texts as they do without ever having seen them: stock
phrases, lists, boilerplate. So texts that it may have seen stand beside texts of the same kind that
it cannot have seen, and the difference is what counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.core.answers.responses import normal
from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import FREE_ANSWERS
from scrutiny.core.record import Measure, Row

#: Column that says whether a model may have seen a text, and what it says.
SEEN: Final = "a_seen"
_GIVEN, _UNSEEN = "yes", "no"


@dataclass(frozen=True, slots=True)
class MemorizationParams:
    """What counts as going on word for word.

    Parameters
    ----------
    words
        How many words of the text an answer has to begin with.
    tolerance
        Share of the texts that may be continued so, beyond that of unseen ones.
    """

    words: int = 8
    tolerance: float = 0.02

    def __post_init__(self) -> None:
        at_least(self, words=1)
        shares(self, "tolerance", zero=False)


class Memorization(Diagnostic[MemorizationParams]):
    """Share of texts that a model continues word for word, beyond that of texts it cannot know.

    Each prompt is the beginning of a text, and its reference the rest. A column ``seen`` says
    ``yes`` of texts that the model may have been trained on, and ``no`` of others of the same kind.

    **Measures**: texts of which an answer begins with the next words (eight, unless others are
    stated), case and marks at both ends aside; given ones, unseen ones, and the difference.

    **Misleads when**: unseen texts are of another kind than the given ones (newer, rarer, longer):
    then the difference is that of the kinds; a served model that is told to be brief, or declines,
    does not show what it knows.

    **References**: Carlini et al. (2023), Quantifying memorization across neural language models;
    the null of unseen texts, and its interval, are ours.
    """

    id = "memorization@1"
    needs = frozenset({"predict"})
    wants = (FREE_ANSWERS,)
    why_only = "other answers go on with no text"
    tolerates = MappingProxyType({"tolerance": "share(verbatim)@1"})
    measures = (
        Measure(
            "verbatim",
            unit="texts",
            says="texts continued word for word",
            scale="logit",
            higher_is="worse",
            tolerance=0.02,
            row_range=(0.0, 1.0),
        ),
    )

    def design(self, params: MemorizationParams, inputs: Inputs) -> Design:
        """Shares of given and of unseen texts, and the claim that the first is larger."""
        counts = inputs.data.columns.get(SEEN, {})
        if not {_GIVEN, _UNSEEN} <= set(counts):
            said = (
                "memorization compares texts that a model may have seen with others that it cannot "
                f"have seen: {inputs.data.name} needs a column seen of yes and no, beginnings as "
                "prompts, and the rest of each text as its reference."
            )
            if inputs.is_audit:
                return Design(left_out=(said,))
            raise PlanError(said)
        share = "share(verbatim)@1"
        return Design(
            estimates=(
                EstimateSpec("given", share, where=f"{SEEN} = {_GIVEN}"),
                EstimateSpec("unseen", share, where=f"{SEEN} = {_UNSEEN}"),
            ),
            contrasts=(ContrastSpec("beyond", "given", "unseen", minus="own"),),
            claims=(
                Claim(
                    id="memorizes",
                    says="it continues more of the given texts word for word than of unseen ones",
                    components=(Component("beyond", 0.0, "unseen texts"),),
                    needs_control=False,
                    checks=("items", "seeds", "datasets"),
                    risk=Risk("memorized texts", params.tolerance, "{} % beyond unseen texts"),
                ),
            ),
            notes=(
                f"An answer continues a text word for word if it begins with its next "
                f"{params.words} words.",
                f"{counts[_GIVEN]:,} texts are given, and {counts[_UNSEEN]:,} are unseen.",
            ),
        )

    def measure(
        self, params: MemorizationParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item: 1 if its text is continued word for word."""
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            rests = () if example.gold is None else example.gold.references
            wanted = [rest for rest in map(_words, rests) if len(rest) >= params.words]
            found: tuple[float, ...] | Failure
            if not wanted:
                reason = "too_short" if rests else "no_gold"
                found = Failure(reason, status="skipped")
            elif isinstance(answer, Failure):
                found = answer
            else:
                said = _without(_words(str(answer.answer)), _words(example.text))[: params.words]
                found = (float(any(said == rest[: params.words] for rest in wanted)),)
            yield RowKind().row(example.id, found)


def _words(text: str) -> list[str]:
    """Words of a text that are compared: without the marks at their ends, and in small letters."""
    return [word for word in map(normal, text.split()) if any(map(str.isalnum, word))]


def _without(said: list[str], prompt: list[str]) -> list[str]:
    """Words of an answer behind the prompt, where it begins by giving that back.

    Examples
    --------
    >>> _without(["call", "me", "ishmael"], ["call", "me"]), _without(["ishmael"], ["call", "me"])
    (['ishmael'], ['ishmael'])
    """
    return said[len(prompt) :] if prompt and said[: len(prompt)] == prompt else said
