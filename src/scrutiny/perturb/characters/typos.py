"""Typing errors: letters swapped, dropped, doubled, or replaced by a neighboring key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import ChangesAtOnce, Document, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng, new_tuple, word_sites
from scrutiny.text.characters import keyboard_neighbors, pick, same_class, split_characters

_MODES = ("replace", "swap", "insert", "delete")
_MODES_FROM = tuple((*_MODES[at:], *_MODES[:at]) for at in range(4))
_INSIDE = True


@dataclass(frozen=True, slots=True)
class Typos(Change, ChangesAtOnce):
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
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> variant = perturb(Example("1", {"text": "He loves it"}), "typos(mode=swap)", seed=0)
    >>> variant.edits[0].text in ("vo", "ol", "ev")
    True
    """

    id: ClassVar[str] = "typos@1"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)

    mode: Literal["random", "replace", "swap", "insert", "delete"] = "random"
    skip_first: bool = True
    skip_last: bool = True
    shortest: int = 4

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, max(self.shortest, 1 + self.skip_first + self.skip_last))

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The drawn typo, then all others of the word until one is possible."""
        word = document.text[site.start : site.end]
        units: Sequence[str] = word if word.isascii() else split_characters(word)
        low, high = int(self.skip_first), len(units) - int(self.skip_last)
        share = rng.random()  # its digits make all three choices
        if self.mode == "random":
            number, share = divmod(share * 4, 1.0)
            modes: Sequence[str] = _MODES_FROM[int(number)]
        else:
            modes = (self.mode,)
        for mode in modes:
            places = high - low - (mode == "swap")
            if places <= 0:
                continue
            first, of_letter = divmod(share * places, 1.0)
            for i in range(places):
                at = low + (int(first) + i) % places
                if (slip := _slip(mode, units, at, of_letter)) is not None:
                    start = site.start + (at if units is word else sum(map(len, units[:at])))
                    yield (Edit(document.field, start, start + slip[0], slip[1], (), _INSIDE),)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """The drawn typos, if all of them are possible."""
        text, field, mode = document.text, document.field, self.mode
        low, kept = self.skip_first, self.skip_first + self.skip_last
        kind: str = mode
        edits = []
        for (start, end, _), share in zip(sites, shares, strict=True):
            word = text[start:end]
            if mode == "random":
                number, share = divmod(share * 4, 1.0)
                kind = _MODES[int(number)]
            places = end - start - kept - (kind == "swap")
            if places <= 0 or not word.isascii():
                return None
            first, of_letter = divmod(share * places, 1.0)
            at = low + int(first)
            slip = _slip(kind, word, at, of_letter)
            if slip is None:
                return None
            start += at
            edits.append(new_tuple(Edit, (field, start, start + slip[0], slip[1], (), _INSIDE, ())))
        return edits


def _slip(mode: str, units: Sequence[str], at: int, share: float) -> tuple[int, str] | None:
    """Code points that a typo deletes at a place and their replacement, if it is possible."""
    unit = units[at]
    if mode == "swap":
        following = units[at + 1]
        return None if following == unit else (len(unit + following), following + unit)
    if mode == "delete":
        return len(unit), ""
    options = same_class(unit)
    if not options:
        return None
    return (len(unit) if mode == "replace" else 0), pick(options, share)


@dataclass(frozen=True, slots=True)
class Keyboard(Change, ChangesAtOnce):
    """Replaces one character of each chosen word by a neighboring key.

    Letters give letters of the same case. The layout is QWERTY; characters that are not on it are
    left alone.

    Parameters
    ----------
    symbols
        Let digits and punctuation come as well, where their keys are near.
    shortest
        Words of fewer characters are left alone.

    **Measures** the answer to the slips that people make when they type.

    **Misleads when** the users type on another layout, or with autocorrection: then such slips are
    rare in what the model will see.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb(Example("1", {"text": "good"}), "keyboard", seed=0).edits[0]
    >>> edit.text in keyboard_neighbors("good"[edit.start])
    True
    """

    id: ClassVar[str] = "keyboard@1"
    title: ClassVar[str] = "keyboard typos"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=None)

    symbols: bool = False
    shortest: int = 4

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The drawn character first, then the following ones, cyclically."""
        text = document.text
        length = site.end - site.start
        first, of_key = divmod(rng.random() * length, 1.0)  # one number makes both choices
        for i in range(length):
            place = site.start + (int(first) + i) % length
            neighbors = keyboard_neighbors(text[place], symbols=self.symbols)
            if neighbors:
                yield (Edit(document.field, place, place + 1, pick(neighbors, of_key)),)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """The drawn characters, if all of them have neighbors."""
        text, field, symbols = document.text, document.field, self.symbols
        edits = []
        for (start, end, _), share in zip(sites, shares, strict=True):
            first, of_key = divmod(share * (end - start), 1.0)
            place = start + int(first)
            neighbors = keyboard_neighbors(text[place], symbols=symbols)
            if not neighbors:
                return None
            new = pick(neighbors, of_key)
            edits.append(new_tuple(Edit, (field, place, place + 1, new, (), False, ())))
        return edits
