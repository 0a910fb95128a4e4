"""Characters stored in another order, or overtyped, that are shown as they were."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of

if TYPE_CHECKING:
    from numpy.random import Generator

_RIGHT_TO_LEFT: Final = "\u202e"  # override: what follows is shown from right to left
_POP: Final = "\u202c"
_BACKSPACE: Final = "\b"


@dataclass(frozen=True, slots=True)
class HiddenReorder:
    r"""Two neighboring characters exchanged and shown in their old order by a control character.

    Parameters
    ----------
    positions
        ``random``: one place of a word, drawn; ``all``: each, from left to right.
    control
        ``reorder``: the pair stands between a right-to-left override and its end. ``delete``: an
        ``X`` and a backspace stand before a character.

    **Measures** with a search on top, what somebody who types such characters on purpose can do.

    **Misleads when** texts are normalized before they reach the model, or the medium shows
    controls: backspaces are hidden by few programs, and overrides work in text from left to right.

    References
    ----------
    Boucher, Shumailov, Anderson, Papernot (2022). Bad characters: imperceptible NLP attacks.
    Unicode Standard Annex 9, the bidirectional algorithm.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> hide, document = HiddenReorder(), document_of("no")
    >>> [e[0].text for e in hide.candidates(document, hide.sites(document)[0], default_rng(0))]
    ['\u202eon\u202c']
    """

    id: ClassVar[str] = "hidden_reorder@1"
    summary: ClassVar[str] = "characters reordered or overtyped, and shown as they were"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    positions: Positions = "all"
    control: Literal["reorder", "delete"] = "reorder"

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of at least two characters."""
        return letter_sites(document, 2)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Changes of one place each."""
        word = letters_of(document, site, keep_first=False, keep_last=False)
        units = word.units
        if self.control == "delete":
            for i in chosen(range(1, len(units)), self.positions, rng):
                yield word.change(i, f"X{_BACKSPACE}", width=0)
            return
        pairs = [i for i in range(len(units) - 1) if units[i] != units[i + 1]]
        for i in chosen(pairs, self.positions, rng):
            new = f"{_RIGHT_TO_LEFT}{units[i + 1]}{units[i]}{_POP}"
            yield word.change(i, new, width=2)
