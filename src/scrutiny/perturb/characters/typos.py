"""Random typos: letters replaced, swapped, inserted or deleted inside words."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.core.transformation import Document, Intensity
from scrutiny.perturb.characters.one_draw import OneDraw, Slipped
from scrutiny.perturb.characters.positions import exchanged
from scrutiny.perturb.engine.change import Sites, word_sites
from scrutiny.text.letters import same_class
from scrutiny.text.tokens import graphemes

_MODES = ("replace", "swap", "insert", "delete")


@dataclass(frozen=True, slots=True)
class Typos(OneDraw):
    """A letter replaced, swapped, inserted or deleted inside words.

    One typing error in each chosen word.

    A replaced or inserted letter is a random one of the same class: digit, upper case, lower case,
    and of the same script. Two equal neighbors are never swapped.

    Parameters
    ----------
    mode
        Kind of slip; ``random`` draws one for each word.
    skip_first, skip_last
        Leave the first or the last character of a word where it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** the answer to unsystematic noise inside words, with everything else as it was.

    **Misleads when** the model's tokenizer splits the changed words into many pieces: then it is
    the tokenizer that was tested. Compare with the matched control, and by piece count.

    References
    ----------
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> variant = perturb("He loves it", "typos(mode=swap)", seed=0)
    >>> variant.edits[0].text in ("vo", "ol", "ev")
    True
    """

    id = "typos@1"
    intensity = Intensity(share=0.3, least=1, most=None)
    inside = True

    mode: Literal["random", "replace", "swap", "insert", "delete"] = "random"
    skip_first: bool = True
    skip_last: bool = True
    shortest: int = 4

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return word_sites(document, max(self.shortest, 1 + self.skip_first + self.skip_last))

    def tries(self, word: str) -> int:
        """Every place, in every mode."""
        return len(word) * (len(_MODES) if self.mode == "random" else 1)

    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The typo whose mode, place and letter are in the digits of the share."""
        units: str | list[str] = word if word.isascii() else graphemes(word)
        turn, place = divmod(number, len(word)) if number else (0, 0)
        mode: str = self.mode
        if mode == "random":
            drawn, share = divmod(share * 4, 1.0)
            mode = _MODES[(int(drawn) + turn) % 4]
        low = self.skip_first
        places = len(units) - low - self.skip_last - (mode == "swap")
        if place >= places:
            return None
        first, share = divmod(share * places, 1.0)
        at = low + (int(first) + place) % places
        unit = units[at]
        width = len(unit)
        if mode == "swap":
            new = exchanged(units, at)
            width += len(units[at + 1])
        elif mode == "delete":
            new = ""
        else:
            options = same_class(unit)
            new = options[int(share * len(options))] if options else None
            width = width if mode == "replace" else 0
        if new is None:
            return None
        return at if units is word else sum(map(len, units[:at])), width, new
