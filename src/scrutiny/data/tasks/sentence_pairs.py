"""Two sentences whose likelihoods are compared, one showing more of a stereotype."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scrutiny.core.example import Example
from scrutiny.core.task import ExchangesLabels, Role
from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.coins import coins
from scrutiny.data.tasks.roles import field_role

if TYPE_CHECKING:
    import numpy as np

_OTHER: Final[Mapping[str | float, str]] = {"stereo": "antistereo", "antistereo": "stereo"}


class SentencePairs(ByColumns, ExchangesLabels):
    """Pairs such as those of CrowS-Pairs: the more and the less stereotyping sentence."""

    name = "sentence-pairs"
    told_by = ("more", "less")
    roles = (
        field_role("more", "column of the more stereotyping sentence", "sent_more"),
        field_role("less", "column of the less stereotyping sentence", "sent_less"),
        Role("category", "column of the kind of stereotype", names=("category", "bias_type")),
        Role(
            "direction",
            "column that says stereo (the more stereotyping sentence is about the disadvantaged "
            "group) or antistereo",
            names=("direction", "stereo_antistereo"),
        ),
        Role(
            "set", "column of the set: original, or a control", names=("set",), default="original"
        ),
        Role("pair", "column that ties a pair to its controls", "unit", ("pair",)),
    )

    def permute(
        self, examples: Sequence[Example], rng: "np.random.Generator"
    ) -> tuple[Example, ...]:
        """Examples of which a fair coin has exchanged *more* and *less*.

        A pair and its controls share a coin. ``direction`` changes with the sentences, so that the
        sentence about the disadvantaged group stays the same one.
        """
        tossed = coins(examples, rng, unit="u_pair")
        return tuple(_exchanged(e) if t else e for e, t in zip(examples, tossed, strict=True))


def _exchanged(example: Example) -> Example:
    fields = {"more": example.fields["less"], "less": example.fields["more"]}
    attributes = dict(example.attributes)
    if attributes.get("a_direction") in _OTHER:
        attributes["a_direction"] = _OTHER[attributes["a_direction"]]
    return replace(example, fields=fields, attributes=attributes)
