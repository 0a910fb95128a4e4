"""Columns of a table of scores: which hold cases, trials, models, and what can be read as a score.

Columns are told by well-known names, and by what stands in them; options behind ``#`` state them.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final
from urllib.parse import unquote

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.boundary.printable import quoted, with_dots
from scrutiny.core.errors import DataError
from scrutiny.data.columns import cell_of
from scrutiny.run.importing.logs import number_of

#: Options behind ``#``, with what each names.
ROLES: Final[Mapping[str, str]] = {
    "case": "column whose value tells one case from another",
    "score": "columns of numbers, right or wrong, or percent, separated by bars",
    "trial": "column that tells the trials of a case apart",
    "model": "column that names the model, one model in it, or the column with its scores",
    "text": "column of what was asked",
    "gold": "column of right answers",
    "answer": "column of the model's answers",
    "dataset": "column that names the dataset of a case",
    "group": "columns to compare groups by, separated by bars",
    "lower": "scores of which less is better, separated by bars",
}
_SEVERAL: Final = ("score", "group", "lower")
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "model": tuple("model system model_name model_id provider engine agent llm".split()),
    "dataset": tuple("dataset benchmark task_name task".split()),
    "trial": tuple(
        "trial trials epoch repeat repetition replicate rep run seed attempt round iteration "
        "trial_id run_id".split()
    ),
    "case": tuple(
        "id case case_id item item_id example_id sample_id question_id prompt_id instance_id "
        "test_id doc_id task_id problem_id qid uid uuid guid key sample question_number idx "
        "index".split()
    ),
    "text": tuple(
        "text input prompt question query sentence instruction message user_input problem".split()
    ),
    "gold": tuple(
        "gold target expected expected_output reference label ground_truth truth correct_answer "
        "ideal expected_answer".split()
    ),
    "answer": tuple(
        "output response prediction predicted pred completion generated actual_output generation "
        "model_answer model_output answer actual".split()
    ),
}
_SCORES: Final = frozenset(
    "score scores passed pass correct is_correct success acc accuracy hit exact_match em f1 grade "
    "rating reward result outcome verdict value right is_right points bleu rouge mark "
    "resolved".split()
)
#: Endings of names of scores, and objects of a JSON row that hold them.
_ENDINGS: Final = ("_score", "_correct", "_passed", "_pass", "_accuracy", "_acc", "_f1")
_HOLDERS: Final = ("scores", "metrics")
_LOWER: Final = frozenset("loss wer cer perplexity ppl error_rate edit_distance mae rmse".split())
_WORDS: Final[Mapping[str, float]] = {
    **dict.fromkeys("true yes y t pass passed correct right success c".split(), 1.0),
    **dict.fromkeys("false no n f fail failed incorrect wrong failure i".split(), 0.0),
}
_EMPTY: Final = frozenset(("", "na", "n/a", "nan", "none", "null", "-"))
_PERCENT: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_NOT_A_LETTER: Final = re.compile(r"[^a-z0-9.]+")
_MOST_MODELS: Final = 3  # named in the sentence
_MOST_DATASETS, _FEWEST_CASES = 60, 5  # what a guessed column of datasets may hold


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """Columns of a table of scores by what they hold; nothing where there is none.

    ``only`` is the model whose rows count, or nothing for all of them. ``is_wide`` says that the
    column of scores is named after the model. ``groups`` are those that were stated; without any,
    all columns may group but ``other_scores``, which would choose items by an outcome.
    """

    scores: tuple[str, ...]
    case: str = ""
    trial: str = ""
    model: str = ""
    text: str = ""
    gold: str = ""
    answer: str = ""
    dataset: str = ""
    groups: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    other_scores: tuple[str, ...] = ()
    only: str = ""
    is_wide: bool = False

    @property
    def named(self) -> frozenset[str]:
        """Columns that have a role."""
        one = (self.case, self.trial, self.model, self.text, self.gold, self.answer, self.dataset)
        return frozenset((*one, *self.scores, *self.other_scores)) - {""}


def score_of(value: Any) -> float | None:
    """Number of a cell: a number, right or wrong in words, or percent; None if it is none.

    Examples
    --------
    >>> score_of("passed"), score_of(" 87.5 %"), score_of(False), score_of("n/a"), score_of("ok")
    (1.0, 0.875, 0.0, None, None)
    """
    if isinstance(value, str):
        value = value.strip().casefold()
        share = _PERCENT.fullmatch(value)
        if share:
            return float(share[1]) / 100
    return number_of(value, _WORDS)


def is_empty(value: Any) -> bool:
    """Whether a cell says that there is no value.

    Examples
    --------
    >>> is_empty(None), is_empty(" N/A "), is_empty(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, str) and value.strip().casefold() in _EMPTY)


