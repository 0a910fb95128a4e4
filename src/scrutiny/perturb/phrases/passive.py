"""The passive voice: a clause whose object becomes its subject, by rules on a dependency parse.

====================  =========================  ===========================================
verb group            active                     passive
====================  =========================  ===========================================
past, present         Ida thanked the boys.      The boys were thanked by Ida.
*do* with *not*       Ida didn't see the boys.   The boys weren't seen by Ida.
a modal verb          Ida could lift the box.    The box could be lifted by Ida.
*have*                Ida has sold the books.    The books have been sold by Ida.
with two objects      Ida gave the boy a book.   The boy was given a book by Ida.
====================  =========================  ===========================================

What the rules do not know stays: other verb groups, pronouns, subjects or objects that are not
whole or follow one another with something between, verbs without a passive, and clauses with a
second verb that would get another subject.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.choices import GAP
from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Candidates, Change, Sites, with_unknown
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.spacy_pipeline import Annotation
from scrutiny.text.tokens import sentences

#: Verbs without a passive, or with one that says something else.
_WITHOUT: Final = frozenset(
    "have be become resemble fit lack cost weigh equal suit mean want like get let make last "
    "contain hold enjoy reach enter leave join lose take mind wish need seem remain cause help "
    "promise threaten quit finish start begin stop feel know watch say pass owe bring marry meet "
    "face escape involve require include concern possess own number keep spend".split()
)
#: Verbs with two objects, of which a parse may make one; and of fixed terms ("gave birth").
_OF_TWO: Final = frozenset(
    "give offer lend send pay teach show hand tell feed buy sell ask do catch set throw".split()
)
#: Verbs whose object does what an infinitive says.
_OBJECT_DOES: Final = frozenset(
    "ask tell order persuade urge invite force allow encourage permit advise warn instruct".split()
)
_HELD_BACK: Final = frozenset("PRP PRP$ WP WDT WP$ EX".split())
_ADVERBS: Final = frozenset("RB RBR RBS".split())
_DO: Final = {"did": "VBD", "does": "VBZ", "do": "VBP"}
_BE: Final = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
_HAVE: Final = {"has": ("has", "have"), "have": ("has", "have"), "had": ("had", "had")}
_MODALS: Final = frozenset("will would can could may might must shall should".split())
_NEGATIONS: Final = ("n't", "n’t")
#: Nouns of one form for one and several, and ends of a clause that leaves its verb out ("to.").
_ONE_FORM: Final = frozenset("deer fish sheep series species aircraft percent".split())
_ELLIPSIS: Final = re.compile(r"\b(?:to|do so|did so)\s*(?:[.!?,;]|$)", re.IGNORECASE)
_FEWEST, _LONGEST = 3, 60  # words of a sentence
_DETERMINERS: Final = frozenset(
    "the a an my our your this these those some many most all no every each both several".split()
)
_MOST: Final = 8  # tokens of a subject or an object


class ActiveClause(NamedTuple):
    """A clause that can be turned: first and last tokens of its parts.

    Parameters
    ----------
    subject, object
        Ranges of tokens; of two objects, the first.
    verb
        The verb, and what stands between it and the subject: ``group``.
    last
        Last token before which nothing else may come: of the second object, or of the first.
    """

    subject: range
    group: range
    verb: int
    object: range
    last: int


@dataclass(frozen=True, slots=True)
class Passive(Change):
    """One clause in the passive voice: "The boys were thanked by Ida" for "Ida thanked the boys".

    A paraphrase: who did what to whom stays. See the rules for what is left alone.

    **Measures** whether an answer hangs on the order of subject and object.

    **Misleads when** what a pronoun means hangs on who is the subject (*Ida*, whom the text then is
    less about): people, too, find some of such texts harder. Or where the parse is wrong.

    References
    ----------
    Abdou et al. (2020). The sensitivity of language models and humans to Winograd schema
    perturbations: VC.
    Gui et al. (2021). TextFlint: SwitchVoice.

    Examples
    --------
    >>> Passive().resources
    ('parser',)
    """

    id = "passive@1"
    title = "passive voice"
    resources = ("parser",)
    effect = keeps_unless("words", "spans", "clusters")
    intensity = ONE_SITE
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Clauses that the rules can turn."""
        return [
            Site(start + parse.spans[clause.subject[0]][0], start + parse.spans[clause.last][1])
            for start, _, parse, clause in _found(document)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The clause with its object in front."""
        for start, sentence, parse, clause in _found(document):
            if start + parse.spans[clause.subject[0]][0] == site.start:
                edits = (
                    Edit(document.field, start + a, start + b, new)
                    for a, b, new in turned(sentence, parse, clause) or ()
                )
                yield tuple([with_unknown(document, edit) for edit in edits])


def _found(document: Document) -> Iterator[tuple[int, str, Annotation, ActiveClause]]:
    """Sentences with a clause that can be turned: where they begin, their parse, and the clause."""
    text = document.text
    for start, end in sentences(text):
        sentence = text[start:end]
        if not _may_be_turned(sentence):  # a parse takes most of the time
            continue
        parse = _parsed(find_resource(document.resources, "parser"), sentence)
        for clause in clauses_of(sentence, parse):
            yield start, sentence, parse, clause


def _may_be_turned(sentence: str) -> bool:
    """Whether a sentence could have a subject at its beginning, a verb and an object."""
    words = sentence.split()
    if not _FEWEST <= len(words) <= _LONGEST:
        return False
    first = words[0].lower()
    return first[:1].isalnum() and (first in _DETERMINERS or not is_stop_word(first))


@lru_cache(maxsize=512)
def _parsed(parser: Any, sentence: str) -> Annotation:
    """Parse of a sentence, in which a gap is read as a pronoun."""
    assert len(GAP) == 1
    words = (word if word != GAP else "I" for word in _pieces(sentence))
    found: list[Annotation] = parser.annotate(["".join(words)])
    return found[0]


def _pieces(text: str) -> Iterator[str]:
    """Characters of a text; a gap only where it stands alone."""
    for at, char in enumerate(text):
        is_alone = not text[at - 1 : at].isalnum() and not text[at + 1 : at + 2].isalnum()
        yield char if char != GAP or is_alone else "-"


def clauses_of(text: str, parse: Annotation) -> list[ActiveClause]:
    """Clauses that can be turned, in text order."""
    if _ELLIPSIS.search(text):
        return []
    tops = (i for i, relation in enumerate(parse.deprels) if relation == "ROOT")
    found = (_clause(text, parse, verb) for verb in tops)
    return [clause for clause in found if clause is not None and turned(text, parse, clause)]


def _clause(text: str, parse: Annotation, verb: int) -> ActiveClause | None:
    """Clause of a verb; None where the rules do not know it."""
    children = [i for i, head in enumerate(parse.heads) if head == verb]
    of = {i: parse.deprels[i] for i in children}
    words = [text[a:b] for a, b in parse.spans]
    base = lemma(words[verb].lower(), "VERB")
    subjects = [i for i in children if of[i] == "nsubj"]
    datives = [i for i in children if of[i] == "dative" and parse.tags[i].upos != "ADP"]
    objects = [i for i in children if of[i] == "dobj"]
    if len(subjects) != 1 or len(objects) != 1 or len(datives) > 1 or base in _WITHOUT:
        return None
    if not all(_is_turnable(parse, i, base) for i in children):
        return None
    subject = _phrase(parse, words, subjects[0])
    parts = [_phrase(parse, words, i) for i in (*datives, *objects)]
    if subject is None or None in parts or not _begins(text, parse, subject[0]):
        return None
    given = [part for part in parts if part is not None]
    if not datives and base in _OF_TWO and not _is_one(parse, given[0]):
        return None
    if not _has_number(parse, words, given[0]):
        return None
    group = range(subject[-1] + 1, verb)
    at = verb + 1
    for part in given:
        if part[0] != at:
            return None
        at = part[-1] + 1
    # "poorly" belongs to the verb: not "treated by the class poorly".
    if at < len(words) and parse.heads[at] == verb and parse.tags[at].xpos in _ADVERBS:
        return None
    is_known = all(parse.heads[i] == verb for i in group) and all(
        parse.deprels[i] in ("aux", "neg", "advmod") for i in group
    )
    return ActiveClause(subject, group, verb, given[0], at - 1) if is_known else None


def _is_one(parse: Annotation, part: range) -> bool:
    """Whether an object is one thing: a name, or with a determiner; not *Joan candy*, *birth*."""
    top = next(i for i in part if parse.heads[i] not in part)
    first = parse.tags[part[0]].xpos
    is_name = all(parse.tags[i].xpos == "NNP" for i in part)
    return is_name or parse.tags[top].xpos == "NNS" != first[:3] or first in ("DT", "PRP$", "CD")


def _has_number(parse: Annotation, words: Sequence[str], part: range) -> bool:
    """Whether it is told if an object is one or several; not of *the deer*, *the Bangladeshis*."""
    top = next(i for i in part if parse.heads[i] not in part)
    is_people = parse.tags[top].xpos == "NNP" and words[part[0]].lower() == "the"
    return words[top].lower() not in _ONE_FORM and not (is_people and words[top].endswith("s"))


def _is_turnable(parse: Annotation, child: int, base: str) -> bool:
    """Whether a part of a clause stays as it is when the clause is turned."""
    of = parse.deprels[child]
    own = [parse.deprels[i] for i, head in enumerate(parse.heads) if head == child]
    has_subject = "nsubj" in own or "nsubjpass" in own
    if of == "xcomp":
        return base in _OBJECT_DOES
    if of in ("conj", "advcl"):
        return has_subject
    if of == "prep" and "pcomp" in own:  # "after winning", which the subject does
        return False
    return of not in ("prt", "oprd", "ccomp", "auxpass", "expl", "preconj")


def _begins(text: str, parse: Annotation, first: int) -> bool:
    """Whether a token begins its sentence."""
    before = text[: parse.spans[first][0]].rstrip()
    return not before or before[-1] in ".!?"


def _phrase(parse: Annotation, words: Sequence[str], top: int) -> range | None:
    """Tokens of a noun phrase; None if it is none that can stand elsewhere as it is."""
    own = {top}
    while True:
        grown = own | {i for i, head in enumerate(parse.heads) if head in own}
        if grown == own:
            break
        own = grown
    found = range(min(own), max(own) + 1)
    if len(found) != len(own) or len(found) > _MOST:
        return None
    if parse.tags[top].xpos not in ("NN", "NNS", "NNP", "NNPS"):
        return None
    for i in found:
        word, of = words[i].lower(), parse.deprels[i]
        is_free_prep = of == "prep" and word != "of"
        is_said = not words[i].replace("-", "").replace("'", "").replace("’", "").isalnum()
        is_pronoun = parse.tags[i].xpos in _HELD_BACK and word not in ("my", "our", "your")
        if is_pronoun or is_free_prep or is_said or of in ("relcl", "acl", "appos"):
            return None
    return found


def turned(text: str, parse: Annotation, clause: ActiveClause) -> list[tuple[int, int, str]] | None:
    """Edits ``(start, end, text)`` that turn a clause; None where its verb group is another."""
    spans = parse.spans

    def said(part: range) -> str:
        return text[spans[part[0]][0] : spans[part[-1]][1]]

    is_plural = _is_plural(text, parse, clause.object)
    group = _group(text, parse, clause, is_plural=is_plural)
    if group is None:
        return None
    first, before = clause.subject[0], said(clause.subject)
    if parse.tags[first].xpos not in ("NNP", "NNPS") and before[1:2].islower():
        before = before[:1].lower() + before[1:]
    new = said(clause.object)
    by = f" by {before}"
    start = spans[clause.verb][0] if not clause.group else spans[clause.group[0]][0]
    if text[spans[first][0]].isupper():
        new = new[:1].upper() + new[1:]
    edits = [(spans[first][0], spans[clause.subject[-1]][1], new)]
    edits.append((start, spans[clause.verb][1], group))
    end = spans[clause.object[-1]][1]
    behind = spans[clause.last][1]
    if behind > end:  # a second object stays, and who did it comes behind it
        edits.append((spans[clause.verb][1], end, ""))
        edits.append((behind, behind, by))
    else:
        edits.append((spans[clause.verb][1], end, by))
    return edits


def _is_plural(text: str, parse: Annotation, part: range) -> bool:
    """Whether a noun phrase is of several: by its head, a number, or *and*."""
    top = next(i for i in part if parse.heads[i] not in part)
    number = next((text[slice(*parse.spans[i])] for i in part if parse.tags[i].xpos == "CD"), "one")
    if number.lower() not in ("one", "1") and parse.deprels[part[0]] == "nummod":
        return True
    is_joined = any(parse.deprels[i] == "conj" and parse.heads[i] == top for i in part)
    return is_joined or parse.tags[top].xpos in ("NNS", "NNPS")


def _group(text: str, parse: Annotation, clause: ActiveClause, *, is_plural: bool) -> str | None:
    """Verb group in the passive voice, with its adverbs; None for one that is not known."""
    words = [text[a:b] for a, b in (parse.spans[i] for i in clause.group)]
    verb = text[slice(*parse.spans[clause.verb])]
    participle = inflect(lemma(verb.lower(), "VERB"), "VBN")
    tag = parse.tags[clause.verb].xpos
    if participle is None:
        return None
    adverbs = [parse.tags[i].xpos in _ADVERBS and parse.deprels[i] != "aux" for i in clause.group]
    helping = [word for word, is_adverb in zip(words, adverbs, strict=True) if not is_adverb]
    if not helping:
        if tag not in _BE or "not" in map(str.lower, words):
            return None
        return " ".join([_BE[tag][is_plural], *words, participle])
    if len(helping) != 1 or adverbs[0]:
        return None
    first = helping[0].lower()
    ending = next((end for end in _NEGATIONS if first.endswith(end)), "")
    bare = first.removesuffix(ending)
    rest = words[1:]
    if bare in _DO and tag == "VB":
        return " ".join([_BE[_DO[bare]][is_plural] + ending, *rest, participle])
    if (bare in _MODALS or first in ("can't", "can’t", "won't", "won’t", "cannot")) and tag == "VB":
        return " ".join([helping[0], *rest, "be", participle])
    if bare in _HAVE and tag == "VBN":
        return " ".join([_HAVE[bare][is_plural] + ending, *rest, "been", participle])
    return None
