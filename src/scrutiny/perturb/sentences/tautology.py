"""A tautology at the end of a text, which changes nothing that the text says."""

from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.change import Candidates, ChangesWholeText, Edit, Rng
from scrutiny.perturb.engine.new_words import with_unknown
from scrutiny.text.tokens import is_lexical

_SAID: Final = {
    "overlap": " and true is true",
    "negation": " and false is not true",
    "length": " and true is true" * 5,
    "sentence": " And we have to say that the sun is not moon, the moon is not sun.",
}


@dataclass(frozen=True, slots=True)
class Tautology(ChangesWholeText):
    """A tautology at the end of the text: before its last mark, or as a sentence.

    A pair keeps its label. As published: ``tautology(fields=hypothesis)``. Questions stay.

    Parameters
    ----------
    said
        ``overlap`` (true is true), ``negation`` (false is not), ``length`` (5 times), ``sentence``.

    **Measures** whether the answer hangs on shared words, on a "not" or on the length.

    **Misleads when** taken for what people write.

    References
    ----------
    Naik et al. (2018). Stress test evaluation for NLI. Gui et al. (2021). TextFlint: AddSent.
    """

    id = "tautology@1"
    effect = keeps_unless("clusters", "text")
    is_default = False  # no text that somebody would write

    said: Literal["overlap", "negation", "length", "sentence"] = "negation"

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The text with what is said behind its last word, or behind its end."""
        at = max([i for i, word in enumerate(document.words) if is_lexical(word)], default=-1)
        if at >= 0 and "?" not in document.text:
            end = len(document.text.rstrip()) if self.said == "sentence" else document.tokens[at][1]
            yield (with_unknown(document, Edit(document.field, end, end, _SAID[self.said])),)
