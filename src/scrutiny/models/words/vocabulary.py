"""Words of small classifiers: lower-cased tokens, each with an id."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrutiny.core.errors import ModelError
from scrutiny.models.words.attention_network import FIRST_WORD, UNKNOWN
from scrutiny.text.tokens import token_texts


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Known words in the order of their ids.

    Examples
    --------
    >>> words = Vocabulary.of_texts(["A film.", "a story"], least=2)
    >>> words.words, words.ids(words.cut("A good one"))
    (('a',), [4, 1, 1])
    """

    words: tuple[str, ...]

    @classmethod
    def of_texts(cls, texts: Iterable[str], *, least: int = 1) -> "Vocabulary":
        """Words that stand in the texts so often, the commonest first, then by their letters."""
        counts = Counter(word for text in texts for word in cls.cut(text))
        kept = [word for word, count in counts.items() if count >= least]
        return cls(tuple(sorted(kept, key=lambda word: (-counts[word], word))))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Vocabulary of a file.

        Raises
        ------
        ModelError
            If it does not read.
        """
        try:
            words = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{str(path)!r} does not read: {error}.") from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ModelError(f"{str(path)!r} must be a list of words.")
        return cls(tuple(words))

    @staticmethod
    def cut(text: str) -> tuple[str, ...]:
        """Tokens of a text in lower case."""
        return tuple(word.lower() for word in token_texts(text))

    def ids(self, tokens: Sequence[str], known: Mapping[str, int] | None = None) -> list[int]:
        """Ids of tokens; what is not known has one id for all. ``known`` is `index`, if at hand."""
        index = self.index() if known is None else known
        return [index.get(token, UNKNOWN) for token in tokens]

    def index(self) -> dict[str, int]:
        """Id of each word."""
        return {word: i for i, word in enumerate(self.words, FIRST_WORD)}
