"""Words: parts of speech and dependencies of every word of a text, layer by layer."""

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType, PartDifference, fault_of_words
from scrutiny.core.edit import CarriedWord, EditRefusedError, Track
from scrutiny.core.example import Example, Link, Span

#: Head of the root of a sentence.
ROOT: Final = -1
#: Relations of Universal Dependencies, without subtypes.
UNIVERSAL_RELATIONS: Final = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp".split()
)


class Words(NamedTuple):
    """Annotation of the words of one field; a layer that nobody annotated is None.

    Parameters
    ----------
    field
        Name of the text field.
    borders
        ``(start, end)`` of each word in code points.
    heads
        Number of the word that each word depends on, from 0; ``ROOT`` for a root, None for a word
        without a head.
    relations
        Name of that dependency.
    upos, xpos
        Universal and treebank-specific parts of speech.
    """

    field: str
    borders: tuple[tuple[int, int], ...]
    heads: tuple[int | None, ...] | None = None
    relations: tuple[str, ...] | None = None
    upos: tuple[str, ...] | None = None
    xpos: tuple[str, ...] | None = None


class WordsType(AnswerType[Words]):
    """Dependencies and parts of speech."""

    name = "words"
    holds = Words
    layers = ("arcs", "upos", "xpos")
    places = "words"

    def decode(self, value: Any) -> Words:
        """Words from their JSON."""
        field, borders, *layers = value
        return Words(
            field,
            tuple((start, end) for start, end in borders),
            *(None if layer is None else tuple(layer) for layer in layers),
        )

    def given(self, value: Any, example: Example) -> Words:
        """Words alone stand for themselves.

        Raises
        ------
        TypeError
            For anything else.
        """
        if not isinstance(value, Words):
            raise TypeError(
                "an answer is Words(field, borders, heads, relations, upos, xpos) of "
                "scrutiny.plugin, for each text"
            )
        return value

    def check(self, answer: Words, example: Example) -> str | None:
        """Words outside of their text, layers of another length, and heads that are no words."""
        length, n = len(example.fields.get(answer.field, "")), len(answer.borders)
        if fault := fault_of_words(answer.borders, length):
            return fault
        for name in LAYERS:
            layer = getattr(answer, name)
            if layer is not None and len(layer) != n:
                return f"has {len(layer)} {name} for {n} words."
        for head in answer.heads or ():
            if head is not None and not ROOT <= head < n:
                return f"has the head {head}; heads are numbers of words from 0, and -1 for a root."
        return None

    def agree(self, a: Words, b: Words) -> Agreement:
        """Number of words with the same borders and the same annotation in all common layers."""
        return _agreement(a, b)

    def right_parts(self, given: Words, right: Words) -> frozenset[Hashable]:
        """Words of both with the same head and relation; without heads, the same part of speech.

        Subtypes of relations make no difference.
        """
        ours, theirs = _plain(given), _plain(right)
        names = ("upos", "xpos") if None in (ours.heads, theirs.heads) else ("heads", "relations")
        layers = [LAYERS.index(n) for n in names if getattr(ours, n) and getattr(theirs, n)]
        by_border, wanted = _by_border(ours), _by_border(theirs)
        return frozenset(
            border
            for border, said in by_border.items()
            if layers
            and border in wanted
            and all(said[i] and said[i] == wanted[border][i] for i in layers)
        )

    def parts(self, answer: Words) -> tuple[Span | Link, ...]:
        """Each word with its relation and head; without heads, with its part of speech.

        Subtypes of relations make no difference; words of which nothing is said are no parts.
        """
        plain = _plain(answer)
        relations, tags = plain.relations, plain.upos or plain.xpos
        if plain.heads is None or relations is None:
            told = zip(plain.borders, tags or (), strict=False)
            return tuple([Span(plain.field, *border, tag) for border, tag in told if tag])
        arcs = zip(plain.borders, relations, plain.heads, strict=True)
        return tuple(
            [
                Link(plain.field, *border, name, *_ends(plain.borders, head))
                for border, name, head in arcs
                if head is not None
            ]
        )

    def judged(self, answer: Words, right: Words) -> tuple[tuple[str, bool], ...]:
        """Each word with its relation or part of speech, and whether that is a right part."""
        parts = self.right_parts(answer, right)
        classes = answer.relations or answer.upos or answer.xpos or ("",) * len(answer.borders)
        return tuple([(n, at in parts) for n, at in zip(classes, answer.borders, strict=True)])

    def kept(self, before: Words, after: Words, track: Track) -> Agreement:
        """Number of the original's words whose annotation is what it was; new words don't count."""
        words = track.words(before.field, before.borders)
        new = {(word.start, word.end) for word in words if not word.of}
        return _agreement(self.carry(before, track), after, new)

    def differences(
        self, before: Words, after: Words, right: Words | None, track: Track, text: str
    ) -> Sequence[PartDifference]:
        """Words of both texts of which something else is said, named as they were before.

        Subtypes of relations make no difference.
        """
        before, after = _plain(before), _plain(after)
        right = None if right is None else _plain(right)
        known = {(w.start, w.end): w.of for w in track.words(before.field, before.borders)}
        pairs = [(known.get(border, ()), k) for k, border in enumerate(after.borders)]
        now = {ROOT: ROOT, **{of[0]: k for of, k in pairs if len(of) == 1}}
        old, new = (
            [shown[start:end] for start, end in one.borders]
            for one, shown in ((before, text), (after, track.texts[after.field]))
        )
        places = {} if right is None else {border: k for k, border in enumerate(right.borders)}
        found = []
        for i, k in now.items():
            if i == ROOT or _is_same(before, i, after, k, now):
                continue
            at = places.get(before.borders[i])
            told = "" if right is None or at is None else " ".join(_said(right, at, old))
            said = " ".join(_said(before, i, old)), " ".join(_said(after, k, new))
            found.append(PartDifference(old[i], *said, told))
        return found

    def key(self, answer: Words) -> tuple[str, ...]:
        """Arcs, as they were told when they were labels of spans; parts of speech without arcs."""
        if answer.heads is None or answer.relations is None:
            return super().key(answer)
        arcs = zip(answer.borders, answer.heads, answer.relations, strict=True)
        of = answer.field
        return "".join([f"/{of} {a} {b} {h + 1}:{r}" for (a, b), h, r in arcs if h is not None]), ""

    def show(self, answer: Words, fields: Mapping[str, str]) -> str:
        """Words with what is said of them."""
        text = fields[answer.field]
        shown = [text[start:end] for start, end in answer.borders]
        return " ".join(
            word + "".join(f"/{said}" for said in _said(answer, i, shown))
            for i, word in enumerate(shown)
        )

    def brief(self, answer: Words) -> str:
        """Relation of each word and the number of its head; without arcs, parts of speech.

        Examples
        --------
        >>> WORDS.brief(Words("text", ((0, 3), (4, 8)), (1, ROOT), ("nsubj", "root")))
        'nsubj→2 root'
        """
        if answer.heads is None or answer.relations is None:
            return " ".join(tag or "_" for tag in answer.upos or answer.xpos or ())
        return " ".join(map(_arc, answer.heads, answer.relations))

    def is_said(self, answer: Words, brief: str) -> bool | None:
        """Whether each arc is, or without arcs each tag; None where some are not known."""
        told = answer.heads if answer.heads is not None else answer.upos or answer.xpos or ("",)
        is_known = None not in told and "" not in told
        return brief == self.brief(answer) if is_known else None

    def words(self, answer: Words) -> tuple[str, ...]:
        """All labels of all layers."""
        layers = (answer.relations, answer.upos, answer.xpos)
        return tuple(label for layer in layers for label in layer or ())

    def segments(self, answer: Words) -> Mapping[str, tuple[tuple[int, int], ...]]:
        """Its words."""
        return {answer.field: answer.borders}

    def without(self, answer: Words, layers: Sequence[str]) -> Words | None:
        """Words without these layers; arcs are heads and relations."""
        names = [name for layer in layers for name in _OF_ARCS.get(layer, (layer,))]
        nothing: Any = dict.fromkeys(names)
        left = answer._replace(**nothing)
        return left if any(layer is not None for layer in left[2:]) else None

    def carry(self, answer: Words, track: Track) -> Words:
        """Annotation of the changed text.

        One word that continues one has its annotation; several that were merged have that of the
        one which the others depend on. Only words that nothing else depends on may go.

        Raises
        ------
        EditRefusedError
            ``new_word``, ``split_word``, ``regrouped_words``: edits do not say what a word of the
            new text continues; ``lost_head``: a word goes that others depend on;
            ``merged_phrases``: merged words depend on several others.
        """
        new = track.words(answer.field, answer.borders)
        place: dict[int, int] = {ROOT: ROOT}  # of the old words in the new text
        placed = place.keys()
        for k, word in enumerate(new):
            if word.lost or not placed.isdisjoint(word.of):
                lost = word.lost or "split_word"
                raise EditRefusedError(lost, "the edits do not say what a word continues")
            for old in word.of:
                place[old] = k
        tops = [
            word.of[0] if len(word.of) == 1 else _top(word.of, answer.heads)  # nearly always one
            for word in new
        ]
        heads = answer.heads and tuple(
            [_head(word, top, answer.heads, place) for word, top in zip(new, tops, strict=True)]
        )
        layers = answer.relations, answer.upos, answer.xpos
        labels = [
            layer
            and tuple(
                [
                    layer[top] if word.new is None else getattr(word.new, name)
                    for word, top in zip(new, tops, strict=True)
                ]
            )
            for name, layer in zip(_LABELS, layers, strict=True)
        ]
        borders = tuple([(word.start, word.end) for word in new])
        return Words(answer.field, borders, heads, *labels)


