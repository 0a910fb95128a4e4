"""No new mistakes of grammar."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.errors import MissingExtraError
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources import find_resource
from scrutiny.text.edits import apply_to_text

# Matters of spelling and taste: a new name or a rarer word is no mistake of grammar.
_IGNORED = frozenset(
    {"Spelling", "Style", "Readability", "Enhancement", "WordChoice", "Formatting", "Regionalism"}
)


class HarperChecker:
    """Complaints of the Harper grammar checker, each text checked once."""

    def __init__(self) -> None:
        try:
            import harper
        except ImportError as error:
            raise MissingExtraError("The grammar constraint", "nlp") from error
        self._linter: Any = harper.Linter()
        self._plain: Any = harper.Language.PLAINTEXT
        self._known = lru_cache(maxsize=4096)(self._ask)

    def lints(self, text: str) -> tuple[tuple[str, str], ...]:
        """(kind, text of the problem) for each complaint.

        Examples
        --------
        >>> [kind for kind, _ in HarperChecker().lints("They does not play.")]
        ['Agreement']
        """
        return self._known(text)

    def _ask(self, text: str) -> tuple[tuple[str, str], ...]:
        found = self._linter.lint(text, language=self._plain)
        return tuple((str(lint.lint_kind), str(lint.problem_text)) for lint in found)


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
