"""Transformations of sentences: openings, proverbs, tautologies, a translation and back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.record import grouped
from scrutiny.core.transformation import AsksAhead, Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import Candidates, ChangesWholeText, with_unknown
from scrutiny.perturb.languages.verbs import could_be_verb
from scrutiny.perturb.resources.capabilities import Translator
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.entities import first_name_gender
from scrutiny.text.lexicon import is_stop_word, listed, place_region, zipf
from scrutiny.text.tokens import is_lexical, is_spaced, is_word, sentences, token_spans

_ALTERNATIVES = 4
_COMMON = 3.5  # zipf of words that are no names, or are known as such
_ASIDES = ("By the way,", "Incidentally,", "Just so you know,")  # what may stand before a question
_DATELINE = frozenset({"-", "--", "–", "—", ":"})
_HEAD = 8  # tokens in which a dateline ends
_SUBJECTS = frozenset("i you he she it we they this there".split())


@dataclass(frozen=True, slots=True)
class AppendIrrelevant(ChangesWholeText):
    """An opening phrase before the text, and after longer texts a proverb.

    Both are neutral in sentiment. A common word that began the text with a capital is written
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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edits = perturb("The film is good.", "append_irrelevant", seed=0).edits
    >>> edits[0].text.strip() in listed("opening_phrases"), edits[1].text
    (True, 't')
    """

    id = "append_irrelevant@1"
    title = "irrelevant sentences"
    effect = keeps_unless("clusters", "relation", "text")

    start: bool = True
    end: bool = True
    least_tokens: int = 10

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A few random pairs of a phrase and a proverb."""
        has_end = self.end and len(document.tokens) >= self.least_tokens
        for _ in range(_ALTERNATIVES):
            before, behind = rng.random(2).tolist()
            edits: list[Edit] = []
            phrases = _openings(document) if self.start else ()
            if phrases:
                start, first = document.tokens[0][0], document.words[0]
                phrase = f"{pick(phrases, before)} "
                edits.append(with_unknown(document, Edit(document.field, start, start, phrase)))
                if first[0].isupper() and first[1:].islower() and _is_ordinary(first):
                    edits.append(Edit(document.field, start, start + 1, first[0].lower()))
            if has_end:
                end = document.tokens[-1][1]
                period = "" if document.text[end - 1] in ".!?…\"'”’)]}" else "."
                proverb = f"{period} {pick(listed('proverbs'), behind)}"
                edits.append(with_unknown(document, Edit(document.field, end, end, proverb)))
            if edits:
                yield tuple(edits)


@cache
def _without_that() -> tuple[str, ...]:
    return tuple(phrase for phrase in listed("opening_phrases") if not phrase.endswith(" that"))


def _openings(document: Document) -> tuple[str, ...]:
    """Possible opening phrases of a text: "… that" needs a clause, "and" takes none.

    Where the gold answer is a tree, they are those that leave its root the root.

    Nor does a text that has its opening: an adverb with a comma, or a dateline ("ROME (AP) - ").
    """
    words = document.words
    first = words[0].lower().replace("’", "'")
    is_opened = "," in words[:3] or (
        words[0][:1].isupper() and not _DATELINE.isdisjoint(words[:_HEAD])
    )
    # a conjunction, punctuation, or a verb without a subject
    is_joined = first in ("and", "but", "or", "nor", "so") or not first[0].isalnum()
    is_verb = first.endswith("s") and not is_stop_word(first) and could_be_verb(first)
    if is_opened or is_joined or is_verb:
        return ()
    if "?" in words:
        return _ASIDES
    if document.has_words:
        return tuple(phrase for phrase in _without_that() if phrase.endswith(","))
    return listed("opening_phrases") if first.partition("'")[0] in _SUBJECTS else _without_that()


def _is_ordinary(word: str) -> bool:
    """Whether a word is capitalized only because it begins a sentence."""
    is_name = word.partition("'")[0].partition("’")[0] == "I" or first_name_gender(word)
    if is_name or not is_word(word):
        return False
    low = word.lower()
    return is_stop_word(low) or (place_region(word) is None and zipf(low) >= _COMMON)


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
    is_default = False  # of 50 questions that were read, 27 were fit
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
            said = text[start:end]  # whose spacing and letter case are kept
            if is_spaced(said):
                came = " ".join(_GLUED.sub(r" \1 ", came).split())
            came = came.lower() if said.islower() else came
            edits += _difference(document, start, end, came)
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
        if op == "equal":
            continue
        piece = came[new[k][0] : new[m - 1][1]] if m > k else ""
        low, high = old[i - 1][1], old[j - 1][1]
        if op == "replace":
            low = old[i][0]
        elif i == 0:  # with the space behind
            low, high = old[0][0], old[j][0] if j < len(old) else high
            piece = piece and f"{piece} "
        elif piece and (piece[0] not in ",.;:!?)" or is_spaced(document.text)):
            piece = f" {piece}"
        edits.append(Edit(document.field, low, high, piece))
    return edits
