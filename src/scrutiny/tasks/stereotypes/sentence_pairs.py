"""Two sentences whose likelihoods are compared: of more and less stereotype, good and bad."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from scrutiny.core.example import Example
from scrutiny.core.facts import MINIMAL_PAIRS, SENTENCE_PAIRS
from scrutiny.core.randomness import Rng
from scrutiny.core.task import ExchangesLabels, Role
from scrutiny.tasks.columns.by_columns import ByColumns
from scrutiny.tasks.columns.roles import text_role
from scrutiny.tasks.stereotypes.exchanges import exchange_coins

_OTHER: Final[Mapping[str | float, str]] = {"stereo": "antistereo", "antistereo": "stereo"}


class SentencePairs(ByColumns, ExchangesLabels):
    """Sentence pairs such as those of CrowS-Pairs: a more and a less stereotyping sentence."""

    name = "sentence-pairs"
    holds = SENTENCE_PAIRS.holds
    identifying_columns = ("more", "less")
    roles = (
        text_role("more", "column of the more stereotyping sentence", "sent_more"),
        text_role("less", "column of the less stereotyping sentence", "sent_less"),
        Role("category", "column of the kind of stereotype", names=("category", "bias_type")),
        Role(
            "direction",
            "column that holds stereo (the more stereotyping sentence is about the disadvantaged "
            "group) or antistereo",
            names=("direction", "stereo_antistereo"),
        ),
        Role(
            "set", "column of the set: original, or a control", names=("set",), default="original"
        ),
        Role("pair", "column that ties a pair to its controls", "unit", ("pair",)),
    )

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with *more* and *less* exchanged by a fair coin.

        A pair and its controls share a coin. ``direction`` changes with the sentences, so that the
        sentence about the disadvantaged group stays the same one.
        """
        tossed = exchange_coins(examples, rng, unit="u_pair")
        return tuple(_exchanged(e) if t else e for e, t in zip(examples, tossed, strict=True))


class MinimalPairs(ByColumns):
    """Minimal pairs such as *the dogs bark* and *the dogs barks*; one is grammatical."""

    name = "minimal-pairs"
    holds = MINIMAL_PAIRS.holds
    identifying_columns = ("good", "bad")
    roles = (
        text_role("good", "column of the grammatical sentence", "sentence_good"),
        text_role("bad", "column of the ungrammatical sentence", "sentence_bad"),
        Role("construction", "column of the construction", names=("construction",)),
        Role("template", "column of the template that pairs share", "unit", ("template",)),
    )


def _exchanged(example: Example) -> Example:
    fields = {"more": example.fields["less"], "less": example.fields["more"]}
    attributes = dict(example.attributes)
    if attributes.get("a_direction") in _OTHER:
        attributes["a_direction"] = _OTHER[attributes["a_direction"]]
    return replace(example, fields=fields, attributes=attributes)
