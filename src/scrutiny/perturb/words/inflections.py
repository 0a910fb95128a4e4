"""Words in another inflection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.change import Sites, sites_where
from scrutiny.perturb.languages.en.related_words import UPOS_OF, content_tag
from scrutiny.perturb.words.replacing import OtherWord, token_to_replace
from scrutiny.text.inflect import inflect, lemma
from scrutiny.text.lexicon import is_stop_word, zipf

# Pronouns and quantities, which the tags of a treebank call nouns and adjectives.
_UNINFLECTED: Final = frozenset(
    """nobody somebody anybody everybody someone anyone everyone nothing something anything
    none many much more most few several such other own same only main first last""".split()
)
_TAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "NOUN": ("NN", "NNS"),
    "VERB": ("VB", "VBP", "VBZ", "VBD", "VBG", "VBN"),
    "ADJ": ("JJ", "JJR", "JJS"),
}


@dataclass(frozen=True, slots=True)
class Inflections(OtherWord):
    """Words in another inflection.

    All other forms of a noun, verb or adjective, in the order of their Penn tags.

    Parameters
    ----------
    skip_stop_words
        Leave function words, and with them all forms of "be" and "have", alone.

    **Measures** with a search on top, whether a model understands writers who inflect as learners
    and speakers of other dialects do.

    **Misleads when** tense or number matter to the task: then the answer may rightly change.

    References
    ----------
    Tan, Joty, Kan, Socher (2020). It's morphin' time! Combating linguistic discrimination with
    inflectional perturbations.

    Examples
    --------
    >>> _inflected_forms("went", "VERB")
    ('go', 'goes', 'going', 'gone')
    """

    id = "inflections@1"
    resources = ("tagger",)
    effect = keeps_unless("extract", "relation", "text", "xpos")
    is_for_search = True
    is_local = True

    skip_stop_words: bool = True

    def sites(self, document: Document) -> Sites:
        """Words of letters; their tags decide later which of them can be inflected."""
        stops = self.skip_stop_words
        return sites_where(
            document,
            lambda word: len(word) > 1 and word.isalpha() and not (stops and is_stop_word(word)),
        )

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """Forms in a fixed order."""
        upos = UPOS_OF.get(content_tag(document, token_to_replace(document, site)), "")
        return _inflected_forms(document.text[site.start : site.end].lower(), upos)


@lru_cache(maxsize=1 << 16)
def _inflected_forms(word: str, upos: str) -> tuple[str, ...]:
    """Inflected forms that may replace a lower-case word; none for adverbs and function words."""
    base = lemma(word, upos)
    if word in _UNINFLECTED:
        return ()
    found = [inflect(base, xpos) for xpos in _TAGS.get(upos, ())]
    return tuple(dict.fromkeys(f for f in found if f and f != word and _is_form(f, base, upos)))


def _is_form(form: str, base: str, upos: str) -> bool:
    """Whether a form is written by people ("manier" is not), and of this word ("worse": bad)."""
    return upos != "ADJ" or (zipf(form) > 0 and lemma(form, upos) == base)
