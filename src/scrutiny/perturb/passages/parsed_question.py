"""Questions by their dependency parse, and the statement that a question would be answered with.

The rules move words and never guess: a question that is not built like one of these gets none.

==================  ======================================  ====================================
question            example                                 statement
==================  ======================================  ====================================
about its subject   Which team won the match?               ANSWER won the match.
with *do*           What did Ida build in 1911?             Ida built ANSWER in 1911.
with an auxiliary   Where was the bridge built?             The bridge was built in ANSWER.
with *be*           What is the name of the bridge?         The name of the bridge is ANSWER.
in its place        The bridge was built in what year?      The bridge was built in ANSWER.
==================  ======================================  ====================================

References
----------
Jia and Liang (2017). Adversarial examples for evaluating reading comprehension systems; their
rules work on constituents, these on dependencies.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from scrutiny.perturb.languages.word_forms import inflected
from scrutiny.text.inflection import lemma
from scrutiny.text.spacy_pipeline import Annotation
from scrutiny.text.wordnet import exists

#: Where the answer stands in a statement; a preposition may stand before it.
ANSWER: Final = "\0"
#: A preposition that is chosen with the answer: "in 1911", "on 3 May", "in Rome".
PREPOSITION: Final = "\1"
_ON: Final = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)"
    r" \d{1,2}\b(?!\d)|^\d{1,2} [A-Z]|day$"
)
_HAS_PREPOSITION: Final = re.compile(
    r"(in|on|at|by|during|before|after|since|until|from|around|about|between|near) ", re.IGNORECASE
)
_ASKING: Final = frozenset("who whom what which when where how".split())
_DO: Final = {"did": "VBD", "does": "VBZ", "do": "VBP"}
_BE: Final = frozenset("is are was were".split())
_OTHERS: Final = frozenset("has have had can could will would should may might must".split())
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})
# Verbs with a second object, or a clause: where the answer stands is not told by the rules.
_LABILE: Final = frozenset(
    "call name consider think say believe claim argue state suggest make deem declare tell ask "
    "show give teach offer want need seem appear have do think feel know".split()
)
_KINDS: Final = frozenset({"kind", "type", "sort", "form", "amount"})
# Tokens before and behind an asking phrase that stands where its answer would.
_LEAST_BEFORE, _MOST_BEHIND = 2, 6
_ENDING: Final = frozenset("?.!")
_TIMES: Final = {"year": "in", "decade": "in", "century": "in", "month": "in", "season": "in"}
_DAYS: Final = {"day": "on", "date": "on", "weekday": "on", "time": "at"}


class Statement(NamedTuple):
    """Statement with a place for the answer.

    Parameters
    ----------
    parts
        Ranges of tokens of the question, and words between them; `ANSWER` is one.
    noun
        The noun that the question asks for ("team"), in lower case; empty for "who" and the like.
    asks
        The asking word in lower case: "who", "what", "when", "how many".
    """

    parts: tuple[tuple[int, int] | str, ...]
    noun: str
    asks: str

    def has(self, at: int) -> bool:
        """Whether a token of the question stands in it."""
        return any(not isinstance(p, str) and p[0] <= at < p[1] for p in self.parts)


@dataclass(frozen=True)
class ParsedQuestion:
    """A question and its parse.

    Parameters
    ----------
    text
        The question.
    parse
        Its annotation.
    """

    text: str
    parse: Annotation

    @property
    def words(self) -> list[str]:
        """Words in lower case."""
        return [self.text[a:b].lower() for a, b in self.parse.spans]

    def tag(self, at: int) -> str:
        """Penn tag of a token."""
        return self.parse.tags[at].xpos

    def subtree(self, top: int) -> list[int]:
        """Tokens that depend on one, and itself, in order."""
        heads = self.parse.heads
        found, added = {top}, True
        while added:
            new = {i for i, head in enumerate(heads) if head in found and i not in found}
            added = bool(new)
            found |= new
        return sorted(found)

    def shown(
        self, first: int, last: int, changed: Mapping[int, tuple[int, str]] | None = None
    ) -> str:
        """Text of a range of tokens, some changed: by start, where they end and what comes."""
        spans, pieces, at = self.parse.spans, [], first
        while at < last:
            end, word = (changed or {}).get(at, (at + 1, self.text[slice(*spans[at])]))
            gap = self.text[spans[end - 1][1] : spans[end][0]] if end < last else ""
            pieces += [word, gap]
            at = end
        return "".join(pieces)


class _AskingPhrase(NamedTuple):
    """The asking phrase: tokens ``first`` to ``last``, its preposition, what it asks for."""

    first: int
    last: int
    head: int
    before: str
    asks: str
    noun: str
    rest: tuple[int, int] | None  # of the phrase, behind the answer: "people" of "how many people"


#: Changes of a question: where each begins, where it ends, and what comes.
Changes = Mapping[int, tuple[int, str]]
_Parts = list[tuple[int, int] | str]


def statement_of(question: ParsedQuestion) -> Statement | None:
    """Statement with a place for the answer, where the rules know one."""
    words, n = question.words, len(question.parse.spans)
    while n and words[n - 1][0] in _ENDING:
        n -= 1
    if n in (0, len(words)) or any(mark in words[:n] for mark in (";", ":", "?", "!")):
        return None
    asked = _asked(question, n)
    if asked is None:
        return None
    body = _body(question, asked, n)
    if body is None:
        return None
    before = (
        ((0, asked.first - bool(asked.before)),) if asked.first > 1 + bool(asked.before) else ()
    )
    is_behind = asked.first and words[asked.first - 1 - bool(asked.before)] == ","
    parts = (*before, *body) if is_behind else tuple(body)
    return Statement(tuple(p for p in parts if p and p != (n, n)), asked.noun, asked.asks)


def _asked(question: ParsedQuestion, n: int) -> _AskingPhrase | None:
    """The asking phrase, if there is one and it is of a known kind."""
    words = question.words
    places = [i for i in range(n) if words[i] in _ASKING and question.tag(i)[0] == "W"]
    if not places:
        return None
    at = places[0]
    is_first = at == 0 or words[at - 1] == ","
    has_preposition = (
        at > 0 and question.tag(at - 1) in ("IN", "TO") and (at == 1 or words[at - 2] == ",")
    )
    before = words[at - 1] if has_preposition else ""
    asks, last, head, noun, rest = words[at], at + 1, at, "", None
    if asks == "how":
        if at + 1 >= n or words[at + 1] not in ("many", "much"):
            return None
        asks, last = f"how {words[at + 1]}", at + 2
        above = question.parse.heads[at + 1]
        head = at + 1
        if above > at + 1 and question.tag(above)[:2] == "NN" and above < n:
            rest, head, last, noun = (at + 2, above + 1), above, above + 1, words[above]
    elif asks in ("what", "which"):
        above = question.parse.heads[at]
        is_noun = at + 1 < n and question.tag(at + 1) in ("NN", "NNS")
        if is_noun and at + 2 < n and words[at + 2] in (*_DO, *_BE, *_OTHERS):
            above = at + 1  # whatever the parser says
        is_of_noun = above == at + 1 or question.parse.deprels[at] == "det"
        if above > at and question.tag(above)[:2] == "NN" and is_of_noun:
            inside = range(at + 1, above)
            if any(question.tag(i)[:2] in ("VB", "MD") or "'s" in words[i] for i in inside):
                return None
            head, last, noun = above, above + 1, words[above]
            if noun in _KINDS and last < n and words[last] == "of":
                inner = [i for i in question.subtree(last) if i > last]
                if not inner or inner != list(range(last + 1, last + 1 + len(inner))):
                    return None
                last = inner[-1] + 1
                noun = words[inner[0]] if len(inner) == 1 else noun
    if not (is_first or before):
        return (
            _AskingPhrase(at, last, head, "", asks, noun, rest)
            if at > 2 and last >= n - 6
            else None
        )
    return _AskingPhrase(at, last, head, before, asks, noun, rest)


def _body(question: ParsedQuestion, asked: _AskingPhrase, n: int) -> _Parts | None:
    """Parts of the statement."""
    words, first = question.words, asked.first
    answer: _Parts = [ANSWER, *((asked.rest,) if asked.rest else ())]
    is_behind = first == 0 or asked.before or words[first - 1] == ","
    if not is_behind:
        return [(0, first), *answer, (asked.last, n)]
    at = asked.last
    if (
        words[at : at + 1] == ["of"]
        or at >= n
        or "n't" in "".join(words[at : at + 2])
        or "not" in words[at : at + 4]
    ):
        return None
    low = words[at]
    subject = _subject(question, at, n)
    root = question.parse.heads[at]
    if low in _DO and root > at:
        return _with_do(question, asked, answer, at, root, n)
    if low in _BE | _OTHERS and subject is not None and (root > at or low in _BE):
        return _inverted(question, asked, answer, at, subject, n)
    if subject is None and question.tag(at)[:2] in ("VB", "MD") and not asked.before:
        if low in _BE and question.parse.heads[at] <= at:
            return _with_be(question, asked, answer, at, n)
        is_auxiliary = low in _BE or low in _OTHERS or low in _DO
        is_subject = not is_auxiliary or question.tag(at + 1)[:2] in ("VB", "RB", "JJ")
        is_told = is_subject and question.tag(n - 1) not in ("IN", "TO")
        return [*answer, (at, n)] if is_told and asked.asks not in ("when", "where") else None
    if low in _BE:
        return _with_be(question, asked, answer, at, n)
    return None


def _subject(question: ParsedQuestion, at: int, n: int) -> tuple[int, int] | None:
    """Range of the subject directly behind an auxiliary."""
    root = question.parse.heads[at] if question.parse.heads[at] > at else at
    for i in range(at + 1, n):
        if question.parse.deprels[i] in _SUBJECTS and question.parse.heads[i] == root:
            own = question.subtree(i)
            if own and own[0] == at + 1 and own == list(range(own[0], own[-1] + 1)):
                return own[0], own[-1] + 1
    return None


def _placed(
    question: ParsedQuestion,
    asked: _AskingPhrase,
    answer: _Parts,
    verb: int,
    n: int,
) -> _Parts | None:
    """The words behind a main verb, with the answer at its place among them."""
    preposition = _preposition(asked)
    if preposition is not None:
        return [(verb + 1, n), preposition, *answer]
    if n - 1 > verb and question.tag(n - 1) in ("IN", "TO"):
        return [(verb + 1, n), *answer]
    above = question.parse.heads[asked.head]
    if question.tag(verb + 1)[:2] == question.tag(min(verb + 2, n))[:2] == "IN":
        above = verb + 1  # "play for in 1998"
    if above > verb and question.tag(above) in ("IN", "TO"):
        return [(verb + 1, above + 1), *answer, (above + 1, n)]
    if above != verb:
        return None
    is_particle = verb + 1 < n and question.parse.deprels[verb + 1] == "prt"
    behind = verb + 1 + is_particle
    return [(verb + 1, behind), *answer, (behind, n)]


def _preposition(asked: _AskingPhrase) -> str | None:
    """Preposition of an answer that says when, where or as the question does; None for objects."""
    if asked.before:
        return asked.before
    if asked.asks in ("when", "where"):
        return PREPOSITION
    return (_TIMES | _DAYS).get(asked.noun)


def _with_do(
    question: ParsedQuestion,
    asked: _AskingPhrase,
    answer: _Parts,
    at: int,
    verb: int,
    n: int,
) -> _Parts | None:
    """Statement of a question with "do": its verb takes the form that "do" had."""
    words = question.words
    base = lemma(words[verb], "VERB")
    form = base if _DO[words[at]] == "VBP" else inflected(base, _DO[words[at]])
    is_verb = question.tag(verb) in ("VB", "VBP", "NN") and exists(base, "v")
    is_told = form and at + 1 < verb < n and is_verb
    if not is_told or base in _LABILE or _has_clause(question, verb, n):
        return None
    behind = _placed(question, asked, answer, verb, n)
    return None if behind is None or form is None else [(at + 1, verb), form, *behind]


def _has_clause(question: ParsedQuestion, verb: int, n: int) -> bool:
    """Whether a clause depends on the verb, in which the answer may stand."""
    rels, heads = question.parse.deprels, question.parse.heads
    return any(rels[i] in ("ccomp", "xcomp") and heads[i] == verb for i in range(verb + 1, n))


def _inverted(
    question: ParsedQuestion,
    asked: _AskingPhrase,
    answer: _Parts,
    at: int,
    subject: tuple[int, int],
    n: int,
) -> _Parts | None:
    """Statement of a question whose auxiliary stands before its subject."""
    words = question.words
    first, last = subject
    root = question.parse.heads[at]
    if root <= at:  # "be" alone
        if words[first] == "there" and asked.rest:
            return [(first, last), (at, at + 1), *answer, (last, n)]
        if asked.before or asked.asks == "where":
            if last < n:
                return None
            return [(first, last), (at, at + 1), asked.before or PREPOSITION, *answer]
        return _with_be(question, asked, answer, at, n)
    if root < last or root >= n or _has_clause(question, root, n):
        return None
    behind = _placed(question, asked, answer, root, n)
    if behind is None or lemma(words[root], "VERB") in _LABILE - {"call", "name"}:
        return None
    return [(first, last), (at, at + 1), (last, root + 1), *behind]


def _with_be(
    question: ParsedQuestion, asked: _AskingPhrase, answer: _Parts, at: int, n: int
) -> _Parts | None:
    """Statement of "What is NOUN PHRASE?"; none where a verb or a stray preposition follows."""
    if asked.asks.startswith("how") or asked.before or at + 1 >= n:
        return None
    tops = [i for i in range(at + 1, n) if question.parse.heads[i] in (at, asked.head)]
    nouns = [i for i in tops if question.tag(i)[:2] in ("NN", "CD") or question.tag(i) == "DT"]
    acl = [i for i in range(at + 1, n) if question.parse.deprels[i] in ("acl", "relcl")]
    verbs = [i for i in tops if question.tag(i)[:2] in ("VB", "MD")]
    verbs += [i for i in acl if question.parse.heads[i] in tops and question.tag(i) != "VBG"]
    if not nouns or verbs or question.tag(n - 1) in ("IN", "TO", "VBN", "VBD", "JJ", "RB"):
        return None
    if question.subtree(nouns[0])[0] != at + 1:
        return None
    said = [PREPOSITION] if asked.asks in ("when", "where") else []
    return [(at + 1, n), (at, at + 1), *said, *answer]


def written(
    question: ParsedQuestion,
    statement: Statement,
    answer: str,
    changed: Mapping[int, tuple[int, str]],
) -> str:
    """The statement with an answer, and with parts of the question changed, as a sentence."""
    pieces = [*_pieces(question, statement, answer, changed)]
    said = " ".join(filter(None, pieces)).replace(" ,", ",").replace(" '", "'")
    return f"{said[0].upper()}{said[1:]}."


def _pieces(
    question: ParsedQuestion,
    statement: Statement,
    answer: str,
    changed: Mapping[int, tuple[int, str]],
) -> Iterator[str]:
    for number, part in enumerate(statement.parts):
        if part == PREPOSITION:
            is_there = _HAS_PREPOSITION.match(answer)
            yield "" if is_there else "on" if _ON.search(answer) else "in"
        elif isinstance(part, str):
            yield answer if part == ANSWER else part
        else:
            said = question.shown(*part, changed)
            is_first_word = part[0] == 0 and number > 0
            yield f"{said[:1].lower()}{said[1:]}" if is_first_word else said
