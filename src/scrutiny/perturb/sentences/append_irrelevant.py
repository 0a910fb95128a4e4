"""An opening phrase before the text and a proverb after it."""

from dataclasses import dataclass
from functools import cache

from scrutiny.core.randomness import pick
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.change import Candidates, ChangesWholeText, Edit, Rng
from scrutiny.perturb.engine.new_words import with_unknown
from scrutiny.perturb.languages.en.verbs import could_be_verb
from scrutiny.text.gender import first_name_gender
from scrutiny.text.lexicon import is_stop_word, listed, place_region, zipf
from scrutiny.text.tokens import is_word

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
                edits += _opening(document, pick(phrases, before))
            if has_end:
                known = listed("proverbs")
                edits.append(_ending(document, pick(known, behind)))
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
    if is_opened or _is_joined(first):
        return ()
    if "?" in words:
        return _ASIDES
    if document.has_words:
        return tuple(phrase for phrase in _without_that() if phrase.endswith(","))
    return listed("opening_phrases") if first.partition("'")[0] in _SUBJECTS else _without_that()


def _is_joined(first: str) -> bool:
    """Whether a text begins with a conjunction, punctuation, or a verb without a subject."""
    if first in ("and", "but", "or", "nor", "so") or not first[0].isalnum():
        return True
    return first.endswith("s") and not is_stop_word(first) and could_be_verb(first)


def _opening(document: Document, phrase: str) -> list[Edit]:
    """Edits that insert a phrase at the beginning."""
    start = document.tokens[0][0]
    edits = [with_unknown(document, Edit(document.field, start, start, phrase + " "))]
    first = document.words[0]
    if first[0].isupper() and first[1:].islower() and is_word(first) and _is_ordinary(first):
        edits.append(Edit(document.field, start, start + 1, first[0].lower()))
    return edits


def _is_ordinary(word: str) -> bool:
    """Whether a word is capitalized only because it begins a sentence."""
    if word.partition("'")[0].partition("’")[0] == "I" or first_name_gender(word):
        return False
    low = word.lower()
    return is_stop_word(low) or (place_region(word) is None and zipf(low) >= _COMMON)


def _ending(document: Document, proverb: str) -> Edit:
    """Edit that appends a sentence, after a period if there is no punctuation."""
    text = document.text
    end = document.tokens[-1][1]
    is_closed = text[end - 1] in ".!?…\"'”’)]}"
    edit = Edit(document.field, end, end, (" " if is_closed else ". ") + proverb)
    return with_unknown(document, edit)
