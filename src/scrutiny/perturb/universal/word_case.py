"""Words in other letter case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.engine.sites import sites_where


@dataclass(frozen=True, slots=True)
class WordCase(Change):
    """All words in upper, lower, title or random case, each by an edit of its own.

    Because every word has its own edit, spans keep their borders and a later step of a composition
    still finds words.

    Parameters
    ----------
    case
        ``title`` raises the first letter of each word and lowers the others; ``random`` draws for
        each letter and never gives the word back as it was.

    **Measures** whether the model reads words or their capitals.

    **Misleads when** the model's own preprocessing lower-cases: then nothing changes, and that is a
    property of the tokenizer, not robustness learned.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb(Example("1", {"text": "so good!"}), "word_case", seed=0).edits[1].text
    'GOOD'
    """

    id: ClassVar[str] = "word_case@1"
    summary: ClassVar[str] = "words in upper, lower, title or random case"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=1.0, least=1, most=None)
    where: ClassVar[str] = "anywhere"

    case: Literal["upper", "lower", "title", "random"] = "upper"

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that would look different."""
        if self.case == "random":
            return sites_where(document, lambda word: word.lower() != word.upper())
        return sites_where(document, lambda word: _cased(word, self.case) != word)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The word in its new case."""
        word = document.text[site.start : site.end]
        if self.case == "random":
            text = _random_case(word, rng.random(len(word) + 1).tolist())
        else:
            text = _cased(word, self.case)
        yield (Edit(document.field, site.start, site.end, text),)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """All words in their new case, unless it is drawn letter by letter."""
        if self.case == "random":
            return None
        text, field = document.text, document.field
        return [
            Edit(field, start, end, _cased(text[start:end], self.case))
            for (start, end, _), _ in zip(sites, shares, strict=True)
        ]


def _cased(word: str, case: str) -> str:
    if case == "upper":
        return word.upper()
    return word.lower() if case == "lower" else word[:1].upper() + word[1:].lower()


def _random_case(word: str, shares: Sequence[float]) -> str:
    """Word with a case drawn for each letter; if that is the word itself, one letter is turned."""
    chars = [
        c.upper() if share < 0.5 else c.lower() for c, share in zip(word, shares, strict=False)
    ]
    drawn = "".join(chars)
    if drawn != word:
        return drawn
    cased = [i for i, c in enumerate(word) if c.lower() != c.upper()]
    at = cased[int(shares[-1] * len(cased))]
    chars[at] = chars[at].swapcase()
    return "".join(chars)
