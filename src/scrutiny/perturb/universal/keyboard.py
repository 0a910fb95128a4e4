"""The key beside the right one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.letters import pick
from scrutiny.perturb.engine.sites import new_tuple, word_sites
from scrutiny.text.characters import keyboard_neighbors

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Keyboard:
    """One character of each chosen word replaced by one that lies beside it on the keyboard.

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
    summary: ClassVar[str] = "a character replaced by its neighbor on the keyboard"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=None)
    where: ClassVar[str] = "around"

    symbols: bool = False
    shortest: int = 4

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """The drawn character first, then the ones behind it, around the word."""
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
            edits.append(new_tuple(Edit, (field, place, place + 1, new, (), False)))
        return edits
