"""Words added and dropped: adverbs before verbs, deletion, contractions and full forms."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Intensity, Site, keeps_unless, may_change_unless
from scrutiny.perturb.engine.changes import (
    EVERY_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    sites_where,
    with_same_words,
)
from scrutiny.perturb.languages.sentence_tokens import is_informal, plain
from scrutiny.perturb.languages.verbs import (
    ADVERBS,
    auxiliary_kind,
    finite_kind,
    is_auxiliary,
    is_main_verb,
)
from scrutiny.text.contractions import Rewording, find_contractions, find_expansions
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import listed, word_set
from scrutiny.text.tokens import is_lexical, is_spaced
from scrutiny.text.wordnet import exists

_TRIED: Final = 5
_SUBJECTS: Final = frozenset("i you he she it we they".split())
# Behind these a clause belongs to a word of another one, or stands for one ("what it lacks").
_EMBEDDING: Final = frozenset("that which who whom whose what how why where".split())
_SINGULAR: Final = frozenset({"NN", "NNP", "NNPS"})
_NOUNS: Final = _SINGULAR | {"NNS"}
# What is asked, supposed, wished or merely possible is not asserted: "if it certainly works".
_UNASSERTED: Final = word_set("unasserted")
_IDIOMS: Final = frozenset({"wait", "help", "mind"})  # "can't wait", "can't help but"
# They say themselves how sure somebody is.
_HEDGES: Final = frozenset("guess suppose bet doubt mean hope wish".split())
_REACH: Final = 8  # tokens before a verb in which such a word governs its clause
_EDGES: Final = frozenset(".!?;:")


@dataclass(frozen=True, slots=True)
class InsertAdverb(Change):
    """Inserts a neutral adverb before a main verb.

    The verb stands right behind its subject, behind "have" or "be" as a participle, or opens a
    sentence whose subject was left out. Where the clause asserts nothing ("if", "n't") the adverb
    says nothing about certainty ("actually"), and is the only such one of its text; so in texts
    that are written as messages are. Verbs of clauses that depend on a word ("the man who came",
    "what it lacks"), that have an adverb beside them already, infinitives with "to" and capitals
    at the head of a sentence are passed over.

    **Measures** whether a word that says little about the matter sways the answer.

    **Misleads when** the adverb strengthens what is said ("certainly"): a score of how strong an
    opinion is may follow it.

    References
    ----------
    Wang et al. (2021). TextFlint: unified multilingual robustness evaluation toolkit for natural
    language processing.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> document = document_of("She has seen it.")
    >>> [document.text[s.start : s.end] for s in InsertAdverb().sites(document)]
    ['seen']
    """

    id = "insert_adverb@1"
    title = "adverbs inserted"
    resources = ("tagger",)
    effect = keeps_unless("relation", "text")

    def sites(self, document: Document) -> Sites:
        """Main verbs that an adverb can precede."""
        found = [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if is_main_verb(document, i) and _fits(document, i)
        ]
        if len(found) > 1 and is_informal(document):
            return found[:1]
        sober = [site for site in found if _is_unasserted(document, site.token)]
        return [site for site in found if site not in sober[1:]]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A few adverbs in random order, none that the text already has."""
        present = {plain(word) for word in document.words}
        is_upper = document.words[site.token].isupper()
        fitting = listed("adverbs")
        if _is_unasserted(document, site.token) or is_informal(document):
            is_denied = plain(document.words[site.token - 1]).endswith("n't")
            fitting = ("actually", "really") if is_denied else ("actually",)
        new = [adverb for adverb in fitting if adverb not in present]
        for adverb in islice(in_random_order(new, rng), _TRIED):
            text = f"{adverb.upper() if is_upper else adverb} "
            new_word = Piece(0, len(adverb), (), site.start, None, "advmod", "ADV", "RB")
            pieces = (new_word,) if document.has_words else ()
            yield (Edit(document.field, site.start, site.start, text, pieces=pieces),)


def _has_adverb_before(document: Document, index: int) -> bool:
    """Whether an adverb stands before a verb, or among its auxiliaries ("would surely have")."""
    at = index - 1
    while at >= 0 and auxiliary_kind(document, at) is not None and is_auxiliary(document, at):
        at -= 1
        if at >= 0 and plain(document.words[at]) == "n't":
            at -= 1
    word = document.words[at] if at >= 0 else "."
    return word[0].isalpha() and document.tag(at) in ADVERBS and plain(word) != "n't"


def _is_embedded(document: Document, index: int) -> bool:
    """Whether the clause of a verb depends on a word before it ("the reason we keep it")."""
    start = index - 1
    while start >= 0 and plain(document.words[start]) not in _SUBJECTS | _EMBEDDING | _EDGES:
        if document.words[start] == "," or index - start > _REACH:
            return False
        start -= 1
    if start < 0 or plain(document.words[start]) in _EDGES:
        return False
    if plain(document.words[start]) in _EMBEDDING:
        return True
    before = plain(document.words[start - 1]) if start else "."
    return before in _EMBEDDING or (start > 0 and document.tag(start - 1) in _NOUNS)


