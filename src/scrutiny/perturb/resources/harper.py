"""The Harper grammar checker, behind the resource ``grammar``."""

from functools import lru_cache
from typing import Any

from scrutiny.core.errors import MissingExtraError


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