#: Layers, and the names of those that are labels in a piece of an edit.
LAYERS: Final = ("heads", "relations", "upos", "xpos")
_OF_ARCS: Final = {"arcs": ("heads", "relations")}
_LABELS: Final = ("relation", "upos", "xpos")


def _top(of: Sequence[int], heads: Sequence[int | None] | None) -> int:
    """The one of merged words that the others depend on; -1 for a new word."""
    if len(of) < 2 or heads is None:
        return of[0] if of else -1
    tops = [i for i in of if heads[i] not in of]
    if len(tops) != 1:
        raise EditRefusedError("merged_phrases", "merged words depend on several others")
    return tops[0]


def _head(
    word: CarriedWord, top: int, heads: Sequence[int | None], place: Mapping[int, int]
) -> int | None:
    """Head of a word of the new text."""
    if word.new is None:
        head = heads[top]
    elif word.head is None:
        head = ROOT if word.new.relation else None
    elif word.head < 0:
        return -1 - word.head  # another new word
    else:
        head = word.head
    if head is None:
        return None
    if head not in place:
        raise EditRefusedError("lost_head", "a word goes that others depend on")
    return place[head]


def _arc(head: int | None, relation: str) -> str:
    """Relation without its subtype, and the number of its head from 1."""
    if head is None:
        return "_"
    name = relation.partition(":")[0]
    return name if head == ROOT else f"{name}\N{RIGHTWARDS ARROW}{head + 1}"


