"""Checks of tasks and readers: what is sound passes, and each broken promise is named."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.errors import ConformanceError
from scrutiny.data.readers.delimited import read_csv
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import LABEL, TEXT, load_task, text_role
from scrutiny.testing import check_data, check_reader, check_task

PLAIN = ({"text": "good", "label": "up"}, {"text": "bad", "label": "down"})
ROWS = {
    "text-classification": PLAIN,
    "text-pair-classification": tuple({**row, "text_pair": "so"} for row in PLAIN),
    "token-tagging": (
        {"tokens": ["Ada", "sleeps"], "tags": ["B-PER", "O"]},
        {"tokens": ["it", "rains"], "tags": ["O", "O"]},
    ),
    "question-answering": (
        {"question": "Who sleeps?", "context": "Ada sleeps all day long .", "answers": ["Ada"]},
        {"question": "Who eats?", "context": "Then Bob ate the whole cake .", "answers": ["Bob"]},
    ),
    "translation": (
        {"text": "good day to you all", "reference": "bom dia a todos os que aqui"},
        {"text": "good night to you all", "reference": "boa noite a todos os que aqui"},
    ),
    "passages": ({"text": "one"}, {"text": "two"}),
}


class Topics(Classification):
    """A text and its topic."""

    name = "topics"
    roles = (TEXT, text_role("topic", "column of the topic", is_anchor=True), LABEL)


TOPICS = tuple({**row, "topic": "it"} for row in PLAIN)


class Open(Topics):
    """A task that forgets to protect its topic."""

    def closed(self, texts):
        return ()


class Lenient(Topics):
    """A task that reads rows without a topic."""

    def parse(self, row, *, source):
        return super().parse({"topic": "it", **row}, source=source)


class Crashing(Topics):
    """A task that ends in another error where a column is missing."""

    def parse(self, row, *, source):
        return super().parse({**row, "topic": row["topic"]}, source=source)


class Short(Topics):
    """A task whose scores lack a measure."""

    def score(self, gold, prediction, *, labels):
        return super().score(gold, prediction, labels=labels)[:2]


class Skilled(Topics):
    """A task whose level without skill nobody can beat."""

    def chance(self, examples):
        return 1.0


class Unsteady(Topics):
    """A task whose items differ from reading to reading."""

    count = 0

    def parse(self, row, *, source):
        type(self).count += 1
        return super().parse({**row, "text": f"{row['text']} {self.count}"}, source=source)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_tasks_of_our_own_are_sound(name):
    check_task(load_task(name), ROWS[name])


def test_right_answers_may_be_several():
    assert AnyOf((Extract("Ada", "context", 0),))[0].text == "Ada"
    check_task(Topics(), TOPICS)


@pytest.mark.parametrize(
    ("task", "rows", "said"),
    [
        (Open, TOPICS, "topic may not be changed, and is not protected"),
        (Lenient, TOPICS, "a row without topic is read all the same"),
        (Crashing, TOPICS, "a row without topic ends in KeyError, and not in a DataError"),
        (Short, TOPICS, "a score has 2 numbers, and there are 3 measures"),
        (Skilled, TOPICS, "right answers get 1, and no skill 1"),
        (Unsteady, TOPICS, "a row becomes another item when it is read again"),
        (Topics, TOPICS[:1], "give check_task two rows or more"),
        (Topics, tuple({k: v for k, v in r.items() if k != "label"} for r in TOPICS), "an answer"),
    ],
)
def test_a_broken_promise_of_a_task_is_named(task, rows, said):
    with pytest.raises(ConformanceError, match=said):
        check_task(task(), rows)


def test_a_reader_of_our_own_is_sound(tmp_path: Path):
    path = tmp_path / "dev.csv"
    path.write_text("text,label\na,x\nb,y\n", encoding="utf-8")
    check_reader(f"csv:{path}")


def sound(source):
    """Rows of a file."""
    return read_csv(source)


def backwards(source):
    """Rows of a file, the last first."""
    table = sound(source)
    return Table(table.columns, iter([*table.rows][::-1]), table.place)


def unnamed(source):
    """Rows with a column that the table does not name."""
    table = sound(source)
    rows = (RawRow(r.line, {**r.values, "more": 1}) for r in table.rows)
    return Table(table.columns, rows, table.place)


def trusting(source):
    """Rows of nowhere, whether there is a file or not."""
    rows = (RawRow(k, {"text": str(k), "label": "xy"[k % 2]}) for k in range(1, 5))
    return Table(("text", "label"), rows, source.target)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (backwards, "its lines go back"),
        (unnamed, "columns that it does not name"),
        (trusting, "a file that is not there is read all the same"),
        (lambda source: [], "it gives no Table"),
    ],
)
def test_a_broken_promise_of_a_reader_is_named(reader, said, tmp_path: Path, monkeypatch):
    path = tmp_path / "dev.csv"
    path.write_text("text,label\na,x\nb,y\n", encoding="utf-8")
    found = SimpleNamespace(load=lambda kind, scheme: reader)
    monkeypatch.setattr(check_data, "registry", lambda: found)
    with pytest.raises(ConformanceError, match=said):
        check_reader(f"csv:{path}")
