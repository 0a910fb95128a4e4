"""No new mistakes of grammar."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text

# Matters of spelling and taste: a new name or a rarer word is no mistake of grammar.
_IGNORED = frozenset(
    {"Spelling", "Style", "Readability", "Enhancement", "WordChoice", "Formatting", "Regionalism"}
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Refuse edits that add a grammatical complaint; those of the original are forgiven.

    Parameters
    ----------
    ignore
        Kinds of complaint that do not count.

    Notes
    -----
    The resource ``grammar`` is the checker; its default is Harper (extra ``nlp``).

    **Misleads when**: the texts are pre-tokenized or lower-case: the checker was made for prose,
    and its complaints there are mostly about spaces and capitals, before and after alike.

    Examples
    --------
    >>> Grammar().resources
    ('grammar',)
    """

    id: ClassVar[str] = "grammar@1"
    reason: ClassVar[str] = "grammar"
    resources: ClassVar[tuple[str, ...]] = ("grammar",)

    ignore: frozenset[str] = _IGNORED

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether no kind of complaint becomes more frequent."""
        checker = find_resource(document if context is None else context, "grammar")
        before = Counter(kind for kind, _ in checker.lints(document.text))
        after = Counter(kind for kind, _ in checker.lints(apply_to_text(document.text, edits)))
        return all(n <= before[kind] for kind, n in after.items() if kind not in self.ignore)