def _agreement(a: Words, b: Words, without: Set[tuple[int, int]] = frozenset()) -> Agreement:
    """Words of both that agree in all layers that both have, but for those at some borders."""
    ours, theirs = _by_border(a), _by_border(b)
    common = [i for i in range(len(LAYERS)) if a[2 + i] is not None and b[2 + i] is not None]
    compared = (ours.keys() | theirs.keys()) - without
    equal = sum(
        border in ours
        and border in theirs
        and all(ours[border][i] == theirs[border][i] for i in common)
        for border in compared
    )
    return Agreement(equal, len(compared))


def _by_border(words: Words) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Annotation of each word by its borders; heads are borders, too."""
    heads = words.heads and [
        head if head is None or head == ROOT else words.borders[head] for head in words.heads
    ]
    layers = (heads, words.relations, words.upos, words.xpos)
    return {
        border: tuple([layer and layer[i] for layer in layers])
        for i, border in enumerate(words.borders)
    }


def _ends(borders: Sequence[tuple[int, int]], head: int) -> tuple[int, int]:
    """Start and end of a head, -1 for that of a root."""
    return (ROOT, ROOT) if head == ROOT else borders[head]


def _plain(words: Words) -> Words:
    """Words whose relations have no subtypes."""
    relations = words.relations and tuple([name.partition(":")[0] for name in words.relations])
    return words._replace(relations=relations)


def _is_same(before: Words, i: int, after: Words, k: int, now: Mapping[int, int]) -> bool:
    """Whether a word's annotation is what it was; heads by their places ``now``."""
    if any(a and b and a[i] != b[k] for a, b in zip(before[3:], after[3:], strict=True)):
        return False
    if before.heads is None or after.heads is None:
        return True
    head = before.heads[i]
    return head == after.heads[k] if head is None else now.get(head) == after.heads[k]


def _said(words: Words, i: int, shown: Sequence[str]) -> list[str]:
    """Annotation of one word in words."""
    said = [layer[i] for layer in (words.upos or words.xpos, words.relations) if layer]
    head = words.heads[i] if words.heads else None
    if head is not None and head != ROOT:
        said.append(f"of {shown[head]}")
    elif head == ROOT and "root" not in said:
        said.append("root")
    return said


WORDS = WordsType()
