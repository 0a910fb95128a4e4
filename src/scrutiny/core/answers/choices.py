"""Answers that choose: an option of the item, a set of labels, an order of candidates.

Options and candidates are texts of the item, in fields of their own (``option_1``, …), so that
changes may touch them. Answers name them by their place, counted from 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from math import copysign, isinf, isnan
from typing import Any, Final

from scrutiny.core.answers.answer import Agreement, AnswerType
from scrutiny.core.example import Example

#: Beginning of the names of the fields that hold options.
OPTION: Final = "option_"
#: What stands in a text where one of the options is to be filled in.
GAP: Final = "_"


def option_fields(texts: Sequence[str]) -> dict[str, str]:
    """Options as text fields of an item.

    Examples
    --------
    >>> option_fields(["yes", "no"])
    {'option_1': 'yes', 'option_2': 'no'}
    """
    return {f"{OPTION}{number}": text for number, text in enumerate(texts, 1)}


def is_option_field(name: str) -> bool:
    """Whether a text field of an item holds an option.

    Examples
    --------
    >>> is_option_field("option_12"), is_option_field("text")
    (True, False)
    """
    return name.startswith(OPTION) and name.removeprefix(OPTION).isdecimal()


def options_in(fields: Mapping[str, str]) -> list[str]:
    """Texts of the options among the fields of an item, in the order of their numbers.

    Examples
    --------
    >>> options_in({"option_2": "no", "option_1": "yes", "text": "Is it?"})
    ['yes', 'no']
    """
    found: list[str] = []
    while (text := fields.get(f"{OPTION}{len(found) + 1}")) is not None:
        found.append(text)
    return found


def options_last(fields: Mapping[str, str]) -> dict[str, str]:
    """Texts of an item with its options behind the others, by their numbers.

    Examples
    --------
    >>> [*options_last({"option_10": "c", "option_2": "b", "text": "a"})]
    ['text', 'option_2', 'option_10']
    """

    def number(name: str) -> int:
        return int(name.removeprefix(OPTION)) if is_option_field(name) else 0

    return {name: fields[name] for name in sorted(fields, key=number)}


class Option(int):
    """Place of an option of the item, from 0."""

    __slots__ = ()


class OptionType(AnswerType[Option]):
    """Options of the item, of which one is right: multiple choice."""

    name = "option"
    holds = Option
    is_judged_whole = True

    def encode(self, answer: Option) -> int:
        """Place of the option."""
        return int(answer)

    def given(self, value: Any, example: Example) -> Option:
        """Option of its place, its text or its letter; or that of the highest of their scores.

        A text is an option's own, in any case, before it is taken for a letter or a number. A
        mapping has it as ``answer``, beside the ``score`` that says how sure the model is.
        """
        if isinstance(value, Mapping):
            value = value.get("answer")
        options = options_in(example.fields)
        scores = _numbers(value)
        if scores is not None:
            if len(scores) != len(options):
                raise TypeError(f"{len(scores)} scores were given for {len(options)} options")
            return Option(scores.index(max(scores)))
        place = place_of(value, options)
        if place is None:
            raise TypeError(
                "an answer is the place of an option, from 0, its text or its letter (A, B, …), "
                'also as {"answer": place, "score": probability}; or a list of scores, one for '
                "each option"
            )
        return Option(place)

    def check(self, answer: Option, example: Example) -> str | None:
        """Places at which there is no option."""
        count = len(options_in(example.fields))
        return None if 0 <= answer < count else f"is the option {answer}, of {count} from 0."

    def show(self, answer: Option, fields: Mapping[str, str]) -> str:
        """Return the text of the option, where it is at hand.

        Examples
        --------
        >>> OPTION_OF.show(Option(1), {"text": "Is it?", "option_1": "yes", "option_2": "no"})
        'no'
        >>> OPTION_OF.brief(Option(1))
        'option 2'
        """
        options = options_in(fields)
        return options[answer] if 0 <= answer < len(options) else f"option {answer + 1}"

    def is_said(self, answer: Option, brief: str) -> bool:
        """Whether it is this option."""
        return brief == self.brief(answer)


OPTION_OF = OptionType()


class LabelSet(frozenset[str]):
    """Labels of one item: several, one, or none."""

    __slots__ = ()


class LabelSetType(AnswerType[LabelSet]):
    """Sets of labels, of which any number applies to an item."""

    name = "labels"
    holds = LabelSet
    places = "labels"

    def has_places(self, answer: LabelSet) -> bool:
        """Edits of the text move no label."""
        return False

    def encode(self, answer: LabelSet) -> list[str]:
        """Labels in the order of their names."""
        return sorted(answer)

    def given(self, value: Any, example: Example) -> LabelSet:
        """Set of a list of labels; of those with a probability of at least a half.

        A string has bars between the labels.
        """
        if isinstance(value, Mapping):
            shares = {label: _number(share) for label, share in value.items()}
            is_told = None not in shares.values()
            value = [n for n, share in shares.items() if share and share >= _ENOUGH]
            value = value if is_told else None
        found = split_labels(value)
        if found is None:
            raise TypeError(
                "an answer is a list of labels, or a mapping from labels to their probabilities, "
                "of which those of at least 0.5 are taken"
            )
        return LabelSet(found)

    def agree(self, a: LabelSet, b: LabelSet) -> Agreement:
        """Twice the number of common labels, of all; their share is F1."""
        return Agreement(2 * len(a & b), len(a) + len(b))

    def show(self, answer: LabelSet, fields: Mapping[str, str]) -> str:
        """Labels in a list.

        Examples
        --------
        >>> LABEL_SET.show(LabelSet(["joy", "fear"]), {}), LABEL_SET.show(LabelSet(), {})
        ('fear, joy', 'no label')
        """
        return ", ".join(sorted(answer)) or "no label"

    def is_said(self, answer: LabelSet, brief: str) -> bool:
        """Whether they are these labels."""
        return brief == self.brief(answer)

    def labels(self, answer: LabelSet) -> tuple[str, ...]:
        """Return the labels."""
        return tuple(sorted(answer))

    def renamed(self, answer: LabelSet, name: Callable[[str], str]) -> LabelSet:
        """Set of other names."""
        return LabelSet(map(name, answer))


LABEL_SET = LabelSetType()


class Ranking(tuple[int, ...]):
    """Places of candidates, the best first; a gold one holds those that are right, in any order."""

    __slots__ = ()


class RankingType(AnswerType[Ranking]):
    """Orders of the candidates of an item: which passage answers a query."""

    name = "ranking"
    holds = Ranking
    is_judged_whole = True

    def encode(self, answer: Ranking) -> list[int]:
        """Places, the best first."""
        return list(answer)

    def given(self, value: Any, example: Example) -> Ranking:
        """Order of scores, one for each candidate; or ``{"order": places}``, the best first.

        Among equal scores, candidates keep the order of the item.
        """
        if isinstance(value, Mapping):
            order = _numbers(value.get("order"))
            if order is not None and all(place.is_integer() for place in order):
                return Ranking(map(int, order))
        scores, count = _numbers(value), len(options_in(example.fields))
        if scores is None or len(scores) != count:
            raise TypeError(
                f"an answer is a list of {count} scores, one for each candidate, or "
                '{"order": places}, from 0, the best first'
            )
        return Ranking(sorted(range(count), key=lambda place: -scores[place]))

    def check(self, answer: Ranking, example: Example) -> str | None:
        """Places at which there is no candidate, or that stand twice; an order without any."""
        count = len(options_in(example.fields))
        if not answer or len(set(answer)) < len(answer) or not set(answer) <= {*range(count)}:
            shown = ", ".join(map(str, answer[:_SHOWN]))
            return f"is the order {shown or 'of nothing'}, of {count} candidates from 0, each once."
        return None

    def sure_of(self, value: Any) -> float | None:
        """Highest score of a list, put between 0 and 1 by x / (1 + |x|): its order is kept.

        Examples
        --------
        >>> RANKING.sure_of([1.0, 3.0]), RANKING.sure_of([-1.0, 0.0]), RANKING.sure_of("1")
        (0.875, 0.5, None)
        """
        scores = _numbers(value)
        return None if scores is None else squashed(max(scores))

    def as_right(self, answer: Ranking) -> Ranking:
        """Its first candidate."""
        return Ranking(answer[:1])

    def compared(self, answer: Ranking) -> Ranking:
        """Its first candidate: two orders of twenty are hardly ever the same."""
        return Ranking(answer[:1])

    def agree(self, a: Ranking, b: Ranking) -> Agreement:
        """Whether the same candidate stands first."""
        return Agreement(int(a[:1] == b[:1]), 1)

    def show(self, answer: Ranking, fields: Mapping[str, str]) -> str:
        """Return the text of the first candidate, where it is at hand."""
        return OPTION_OF.show(Option(answer[0]), fields) if answer else "nothing"

    def brief(self, answer: Ranking) -> str:
        """Return the place of the first."""
        return f"candidate {answer[0] + 1}" if answer else "nothing"


RANKING = RankingType()


def squashed(score: float) -> float:
    """Any number between 0 and 1, in the same order.

    Examples
    --------
    >>> squashed(0.0), squashed(float("inf")), squashed(float("-inf"))
    (0.5, 1.0, 0.0)
    """
    return (1 + (copysign(1.0, score) if isinf(score) else score / (1 + abs(score)))) / 2


_ENOUGH: Final = 0.5
_SHOWN: Final = 8  # places in a message
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def place_of(value: Any, options: Sequence[str]) -> int | None:
    """Place of the option that a value names: by its text, its number from 0, or its letter.

    Examples
    --------
    >>> [place_of(value, ["Yes.", "No."]) for value in ("no.", 1, "B", "1", "(a)", "maybe", 2)]
    [1, 1, 1, 1, 0, None, None]
    """
    if isinstance(value, str):
        text = value.strip().casefold()
        same = [place for place, one in enumerate(options) if one.strip().casefold() == text]
        if same:
            return same[0]
        bare = text.strip("().").upper()
        place = int(bare) if bare.isdecimal() and bare.isascii() else -1
        if len(bare) == 1 and bare in _LETTERS:
            place = _LETTERS.index(bare)
    else:
        number = None if isinstance(value, bool) else _number(value)
        place = int(number) if number is not None and number.is_integer() else -1
    return place if 0 <= place < len(options) else None


def split_labels(value: Any) -> list[str] | None:
    """Labels in a list, or in a string with bars between them; None for anything else.

    Examples
    --------
    >>> split_labels("joy| fear"), split_labels([]), split_labels(3)
    (['joy', 'fear'], [], None)
    """
    if isinstance(value, str):
        value = filter(None, map(str.strip, value.split("|")))
    elif not isinstance(value, Sequence | Set) and not hasattr(value, "tolist"):
        return None
    found = list(value)
    return found if all(isinstance(label, str) for label in found) else None


def _numbers(value: Any) -> list[float] | None:
    """Numbers of a list or an array; None for anything else."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    found = [_number(one) for one in value]
    known = [one for one in found if one is not None]
    return known if found and len(known) == len(found) else None


def _number(value: Any) -> float | None:
    """A number of Python's or of an array's; None for anything else, and for NaN."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if isnan(found) or isinstance(value, str) else found
