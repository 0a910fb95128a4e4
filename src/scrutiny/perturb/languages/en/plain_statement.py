"""Plain statements: texts of one short clause, in which nothing else says what the clause says."""

from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.clitics import plain
from scrutiny.perturb.languages.en.informal import is_informal
from scrutiny.perturb.languages.en.unclear_verbs import is_unclear
from scrutiny.perturb.languages.en.verbs import ADVERBS, auxiliary_kind, finite_kind
from scrutiny.perturb.languages.tokens import beside

# Words that set a clause against another thing, compare or limit it: its opposite does not fit.
_WEIGHED: Final = frozenset(
    """but yet though although while whereas however nonetheless nevertheless still even also only
    just merely instead despite unlike without except rather unless if because since so than too
    thanks due least almost nor neither as otherwise other more less till until when where what who
    whom whose how why which whether or lack lacks such quite""".split()
)
# Words of degree, number and stance, behind or before which no "not" is put.
_MEASURED: Final = frozenset(
    """fairly pretty somewhat very really definite definitely certainly clearly probably especially
    finally again already always never hardly nothing no none at little few scant much most all
    every each any both ultimately actually indeed course practically""".split()
)
# With "not" they say "nothing" ("does n't waste a moment"), and alone something else.
_LEAST: Final = frozenset("moment thing word bit damn clue single years ages waste wastes".split())
_BREAKS: Final = frozenset("; : -- - ... ( ) / ? ` `` ' '' \" “ ”".split())
_PRONOUNS: Final = frozenset("i you he she it we they".split())
_RELATIVE: Final = frozenset({"that", "which", "who"})
_LONGEST: Final = 22  # tokens; what is longer says more than one thing


def is_plain_statement(document: Document) -> bool:
    """Whether a text is one short clause whose opposite could be said as it stands.

    It has one finite verb, no mark that parts it, and no word that weighs what it says against
    something else ("but", "even", "than"); it is neither a question nor written as messages are.
    """
    words = [plain(word) for word in document.words]
    if len(words) > _LONGEST or not (_WEIGHED | _LEAST | _BREAKS).isdisjoint(words):
        return False
    if any(word in (",", ".", "!") for word in words[:-1]):
        return False
    verbs = [i for i in range(len(words)) if finite_kind(document, i) is not None]
    if len(verbs) > 1 or any(_is_misplaced(document, words, verb) for verb in verbs):
        return False
    if any(is_unclear(document, i, word) for i, word in enumerate(words)):
        return False
    return not is_informal(document)


def _is_misplaced(document: Document, words: list[str], verb: int) -> bool:
    """Whether a pronoun is a subject that does not open the text, or stands behind an auxiliary.

    So in "the stories we tell", "boring we did n't" and "Annoying is it."
    """
    behind = [word for word in words[verb + 1 : verb + 3] if word not in ("n't", "not")]
    if behind and behind[0] in _PRONOUNS and auxiliary_kind(document, verb) is not None:
        return True
    is_late = verb > 2 or (verb == 2 and document.tag(0) not in ("CC", "RB"))
    return is_late and words[verb - 1] in _PRONOUNS


def can_be_denied(document: Document, verb: int) -> bool:
    """Whether a plain statement stays one with "not": it says one thing, and says it plainly.

    None in which an adverb praises or dates the verb ("brilliantly explores"), two things are said
    ("is low and drags"), a noun has its only verb behind it ("a romp that boasts"), or an
    adjective denies already ("is unlikely").
    """
    words = [plain(word) for word in document.words]
    at = beside(document, verb, -1, lambda i: document.tag(i) in ADVERBS)
    if not _MEASURED.isdisjoint(words) or words[at] in _RELATIVE or document.tag(verb) == "NN":
        return False
    if at < verb - 1 and auxiliary_kind(document, verb) is None:
        return False
    return not ("and" in words[verb:] or any(map(_denies, words[verb:])))


def _denies(word: str) -> bool:
    return word.startswith(("un", "not-", "non-", "in-"))


def is_only_judgment(document: Document, index: int) -> bool:
    """Whether an adjective is the one word of a plain statement that says what something is like.

    No other adjective, participle or adverb of manner stands there, which would say the reverse of
    its opposite, and nothing is joined to it.
    """
    if index and document.words[index - 1] == "the" and document.tag(index) == "JJ":
        return False  # "the true fan": it says which one
    return not any(
        i != index and _may_judge(document, i, plain(word)) for i, word in enumerate(document.words)
    )


def _may_judge(document: Document, index: int, word: str) -> bool:
    tag = document.tag(index)
    is_manner = tag == "RB" and word.endswith("ly")
    is_turned = word in ("and", "not") or word.endswith("n't") or _denies(word)
    return is_turned or is_manner or tag[:2] == "JJ" or tag == "VBG"
