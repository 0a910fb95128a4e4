"""A phrase before the text and a commonplace after it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.sites import whole_text
from scrutiny.text.lexicon import is_stop_word, opening_phrases, proverbs
from scrutiny.text.tokens import is_word

if TYPE_CHECKING:
    from numpy.random import Generator

_ALTERNATIVES = 4


@dataclass(frozen=True, slots=True)
class AppendIrrelevant:
    """An opening phrase before the text, and behind a longer one a proverb.

    Both are neutral in sentiment. A function word that began the text with a capital is written
    small behind the phrase ("Apparently, the film …").

    Parameters
    ----------
    start, end
        Whether to write before, and behind.
    least_tokens
        Texts of fewer tokens get no proverb, which would outweigh them.

    **Measures** whether the model reads past what has nothing to do with the matter.

    **Misleads when** the phrase is not empty after all: "I was told that" takes back what a premise
    asserts, so for pairs of texts the gold answer may change.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine import perturb
    >>> example = Example("1", {"text": "The film is good."})
    >>> edits = perturb(example, "append_irrelevant", seed=0).edits
    >>> edits[0].text.strip() in opening_phrases(), edits[1].text
    (True, 't')
    """

    id: ClassVar[str] = "append_irrelevant@1"
    summary: ClassVar[str] = "an opening phrase before the text, a proverb behind it"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "keeps",
        "text-pair-classification": "may change",
    }
    intensity: ClassVar[Intensity] = Intensity(share=0.0, least=1, most=1)
    where: ClassVar[str] = "anywhere"

    start: bool = True
    end: bool = True
    least_tokens: int = 10

    def sites(self, document: Document) -> Sequence[Site]:
        """The text as a whole."""
        return whole_text(document)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """A few drawn pairs of a phrase and a proverb."""
        has_end = self.end and len(document.tokens) >= self.least_tokens
        for _ in range(_ALTERNATIVES):
            before, behind = rng.random(2).tolist()
            edits: list[Edit] = []
            if self.start:
                phrases = opening_phrases()
                edits += _opening(document, phrases[int(before * len(phrases))])
            if has_end:
                known = proverbs()
                edits.append(_ending(document, known[int(behind * len(known))]))
            yield tuple(edits)


def _opening(document: Document, phrase: str) -> list[Edit]:
    """Edits that put a phrase in front."""
    start = document.tokens[0][0]
    edits = [Edit(document.field, start, start, phrase + " ")]
    first = document.words[0]
    is_function_word = is_word(first) and is_stop_word(first) and first[0].isupper()
    if is_function_word and first[1:].islower() and first[0] != "I":
        edits.append(Edit(document.field, start, start + 1, first[0].lower()))
    return edits


def _ending(document: Document, proverb: str) -> Edit:
    """Edit that puts a sentence behind, after a period if there is no mark."""
    text = document.text
    end = document.tokens[-1][1]
    is_closed = text[end - 1] in ".!?…\"'”’)]}"
    return Edit(document.field, end, end, (" " if is_closed else ". ") + proverb)
