"""Other aspects added to a text, judged the opposite way.

After ARTS (Xing et al. 2020), AddDiff; the phrases are a list of ours in place of phrases from
training sentences, which may not be shipped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.facts import NAMED_PART
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.changes import (
    Candidates,
    ChangesWholeText,
    Sites,
    in_random_order,
    whole_text,
    with_unknown,
)
from scrutiny.perturb.languages.sentence_tokens import plain
from scrutiny.tasks.aspects import aspects_of, sign_of
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import table, word_set
from scrutiny.text.tokens import is_spaced

Domain = Literal["by_text", "restaurant", "laptop", "any"]
_MOST: Final = 3
_CLOSING: Final = ".!?…,;:"
_CONTRASTS: Final = frozenset("but although though however yet".split())
_PAST: Final = {"is": "was", "are": "were", "lasts": "lasted", "dies": "died", "keeps": "kept",
                "scratches": "scratched"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AddAspects(ChangesWholeText):
    """Adds one to three other aspects at the end, with the opposite polarity.

    "The pizza is great" becomes "The pizza is great, but the waiters are rude". None is an aspect
    that the text speaks of. To a neutral one, praise and blame are added.

    Parameters
    ----------
    domain
        What the phrases are of: ``restaurant``, ``laptop``, ``any`` business; ``by_text``: that of
        which the text has most words.

    **Measures** whether the answer is about this aspect, and not about the text as a whole.

    **Misleads when** an added aspect is a part of the one that is asked about: "food" and "bread".

    References
    ----------
    Xing, Jin, Jin, Wang, Zhang, Huang (2020). Tasty burgers, soggy fries: probing aspect robustness
    in aspect-based sentiment analysis.

    Examples
    --------
    >>> [blame for aspect, _, blame in _phrases()["restaurant"] if aspect == "waiters"]
    ['the waiters are rude']
    """

    id = "add_aspects@1"
    title = "other aspects added"
    effect = may_change_unless("anchor")
    wants = (NAMED_PART,)
    is_default = False  # it is for aspects alone

    domain: Domain = "by_text"

    def sites(self, document: Document) -> Sites:
        """The text, if the polarity of its aspect is known."""
        own = aspects_of(document.example)[0]
        is_asked = document.field == "text" and sign_of(own.polarity) is not None
        return whole_text(document) if is_asked else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A random choice of phrases, joined to the last sentence."""
        sign = sign_of(aspects_of(document.example)[0].polarity)
        words = document.words
        at = max((i for i, word in enumerate(words) if word[0] not in _CLOSING), default=-1)
        free = _free_phrases(document, self.domain)
        if at < 0 or not free:
            return
        count = 1 + int(rng.random() * min(_MOST, len(free)))
        sides = rng.random(count).tolist()
        drawn = [*in_random_order(free, rng)][:count]
        past = _is_past(document)
        said = [
            _in_tense(praise if sign == -1 or (sign == 0 and side < 0.5) else blame, past=past)
            for (_, praise, blame), side in zip(drawn, sides, strict=True)
        ]
        yield (with_unknown(document, _added(document, at, said, is_contrast=sign != 0)),)


def _added(document: Document, at: int, said: Sequence[str], *, is_contrast: bool) -> Edit:
    """Edit behind the last word: the phrases as clauses, or after a question as a sentence."""
    comma = " , " if is_spaced(document.text) else ", "
    listed = comma.join(said[:-1]) + (" and " if len(said) > 1 else "") + said[-1]
    words = {plain(word) for word in document.words}
    joint = comma + ("but " if is_contrast else "and ")
    if not _CONTRASTS.isdisjoint(words):
        joint = comma.replace(",", ";")
    end = document.tokens[at][1]
    behind = document.text[end:]
    if "?" in behind or document.words[at][-1] in "\"”'":
        end = len(document.text.rstrip())
        stop = " ." if is_spaced(document.text) else "."
        opening = listed[0].upper() + listed[1:]
        return Edit(document.field, end, end, f" {opening}{stop}")
    return Edit(document.field, end, end, joint + listed)


def _free_phrases(document: Document, domain: Domain) -> list[tuple[str, str, str]]:
    """Phrases of a domain about nothing that the text speaks of."""
    words = {lemma(plain(word), "NOUN") for word in document.words if word.isalpha()}
    found = domain
    if found == "by_text":
        counts = {name: len(words & _vocabulary(name)) for name in ("restaurant", "laptop")}
        best = max(counts.values())
        leading = [name for name, count in counts.items() if count == best]
        found = "any" if best == 0 or len(leading) > 1 else leading[0]  # type: ignore[assignment]
    return [one for one in _phrases()[found] if words.isdisjoint(_nouns(one))]


def _nouns(one: tuple[str, str, str]) -> frozenset[str]:
    """Base forms of the aspect of a phrase, and of what stands for it before its verb."""
    aspect, praise, _ = one
    said = praise.removeprefix("the ").split(" ")
    stop = next((i for i, word in enumerate(said) if word in _PAST), len(said))
    return frozenset(lemma(word, "NOUN") for word in (aspect, *said[:stop]))


@cache
def _phrases() -> Mapping[str, tuple[tuple[str, str, str], ...]]:
    """Aspects with praise and blame, by domain."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for domain, aspect, praise, blame in table("aspect_phrases"):
        found.setdefault(domain, []).append((aspect, praise, blame))
    return {domain: tuple(rows) for domain, rows in found.items()}


@cache
def _vocabulary(domain: str) -> frozenset[str]:
    """Base forms of what a domain's phrases are about."""
    own = frozenset[str]().union(*map(_nouns, _phrases()[domain]))
    return own | word_set(f"words_of_{domain}s")


def _is_past(document: Document) -> bool:
    """Whether a text tells of the past: "was", "were", "had", and no present of theirs."""
    words = {plain(word) for word in document.words}
    return bool(words & {"was", "were", "had", "did"}) and not words & {"is", "are", "has", "'s"}


def _in_tense(phrase: str, *, past: bool) -> str:
    """Phrase in the tense of the text."""
    return " ".join(_PAST.get(word, word) if past else word for word in phrase.split(" "))
