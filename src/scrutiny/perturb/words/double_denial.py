"""Words replaced by the denial of their opposite: "good" by "not bad"."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Site, keeps_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, Candidates, Change, Sites, sites_where
from scrutiny.perturb.languages.sentence_tokens import plain
from scrutiny.perturb.languages.stated_tags import open_tag
from scrutiny.perturb.languages.verbs import finite_kind
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import table, word_set
from scrutiny.text.tokens import offsets_of_words

_COPULAS: Final = frozenset(
    "am are is was were be been 's 'm 're it's that's he's she's they're i'm you're we're"
    " feel feels felt look looks looked seem seems seemed sound sounds sounded become becomes"
    " became remain remains".split()
)
_UNSURE: Final = word_set("negative") | frozenset(
    "not n't cannot without if unless whether as how than more less so too".split()
)
_REACH: Final = 4  # tokens before a word in which it is denied already, or not asserted
#: Behind an adjective they share its denial, measure it or make it a part of something.
_BEHIND: Final = frozenset("about and or but , enough not yet than that if / on".split())
#: Behind a verb they say how much, or belong to it.
_BEHIND_VERB: Final = frozenset("to 'd not n't very every all each so much most".split())
_AMOUNTS: Final = frozenset("best least lot lots most much".split())
#: Before a subject they make the verb's clause a part of another one.
_LINKS: Final = frozenset("that which what whatever whom anything everything something all".split())
#: Of what may follow an adjective, the tags of words that leave it alone.
_FREE: Final = frozenset({"", "IN", "TO", "RB", "WRB", "WP"})
_EVERYBODY: Final = frozenset("all any everybody everyone everything many most none some".split())
#: Tags of subjects: of any form, and of the past, which may be a participle behind a noun.
_SUBJECTS: Final = (frozenset("NN NNS NNP NNPS PRP WDT WP EX DT".split()), frozenset({"PRP"}))
_DO: Final = {"VBZ": "does", "VBP": "do", "VBD": "did"}


@dataclass(frozen=True, slots=True)
class DoubleDenial(Change):
    """An adjective or a verb replaced by the denial of its opposite.

    "It is good" becomes "It is not bad", "she liked it" becomes "she did not dislike it", in the
    letter case that stood there. The pairs are listed; adjectives stand behind a form of "be" or a
    verb such as "seem" and share their denial with nothing ("good and funny" stays), or between "a"
    and a noun, if the opposite denies by itself ("a not unpleasant surprise"). What is denied,
    asked, compared or supposed already stays.

    **Measures** whether a model takes a denied word for the word, and an opinion for its opposite.

    **Misleads when** the strength of an opinion counts: "not bad" is less than "good", and "did
    not dislike" is less than "admired".

    References
    ----------
    Gui et al. (2021). TextFlint: DoubleDenial.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("It's good.", "double_denial", seed=0).edits[0].text
    'not bad'
    """

    id = "double_denial@1"
    title = "double denials"
    resources = ("tagger",)
    effect: ClassVar[Mapping[str, Effect]] = keeps_unless("extract", "relation", "text", "xpos")
    intensity = EVERY_SITE
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Words whose opposite can be denied in their place."""
        if "?" in document.text:
            return ()
        found = sites_where(document, lambda word: word.lower() in _forms())
        return [site for site in found if _denial(document, site.token)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The denial, without randomness."""
        old = document.text[site.start : site.end]
        words = _denial(document, site.token).split()
        text = match_case(old, " ".join(words))
        edit = Edit(document.field, site.start, site.end, text)
        before, (low, high) = document.words[site.token - 1], document.tokens[site.token - 1]
        article = [Edit(document.field, low + 1, high, "")] if before.lower() == "an" else []
        if not document.has_words:
            yield (*article, edit)
            return
        last = len(words) - 1
        stated = {
            "do": Piece(0, 0, (), None, last, "aux", "AUX", ""),
            "not": Piece(0, 0, (), None, last, "advmod", "PART", "RB"),
        }
        borders = offsets_of_words(text, text.split()) or ()
        pieces = [
            (Piece(0, 0, (site.start,)) if i == last else stated["not" if w == "not" else "do"])
            for i, w in enumerate(words)
        ]
        placed = [p._replace(start=a, end=b) for p, (a, b) in zip(pieces, borders, strict=True)]
        yield (*article, edit._replace(pieces=tuple(placed)))


@cache
def _pairs() -> Mapping[tuple[str, str], str]:
    """Word of which the denial says about the same, by part of speech and base form."""
    return {(upos, word): other for upos, word, other in table("denials")}


@cache
def _forms() -> frozenset[str]:
    """Lower-case forms of all words that have such a pair."""
    verbs = [word for upos, word in _pairs() if upos == "VERB"]
    finite = {form for word in verbs for tag in _DO if (form := inflect(word, tag))}
    return frozenset(finite | {word for upos, word in _pairs() if upos == "ADJ"} | {*verbs})


def _denial(document: Document, index: int) -> str:
    """Denial of the opposite of a word, in lower case; empty where it does not fit."""
    words = [plain(word) for word in document.words[max(0, index - _REACH) : index]]
    if any(word in _UNSURE or word.endswith("n't") for word in words):
        return ""
    low, tag = plain(document.words[index]), open_tag(document, index)
    behind = plain(document.words[index + 1]) if index + 1 < len(document.words) else ""
    follows = document.tag(index + 1) if behind and behind[0].isalnum() else ""
    if not words or any(word in _LINKS for word in words[-2:-1]):
        return ""
    other = _pairs().get(("ADJ", low), "")
    is_copula = words[-1] in _COPULAS and document.tag(index - 1) != "POS"
    if other and is_copula and words[-2:-1] != ["there"]:
        fits = tag in ("JJ", "RB") and behind not in _BEHIND and follows in _FREE
        return f"not {other}" if fits else ""
    if other and words[-1] in ("a", "an"):  # "a not unpleasant surprise"
        is_short = tag == "JJ" and follows in ("NN", "NNS") and other.endswith(low)
        return f"not {other}" if is_short else ""
    other = _pairs().get(("VERB", lemma(low, "VERB")), "")
    fits = bool(other) and tag in _DO and behind not in _BEHIND_VERB
    rest = [plain(word) for word in document.words[index : index + 2 * _REACH]]
    is_plain = _AMOUNTS.isdisjoint(rest) and _UNSURE.isdisjoint(rest[: _REACH + 1])
    before = document.tag(index - 1)
    is_subject = words[-1] not in _EVERYBODY and before in _SUBJECTS[tag == "VBD"]
    if fits and is_plain and is_subject and finite_kind(document, index) == "verb":
        return f"{_DO[tag]} not {other}"
    return ""
