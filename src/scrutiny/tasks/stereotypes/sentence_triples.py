"""A context with three continuations: stereotype, antistereotype, and unrelated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrutiny.core.example import Example
from scrutiny.core.facts import SENTENCE_TRIPLES
from scrutiny.core.randomness import Rng
from scrutiny.core.task import ExchangesLabels, Role
from scrutiny.tasks.columns.by_columns import ByColumns
from scrutiny.tasks.columns.roles import text_role
from scrutiny.tasks.stereotypes.exchanges import exchange_coins


class SentenceTriples(ByColumns, ExchangesLabels):
    """Sentence triples such as those of StereoSet.

    ``intrasentence``: the context has a BLANK and the three sentences fill it. ``intersentence``:
    the three sentences follow the context.
    """

    name = "sentence-triples"
    holds = SENTENCE_TRIPLES.holds
    identifying_columns = ("context", "stereotype", "antistereotype", "unrelated")
    roles = (
        text_role("context", "column of the context"),
        text_role("stereotype", "column of the sentence with the stereotype"),
        text_role("antistereotype", "column of the sentence against it", "anti-stereotype"),
        text_role("unrelated", "column of the unrelated sentence"),
        Role("kind", "column that holds intrasentence or intersentence", names=("kind",)),
        Role("category", "column of the kind of stereotype", names=("category", "bias_type")),
        Role("malformed", "column with the problem of a context", names=("malformed",)),
        Role("stereotype_id", "column of that sentence's id", names=("stereotype_id",)),
        Role("antistereotype_id", "column of that sentence's id", names=("antistereotype_id",)),
        Role("unrelated_id", "column of that sentence's id", names=("unrelated_id",)),
        Role("term", "column of the term that an item is about", "unit", ("term", "target")),
    )

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: blanks that cannot be filled, and the doubts of any row."""
        yield from super().doubts(row, example)
        is_within = example.attributes.get("a_kind") == "intrasentence"
        if is_within and "BLANK" not in example.fields["context"]:
            yield "have the kind intrasentence and no BLANK in their context"

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with stereotype and antistereotype exchanged by a fair coin each."""
        tossed = exchange_coins(examples, rng)
        return tuple(_exchanged(e) if t else e for e, t in zip(examples, tossed, strict=True))


def _exchanged(example: Example) -> Example:
    fields = dict(example.fields)
    fields["stereotype"], fields["antistereotype"] = fields["antistereotype"], fields["stereotype"]
    attributes = dict(example.attributes)
    names = "a_stereotype_id", "a_antistereotype_id"
    if all(name in attributes for name in names):
        attributes |= {names[0]: attributes[names[1]], names[1]: attributes[names[0]]}
    return replace(example, fields=fields, attributes=attributes)