def _fits(document: Document, index: int) -> bool:
    """Whether an adverb can certainly precede a verb here, where no other one is."""
    words, tokens = document.words, document.tokens
    is_name = words[index][:1].isupper() and not words[index].isupper()
    is_glued = index > 0 and not document.text[tokens[index - 1][1] : tokens[index][0]].isspace()
    if is_name or is_glued or lemma(plain(words[index]), "VERB") in _HEDGES:
        return False
    follows = index + 1 < len(words) and words[index + 1].endswith("ly")
    is_crowded = _has_adverb_before(document, index) or (
        follows and document.tag(index + 1) in ADVERBS
    )
    if is_crowded or _is_embedded(document, index):
        return False
    tag = document.tag(index)
    if index == 0:
        return tag == "VBZ"
    before = plain(words[index - 1])
    if tag in ("VBN", "VBD") and auxiliary_kind(document, index - 1) in ("be", "have"):
        return is_auxiliary(document, index - 1)
    if tag == "VB" and (before.endswith("n't") or auxiliary_kind(document, index - 1) == "modal"):
        return plain(words[index]) not in _IDIOMS
    is_finite = finite_kind(document, index) in ("verb", "have", "do")
    if is_finite and before in _SUBJECTS:
        return index < 2 or plain(words[index - 2]) not in ("does", "do", "did")
    # Behind a noun, only the ending of the third person tells a verb, and then not from a plural.
    if not is_finite or tag != "VBZ" or document.tag(index - 1) not in _SINGULAR:
        return False
    behind = words[index + 1 : index + 2]
    is_inside = bool(behind) and behind[0][0].isalnum()
    return is_inside or not exists(lemma(plain(words[index]), "NOUN"), "n")


def _is_unasserted(document: Document, index: int) -> bool:
    """Whether the words before a verb make its clause non-assertive."""
    if "?" in document.words[index : index + 3 * _REACH]:
        return True
    for at in range(index - 1, max(-1, index - 1 - _REACH), -1):
        word = plain(document.words[at])
        if word in _EDGES:
            return False
        if word in _UNASSERTED or word.endswith("n't"):
            return True
    return False


@dataclass(frozen=True, slots=True)
class DeleteWord(Change):
    """Deletes one word with the space before it; never the only word of a text.

    **Measures** with a search on top, which words an answer hangs on: input reduction deletes what
    it does not need.

    **Misleads when** read as a change that keeps the meaning; it need not. In Chinese and Japanese,
    whose words are not told apart, it deletes a character.

    References
    ----------
    Feng et al. (2018). Pathologies of neural models make interpretations difficult.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [edit[1:4] for edit in perturb("Oh (very good).", "delete_word(share=1)", seed=0).edits]
    [(0, 3, ''), (4, 9, '')]
    """

    id = "delete_word@1"
    title = "words deleted"
    languages = frozenset({"*"})
    effect = may_change_unless("words")
    intensity = Intensity(share=0.1, least=1, most=None)
    is_for_search = True

    def sites(self, document: Document) -> Sites:
        """Words and numbers, if there are at least two of them."""
        found = sites_where(document, is_lexical)
        return found if len(found) > 1 else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The deletion, with the space before the word, or else the one after it."""
        text = document.text
        start, end = len(text[: site.start].rstrip()), site.end
        if start in (site.start, 0):  # after a mark, or in the beginning
            start = site.start
            end = len(text) - len(text[end:].lstrip())
        yield (Edit(document.field, start, end, ""),)


# Where treebanks cut words that are written as one.
_PARTS = re.compile(r"(?<=can)not$|(?<=gon|wan)na$|(?<=gim|lem)me$", re.IGNORECASE)
_CLITIC = re.compile(r"(n['’]t|['’](?:m|re|ve|ll|s|d))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contraction(Change):
    """Expands every contraction and contracts every full form, if the context allows it.

    "She's got" becomes "She has got", "it's Bob's" becomes "it is Bob's"; where the context does
    not tell what the short form stands for, it is left alone.

    Parameters
    ----------
    direction
        ``expand`` or ``contract`` does only that.

    **Measures** whether two ways of writing the same words are read alike.

    **Misleads when** few texts contain one: look at the number of changed items, not only at all.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [e.text for e in perturb("He isn't. We are not.", "contraction", seed=0).edits]
    ['is not', "aren't"]
    """

    id = "contraction@1"
    title = "contractions"
    intensity = EVERY_SITE
    where = "anywhere"

    direction: Literal["both", "expand", "contract"] = "both"

    def sites(self, document: Document) -> Sites:
        """Forms that can be rewritten."""
        starts = [start for start, _ in document.tokens]
        return [
            Site(start, end, max(0, bisect_right(starts, start) - 1))
            for start, end in _rewrites(document.text, self.direction)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The other form, without randomness."""
        place = site.start, site.end
        text = _rewrites(document.text, self.direction)[place]
        edit = Edit(document.field, *place, text)
        yield (with_same_words(document, edit, _PARTS.sub(r" \g<0>", _split(text)).split()),)


def _split(short: str) -> str:
    """A contraction with its clitic split as in the Penn treebank ("is n't", "ca n't", "it 's")."""
    return _CLITIC.sub(r" \1", short)


@lru_cache(maxsize=8)
def _rewrites(text: str, direction: str) -> Mapping[tuple[int, int], str]:
    """New text by position, from left to right; shared by sites and candidates."""
    found: list[Rewording] = []
    if direction != "contract":
        found += find_contractions(text)
    if direction != "expand":
        short = find_expansions(text)
        found += [r._replace(text=_split(r.text)) for r in short] if is_spaced(text) else short
    return {(r.start, r.end): r.text for r in sorted(found)}
