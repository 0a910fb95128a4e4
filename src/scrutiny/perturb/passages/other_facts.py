"""Other names, numbers and words for a question, and another answer of the kind of the right one.

What comes stands nowhere in the passage, so that a question which asks for it is not answered
there, and a sentence which says it says nothing of what was asked.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from string import ascii_uppercase
from typing import Final

from scrutiny.core.randomness import Rng, pick
from scrutiny.perturb.languages.related_words import fitting_antonym_forms, usual_senses
from scrutiny.perturb.languages.word_forms import inflected
from scrutiny.perturb.passages.parsed_question import ParsedQuestion, Statement
from scrutiny.perturb.phrases.entity_swap import EntityMention, is_acronym, other_names
from scrutiny.text.entities import first_name_gender
from scrutiny.text.inflection import lemma
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import (
    cities,
    frequencies,
    is_stop_word,
    listed,
    place_region,
    zipf,
)
from scrutiny.text.numbers import Number, format_number, parse_number
from scrutiny.text.tokens import token_spans, token_texts
from scrutiny.text.wordnet import exists, hypernyms

_TRIES: Final = 12
_COMMON: Final = 3.5  # zipf of a word that is no name
_MONTHS: Final = (
    "January February March April May June July August September October November December"
).split()
_DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# Words that say how large a number is, or are often none.
_NOT_CHANGED: Final = frozenset("one second zero hundred thousand million billion trillion".split())
_SHORTEST_MONTH, _LONGEST_MONTH = 28, 31
_POSSESSIVE: Final = re.compile(r"['’]s?$")
# Words and what would be asked of another thing instead; read in both directions.
_PAIRS: Final = (
    "first last|largest smallest|biggest smallest|highest lowest|oldest youngest|most fewest|"
    "longest shortest|greatest least|northern southern|eastern western|north south|east west|"
    "northwest southeast|northeast southwest|"
    "early late|earliest latest|upper lower|internal external|public private|modern ancient|"
    "main minor|major minor|primary secondary|male female|men women|before after|above below|"
    "winter summer|maximum minimum|common rare|positive negative|urban rural|domestic foreign"
)
_PAIRS_OF_VERBS: Final = (
    "increase decrease|increased decreased|began ended|begin end|start end|started ended|"
    "won lost|win lose|bought sold|opened closed|built demolished|founded dissolved|"
    "accepted rejected|supported opposed|support oppose|created destroyed|rise fall|rose fell"
)
_PLACES: Final = frozenset("city town county village capital place area location".split())
_LANDS: Final = frozenset("country nation".split())
_COMPANIES: Final = frozenset(
    "company organization corporation firm agency network business institution group "
    "organisation manufacturer".split()
)
_PEOPLE: Final = frozenset(
    "player person man woman scientist author poet king queen emperor president leader ruler "
    "actor actress singer artist writer quarterback coach chemist engineer architect composer "
    "director physicist mathematician philosopher politician general explorer".split()
)
_SMALL: Final = frozenset("of the and de von van in for at on".split())


@cache
def _turned(written: str) -> Mapping[str, str]:
    """The other word of each pair."""
    pairs = [pair.split() for pair in written.split("|")]
    return {a: b for a, b in pairs} | {b: a for a, b in reversed(pairs)}


@cache
def _nouns_by_kind() -> Mapping[str, tuple[str, ...]]:
    """Common nouns by what WordNet puts directly above their usual sense."""
    found: dict[str, list[str]] = {}
    for word, value in frequencies().items():
        if (
            value >= _COMMON
            and word.isalpha()
            and exists(word, "n")
            and lemma(word, "NOUN") == word
        ):
            if usual_senses(word, "n", least_share=0.6):
                for above in hypernyms(word, "n", senses=1)[:1]:
                    found.setdefault(above, []).append(word)
    return {above: tuple(words) for above, words in found.items()}


@lru_cache(maxsize=1 << 12)
def nouns_like(word: str, xpos: str) -> tuple[str, ...]:
    """Common nouns of the same kind as one, in its number.

    Examples
    --------
    >>> "winters" in nouns_like("summers", "NNS")
    True
    """
    base = lemma(word, "NOUN")
    if not usual_senses(base, "n", least_share=0.6) or is_stop_word(base):
        return ()
    kin = [
        o for above in hypernyms(base, "n", senses=1)[:1] for o in _nouns_by_kind().get(above, ())
    ]
    forms = [inflected(other, xpos) for other in kin if other != base and not is_stop_word(other)]
    return tuple(form for form in forms if form and form != word)


def altered(question: ParsedQuestion, rng: Rng, *, passage: str) -> dict[int, tuple[int, str]]:
    """Changes of a question after which it asks for something else, by token.

    Names and numbers change; where there are none, words that have an opposite.

    Parameters
    ----------
    passage
        The text that answers it, in lower case.

    Returns
    -------
    dict
        Where each change begins, where it ends, and what comes; empty if nothing can change.
    """
    words = [question.text[a:b] for a, b in question.parse.spans]
    found = dict(_other_names(question, words, rng, passage))
    taken = {i for start, (end, _) in found.items() for i in range(start, end)}
    for i, word in enumerate(words):
        if i not in taken and (new := _other_number(word, rng, passage)):
            found[i] = i + 1, new
    for i, word in enumerate(() if found else words):
        # "most of them", "the most successful", "did it last"
        is_degree = word == "most" and question.tag(min(i + 1, len(words) - 1))[:2] != "NN"
        is_verb = word == "last" and words[i - 1] != "the"
        if not (is_degree or is_verb) and (new := _opposite(word, question.tag(i), passage)):
            found[i] = i + 1, match_case(word, new)
    return found


def _other_names(
    question: ParsedQuestion, words: Sequence[str], rng: Rng, passage: str
) -> Iterator[tuple[int, tuple[int, str]]]:
    """Changes of names: of people, places and bodies that the parser finds, and of others."""
    spans = question.parse.spans
    done: set[int] = set()
    for entity in question.parse.entities:
        own = [i for i, (a, _) in enumerate(spans) if entity.start <= a < entity.end]
        while own and words[own[0]].lower() == "the":
            own.pop(0)
        if not own or not words[own[0]][:1].isupper():
            continue
        done.update(own)
        name = question.text[spans[own[0]][0] : spans[own[-1]][1]]
        bare = _POSSESSIVE.sub("", name)
        is_behind_the = own[0] > 0 and words[own[0] - 1].lower() == "the"
        mention = EntityMention(0, len(bare), entity.label, bare)
        if new := _other_name(mention, rng, passage, is_behind_the=is_behind_the):
            yield own[0], (own[-1] + 1, new + name[len(bare) :])
    for i, word in enumerate(words):
        if i in done or question.tag(i) not in ("NNP", "NNPS"):
            continue
        bare = _POSSESSIVE.sub("", word)
        if bare[1:].islower() and (new := _other_proper_name(bare, rng, passage)):
            yield i, (i + 1, new + word[len(bare) :])


def _other_name(name: EntityMention, rng: Rng, passage: str, *, is_behind_the: bool) -> str:
    """Another name of a kind; none if it would stand in the passage."""
    words = name.text.split()
    if is_acronym(name.text):
        return "".join([pick(ascii_uppercase, float(x)) for x in rng.random(len(name.text))])
    is_person = name.kind == "PER" and (len(words) > 1 or first_name_gender(words[0]))
    is_place = name.kind == "LOC" and not is_behind_the and place_region(name.text) is not None
    if is_person or is_place:
        return _unused(tuple(other_names(name, rng, tries=_TRIES)), rng, passage)
    return _other_proper_name(name.text, rng, passage)


def _unused(options: Collection[str], rng: Rng, passage: str) -> str:
    """A random one of several words that the passage does not have; empty if there is none."""
    every = tuple(options)
    for share in rng.random(_TRIES).tolist() if every else ():
        new = pick(every, share)
        if new.lower() not in passage:
            return new
    return ""


def _other_number(word: str, rng: Rng, passage: str) -> str:
    """Another number, month or day of the week; empty if it is none."""
    for names in (_MONTHS, _DAYS):
        if word in names:
            return _unused([name for name in names if name != word], rng, passage)
    number = parse_number(word)
    if number is None or word.lower() in _NOT_CHANGED:
        return ""
    options = [format_number(value, number) for value in _near(number, rng)]
    return next((new for new in options if new != word and new.lower() not in passage), "")


def _near(number: Number, rng: Rng) -> Iterator[float]:
    """Numbers of about the same size."""
    value = number.value
    is_year = 1000 <= value <= 2100 and number.kind == "digits" and not number.is_grouped
    for share in rng.random(_TRIES).tolist():
        if is_year and not number.decimals:
            span = 40 if number.suffix else 25
            step = 1 + int(abs(2 * share - 1) * span)
            moved = value + (step if share > 0.5 and value + step < 2020 else -step)
            yield moved - moved % 10 if number.suffix else moved
        elif number.decimals:
            yield round(value * (0.4 + 1.4 * share) + 10**-number.decimals, number.decimals)
        else:
            yield max(2, int(value * (0.4 + 1.4 * share))) + 1


def _opposite(word: str, xpos: str, passage: str) -> str:
    """A word that turns round what is asked, and that the passage has not; empty if none."""
    low = word.lower()
    fitting = fitting_antonym_forms(low, xpos) if xpos[:2] == "JJ" else ()
    pairs = _turned(_PAIRS_OF_VERBS if xpos[:2] == "VB" else _PAIRS)
    other = pairs.get(low) or next(iter(fitting), "")
    return "" if other in passage else other


def other_answer(right: str, statement: Statement, rng: Rng, *, passage: str) -> str:
    """Another answer of the kind of the right one; empty where none is known.

    Numbers become others; names others of the kind that the question asks for; of other words the
    last noun becomes another of its kind.
    """
    right = right.strip().rstrip(".")
    words = token_texts(right)
    if not words or len(words) > 6 or any(mark in right for mark in '"()“”;:–×/'):
        return ""
    if new := _with_other_numbers(right, rng, passage):
        is_short = statement.noun == "century" and "century" not in new
        return f"the {new} century" if is_short else new
    if "," in words or statement.asks == "when" or statement.asks[:3] == "how":
        return ""
    names = [word for word in words if word.lower() not in _SMALL]
    if names and all(word[0].isupper() for word in names):
        return _answer_of_kind(right, statement, rng, passage)
    if any(word[0].isupper() for word in words) or statement.asks in ("who", "where"):
        return ""
    return _with_other_noun(words, right, rng, passage)


def _with_other_numbers(right: str, rng: Rng, passage: str) -> str:
    """An answer with its number, or all of its date, changed; empty if it has none, or several."""
    words = [right[a:b] for a, b in token_spans(right)]
    numbers = [w for w in words if parse_number(w) is not None and w.lower() not in _NOT_CHANGED]
    is_date = any(word in _MONTHS for word in words)
    if (len(numbers) > 1 or "," in words) and not is_date:
        return ""
    pieces, done, changed = [], 0, False
    for (start, end), word in zip(token_spans(right), words, strict=True):
        number = parse_number(word)
        if is_date and number is not None and number.value <= _LONGEST_MONTH:
            new = format_number(1 + int(rng.random() * _SHORTEST_MONTH), number)
        else:
            new = _other_number(word, rng, passage)
        if word[0].isdigit() and not new:
            return ""
        pieces += [right[done:start], new or word]
        changed, done = changed or bool(new), end
    return "".join([*pieces, right[done:]]) if changed else ""


def _answer_of_kind(right: str, statement: Statement, rng: Rng, passage: str) -> str:
    """A name of the kind that is asked for."""
    noun = statement.noun
    if statement.asks == "who" or noun in _PEOPLE:
        name = EntityMention(0, len(right), "PER", "John Smith")
        return _unused(tuple(other_names(name, rng, tries=_TRIES)), rng, passage)
    if noun in _COMPANIES:
        return _unused(listed("organizations"), rng, passage)
    if noun in _LANDS:
        return _unused(listed("sovereign_countries"), rng, passage)
    if statement.asks == "where" or noun in _PLACES:
        return _unused(cities(), rng, passage)
    return _other_proper_name(right, rng, passage)


def _other_proper_name(right: str, rng: Rng, passage: str) -> str:
    """A name whose first word that is no common one is another: "Fort Caroline", "Fort Lee"."""
    words = right.split()
    own = [i for i, word in enumerate(words) if word[0].isupper() and not _is_common(word)]
    new = _unused(listed("last_names"), rng, passage)
    if not own or not new:
        return ""
    last = next(i for i in own if i + 1 not in own)  # of the first run
    tail = _POSSESSIVE.search(words[last])
    plural = "s" if words[last].endswith("s") and not tail and new[-1] not in "sxz" else ""
    return " ".join(
        [*words[: own[0]], new + plural + (tail[0] if tail else ""), *words[last + 1 :]]
    )


def _is_common(word: str) -> bool:
    low = word.lower()
    return low in _SMALL or (zipf(low) >= _COMMON and exists(lemma(low, "NOUN"), "n"))


def _with_other_noun(words: Sequence[str], right: str, rng: Rng, passage: str) -> str:
    """A phrase whose last noun is another one of its kind."""
    last = words[-1]
    if len(words) == 1 and (other := _turned(_PAIRS).get(last, "")) not in passage:
        return other
    xpos = "NNS" if lemma(last, "NOUN") != last else "NN"
    if not last.isalpha() or not exists(lemma(last, "NOUN"), "n"):
        return ""
    new = _unused(nouns_like(last, xpos), rng, passage)
    return f"{right[: -len(last)]}{new}" if new else ""
