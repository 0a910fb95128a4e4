"""What a question is about, replaced by something else; words of it, repeated behind the passage.

References
----------
Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?
Jia & Liang (2017). Adversarial examples for evaluating reading comprehension systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.facts import EXTRACTS, TWO_TEXTS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.changes import (
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    whole_text,
    with_unknown,
)
from scrutiny.perturb.passages.empty_words import (
    is_empty_word,
    is_first_field,
    is_function_word,
    language_of,
)
from scrutiny.text.lexicon import table
from scrutiny.text.tokens import is_lexical, token_texts

_LANGUAGES: Final = frozenset({"en", "zh"})
_DRAWN: Final = 24
#: A word of Chinese has two characters or more.
_SHORTEST: Final = {"en": 1, "zh": 2}


def _is_content(word: str) -> bool:
    return is_lexical(word) and not is_function_word(word)


def _subject(document: Document) -> tuple[int, int] | None:
    """Tokens of the longest run of content words of a text that another text has too.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.document import TextDocument
    >>> pair = {"text": "Where does the blue whale sleep?", "text_pair": "Blue whale facts."}
    >>> _subject(TextDocument(Example("1", pair), "text"))
    (3, 5)
    """
    words = [word.lower() for word in document.words]
    others = [text for name, text in document.example.fields.items() if name != document.field]
    held = [f"\0{chr(0).join(word.lower() for word in token_texts(text))}\0" for text in others]
    best, n = None, len(words)
    for start in range(n):
        end = start
        while end < n and _is_content(words[end]):
            end += 1
            run = f"\0{chr(0).join(words[start:end])}\0"
            if not any(run in text for text in held):
                break
            if best is None or end - start > best[1] - best[0]:
                best = start, end
    least = _SHORTEST[language_of(document)]
    return best if best is not None and best[1] - best[0] >= least else None


@dataclass(frozen=True, slots=True)
class OtherSubject(Change):
    """What the first text is about becomes a thing of the household: "the teapot".

    What it is about is the longest run of content words that stands in the other text, too. What
    comes stands in neither.

    Parameters
    ----------
    what
        ``subject``: that run. ``beside``: another run of as many words, what it is held against.

    **Measures** whether a model reads what a question is about.

    **Misleads when** the run is not what the question hangs on.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?
    """

    id = "other_subject@1"
    title = "another subject"
    languages = _LANGUAGES
    effect = may_change_unless()
    intensity = ONE_SITE
    where = "anywhere"
    wants = (TWO_TEXTS, EXTRACTS)
    is_for_search = True

    what: Literal["subject", "beside"] = "subject"

    def sites(self, document: Document) -> Sites:
        """The run, or the others of its length that do not touch it."""
        subject = _subject(document) if is_first_field(document) else None
        if subject is None:
            return ()
        if self.what == "subject":
            return [_site(document, *subject)]
        length = subject[1] - subject[0]
        return [
            _site(document, start, start + length)
            for start in range(len(document.words) - length + 1)
            if (start + length <= subject[0] or subject[1] <= start)
            and all(map(is_lexical, document.words[start : start + length]))
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Things that neither text has, in random order."""
        language = language_of(document)
        held = " ".join(document.example.fields.values()).lower()
        nouns = [noun for code, noun in table("household_nouns") if code == language]
        for noun in in_random_order([noun for noun in nouns if noun not in held], rng):
            yield (with_unknown(document, Edit(document.field, site.start, site.end, noun)),)


def _site(document: Document, first: int, last: int) -> Site:
    """Site of a run of tokens."""
    return Site(document.tokens[first][0], document.tokens[last - 1][1], first)


@dataclass(frozen=True, slots=True)
class RepeatedWords(Change):
    """Some words of the first text behind the last one, as a sentence, in their order.

    Parameters
    ----------
    words
        How many; fewer where the text has fewer that say something.

    **Measures** with a search on top, whether a model looks for words in place of what they say.

    **Misleads when** they say something together that the passage did not.

    References
    ----------
    Jia & Liang (2017). Adversarial examples for evaluating reading comprehension systems.
    """

    id = "repeated_words@1"
    title = "words repeated"
    languages = _LANGUAGES
    effect = may_change_unless("extract")
    intensity = ONE_SITE
    where = "anywhere"
    wants = (TWO_TEXTS, EXTRACTS)
    is_for_search = True

    words: int = 4

    def sites(self, document: Document) -> Sites:
        """The last text of an item of several, if the first one has words enough."""
        fields = [*document.example.fields]
        is_last = len(fields) > 1 and document.field == fields[-1]
        return whole_text(document) if is_last and len(_spoken(document)) > self.words else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Random choices of as many words, each once."""
        spoken, seen = _spoken(document), set[tuple[int, ...]]()
        for _ in range(_DRAWN):
            drawn = rng.choice(len(spoken), size=self.words, replace=False)
            chosen = tuple(sorted(drawn.tolist()))
            if chosen not in seen:
                seen.add(chosen)
                yield (with_unknown(document, _behind(document, [spoken[i] for i in chosen])),)


def _spoken(document: Document) -> list[str]:
    """Words of the first text that say something."""
    first = next(iter(document.example.fields.values()))
    return [w for w in token_texts(first) if is_lexical(w) and not is_empty_word(w)]


def _behind(document: Document, words: Sequence[str]) -> Edit:
    """Words behind a text."""
    end = len(document.text.rstrip())
    if language_of(document) == "zh":
        return Edit(document.field, end, end, f"{''.join(words)}。")
    return Edit(document.field, end, end, f" {' '.join(words).capitalize()}.")
