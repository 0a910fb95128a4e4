"""Opinions of English reviews turned round: opposite words, negations put in and taken out.

Words of praise and of blame are opposites in what people say of food, service, computers; other
adjectives take their antonym. What has no opposite is negated at its verb, before a noun as "less
than gorgeous". Rules over Penn tags; candidates are edits, which the engine checks.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.example import Span
from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.negation import affirm, negate
from scrutiny.perturb.languages.related_words import antonym_forms, fitting_antonym_forms
from scrutiny.perturb.languages.sentence_tokens import (
    plain,
    sentence_of,
    token_edit,
)
from scrutiny.perturb.languages.verbs import BE, MODALS, auxiliary_kind, finite_kind
from scrutiny.perturb.languages.word_forms import content_tag, inflected
from scrutiny.text.inflection import indefinite_article, lemma
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import word_set
from scrutiny.text.opinions import KINDS, opposites, sign_of_word
from scrutiny.text.tokens import is_spaced

#: Kinds of words of opinion by the beginnings of Penn tags.
_KINDS: Final[Mapping[str, str]] = {"J": "a", "N": "n", "V": "v", "R": "r"}
_NEGATORS: Final = frozenset(
    "not n't never no cannot without hardly barely zero isnt wasnt".split()
)
# "not only", "can't believe how", "no wonder": they negate nothing that is said of the aspect
_ONLY: Final = frozenset("only just believe wait help".split())
_NO: Final = frozenset("wonder doubt matter".split())
_STOPS: Final = frozenset(".!?;:,()-–—") | {"--", "..."}
_JOINING: Final = frozenset("and but or nor because which who that although though while".split())
_DEGREES: Final = frozenset(
    "very so really quite extremely super pretty rather absolutely truly just most more too "
    "incredibly fairly totally always also still such a an the".split()
)
_INTENSE: Final = _DEGREES - {"a", "an", "the"}
_COLORS: Final = frozenset({"black", "white"})
# They praise one thing and blame another: high quality, high prices.
_OF_EITHER: Final = word_set("measures") | set(
    "high low higher lower thin thick thinner thicker light heavy lighter heavier full empty loud "
    "quiet bigger larger smaller longer shorter cheap cheaper more less many few simple simpler "
    "soft hard warm busy free modest".split()
)
_REACH: Final = 7  # tokens before an opinion in which the verb stands that it hangs on
_NEAR: Final = 3  # tokens before an opinion in which a negation is its own


@lru_cache(maxsize=1 << 14)
def opposite_word(word: str, xpos: str, sign: int) -> str:
    """Opposite of a lower-case word that praises (1) or blames (-1), in the form of its tag.

    Of a word that does both ("small"), the one of what it says here. Empty if none is known.

    Examples
    --------
    >>> opposite_word("easier", "JJR", 1), opposite_word("loved", "VBD", 1)
    ('more difficult', 'hated')
    """
    own = _KINDS.get(xpos[:1], "")
    kinds = sorted(KINDS.items(), key=lambda one: one[0] != own)  # its own first
    for side in (sign, -sign) if sign else (1, -1):
        known = [(kind, upos, opposites()[kind, side]) for kind, upos in kinds]
        if other := next((words[word] for _, _, words in known if word in words), ""):
            return other
        for kind, upos, words in known:
            other = words.get(lemma(word, upos), "")
            if other and (form := _form(other, xpos if kind == own else _tag_of(word, kind))):
                return form
    if xpos.startswith("JJ") and (found := fitting_antonym_forms(word, xpos)):
        return found[0]
    if xpos[:2] in ("JJ", "RB") and word not in _COLORS:
        found = antonym_forms(word, xpos, senses=2, least_zipf=3.0, indirect=False)
        return next(iter(found), "")
    return ""


def _tag_of(word: str, kind: str) -> str:
    """Penn tag that the ending of an inflected word tells."""
    if kind == "a":
        return "JJS" if word.endswith("est") else "JJR"
    if kind == "v":
        return "VBD" if word.endswith("ed") else "VBG" if word.endswith("ing") else "VBZ"
    return "NNS" if kind == "n" else "RB"


def _form(other: str, xpos: str) -> str:
    """Opposite in the form of a Penn tag; of two words the first is inflected."""
    head, space, rest = other.partition(" ")
    form = inflected(head, {"NNP": "NN", "NNPS": "NNS"}.get(xpos, xpos))
    if form is None and xpos in ("JJR", "JJS"):
        form = f"{'more' if xpos == 'JJR' else 'most'} {head}"
    if form is None and xpos in ("NNS", "NNPS"):
        form = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return "" if form is None else form + space + rest


def tokens_of(document: Document, span: Span) -> tuple[int, int]:
    """Range ``(first, last + 1)`` of the tokens that a span touches."""
    touched = [i for i, (a, b) in enumerate(document.tokens) if a < span.end and span.start < b]
    return (touched[0], touched[-1] + 1) if touched else (0, 0)


def is_degree(document: Document, opinion: Span) -> bool:
    """Whether an opinion is a degree alone ("truly"), which says nothing by itself."""
    first, stop = tokens_of(document, opinion)
    return all(plain(word) in _INTENSE for word in document.words[first:stop])


def reversals(document: Document, opinion: Span, sign: int) -> Iterator[tuple[Edit, ...]]:
    """Ways to turn an opinion round, the best first; the last puts "not" before it.

    None where its words say the reverse of what it is annotated to say.

    Parameters
    ----------
    sign
        What it says: 1 is praise, -1 blame, 0 neither.
    """
    first, stop = tokens_of(document, opinion)
    if first == stop:
        return
    affirmed = [*_affirmed(document, first, stop)]
    words = [plain(word) for word in document.words[first:stop]]
    is_odd = any(sign_of_word(word) == -sign and word not in _OF_EITHER for word in words)
    if sign and is_odd and not affirmed:
        return  # "like" of what is blamed ("I would like to have"): its opposite is no praise
    yield from affirmed
    yield from _not_too(document, first, stop, sign)
    yield from _exchanged(document, opinion, first, stop, sign)
    yield from _denied(document, first, stop)
    start = document.tokens[first][0]
    yield (Edit(document.field, start, start, "not "),)


def _affirmed(document: Document, first: int, stop: int) -> Iterator[tuple[Edit, ...]]:
    """The opinion without the negation in it, or shortly before it in its clause."""
    words = [plain(word) for word in document.words]
    near = first
    while near > max(0, first - _NEAR) and words[near - 1] not in _STOPS | _JOINING:
        near -= 1
    places = [*range(first, stop), *range(first - 1, near - 1, -1)]
    for at in places:
        following = words[at + 1] if at + 1 < len(words) else ""
        if not _is_negator(words[at]) or following in (_NO if words[at] == "no" else _ONLY):
            continue
        if words[at] in ("no", "zero"):
            yield (_without_no(document, at),)
        elif words[at] in ("isnt", "wasnt"):
            yield (token_edit(document, at, document.words[at][:-2]),)
        elif words[at] == "without":
            yield (token_edit(document, at, match_case(document.words[at], "with")),)
        else:
            for edits in affirm(document, at, sentence_of(document, at)[1]):
                yield tuple(_within(document, at, edit) for edit in edits)
            yield (_cut(document, at),)
        return


def _is_negator(word: str) -> bool:
    """Whether a lower-case word denies what follows it."""
    return word in _NEGATORS or word.endswith("n't")


def _without_no(document: Document, at: int) -> Edit:
    """Edit of "no": an article where a singular noun follows, else nothing stands there."""
    words, behind = document.words, at + 1
    if behind >= len(words):
        return token_edit(document, at, "yes")
    is_one = any(document.tag(i) == "NN" for i in range(behind, min(behind + 2, len(words))))
    is_many = document.tag(behind) == "NNS" or document.tag(behind).startswith(("JJR", "RB"))
    if is_one and not is_many:
        return token_edit(document, at, match_case(words[at], indefinite_article(words[behind])))
    return _cut(document, at)


def _within(document: Document, at: int, edit: Edit) -> Edit:
    """Deletion of a whole negation with the space behind it; other edits as they are."""
    start, end = document.tokens[at]
    is_whole = not edit.text and edit.start <= start and edit.end == end
    return _cut(document, at) if is_whole else edit


def _cut(document: Document, at: int) -> Edit:
    """Deletion of a token with the space behind it; the next word takes its capital."""
    start, end = document.tokens[at]
    if at + 1 == len(document.tokens):
        return Edit(document.field, document.tokens[at - 1][1] if at else start, end, "")
    following = document.tokens[at + 1][0]
    if document.words[at].istitle() and at == sentence_of(document, at)[0]:
        return Edit(document.field, start, following + 1, document.text[following].upper())
    return Edit(document.field, start, following, "")


def _not_too(document: Document, first: int, stop: int, sign: int) -> Iterator[tuple[Edit, ...]]:
    """Edits that deny an excess: "too heavy" becomes "not too heavy"."""
    at = first - 1 if first and plain(document.words[first - 1]) == "too" else first
    if sign < 0 and plain(document.words[at]) == "too" and at + 1 < len(document.words):
        verb = _verb_before(document, at)
        if verb is not None and plain(document.words[verb]) in BE:
            yield from negate(document, verb)
        start = document.tokens[at][0]
        yield (Edit(document.field, start, start, "not "),)


def _exchanged(
    document: Document, opinion: Span, first: int, stop: int, sign: int
) -> Iterator[tuple[Edit, ...]]:
    """The opinion with an opposite: of the whole phrase, else of its last word that has one."""
    sides, is_one = (sign, -sign) if sign else (1, -1), stop - first == 1
    said = document.text[opinion.start : opinion.end]
    phrases = [o for side in sides if (o := opposites()["p", side].get(said.lower()))]
    whole = [(first, *place_of(opinion), other) for other in phrases]
    words = []
    for side in sides if is_one else sides[:1]:
        for at in reversed(range(first, stop)):
            low, (start, end) = plain(document.words[at]), document.tokens[at]
            other = opposite_word(low, content_tag(document, at), side)
            if not (other or is_one):
                other = opposites()["p", side].get(low, "")
            words.append((at, max(start, opinion.start), min(end, opinion.end), other))
    for at, start, end, other in [*words, *whole] if is_one else [*whole, *words]:
        if other:
            new = match_case(document.text[start:end], other)
            yield _with_article(document, at, Edit(document.field, start, end, new))


def place_of(opinion: Span) -> tuple[int, int]:
    """Start and end of an opinion, which several aspects may share."""
    return opinion.start, opinion.end


def _with_article(document: Document, at: int, edit: Edit) -> tuple[Edit, ...]:
    """Edit of the words from a token on, and of the article before it, if it needs the other."""
    before = plain(document.words[at - 1]) if at else ""
    if before not in ("a", "an") or not edit.text:
        return (edit,)
    needed = indefinite_article(edit.text)
    if needed == before:
        return (edit,)
    return token_edit(document, at - 1, match_case(document.words[at - 1], needed)), edit


def _denied(document: Document, first: int, stop: int) -> Iterator[tuple[Edit, ...]]:
    """The opinion with its clause denied, or made less before its noun."""
    words, tag = [plain(word) for word in document.words], content_tag(document, first)
    before = first - 1
    while before >= 0 and words[before] in _DEGREES:
        before -= 1
    field = document.field
    behind = content_tag(document, stop) if stop < len(words) else ""
    is_before_noun = tag.startswith(("JJ", "VBN", "VBG")) and behind.startswith(("NN", "JJ"))
    if (
        before >= 0
        and not is_before_noun
        and (words[before] in BE or auxiliary_kind(document, before) == "be")
    ):
        yield from negate(document, before)
    if tag.startswith("VB"):
        yield from _denied_verb(document, first, before)
    if is_before_noun and tag in ("JJ", "VBN", "VBG"):
        at = first
        while at and words[at - 1] in _INTENSE:
            at -= 1
        place = document.tokens[at][0]
        yield _with_article(document, at, Edit(field, place, place, "less than "))
    elif is_before_noun:
        base = lemma(words[first], "ADJ")
        new = f"{'less' if tag == 'JJR' else 'least'} {base}"
        yield (token_edit(document, first, match_case(document.words[first], new)),)
    if (verb := _verb_before(document, first)) is not None and not is_before_noun:
        yield from negate(document, verb)


def _denied_verb(document: Document, at: int, before: int) -> Iterator[tuple[Edit, ...]]:
    """A verb with "not": at itself, at its auxiliary, before "to", or as a command."""
    words = [plain(word) for word in document.words]
    start = document.tokens[at][0]
    if finite_kind(document, at) is not None:
        yield from negate(document, at)
    if before >= 0 and (words[before] in MODALS or auxiliary_kind(document, before)):
        yield from negate(document, before)
    if before >= 0 and words[before] == "to":
        to = document.tokens[before][0]
        yield (Edit(document.field, to, to, "not "),)
    is_opening = before < 0 or words[before] in _STOPS or words[before] in ("and", "but", "please")
    if document.tag(at) in ("VB", "VBP") and is_opening:
        low = document.words[at].lower() if before < 0 else document.words[at]
        do = "do n't" if is_spaced(document.text) else "don't"
        do = match_case(document.words[at], do) if before < 0 else do
        yield (Edit(document.field, start, document.tokens[at][1], f"{do} {low}"),)


def _verb_before(document: Document, index: int) -> int | None:
    """Finite verb that an opinion hangs on: the nearest before it in its clause."""
    for at in range(index - 1, max(-1, index - 1 - _REACH), -1):
        if document.words[at] in _STOPS or plain(document.words[at]) in _JOINING:
            return None
        if finite_kind(document, at) is not None:
            return at
    return None


#: Degrees by the beginning of the Penn tag that they stand before, the longest first.
_STRONGER: Final[Mapping[str, tuple[str, ...]]] = {
    "JJR": ("even", "much", "far"),
    "RBR": ("even", "much", "far"),
    "JJS": ("very",),
    "JJ": ("extremely", "really", "incredibly", "truly"),
    "RB": ("extremely", "really", "incredibly"),
    "VB": ("really",),
    "NN": ("complete", "total", "real"),
}
_UNSTRENGTHENED: Final = (_INTENSE | {"little", "bit"}) - set("so just also still always".split())
_WEAKER: Final = frozenset("very really pretty quite rather fairly super".split())


def strengthened(document: Document, opinion: Span) -> Iterator[tuple[Edit, ...]]:
    """Ways to strengthen an opinion: a degree before its first word, or in place of another one."""
    first, stop = tokens_of(document, opinion)
    if first == stop:
        return
    tag, before = content_tag(document, first), plain(document.words[first - 1]) if first else ""
    if before in _WEAKER and tag.startswith(("JJ", "RB")):
        new = match_case(document.words[first - 1], "extremely")
        yield _with_article(document, first - 1, token_edit(document, first - 1, new))
    inside = {plain(word) for word in document.words[first:stop]}
    ways = next((found for head, found in _STRONGER.items() if tag.startswith(head)), ())
    if _is_negator(word := plain(document.words[first])):
        ways = ("absolutely",) if word in ("no", "zero") else ("definitely",)
    elif before == "so":
        ways = ("very",) if tag in ("JJ", "RB") else ()
    if before in _UNSTRENGTHENED or inside & _INTENSE:
        return
    if tag.startswith("NN") and before not in ("a", "an", "the"):
        return
    start = document.tokens[first][0]
    for way in ways:
        edit = Edit(document.field, start, start, f"{way} ")
        is_opening = document.words[first].istitle() and first == sentence_of(document, first)[0]
        if is_opening:
            low = document.words[first].lower()
            edit = token_edit(document, first, f"{way.title()} {low}")
        yield _with_article(document, first, edit)


_ADDED: Final = {"and": "but", "but": "and"}


def agreeing(
    document: Document, one: Sequence[Span], two: Sequence[Span], *, same: bool
) -> Iterator[Edit]:
    """Edit of the only conjunction between two groups of words: "and" if they say the same.

    None where a sentence ends between them, or another word joins them.
    """
    if max(s.end for s in one) > min(s.start for s in two):
        return
    low, high = max(s.end for s in one), min(s.start for s in two)
    between = [i for i, (a, b) in enumerate(document.tokens) if low <= a and b <= high]
    joining = [i for i in between if plain(document.words[i]) in _ADDED]
    is_parted = any(document.words[i] in ".!?;" for i in between)
    if len(joining) != 1 or is_parted:
        return
    word = document.words[joining[0]]
    if plain(word) != ("and" if same else "but"):
        yield token_edit(document, joining[0], match_case(word, _ADDED[plain(word)]))