def cell_text(value: Any) -> str:
    """Cell as text that is the same in every format: 3, 3.0 and "3" are one identity.

    Examples
    --------
    >>> cell_text(3.0), cell_text(" a "), cell_text(True), cell_text(None), cell_text([1])
    ('3', 'a', 'true', '', '[1]')
    """
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (
        canonical_json(value) if isinstance(value, bool | int | float | list | dict) else str(value)
    )


def stated_columns(
    text: str, *, where: str, reading: Iterable[str], known: Collection[str] = tuple(ROLES)
) -> tuple[dict[str, str], dict[str, str]]:
    """Options behind ``#``: those that name columns (``known``), and those of the file's reader.

    Raises
    ------
    DataError
        For an unknown or repeated option, or one without ``=``.
    """
    roles: dict[str, str] = {}
    others: dict[str, str] = {}
    allowed = [*known, *sorted(reading)]
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        name = "case" if name.strip() == "id" and "case" in known else name.strip()
        if not equals or name not in allowed or name in roles:
            near = get_close_matches(name, allowed, n=1, cutoff=0.6)
            hint = f" Did you mean {near[0]}?" if near and near[0] != name else ""
            raise DataError(
                f"In {where!r}, {part!r} is no option of such a table, or occurs twice.{hint} "
                f"Options are written name=value, separated by commas: {', '.join(allowed)}."
            )
        (roles if name in known else others)[name] = value.strip()
    return roles, others


class _Finding:
    """Columns of one table, found one role after the other."""

    def __init__(
        self, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], place: str
    ) -> None:
        self.columns, self.rows, self.place = columns, rows, place
        self.free = list(columns)

    def stated(self, role: str, value: str) -> tuple[str, ...]:
        """Columns that an option names; they are free for no other role."""
        parts = value.split("|") if role in _SEVERAL else [value]
        names = tuple(unquote(part) for part in parts if part)
        for name in names:
            if name not in self.columns:
                near = get_close_matches(name, self.columns, n=2, cutoff=0.5)
                hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
                raise DataError(
                    f"{self.place} has no column {name!r} ({role}=).{hint} "
                    f"Its columns are {quoted(self.columns, 30)}."
                )
            if name in self.free and role not in ("group", "lower"):
                self.free.remove(name)
        return names

    def guessed(self, role: str, fits: Callable[[str], bool] = lambda _: True) -> str:
        """First free column with a well-known name of a role; empty if there is none."""
        known = {_plain(name): name for name in reversed(self.free)}
        found = next((known[n] for n in _NAMES[role] if n in known and fits(known[n])), "")
        if found:
            self.free.remove(found)
        return found

    def cells(self, name: str) -> list[Any]:
        """Cells of a column that say something."""
        found = (_cell(row, name) for row in self.rows)
        return [value for value in found if not is_empty(value)]

    def reads(self, name: str) -> bool:
        """Whether at least half of what a column says are scores."""
        cells = self.cells(name)
        return bool(cells) and 2 * sum(score_of(v) is not None for v in cells) >= len(cells)

    def scores(self) -> tuple[str, ...]:
        """Columns of scores: those with a well-known name, or else the only one from 0 to 1."""
        named = [name for name in self.free if _is_score(name) and self.reads(name)]
        if not named:
            named = [name for name in self.free if self._is_share(name)]
            if len(named) > 1:
                one, other = named[:2]
                raise DataError(
                    f"{self.place} has several columns that could be scores: "
                    f"{with_dots(named, 8)}. If each is of a model, name the model, as in "
                    f"{self.place}#model={one} and {self.place}#model={other}; if they are several "
                    f"scores of one model, {self.place}#score={'|'.join(named[:8])}."
                )
        if not named:
            raise DataError(
                f"{self.place} has no column of scores: none with a known name (score, correct, "
                "passed, accuracy, …) holds numbers, true and false, pass and fail, or percent. "
                f"Its columns are {quoted(self.columns, 30)}: name it, as in "
                f"{self.place}#score=NAME."
            )
        for name in named:
            self.free.remove(name)
        return tuple(named)

    def _is_share(self, name: str) -> bool:
        """Whether all that a column says lies from 0 to 1, and is no number of a row."""
        numbers = [score_of(value) for value in self.cells(name)]
        return bool(numbers) and all(n is not None and 0 <= n <= 1 for n in numbers)


