"""Which of a masked language model's words a search may try."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.english.replacements import POS_OF, opposites
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.resources.vocabulary import script_of
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.wordnet import exists


@lru_cache(maxsize=1 << 16)
def are_antonyms(word: str, other: str) -> bool:
    """Whether WordNet has two lower-case words, or their base forms, as opposites.

    Examples
    --------
    >>> are_antonyms("good", "bad"), are_antonyms("loves", "hated"), are_antonyms("good", "fine")
    (True, True, False)
    """
    for upos, pos in POS_OF.items():
        base, stem = lemma(word, upos), lemma(other, upos)
        if exists(base, pos) and stem in opposites(base, pos):
            return True
    return False


def fitting(
    guesses: Iterable[Guess], old: Sequence[str], *, no_stop_words: bool, no_antonyms: bool
) -> Iterator[Guess]:
    """Guesses that are none of the old words, each once in any casing, and pass the filters.

    Examples
    --------
    >>> found = [Guess(w, 0.1) for w in ("Good", "bad", "the", "fine", "Fine")]
    >>> [g.word for g in fitting(found, ["good"], no_stop_words=True, no_antonyms=True)]
    ['fine']
    """
    known = {word.lower() for word in old}
    words = tuple(known)
    for guess in guesses:
        low = guess.word.lower()
        if low in known:
            continue
        known.add(low)
        if no_stop_words and is_stop_word(low):
            continue
        if no_antonyms and any(are_antonyms(word, low) for word in words):
            continue
        yield guess


def guesses_at(document: Document, query: MaskQuery, *, top: int) -> tuple[Guess, ...]:
    """What the run's masked language model expects at a hidden place."""
    guesser: WordGuesser = find_resource(document, "masked_lm")
    return guesser.guess([query], top=top, script=script_of(document.language))[0]


def warm_guesses(
    pairs: Iterable[tuple[Document, MaskQuery]], resources: Mapping[str, Any], *, top: int
) -> None:
    """Ask about many hidden places in full batches."""
    guesser: WordGuesser = find_resource(resources, "masked_lm")
    for script, queries in by_script(pairs).items():
        guesser.guess(queries, top=top, script=script)


def by_script(pairs: Iterable[tuple[Document, MaskQuery]]) -> dict[Any, list[MaskQuery]]:
    """Queries by the script of their documents."""
    found: dict[Any, list[MaskQuery]] = {}
    for document, query in pairs:
        found.setdefault(script_of(document.language), []).append(query)
    return found


def placed(
    documents: Iterable[Document],
    sites: Iterable[Sequence[Site]] | None,
    transformation: Any,
) -> Iterator[tuple[Document, Site]]:
    """Every document with each of its sites, or with those that are stated."""
    if sites is None:
        yield from ((d, s) for d in documents for s in transformation.sites(d))
    else:
        yield from ((d, s) for d, held in zip(documents, sites, strict=True) for s in held)
