"""Label matching: data labels to model labels, always explicit and recorded."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from unicodedata import normalize
from urllib.parse import quote, unquote

from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.boundary.printable import quoted
from scrutiny.core.errors import DataError
from scrutiny.core.task import Task

#: Characters of a label that is still read as a number.
_LONGEST_NUMBER: Final = 300
#: Class that marks items without a gold label where classes are numbers, and where they are words.
_NO_CLASS: Final = "-1"
_NO_WORD: Final = ("-", "--")


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """Mapping of data labels to model labels, and the rule that matched them.

    ``rule`` is ``equal`` (same names but for case), ``explicit`` (the user's map) or ``index``
    (data label 0 is the model's first label, and so on: a convention, so it is recorded).
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    rule: Literal["equal", "explicit", "index"] = "equal"

    @classmethod
    def between(
        cls,
        data_labels: Sequence[str],
        model_labels: Sequence[str],
        *,
        explicit_map: Mapping[str, str] | None = None,
        renamed: Mapping[str, str] | None = None,
        is_object: bool = False,
    ) -> "LabelMatch":
        """Match of every label of the data to a label of the model.

        The data may lack some of the model's labels; no data label may be without one, and no two
        may have the same: answers could not be told apart.

        Parameters
        ----------
        data_labels
            Gold labels that occur.
        model_labels
            Classes in the order of the model's scores.
        explicit_map
            Model labels by data label; labels that it leaves out must have equal names.
        renamed
            Data labels by their name in the file, if the data string renamed them.
        is_object
            Whether the data were given in Python, so that there is no data string to change.

        Raises
        ------
        DataError
            If the labels match neither by name, nor by the map, nor by index, or two of them lead
            to one; both sides are listed and the option to add is spelled out.

        Examples
        --------
        >>> LabelMatch.between(["0", "1"], ["NEGATIVE", "POSITIVE"]).mapping
        {'0': 'NEGATIVE', '1': 'POSITIVE'}
        """
        ordered = sort_labels(data_labels)
        by_name = {label: _same_name(label, model_labels) for label in ordered}
        if explicit_map:
            mapped = {k: _same_name(v, model_labels) for k, v in explicit_map.items()}
            wrong = [v for k, v in explicit_map.items() if mapped[k] is None]
            if wrong:
                raise DataError(
                    f"The label map leads to {quoted(wrong)}, which the model does not have. "
                    f"Its labels are {quoted(model_labels)}."
                )
            by_name |= {label: mapped[label] for label in ordered if label in mapped}
        complete = {data: model for data, model in by_name.items() if model is not None}
        if len(complete) == len(ordered):
            _must_differ(complete, renamed or {}, is_object=is_object)
            return cls(complete, "explicit" if explicit_map else "equal")
        if not explicit_map and not complete and _are_indices(ordered, len(model_labels)):
            return cls({label: model_labels[int(label)] for label in ordered}, "index")
        pairs, left_out = _suggested(ordered, model_labels, complete)
        suggested = _of_file(pairs, renamed or {})
        raise DataError(
            f"The data's labels do not match the model's. The data has {quoted(ordered)}; the "
            f"model has {quoted(model_labels)}. State which label is which: "
            f"{_stating(suggested, is_object)}, after checking that each pair means the same."
            f"{left_out}"
        )

    @property
    def digest(self) -> str:
        """Six hexadecimal digits that identify the mapping."""
        return value_digest(dict(self.mapping))

    @property
    def how(self) -> str:
        """Description of the rule."""
        return {
            "equal": "by equal names",
            "explicit": "by the label map",
            "index": "by index, because the data has integers only",
        }[self.rule]

    @property
    def note(self) -> str:
        """One sentence for the report."""
        pairs = ", ".join(f"{data} is {model}" for data, model in self.mapping.items())
        return f"Labels of the data were matched to the model's {self.how}: {pairs}."

    def in_data_words(self, model_labels: Sequence[str]) -> dict[str, str]:
        """Names of the model's labels in the data, all distinct.

        A label that the data lacks keeps its name, unless that is a label of the data which was
        matched to another one.

        Examples
        --------
        >>> LabelMatch({"1": "0", "2": "1"}).in_data_words(["0", "1", "2"])
        {'0': '1', '1': '2', '2': '2 (of the model)'}
        """
        matched = {model: data for data, model in self.mapping.items()}
        return {
            label: matched.get(label)
            or (f"{label} (of the model)" if label in self.mapping else label)
            for label in model_labels
        }


def parse_label_map(text: str) -> dict[str, str]:
    """Labels of the model by those of the data, read from a data string's ``labels=0:no|1:yes``.

    Special characters are written as ``%2C``.

    Raises
    ------
    DataError
        For an entry without a colon, an empty name, or a label mapped twice.

    Examples
    --------
    >>> parse_label_map("0:negative|1:positive")
    {'0': 'negative', '1': 'positive'}
    """
    mapping: dict[str, str] = {}
    for part in text.split("|"):
        data, colon, model = (unquote(piece).strip() for piece in part.partition(":"))
        if not (data and colon and model):
            raise DataError(
                f"The label map {text!r} cannot be read at {part!r}: it is written "
                "0:negative|1:positive, the data's label before each colon."
            )
        if data in mapping:
            raise DataError(f"The label map {text!r} maps {data!r} twice.")
        mapping[data] = model
    return mapping


def write_label_map(mapping: Mapping[str, str]) -> str:
    """Label map as text that `parse_label_map` reads back, for ``labels=``.

    Examples
    --------
    >>> write_label_map({"1": "no", "a,b": "yes"})
    '1:no|a%2Cb:yes'
    """
    return "|".join(f"{quoted_name(data)}:{quoted_name(model)}" for data, model in mapping.items())


def quoted_name(name: str) -> str:
    """Name with separators of names, options and map entries as ``%2C``."""
    return "".join(quote(c, safe="") if c in ",|:%#" else c for c in name)


def sort_labels(labels: Sequence[str]) -> list[str]:
    """Distinct labels of a dataset in a fixed order: integers by value, others by code point.

    Examples
    --------
    >>> sort_labels(["10", "2", "2"])
    ['2', '10']
    """
    distinct = set(labels)
    if all(_is_integer(label) for label in distinct):
        return sorted(distinct, key=lambda label: (int(label), label))
    return sorted(distinct)


def no_gold_among(labels: Collection[str]) -> frozenset[str]:
    """Labels of a dataset that say that an item has no gold label, beside those that are classes.

    ``-`` beside words or numbers (SNLI, MultiNLI); -1 beside 0 and 2 or more. Beside 1, or 0 and 1,
    -1 may be a class (negative), and ``-`` beside ``+``.

    Examples
    --------
    >>> sorted(no_gold_among(["-", "neutral"])), sorted(no_gold_among(["-1", "0", "2"]))
    (['-'], ['-1'])
    >>> [len(no_gold_among(labels)) for labels in (["-", "+"], ["-1", "1"], ["-1", "0", "1"])]
    [0, 0, 0]
    """
    words = {label for label in labels if label not in _NO_WORD}
    found = set(labels) - words
    if not words or not all(any(map(str.isalnum, word)) for word in words):
        found = set()
    classes = words - {_NO_CLASS}
    if all(map(_is_integer, classes)) and "0" in classes:
        numbers = [int(label) for label in classes]
        if min(numbers) == 0 and max(numbers) >= 2:
            found |= words & {_NO_CLASS}
    return frozenset(found)


def several_in_one(labels: Collection[str]) -> str:
    """A label that joins several by a bar, a semicolon or a comma; empty if there is none.

    Known by its parts: one of them stands alone elsewhere, or in two such labels; between commas,
    which names of classes have as well, all do. A list that is written as a text is one, too.

    Examples
    --------
    >>> several_in_one(["joy|love", "joy"]), several_in_one(["sci|tech", "art"])
    ('joy|love', '')
    >>> several_in_one(["joy,love", "joy", "love"]), several_in_one(["food, drink", "food"])
    ('joy,love', '')
    """
    for sign, enough in (("|", any), (";", any), (",", all)):
        parts = {label: {part.strip() for part in label.split(sign)} for label in sorted(labels)}
        counts = Counter(part for own in parts.values() for part in own if part)
        for label, own in parts.items():
            if len(own) > 1 and enough(counts[part] > 1 for part in own):
                return label
    are_lists = all(label[:1] + label[-1:] == "[]" for label in labels)
    return next((label for label in sorted(labels) if are_lists and "," in label), "")


def _is_integer(label: str) -> bool:
    """Whether a label is a whole number; Python parses none of thousands of digits."""
    return len(label) <= _LONGEST_NUMBER and label.removeprefix("-").isdecimal()


def _same_name(label: str, candidates: Sequence[str]) -> str | None:
    """Candidate with this exact name, else the only one that differs in case alone.

    An accent may be a character of its own or part of its letter: both are the same name.
    """
    if label in candidates:
        return label
    wanted = _folded(label)
    same = [c for c in candidates if _folded(c) == wanted]
    return same[0] if len(same) == 1 else None


def _folded(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def _are_indices(labels: Sequence[str], k: int) -> bool:
    """Whether labels are 0 to k-1. The last must occur, or k be 2: else the coding is unclear."""
    if not labels or not all(_is_integer(x) and str(abs(int(x))) == x for x in labels):
        return False
    largest = max(int(label) for label in labels)
    return largest == k - 1 or (k == 2 and largest < k)


def _stating(mapping: Mapping[str, str], is_object: bool) -> str:  # noqa: FBT001
    """How to state a label map, for data in Python or behind a data string."""
    if is_object:
        return f"pass labels={dict(mapping)!r}"
    return f"add labels={write_label_map(mapping)} to the data string"


def _must_differ(complete: Mapping[str, str], names: Mapping[str, str], *, is_object: bool) -> None:
    """Raise if two data labels map to one label of the model."""
    first: dict[str, str] = {}
    for label, model in complete.items():
        if model in first:
            raise DataError(
                f"The data's labels {first[model]!r} and {label!r} both lead to the model's "
                f"{model!r}. If they mean the same, give them one name: "
                f"{_stating(_of_file(complete, names), is_object)}."
            )
        first[model] = label


def _suggested(
    data: Sequence[str], model: Sequence[str], complete: Mapping[str, str]
) -> tuple[dict[str, str], str]:
    """Suggested label map, and a sentence about what it leaves out as no gold label.

    Every other data label has a label of the model, or a gap to fill in.
    """
    rest = [label for label in data if label != _NO_CLASS]
    if len(rest) < len(data) and "0" in rest and _are_indices(rest, len(model)):
        return {label: model[int(label)] for label in rest}, (
            f" {_NO_CLASS!r} is no gold label, as far as can be seen, so the map leaves it out: "
            "its rows are left out, too, and counted."
        )
    # labels that count from 1 to the number of the model's are shifted, also where some of them
    # are names of the model by accident
    if _are_indices([str(int(label) - 1) for label in data if _is_integer(label)], len(model)):
        if all(_is_integer(label) for label in data):
            return {label: model[int(label) - 1] for label in data}, ""
    free = iter([label for label in model if label not in complete.values()])
    gap = "\N{HORIZONTAL ELLIPSIS}"
    return {label: complete.get(label) or next(free, gap) for label in data}, ""


def _of_file(mapping: Mapping[str, str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Mapping by the names in the file, if the data string renamed them."""
    if not renamed:
        return dict(mapping)
    return {raw: mapping.get(name, name) for raw, name in renamed.items()}


def with_named_labels(
    attributes: Mapping[str, Any], task: Task, names: Mapping[str, str]
) -> Mapping[str, Any]:
    """Attributes of an item whose labels have new names: those that name one follow.

    Only roles of kind ``label`` do; a name that the map lacks stays.
    """
    keys = [role.key for role in task.roles if role.kind == "label" and role.key in attributes]
    if not keys:
        return attributes
    return {**attributes, **{key: names.get(attributes[key], attributes[key]) for key in keys}}