def find_columns(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    options: Mapping[str, str],
    place: str,
) -> ScoreColumns:
    """Columns of a table by role: as stated, else by their names and what stands in them.

    Parameters
    ----------
    columns
        Names of the columns; fields of objects with dots.
    rows
        All rows.
    options
        Options that state columns, by role, still quoted.
    place
        Name of the file.

    Raises
    ------
    DataError
        If a stated column is not there, or no column can be read as a score.
    """
    finding = _Finding(columns, rows, place)
    model = unquote(options.get("model", ""))
    is_wide = model in columns and finding.reads(model) and "score" not in options
    given = {
        role: finding.stated(role, value)
        for role, value in options.items()
        if role != "model" or (model in columns and not is_wide)
    }
    only = ""
    if is_wide:
        finding.free.remove(model)
        given |= {"model": (), "score": (model,)}
    elif model and "model" not in given:  # one of the models of a column
        only = model
        named = finding.guessed(
            "model", lambda name: model in {*map(cell_text, finding.cells(name))}
        )
        if not named:
            raise DataError(
                f"{place} has no column {model!r}, and no column of models that holds it "
                f"(model=). Its columns are {quoted(columns, 30)}."
            )
        given["model"] = (named,)
    found = {
        role: names[0] if names else "" for role, names in given.items() if role not in _SEVERAL
    }
    for role in _NAMES:
        if role not in found:
            found[role] = finding.guessed(role, _fitting(finding, role))
    if not found["gold"] and _plain(found["answer"]) != "answer" and "gold" not in given:
        found["gold"] = "answer" if "answer" in finding.free else ""  # beside the model's output
        if found["gold"]:
            finding.free.remove("answer")
    if "dataset" not in given and not found["case"] and not found["text"]:
        found["case"], found["dataset"] = found["dataset"], ""  # "task" is what was asked
    scores = given["score"] if "score" in given else finding.scores()
    lower = given.get("lower", tuple(s for s in scores if _last(s) in _LOWER))
    return ScoreColumns(
        scores,
        **found,
        groups=given.get("group", ()),
        lower=lower,
        other_scores=tuple(
            name for name in finding.free if (is_wide or _is_score(name)) and finding.reads(name)
        ),
        only=only or (model if is_wide else ""),
        is_wide=is_wide,
    )


def _fitting(finding: _Finding, role: str) -> Callable[[str], bool]:
    """What a column with a well-known name must hold to have a role."""
    if role == "text":
        return lambda name: not finding.reads(name)
    if role == "trial":  # one that never changes tells nothing apart
        return lambda name: len({*map(cell_text, finding.cells(name))}) > 1
    if role == "dataset":
        most = max(1, min(_MOST_DATASETS, len(finding.rows) // _FEWEST_CASES))
        return lambda name: 0 < len({*map(cell_text, finding.cells(name))}) <= most
    return lambda name: bool(finding.cells(name))


def _cell(row: Mapping[str, Any], name: str) -> Any:
    try:
        return cell_of(row, name)
    except KeyError:
        return None


def _plain(name: str) -> str:
    """Name in small letters, with one sign between its words."""
    return _NOT_A_LETTER.sub("_", name.strip().casefold()).strip("_")


def _last(name: str) -> str:
    return _plain(name).rpartition(".")[2]


def _is_score(name: str) -> bool:
    holder, _, last = _plain(name).rpartition(".")
    if last.endswith("stderr"):
        return False
    is_held = holder.rpartition(".")[2] in _HOLDERS
    return is_held or last in _SCORES | _LOWER or last.endswith(_ENDINGS)


def sentence(
    columns: ScoreColumns, place: str, *, trials: Mapping[str, int], models: Sequence[str]
) -> str:
    """What was read as what, in one sentence.

    Parameters
    ----------
    columns
        Columns of the table.
    place
        Name of the file.
    trials
        How many trials each case has.
    models
        Names of the models in it.
    """
    case = columns.case or columns.text or "the number of its row"
    said = [f"case = {case}", f"score = {', '.join(columns.scores)}"]
    counts = Counter(trials.values())
    if counts and max(counts) > 1:
        low, high = min(counts), max(counts)
        each = f"{high} each" if low == high else f"{low} to {high} each"
        said.append(f"trials = {columns.trial or 'rows of one case'} ({each})")
    if columns.model or columns.is_wide:
        said.append(f"model = {columns.model or 'the score'} ({with_dots(models, _MOST_MODELS)})")
    rest = {
        "text": columns.text if columns.case else "",
        "gold": columns.gold,
        "answer": columns.answer,
        "dataset": columns.dataset,
    }
    said += [f"{role} = {name}" for role, name in rest.items() if name]
    if columns.groups:
        said.append(f"groups = {', '.join(columns.groups)}")
    if columns.lower:
        said.append(f"lower is better for {', '.join(columns.lower)}")
    return f"Read from {place}: {', '.join(said)}."
