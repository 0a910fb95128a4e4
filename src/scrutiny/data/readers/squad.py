"""Reading comprehension: files in SQuAD's format, and ROPES.

In SQuAD's format articles have paragraphs, each with questions and their answers. Several answers
to a question are alternatives in SQuAD. In Quoref, whose paragraphs have a ``context_id``, they are
one answer of several spans, which cannot be given as one stretch of text. Questions of ROPES are
about a situation, told by a passage of background (Lin et al. 2019).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.answers.texts import Extract
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, reader_defaults, takes
from scrutiny.tasks.choices import PassageRanking
from scrutiny.tasks.classification import TextPairClassification
from scrutiny.tasks.question_answering import (
    MultiSpanQuestions,
    QuestionAnswering,
    SituationQuestions,
)
from scrutiny.text.tokens import sentences

_COLUMNS: Final = ("id", "question", "context", "answers", "paragraph", "article")
#: Key of a question that is a changed version of another one, in contrast sets.
ORIGINAL: Final = "original_id"
#: Key of paragraphs that only Quoref has.
_OF_QUOREF: Final = "context_id"
#: An answer of Quoref is right above an F1 of .8.
RIGHT_F1: Final = 0.800001
#: Answers to a question whose text does not answer it.
_NO_ANSWER: Final = [Extract("")]
#: Columns of a ranking that is derived from questions.
_OF_RANKING: Final = ("id", "query", "candidates", "relevant", "paragraph")
#: Columns of pairs that are derived from questions, and their labels.
_OF_PAIRS: Final = ("id", "text", "text_pair", "label", "paragraph")
PAIR_LABELS: Final = ("match", "other")
#: What a question has.
_ASKED: Final = ("id", "question", "answers")


@takes(
    "encoding",
    around="sentences kept on each side of the answer's; the whole text by default",
    candidates="of a ranking, passages for each question: the right one, others of its article, "
    "then others; all of the file by default",
)
def read(source: DataSource) -> Table:
    """Questions of a file in SQuAD's format (1.1, 2.0), as XQuAD, MLQA and Quoref are.

    With ``around`` a text is cut to the sentences around its first answer, which readers learn
    from faster; a score on such texts is higher than on whole ones. The text of a question without
    an answer is cut around a sentence that is drawn by the question's id, so that its length does
    not tell that there is none; that none of its words are the question's may still tell it.

    The right answer to a question that its paragraph does not answer (``is_impossible``) is no
    words; one without answers for another reason is a bad row, and so is one of Quoref whose answer
    is several spans. Rows are numbered, since all may stand on one line.

    ``task=passage-ranking`` derives data of search: each question is a query, the passages of the
    file are its candidates, and its own is the right one. The question was written about it, so it
    shares more words with it than queries of people do. ``task=text-pair-classification`` derives
    pairs of a question and a text: its own (``match``), and that of a question about another
    paragraph of its article (``other``), so that the subject alone does not tell them apart.

    Raises
    ------
    DataError
        If it is no such file.
    """
    task = source.option("task").partition("@")[0]
    if task == PassageRanking.name:
        return _ranking(source)
    if task == TextPairClassification.name:
        return _pairs(source)
    return _table(source, QuestionAnswering.name)


def _ranking(source: DataSource) -> Table:
    """Questions with passages of the file, of which their own is the right one."""
    table = _table(source, QuestionAnswering.name)
    rows = list(table.rows)
    article = {r.values["context"]: r.values["article"] for r in rows if not r.problem}
    count = _number(source.option("candidates"), source) or len(article)
    made = []
    for row in rows:
        if row.problem or row.values["answers"] == _NO_ANSWER:
            made.append(row._replace(problem=row.problem or "no passage answers it"))
            continue
        own, name = row.values["context"], str(row.values["id"])
        rng = generator(0, "candidates", name="squad@1", item=name)
        others = [text for text in article if text != own]
        keys = rng.random(len(others)).tolist()
        kin = [article[text] != article[own] for text in others]
        drawn = sorted(range(len(others)), key=lambda i: (kin[i], keys[i]))[: count - 1]
        chosen = {own, *(others[i] for i in drawn)}
        candidates = [text for text in article if text in chosen]
        cells = (name, row.values["question"], candidates, candidates.index(own))
        values = dict(zip(_OF_RANKING, (*cells, row.values["paragraph"]), strict=True))
        made.append(row._replace(values=values))
    note = "Derived: each question is a query, and the passage that it was written about is right."
    return corpus_table(source, PassageRanking.name, _OF_RANKING, made, notes=(note,))


def _pairs(source: DataSource) -> Table:
    """Questions with their own text, and with that of another question of their article."""
    table = _table(source, QuestionAnswering.name)
    rows = list(table.rows)
    by_article = grouped(
        (row.values["article"], row.values)
        for row in rows
        if not row.problem and row.values["answers"] != _NO_ANSWER
    )
    made = []
    for row in rows:
        own = row.values
        if row.problem or own["answers"] == _NO_ANSWER:
            made.append(row._replace(problem=row.problem or "no passage answers it"))
            continue
        others = [v for v in by_article[own["article"]] if v["paragraph"] != own["paragraph"]]
        rng = generator(0, "other text", name="squad@1", item=str(own["id"]))
        drawn = [others[int(rng.integers(len(others)))]] if others else []
        for label, values in zip(PAIR_LABELS, (own, *drawn), strict=False):
            cells = (f"{own['id']}/{label}", own["question"], values["context"], label)
            held = dict(zip(_OF_PAIRS, (*cells, own["paragraph"]), strict=True))
            made.append(row._replace(values=held))
    note = "Derived: a question and its text match; those of another paragraph do not."
    return corpus_table(source, TextPairClassification.name, _OF_PAIRS, made, notes=(note,))


def read_spans(source: DataSource) -> Table:
    """Questions of Quoref, whose answer may be several spans, with bars between them (Ada|Bo).

    Spans that overlap, or are alike, are one. An answer is right above an F1 of .8, as Quoref's own
    script has it, which says so of contrast sets alone.

    Raises
    ------
    DataError
        If it is no such file.
    """
    table = _table(source, MultiSpanQuestions.name)
    columns = (*table.columns, "expect")
    return replace(table, rows=map(_together, table.rows), columns=columns, batches=None)


def _together(row: RawRow) -> RawRow:
    """Row whose spans are one answer."""
    values = row.values
    is_read = not row.problem and isinstance(values["answers"][0], Mapping)
    if not is_read or not isinstance(values["context"], str):
        return row
    answer = placed(_parts(values["answers"]), values["context"])
    expect = f"gold(least={RIGHT_F1},metric=answer_f1)"
    return row._replace(values={**values, "answers": [answer], "expect": expect})


def placed(parts: Sequence[str], context: str) -> Extract:
    """Answer of several texts, with bars between them; with its place, if it is one of the text.

    Examples
    --------
    >>> placed(["Ada"], "Hi Ada"), placed(["Ada", "Bo"], "Hi Ada")
    (Extract(text='Ada', field='context', start=3), Extract(text='Ada|Bo', field='', start=0))
    """
    start = context.find(parts[0]) if len(parts) == 1 else -1
    return Extract("|".join(parts)) if start < 0 else Extract(parts[0], "context", start)


def _table(source: DataSource, task: str) -> Table:
    """Questions for a task; of several spans where it has such answers."""
    takes_spans = task == MultiSpanQuestions.name
    around = _number(source.option("around"), source)
    try:
        rows = list(_rows(parse_json("".join(lines(source)))["data"], takes_spans=takes_spans))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        lacks = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{source.target} is no file in SQuAD's format, data[].paragraphs[].qas[]: {lacks}."
        ) from None
    links = [ORIGINAL] if any(ORIGINAL in row.values for row in rows) else []
    if around is not None:
        rows = [row._replace(values=_near(row.values, around)) for row in rows]
    return corpus_table(source, task, (*_COLUMNS, *links), rows)


def _number(said: str, source: DataSource) -> int | None:
    if said and not (said.isascii() and said.isdigit()):
        raise DataError(
            f"In {str(source)!r}, around is {said!r}; it is a number of sentences, from 0, that "
            "stay on each side of the one with the answer."
        )
    return int(said) if said else None


def _near(values: Mapping[str, Any], around: int) -> Mapping[str, Any]:
    """Values of a question whose text is cut to the sentences around its first answer.

    Where it is right that there is none, around one that is drawn by the question's id.

    Examples
    --------
    >>> text = "It rained. Ada met Bo. He left. Nobody knew."
    >>> asked = {"context": text, "answers": [{"text": "Bo", "answer_start": 19}]}
    >>> _near(asked, 0)
    {'context': 'Ada met Bo.', 'answers': [{'text': 'Bo', 'answer_start': 8}]}
    """
    context, answers = values.get("context"), values.get("answers")
    first = next(iter(_placed(answers)), None)
    if not isinstance(context, str) or (first is None and answers != _NO_ANSWER):
        return values
    found = sentences(context)
    if first is None:
        rng = generator(0, "sentences around", name="squad@1", item=str(values["id"]))
        held = [int(rng.integers(len(found)))] if found else []
    else:
        start, end = first["answer_start"], first["answer_start"] + len(first["text"])
        held = [i for i, (a, b) in enumerate(found) if a < end and start < b]
    if not held:  # wherever it is said to stand, it is not in a sentence: refused where it is read
        return values
    low = found[max(0, held[0] - around)][0]
    high = found[min(len(found) - 1, held[-1] + around)][1]
    if first is None:
        return {**values, "context": context[low:high]}
    kept = [
        {**one, "answer_start": one["answer_start"] - low}
        for one in _placed(answers)
        if low <= one["answer_start"] and one["answer_start"] + len(one["text"]) <= high
    ]
    return {**values, "context": context[low:high], "answers": kept}


def _placed(answers: Any) -> Iterator[Mapping[str, Any]]:
    """Answers that say their words and where they start."""
    for one in answers if isinstance(answers, list) else []:
        said = one if isinstance(one, dict) else {}
        if isinstance(said.get("answer_start"), int) and isinstance(said.get("text"), str):
            yield one


def _rows(articles: list[Mapping[str, Any]], *, takes_spans: bool) -> Iterator[RawRow]:
    number = 0
    for a, article in enumerate(articles, 1):
        for p, paragraph in enumerate(article["paragraphs"], 1):
            place = {"paragraph": f"{a}/{p}", "article": str(article.get("title") or a)}
            for asked in paragraph["qas"]:
                number += 1
                lacked = [n for n in _ASKED if not isinstance(asked, Mapping) or n not in asked]
                if lacked:
                    yield RawRow(number, {}, f"the question has no {lacked[0]!r}")
                    continue
                values = {
                    "id": asked["id"],
                    "question": asked["question"],
                    "context": paragraph["context"],
                    "answers": asked["answers"] or _NO_ANSWER,
                    **place,
                }
                if ORIGINAL in asked:
                    values[ORIGINAL] = asked[ORIGINAL]
                one = not takes_spans and _OF_QUOREF in paragraph
                problem = _problem(asked, is_of_quoref=one)
                yield RawRow(number, {"id": asked["id"]} if problem else values, problem)


def _problem(asked: Mapping[str, Any], *, is_of_quoref: bool) -> str:
    """Why the answers of a question are no right answer; empty if one is."""
    answers = asked["answers"]
    if not answers and asked.get("is_impossible") is not True:
        return "it has no answer, and does not say that there is none"
    if is_of_quoref and len(_parts(answers)) > 1:
        return "its answer is several spans together, as in Quoref, and an answer here is one"
    return ""


def _parts(answers: Any) -> list[str]:
    """Words of spans that stand apart; of those that overlap, or are alike, one.

    Examples
    --------
    >>> spans = [("Stela 5 at Ixkun", 8), ("Stela 5", 8), ("Ada", 40), ("Ada", 50)]
    >>> _parts([{"text": text, "answer_start": start} for text, start in spans])
    ['Stela 5', 'Ada']
    """
    parts: dict[str, None] = {}
    end = -1
    # what has neither is refused where answers are read
    for start, text in sorted((one["answer_start"], one["text"]) for one in _placed(answers)):
        if start >= end:
            parts[text] = None
        end = max(end, start + len(text))
    return list(parts)


_ROPES_COLUMNS: Final = ("id", "question", "context", "answers")


def read_ropes(source: DataSource) -> Table:
    """Questions of a file of ROPES; the text is the background and, below it, the situation.

    One answer in three stands in the question, and a few stand nowhere ("Dam" for Dan). All are
    kept, with their place where they stand in the text: answers are compared by their words.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        articles = parse_json("".join(lines(source)))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        asked = [(paragraph, qa) for paragraph in paragraphs for qa in paragraph["qas"]]
        rows = []
        for number, (paragraph, qa) in enumerate(asked, 1):
            context = f"{paragraph['background']}\n{paragraph['situation']}"
            places = [(one["text"], context.find(one["text"])) for one in qa["answers"]]
            answers = [
                Extract(text) if place < 0 else Extract(text, "context", place)
                for text, place in places
            ]
            cells = (qa["id"], qa["question"], context, answers)
            rows.append(RawRow(number, dict(zip(_ROPES_COLUMNS, cells, strict=True))))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{source.target} is no file of ROPES, whose paragraphs have a background, a situation "
            f"and questions: {error!r}."
        ) from None
    defaults = reader_defaults(SituationQuestions.name, _ROPES_COLUMNS)
    return Table(_ROPES_COLUMNS, iter(rows), source.target, defaults=defaults)
