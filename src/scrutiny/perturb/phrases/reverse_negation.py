"""Reversal of negation: a "not" inserted or removed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from scrutiny.core.answers.words import Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Change
from scrutiny.perturb.languages.negation import (
    affirm,
    has_negation,
    negate,
    negator_in,
    resists_negation,
)
from scrutiny.perturb.languages.sentence_tokens import (
    CLITICS,
    clitic_of,
    plain,
    sentence_of,
    sentence_tokens,
)
from scrutiny.perturb.languages.statements import can_be_denied, is_plain_statement, main_verb
from scrutiny.perturb.resources.capabilities import Parser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.tasks.dependency_arcs import main_of
from scrutiny.text.spacy_pipeline import Annotation
from scrutiny.text.tokens import offsets_of_words


@dataclass(frozen=True, slots=True)
class ReverseNegation(Change):
    """Negates a sentence's main clause, or removes its negation.

    A negation gets the form of "do" that the verb's tense and person ask for, and the verb its
    base form; taking one out gives them back. Questions, tags, commands, inversions, and sentences
    with another negative word ("Nobody came") are left alone. The main clause is found by rules
    over tags, or by a dependency parse where the run's tagger is spaCy.

    Parameters
    ----------
    add, remove
        Whether negations are put in, and taken out.
    plain
        Whether only plain statements change: texts of one short clause, which no contrast, second
        verb or praising adverb contradicts when it is turned round. They are one in twenty-five
        sentences of reviews, and few messages. Otherwise every main clause changes that can, two
        thirds of the sentences of reviews, and in three in ten the rest of the text contradicts it.

    **Measures** whether the model sees a small word that turns what is said into its opposite.

    **Misleads when** it is scored against the old label: most labels may change, and some do not
    ("It is not raining" is about as neutral as "It is raining").

    References
    ----------
    Ettinger (2020). What BERT is not: lessons from a new suite of psycholinguistic diagnostics.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> document = document_of("They went home.")
    >>> site = ReverseNegation().sites(document)[0]
    >>> document.text[site.start : site.end]
    'went'
    """

    id = "reverse_negation@1"
    title = "negation reversed"
    resources = ("tagger",)
    effect: ClassVar[Mapping[str, Effect]] = {
        **may_change_unless("spans", "words"),
        "xpos": "may change",
    }
    intensity = ONE_SITE
    is_default = False  # see docs/transformation-quality.md

    add: bool = True
    remove: bool = True
    plain: bool = True

    def sites(self, document: Document) -> Sequence[Site]:
        """The negation, or else the finite verb, of each sentence that can be reversed."""
        found: list[Site] = []
        if self.plain and not is_plain_statement(document):
            return found
        parse = _parse_of(document)
        for first, last in sentence_tokens(document):
            if document.words[last - 1].endswith("?") or "?" in document.words[first:last]:
                continue
            words = document.words[first:last]
            bare = [word.lower() for word in words if any(map(str.isalnum, word)) or word == ","]
            at = len(bare) - bare[::-1].index(",") if "," in bare else 0
            if at > 1 and _TAG.fullmatch(" ".join(bare[at:])):
                continue  # "It is kept, is it!": the tag turns with the negation
            index = self._place(document, first, last, parse)
            if index is not None:
                found.append(Site(*document.tokens[index], index))
        return found

    def _place(
        self, document: Document, first: int, last: int, parse: Annotation | None
    ) -> int | None:
        negator = negator_in(document, first, last)
        if negator is not None:
            behind = document.words[negator + 1 : negator + 2]
            is_last = not (behind and behind[0][0].isalnum())
            before = plain(document.words[negator - 1]) if negator else ""
            is_clitic = before in CLITICS or clitic_of(before) is not None
            return negator if self.remove and not (is_last and is_clitic) else None  # "He's not."
        if not self.add:
            return None
        verb = main_verb(document, first, last, parse)
        if verb is None or has_negation(document, first, verb, last):
            return None
        if resists_negation(document, verb) or (self.plain and not can_be_denied(document, verb)):
            return None
        return verb

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The reversed clause; a new negation is full or contracted, the drawn one first."""
        first, last = sentence_of(document, site.token)
        if negator_in(document, first, last) == site.token:
            yield from affirm(document, site.token, last)
            return
        ways = list(negate(document, site.token))
        if len(ways) > 1 and rng.random() < 0.5:
            ways.reverse()
        for way in ways:
            yield tuple([_stated(document, edit, site.token) for edit in way])


def _stated(document: Document, edit: Edit, index: int) -> Edit:
    """Edit of a finite verb that says which of its words are new: the negation, and "do"."""
    start, end = document.tokens[index]
    if not document.has_words or not start <= edit.start <= edit.end <= end:
        return edit
    words = _CONTRACTED.sub(r" \1", edit.text).split()
    borders = offsets_of_words(edit.text, words)
    if borders is None:
        return edit
    gold = document.example.gold
    head = gold.heads[index] if isinstance(gold, Words) and gold.heads else None
    if head is None or main_of(gold.relations[index]) not in ("aux", "cop"):
        verb = start
    else:  # the word that an auxiliary or a copula depends on
        verb = gold.borders[head][0]
    no = Piece(0, 0, (), verb, None, "advmod", "PART", "RB")
    if edit.start == edit.end and len(words) == 1:
        pieces = [no]
    elif (edit.start, edit.end, len(words)) == (start, end, 2):
        pieces = [Piece(0, 0, (start,)), no]
    elif (edit.start, edit.end, len(words)) == (start, end, 3):
        new = no._replace(head=None, sibling=2)
        do = new._replace(relation="aux", upos="AUX", xpos="")
        pieces = [do, new, Piece(0, 0, (start,))]
    else:
        return edit
    both = zip(pieces, borders, strict=True)
    return edit._replace(pieces=tuple([piece._replace(start=a, end=b) for piece, (a, b) in both]))


_TAG: Final = re.compile(
    r"(?:am|is|are|was|were|do|does|did|have|has|had|will|wo|would|can|ca|could|shall|sha|should"
    r"|must|ai|might|need)(?: ?n['’]t|not)? (?:i|you|he|she|it|we|they|there|that|one)(?: not)?"
)
#: "n't" behind a verb.
_CONTRACTED: Final = re.compile(r"(?<=\w)(n['’]t)\b", re.IGNORECASE)


def _parse_of(document: Document) -> Annotation | None:
    """Parse of a document by the run's tagger, if it is a parser and has the same tokens."""
    parser = find_resource(document.resources, "tagger")
    if not isinstance(parser, Parser):
        return None
    parse = parser.annotate([document.text])[0]
    return parse if len(parse.heads) == len(document.tokens) else None
