"""A text translated to another language and back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from scrutiny.core.grouping import grouped
from scrutiny.core.transformation import AsksAhead, Document, Site, keeps_unless
from scrutiny.perturb.engine.change import Candidates, ChangesWholeText, Edit, Rng
from scrutiny.perturb.resources.capabilities import Translator
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.tokens import is_spaced, sentences, token_spans

Span = tuple[int, int]

# What the Penn Treebank's tokenization splits off: clitics and punctuation.
_SPLIT_OFF: Final = re.compile(r" (n't|'(?:s|re|ve|ll|d|m)\b|[.,;:!?)])", re.IGNORECASE)
_OPENING: Final = re.compile(r"([(]) ")
_GLUED: Final = re.compile(
    r"((?:(?<=[a-z])n't|(?<=[a-z])'(?:s|re|ve|ll|d|m))\b|\.\.\.|--|(?<!\d)[.,](?!\d)|[;:!?()]|[.,]$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BackTranslation(ChangesWholeText, AsksAhead):
    """Translates the text to another language and back, sentence by sentence.

    The difference is taken word by word, so that words which come back as they were are not
    touched and annotations on them stay. An edit that would cross an annotation is refused.

    Parameters
    ----------
    pivot
        Language in between, as the translator names it.

    **Measures** whether the answer survives a paraphrase of the whole text.

    **Misleads when** the translator drops or changes what the answer hangs on. Small models do; a
    similarity constraint helps, and a look at the variants.

    References
    ----------
    Sennrich, Haddow, Birch (2016). Improving neural machine translation models with monolingual
    data.
    Ribeiro, Singh, Guestrin (2018). Semantically equivalent adversarial rules for debugging NLP
    models.

    Examples
    --------
    >>> BackTranslation().resources
    ('translator',)
    """

    id = "back_translation@1"
    title = "back-translation"
    resources = ("translator",)
    effect = keeps_unless("clusters", "spans", "words")

    pivot: str = "pt"

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Edits that turn the text into its back-translation; none if it is unchanged."""
        text = document.text
        spans = sentences(text)
        translator: Translator = find_resource(document.resources, "translator")
        back = self._there_and_back(_sentences(text), document.language, translator)
        edits: list[Edit] = []
        for (start, end), came in zip(spans, back, strict=True):
            edits += _difference(document, start, end, _like(text[start:end], came))
        if edits:
            yield tuple(edits)

    def _there_and_back(
        self, texts: Sequence[str], language: str, translator: Translator
    ) -> list[str]:
        own = language.partition("-")[0]
        there = translator.translate(texts, source=own, target=self.pivot)
        return translator.translate(there, source=self.pivot, target=own)

    def warm(self, documents: Sequence[Document], sites: Sequence[Sequence[Site]]) -> None:
        """Translate the sentences of many documents in one call; the translator caches them."""
        translator: Translator = find_resource(documents[0].resources, "translator")
        said = grouped((one.language, text) for one in documents for text in _sentences(one.text))
        for language, texts in sorted(said.items()):
            self._there_and_back(texts, language, translator)


def _sentences(text: str) -> list[str]:
    """Sentences in normal spelling, without Penn treebank spaces, for the translator."""
    found = [text[a:b] for a, b in sentences(text)]
    if not is_spaced(text):
        return found
    return [_OPENING.sub(r"\1", _SPLIT_OFF.sub(r"\1", sentence)) for sentence in found]


def _like(sentence: str, came: str) -> str:
    """Translation with the spacing and letter case of the original."""
    if is_spaced(sentence):
        came = " ".join(_GLUED.sub(r" \1 ", came).split())
    return came.lower() if sentence.islower() else came


def _difference(document: Document, start: int, end: int, came: str) -> list[Edit]:
    """Word-level edits from a part of the text to its translation."""
    old = [(a, b) for a, b in document.tokens if start <= a and b <= end]
    new = token_spans(came)
    before = [document.text[a:b] for a, b in old]
    after = [came[a:b] for a, b in new]
    if not after:
        return []  # a translator that lost the sentence has no paraphrase of it
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    edits = []
    for op, i, j, k, m in matcher.get_opcodes():
        if op == "replace":
            low, high = old[i][0], old[j - 1][1]
            edits.append(Edit(document.field, low, high, came[new[k][0] : new[m - 1][1]]))
        elif op == "delete":
            edits.append(_removal(document.field, old, i, j))
        elif op == "insert":
            edits.append(_insertion(document, old, i, piece=came[new[k][0] : new[m - 1][1]]))
    return edits


def _removal(field: str, old: Sequence[Span], i: int, j: int) -> Edit:
    """Edit that deletes tokens with the space on one side."""
    if i > 0:
        return Edit(field, old[i - 1][1], old[j - 1][1], "")
    return Edit(field, old[i][0], old[j][0] if j < len(old) else old[j - 1][1], "")


def _insertion(document: Document, old: Sequence[Span], i: int, *, piece: str) -> Edit:
    """Edit that inserts text after a token, or before the first."""
    field = document.field
    if i == 0:
        return Edit(field, old[0][0], old[0][0], f"{piece} ")
    is_glued = piece[0] in ",.;:!?)" and not is_spaced(document.text)
    space = "" if is_glued else " "
    return Edit(field, old[i - 1][1], old[i - 1][1], space + piece)
