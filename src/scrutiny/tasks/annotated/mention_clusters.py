"""Texts with mentions; mentions of one cluster refer to the same person or thing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import MENTIONS
from scrutiny.core.task import Role
from scrutiny.tasks.annotated.annotated import Annotated, Labeled
from scrutiny.tasks.columns.cells import label_in_cell
from scrutiny.tasks.columns.roles import OF_SENTENCES, WORDS, list_role
from scrutiny.tasks.columns.word_cells import list_of, run_of_words

#: Kinds of mentions.
KINDS: Final = ("pronoun", "proper", "nominal")


class MentionClusters(Annotated):
    """Mentions: objects with ``words``, ``cluster`` and ``kind``."""

    name = "mention-clusters"
    holds = MENTIONS.holds
    identifying_columns = ("mentions",)
    roles = (
        WORDS,
        list_role("mentions", "column of the list of mentions: words, cluster, kind"),
        Role("pronoun", "column of the pronoun that a text is about", names=("pronoun",)),
        Role("gender", "column of the gender of that pronoun", names=("gender",)),
        *OF_SENTENCES,
    )

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: pronouns that are not among the text's words, and the doubts of any row."""
        yield from super().doubts(row, example)
        pronoun = str(example.attributes.get("a_pronoun", "")).casefold()
        if pronoun and pronoun not in example.text.casefold().split():
            yield "have a pronoun that is not among their words"

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """One label ``CLUSTER:KIND`` for each mention."""
        for i, mention in enumerate(list_of(row, "mentions")):
            where = f"mentions[{i}]"
            if not isinstance(mention, Mapping):
                raise DataError(f"{where} is no object with words, cluster and kind")
            first, last = run_of_words(mention.get("words"), f"{where}.words", n=len(words))
            cluster, kind = label_in_cell(mention.get("cluster")), mention.get("kind")
            if not cluster or ":" in cluster:
                raise DataError(
                    f"{where}.cluster is {mention.get('cluster')!r}; it is a name without a colon"
                )
            if kind not in KINDS:
                raise DataError(f"{where}.kind is {kind!r}; it is {', '.join(KINDS)}")
            yield Labeled(first, last, f"{cluster}:{kind}")
