"""Facts of tasks: what diagnostics, changes of texts and models ask for in place of a name."""

from typing import Final, Literal, NamedTuple

#: What an answer hangs on: one text, the relation of several, a part of a text that is named
#: beside it (an aspect, a topic), parts that are marked in it (two entities).
HangsOn = Literal["text", "relation", "anchor", "marked"]

_OF: Final[dict[str, str]] = {
    "text": "of one text",
    "relation": "of the relation of texts",
    "anchor": "of a part of a text",
    "marked": "of marked parts of a text",
}
_ANSWERS: Final[dict[str, str]] = {
    "label": "labels",
    "spans": "spans of words",
    "words": "heads of words",
    "clusters": "clusters of mentions",
    "extract": "words of a text",
    "text": "written texts",
    "response": "free answers",
    "option": "options of the item",
    "labels": "sets of labels",
    "ranking": "orders of candidates",
    "segments": "borders of words",
}

#: Names under which a change may say what it does to an answer (`Facts.grounds`), in words.
GROUNDS: Final[dict[str, str]] = {
    **_ANSWERS,
    "relation": f"labels {_OF['relation']}",
    "anchor": f"labels {_OF['anchor']}",
    "marked": f"labels {_OF['marked']}",
}
#: Where a change says nothing of a name: the next nearest. What is done to a text beside its
#: options is done to one of several texts; borders of words go where the words of a tree go; what
#: may swap what a question asks about may change what is right of a prompt.
_NEXT: Final[dict[str, str]] = {
    "marked": "anchor",
    "anchor": "label",
    "labels": "label",
    "option": "relation",
    "response": "extract",
    "ranking": "relation",
    "segments": "words",
}


#: Answers that are parts of a text; of words each, none is set off from the others.
_IN_TEXT: Final = ("spans", "clusters", "extract")


class Facts(NamedTuple):
    """Facts of a task; those that are wanted of one, where empty ones are any.

    Parameters
    ----------
    answer
        Name of the type of its answers (`AnswerType.name`); empty where it has none.
    hangs_on
        What an answer hangs on.
    holds
        What its items hold besides texts and answers, in words ("running text", "mentions").
    """

    answer: str = ""
    hangs_on: HangsOn | Literal[""] = ""
    holds: str = ""

    def are_of(self, task: "Facts") -> bool:
        """Whether a task has all these facts.

        Examples
        --------
        >>> LABELS.are_of(Facts("label", "relation")), ONE_TEXT.are_of(Facts("label", "relation"))
        (True, False)
        """
        return all(not want or want == has for want, has in zip(self, task, strict=True))

    def any_of(self, wanted: "tuple[Facts, ...]") -> bool:
        """Whether these facts of a task have all that any of the wanted ones ask."""
        return any(one.are_of(self) for one in wanted)

    @property
    def has_places(self) -> bool:
        """Whether right answers, or what they hang on, are parts of a text that edits move.

        Examples
        --------
        >>> SPANS.has_places, NAMED_PART.has_places, ARCS.has_places
        (True, True, False)
        """
        is_in_text = self.answer in _IN_TEXT or self.hangs_on in ("anchor", "marked")
        return is_in_text or bool(self.holds)

    @property
    def grounds(self) -> tuple[str, ...]:
        """Names under which a change says what it does to such an answer, the nearest first."""
        # who fills a marked gap is said by the options beside the text, not by the mark
        is_of_part = self.hangs_on == "marked" and self.answer != "option"
        is_of_text = not is_of_part and (self.answer != "label" or self.hangs_on in ("", "text"))
        found = [self.answer if is_of_text else self.hangs_on]
        while found[-1] in _NEXT:
            found.append(_NEXT[found[-1]])
        return tuple(found)

    def __str__(self) -> str:
        answers = _ANSWERS.get(self.answer, self.answer)
        if self.answer == "label" and self.hangs_on:
            answers += f" {_OF[self.hangs_on]}"
        return " on ".join(filter(None, (answers, self.holds))) or "texts without answers"


def wanted_in_words(wanted: tuple[Facts, ...]) -> str:
    """Facts of which any suffices, as a list in words.

    Examples
    --------
    >>> wanted_in_words((LABELS, SPANS))
    'labels, spans of words'
    """
    return ", ".join(map(str, wanted))


def answers_in_words(ground: str) -> str:
    """Answers to which something is done, by their name in `GROUNDS`, or "*" for all others.

    Examples
    --------
    >>> answers_in_words("relation"), answers_in_words("upos")
    ('labels of the relation of texts', 'upos')
    """
    return "other answers" if ground == "*" else GROUNDS.get(ground, ground)


#: Labels of anything; of one text; of two; of a part of a text that is named beside it.
LABELS: Final = Facts("label")
ONE_TEXT: Final = Facts("label", "text")
TWO_TEXTS: Final = Facts("label", "relation")
NAMED_PART: Final = Facts("label", "anchor")
SPANS: Final = Facts("spans")
ARCS: Final = Facts("words")
CLUSTERS: Final = Facts("clusters")
EXTRACTS: Final = Facts("extract")
WRITTEN: Final = Facts("text")
FREE_ANSWERS: Final = Facts("response")
#: What a model that writes can answer with its text itself.
WRITES: Final = (WRITTEN, FREE_ANSWERS)
OPTIONS: Final = Facts("option")
LABEL_SETS: Final = Facts("labels")
RANKINGS: Final = Facts("ranking")
#: Senses of a marked word in order, by their descriptions.
SENSES: Final = Facts("ranking", "marked")
#: Labels of two marked parts of a text.
MARKED_PARTS: Final = Facts("label", "marked")
SEGMENTS: Final = Facts("segments")
#: Texts that go on from item to item, with nothing to predict.
RUNNING_TEXT: Final = Facts(holds="running text")
#: Words that belong to an anchor among them, as the scope of a negation to its cue.
ANCHORED_SPANS: Final = Facts(holds="anchors with their spans")
#: Words in classes, and mentions of the same thing.
WORD_CLASSES: Final = Facts(holds="words in classes")
MENTIONS: Final = Facts(holds="mentions")
#: Sentences that differ in one thing, of which one is grammatical.
MINIMAL_PAIRS: Final = Facts(holds="minimal pairs")
#: Sentences that differ in whom they speak of, by two or by three.
SENTENCE_PAIRS: Final = Facts(holds="sentence pairs")
SENTENCE_TRIPLES: Final = Facts(holds="sentence triples")
#: Sets of words whose association is tested.
WORD_SETS: Final = Facts(holds="word sets")
#: Counts of attention heads that were taken elsewhere.
HEAD_COUNTS: Final = Facts(holds="counts of heads")
#: Pairs of words that belong together, as a predicate and its role.
ALIGNED_WORDS: Final = Facts(holds="pairs of words")
