"""Exchange of two inner characters, in one word or in every word at once."""

from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.languages import SPACED_WORDS
from scrutiny.core.transformation import Document, Intensity, Site
from scrutiny.perturb.characters.positions import letters_of
from scrutiny.perturb.engine.change import Candidates, Change, Rng, Sites, whole_text, word_sites
from scrutiny.text.lexicon import is_stop_word

_TRIES: Final = 10  # redraws of a pair of equal characters


@dataclass(frozen=True, slots=True)
class MiddleSwap(Change):
    """Exchanges two characters that are neither the first nor the last of their word.

    Parameters
    ----------
    scope
        ``text``: one pair in every word at once, and the text is the place. ``word``: in one word.
    draws
        How many candidates are drawn; equal ones come once.
    shortest
        Words of fewer characters are left alone.
    skip_stop_words
        Leave function words alone.

    **Measures** whether a model reads words by their letters or by their look as a whole.

    **Misleads when** the amount of change differs between texts that are compared: long texts
    have more long words.

    References
    ----------
    Rawal, Toneva (2024). Perturbed examples reveal invariances shared by language models.
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [edit[1:4] for edit in perturb("The good film", "middle_swap", seed=0).edits]
    [(10, 12, 'li')]
    """

    id = "middle_swap@1"
    title = "inner letters swapped"
    languages = SPACED_WORDS
    intensity = Intensity(share=0.3, least=1, most=None)
    is_for_search = True

    scope: Literal["text", "word"] = "text"
    draws: int = 15
    shortest: int = 4
    skip_stop_words: bool = True

    def sites(self, document: Document) -> Sites:
        """The whole text if it has an eligible word, or each eligible word."""
        words = self._words(document)
        return words if self.scope == "word" else whole_text(document) if words else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The requested number of draws, without duplicates."""
        words = self._words(document) if self.scope == "text" else [site]
        seen = set()
        for _ in range(self.draws):
            found = [edit for word in words for edit in _swapped(document, word, rng)]
            if found and (key := tuple(found)) not in seen:
                seen.add(key)
                yield key

    def _words(self, document: Document) -> list[Site]:
        found = word_sites(document, max(4, self.shortest))
        if not self.skip_stop_words:
            return found
        return [s for s in found if not is_stop_word(document.words[s.token])]


def _swapped(document: Document, site: Site, rng: Rng) -> tuple[Edit, ...]:
    """Edit that exchanges two different inner characters; `None` if the draws found none."""
    word = letters_of(document, site, keep_first=True, keep_last=True)
    units, count = word.units, word.high - word.low
    for _ in range(_TRIES if count > 1 else 0):
        first, second = int(rng.random() * count), int(rng.random() * (count - 1))
        i, j = sorted((first, second + (second >= first)))
        i, j = i + word.low, j + word.low
        if units[i] != units[j]:
            new = "".join([units[j], *units[i + 1 : j], units[i]])
            return word.change(i, new, width=j - i + 1)
    return ()
