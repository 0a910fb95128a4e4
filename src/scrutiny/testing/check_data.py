"""Conformance of tasks, readers and attributes.

Rows become items, and right answers get the most. An attribute has its declared type and depends on
the item only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from scrutiny.core.answers.choices import option_fields, options_in
from scrutiny.core.answers.texts import AnyOf
from scrutiny.core.errors import ConformanceError, DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import GROUNDS
from scrutiny.core.plugin_base import must_be_of_kind
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction, Task
from scrutiny.data.attribute import Attribute, Training
from scrutiny.data.dataset import load_dataset
from scrutiny.data.source import parse_source
from scrutiny.data.table import Table
from scrutiny.tasks.item_hashes import content_key
from scrutiny.tasks.scores import level_of
from scrutiny.testing.checking import SAMPLE_TEXTS, Promises, promise, promises

_SOURCE: Final = "sample:1"


def check_task(task: Task, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise unless a task fulfills its contract on some rows.

    Checked: name and docstring; every row becomes an item, the same when it is read again, with the
    fields that the roles say, and with closed texts protected; a row without a needed column is
    refused by a `DataError`; the facts are those that changes and diagnostics know. If it is
    scored: a right answer gets one finite number a measure, and all right answers together get more
    than no skill.

    Parameters
    ----------
    task
        For example `TextClassification()`.
    rows
        Rows whose columns are named like the roles, two or more with different answers.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    must_be_of_kind(task, "task", type(task).__name__)
    kept = {
        "it needs a docstring, whose first line says what it is.": type(task).__doc__,
        "give check_task two rows or more.": len(rows) > 1,
        f"its answers are known to no change: it is among {', '.join(GROUNDS)}.": (
            task.answer_type is None or not {*GROUNDS}.isdisjoint(task.facts.grounds)
        ),
    }
    promises(task.name, kept.items())
    items = [_item(task, row) for row in rows]
    for role in task.roles:
        if role.is_needed:
            bare = {key: value for key, value in rows[0].items() if key != role.name}
            reads = partial(task.parse, bare, source=_SOURCE)
            _must_refuse(task.name, f"a row without {role.name}", reads)
    if task.scored_by is not None:
        promises(task.name, _check_scores(task, items))


def _item(task: Task, row: Mapping[str, Any]) -> Example:
    """Item of a row, checked."""
    item = task.parse(row, source=_SOURCE)
    again = task.parse(row, source=_SOURCE)
    optional = {role.name for role in task.roles if role.kind == "text" and not role.is_needed}
    said = [name for name in task.fields if name in item.fields or name not in optional]
    if any(role.kind == "texts" for role in task.roles):
        said += option_fields(options_in(item.fields))
    kept = {
        "a row becomes another item when it is read again.": (
            content_key(item) == content_key(again) and item.gold == again.gold
        ),
        f"an item has the fields {', '.join(item.fields)}, and the roles say {', '.join(said)}.": (
            [*item.fields] == said
        ),
        f"{', '.join(task.closed_fields)} may not be changed, and is not protected.": all(
            item.is_closed(field) for field in task.closed_fields if field in item.fields
        ),
    }
    promises(task.name, kept.items())
    return item


def _must_refuse(name: str, bad: str, reads: Callable[[], object]) -> None:
    """Raise unless reading bad input ends in a `DataError`."""
    try:
        reads()
    except DataError:
        return
    except Exception as error:
        said = f"{bad} ends in {type(error).__name__}, and not in a DataError."
        raise ConformanceError(f"{name}: {said}") from error
    raise ConformanceError(f"{name}: {bad} is read all the same.")


def _check_scores(task: Task, items: Sequence[Example]) -> Promises:
    """Promise that right answers are scored, and get more than no skill."""
    known = [item for item in items if item.gold is not None]
    yield "give check_task rows with an answer.", known
    labels = sorted({str(item.gold) for item in known}) if task.gives_labels else []
    golds = [item.gold[0] if isinstance(item.gold, AnyOf) else item.gold for item in known]
    right = [Prediction(gold) for gold in golds]
    for item, answer in zip(known, right, strict=True):
        scores = task.score(item.gold, answer, labels=labels)
        yield (
            f"a score has {len(scores)} numbers, and there are {len(task.measures)} measures.",
            len(scores) == len(task.measures),
        )
    on, skill = task.on(known), task.chance(known)
    best = level_of(on, known, right, labels=labels)
    yield f"right answers get {best:g}, and no skill {skill:g}.", best > skill


def check_reader(data: str) -> None:
    """Raise unless the reader of a data string fulfills its contract.

    Checked: a docstring; a `Table` whose rows have lines that do not go back, and columns that it
    names; every row becomes an item of a task, the same ones when they are read again; a file that
    is not there is refused by a `DataError`.

    Parameters
    ----------
    data
        Data string of an own file of its format, a file without bad rows: ``mine:sample.txt``.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    source = parse_source(data)
    reader = registry().load("reader", source.scheme)
    table = reader(source)
    rows = list(table.rows) if isinstance(table, Table) else []
    lines = [row.line for row in rows]
    named = {*table.columns} if isinstance(table, Table) else set()
    kept = {
        "it gives no Table.": isinstance(table, Table),
        "it needs a docstring, whose first line says what it reads.": reader.__doc__,
        "its file holds no rows.": rows,
        "its lines go back.": lines == sorted(lines),
        "its rows have columns that it does not name.": all(
            {*row.values} <= named for row in rows if not row.problem
        ),
    }
    promises(source.scheme, kept.items())
    one, other = (load_dataset(data, on_bad_row="fail").fingerprint for _ in range(2))
    promise(source.scheme, "its items are others when they are read again.", one == other)
    missing = replace(source, target=f"{source.target}.missing")
    _must_refuse(source.scheme, "a file that is not there", lambda: list(reader(missing).rows))


_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "yes or no": (bool,),
    "a number": (int, float),
    "a word": (str,),
}


def check_attribute(attribute: Attribute, examples: Sequence[Example] = ()) -> None:
    """Raise unless an attribute fulfills its contract.

    Checked: it is one, and says what it is of; values are of the kind that its annotation states,
    also for empty texts and for several fields; the same item has the same value, whatever was
    looked at before; an attribute of English words has no value for other languages.

    Parameters
    ----------
    attribute
        What `scrutiny.data.attribute.attribute` made.
    examples
        Items to try it on, beside a few of all sorts.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    if not isinstance(attribute, Attribute):
        raise ConformanceError(
            f"{attribute!r} is no attribute: put @attribute(PHRASE) above a function of an example."
        )
    name = attribute.function.__name__
    promise(name, "it has no phrase.", attribute.says.strip())
    one = [Example(f"i{k}", {"text": text}, "up") for k, text in enumerate(SAMPLE_TEXTS)]
    two = Example("two", {"premise": SAMPLE_TEXTS[1], "hypothesis": SAMPLE_TEXTS[2]}, "down")
    tried = [*examples, *one, two, Example("without gold", {"text": SAMPLE_TEXTS[1]})]
    training = Training(tried)
    values = []
    for example in tried:
        found = attribute(example, training)
        promise(
            name,
            f"it gives {attribute.gives}, and {found!r} for {dict(example.fields)}.",
            found is None or type(found) in _KINDS[attribute.gives],
        )
        values.append(found)
    again = [attribute(one, training) for one in reversed(tried)][::-1]
    promise(name, "an item has another value when it is looked at again.", values == again)
    foreign = [attribute(replace(one, language="de"), training) for one in tried]
    promise(
        name,
        "it goes by English words, and German items have a value.",
        not attribute.is_english or set(foreign) == {None},
    )
