"""Grammar errors by the checker Harper, as a resource."""

from functools import lru_cache
from typing import Any


class HarperChecker:
    """Grammar errors by the Harper checker; each text is checked once."""

    def __init__(self) -> None:
        import harper

        self._linter: Any = harper.Linter()
        self._plain: Any = harper.Language.PLAINTEXT
        self._known = lru_cache(maxsize=4096)(self._ask)

    def lints(self, text: str) -> tuple[tuple[str, str], ...]:
        """(kind, text of the problem) for each grammar error.

        Examples
        --------
        >>> [kind for kind, _ in HarperChecker().lints("They does not play.")]
        ['Agreement']
        """
        return self._known(text)

    def _ask(self, text: str) -> tuple[tuple[str, str], ...]:
        found = self._linter.lint(text, language=self._plain)
        return tuple((str(lint.lint_kind), str(lint.problem_text)) for lint in found)
