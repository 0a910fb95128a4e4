"""Contrast sets as they were published: BoolQ, DROP, MC-TACO, NLVR2, PERSPECTRUM, UD English.

Gardner et al. 2020. Each has a format of its own; here all become cases of a suite.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers import delimited
from scrutiny.data.readers.conll import read_conllu
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.squad import placed
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table
from scrutiny.tasks.classification import TextClassification, TextPairClassification
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.tasks.question_answering import MultiSpanQuestions

TEST: Final = "contrast set"
#: An answer is right from this F1 on in DROP, above it in Quoref.
RIGHT_F1: Final = 0.8
_PEEKED: Final = 50
_CHANGED_TREE: Final = r"^# sent_id *=.*\*\*\*\s*$"
_PAIR: Final = ("id", "text", "text_pair", "label")
_CASE: Final = {"expect": "gold", "test": TEST}


def published_format(source: DataSource) -> Callable[[DataSource], Table] | None:
    """Reader of a published contrast set, told by its ending and its first lines; None of others.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    head = "".join(islice(lines(source), _PEEKED))
    for (_, ending, mark), reader in _READERS.items():
        if source.target.lower().endswith(ending) and re.search(mark, head, re.MULTILINE):
            return reader
    return None


def published_names() -> str:
    """Names of the sets that are read as published, with their endings."""
    return ", ".join(f"{name} ({ending})" for name, ending, _ in _READERS)


def _boolq(source: DataSource) -> Table:
    """Questions about a paragraph, TRUE or FALSE; the first record of the file is a template."""
    rows: list[RawRow] = []
    for number, one in enumerate(_parsed(source)["data"]):
        paragraph, name = one["paragraph"], str(number)
        if paragraph == "Paragraph":
            continue
        told = {"id": name, "text": one["question"], "text_pair": paragraph}
        rows.append(RawRow(number + 1, {**told, "label": one["answer"].strip()}))
        for k, new in enumerate(one["perturbed_questions"], 1):
            answer = new["answer"].strip()
            cells = {"text": new["perturbed_q"], "text_pair": paragraph, "label": answer}
            case = {"id": f"{name}/{k}", "of": name, **cells, **_CASE}
            problem = "" if answer else "its answer is empty"
            rows.append(RawRow(number + 1, {} if problem else case, problem))
    return _suite(source, TextPairClassification.name, _PAIR, rows)


def _drop(source: DataSource) -> Table:
    """Changed questions, and those that were changed where ``originals`` names their file.

    Ids are those of the originals with a number behind; without originals, the changed questions of
    one original are a set.
    """
    columns = ("id", "question", "context", "answers")
    named = source.option("originals")
    before = [*_drop_rows(source.beside(named))] if named else []
    known = {str(row.values["id"]) for row in before if not row.problem}
    after = []
    for row in _drop_rows(source):
        of = str(row.values["id"]).rpartition("_")[0]
        problem = row.problem
        if named and of not in known and not problem:
            problem = f"it changes {of!r}, which is not in {named} or has no answer there"
        link = {"of": of} if named else {"group": of}
        case = {**_CASE, "expect": f"gold(least={RIGHT_F1},metric=answer_f1)"}
        after.append(row._replace(values={**row.values, **link, **case}, problem=problem))
    return _suite(source, MultiSpanQuestions.name, columns, [*before, *after])


def _drop_rows(source: DataSource) -> Iterator[RawRow]:
    for number, passage in enumerate(_parsed(source).values(), 1):
        context = passage["passage"]
        for asked in passage["qa_pairs"]:
            given = map(_parts_of_drop, [asked["answer"], *asked.get("validated_answers", ())])
            answers = [placed(parts, context) for parts in given if parts]
            values = {
                "id": asked["query_id"],
                "question": asked["question"],
                "context": context,
                "answers": answers,
            }
            problem = "" if answers else "its answer has no number, no span and no date"
            yield RawRow(number, values, problem)


def _parts_of_drop(answer: Mapping[str, Any]) -> Sequence[str]:
    """Texts of an answer: its number, its spans or its date, the first of these that it has."""
    date = " ".join(filter(None, (answer["date"].get(n) for n in ("day", "month", "year"))))
    if answer["number"]:
        return (str(answer["number"]),)
    return tuple(filter(None, answer["spans"])) or ((date,) if date else ())


def _mc_taco(source: DataSource) -> Table:
    """Pairs of a question and an answer to it, ``yes`` or ``no``: a question is right as a whole.

    The k-th question of one file is changed into the k-th of the other, and both are a set.
    """
    rows = []
    named = _must_have(source)
    for kind, place in (("original", source.beside(named)), ("changed", source)):
        numbers: dict[str, int] = {}
        for row in delimited.read_tsv(place).rows:
            if row.problem:
                rows.append(row)
                continue
            asked = row.values["sentence1"]
            group = f"question {numbers.setdefault(asked, len(numbers) + 1)}"
            cells = (f"{kind}-{row.values['index']}", asked, row.values["sentence2"])
            own = dict(zip(_PAIR, (*cells, row.values["label"].strip()), strict=True))
            case = _CASE if kind == "changed" else {}
            rows.append(row._replace(values={**own, "group": group, **case}))
    return _suite(source, TextPairClassification.name, _PAIR, rows)


def _nlvr2(source: DataSource) -> Table:
    """Sentences about two pictures, of which a file has the addresses alone: true or false.

    Items are a set whose identifier is the same but for its last two characters; none is the
    original.
    """
    rows = []
    for number, line in enumerate(lines(source), 1):
        one = parse_json(line)
        name = one["identifier"]
        own = {"id": name, "text": one["sentence"], "label": str(one["label"]).lower()}
        pictures = {"left": one["left_url"], "right": one["right_url"]}
        rows.append(RawRow(number, {**own, **pictures, "group": name[:-2], **_CASE}))
    return _suite(source, TextClassification.name, ("id", "text", "label"), rows)


def _perspectrum(source: DataSource) -> Table:
    """Claims, each with a perspective that is for it or against it (``pos``, ``neg``).

    Perspectives that have no stance to the claim, or to the changed one, are left out.
    """
    rows = []
    left_out = 0
    for number, row in enumerate(delimited.read_csv(source).rows, 1):
        values, name = row.values, str(number)
        stances = [values.get(f"{half}_stance_label") for half in ("original", "contrast")]
        if "unk" in stances:
            left_out += 1
            continue
        for half, of, stance in zip(("original", "contrast"), ("", name), stances, strict=True):
            own = (f"{name}/1" if of else name, values[f"{half}_claim"], values["perspective"])
            case = {"of": of, **_CASE} if of else {}
            cells = dict(zip(_PAIR, (*own, stance), strict=True))
            rows.append(row._replace(values={**cells, **case}))
    note = f"Left out, without a stance to both claims: {left_out:,} of the rows."
    notes = (note,) if left_out else ()
    return _suite(source, TextPairClassification.name, _PAIR, rows, notes=notes)


def _ud_english(source: DataSource) -> Table:
    """Parsed sentences, of which a preposition was made to hang on another word.

    Right is the word that the preposition's phrase hangs on, whatever the rest of the tree is: see
    ``attaches``. The ids of changed sentences end in ``***``.
    """
    before = read_conllu(source.beside(_must_have(source)))
    after = read_conllu(source)
    olds = {str(row.values.get("id")): row for row in before.rows}
    rows = [row for row in olds.values() if not row.problem]
    for row in after.rows:
        of = str(row.values.get("id")).removesuffix("***")
        old = olds.get(of)
        if row.problem or old is None or old.problem:
            problem = row.problem or f"its original {of!r} is not there, or cannot be read"
            rows.append(row._replace(values={}, problem=problem))
            continue
        found = _preposition(old.values, row.values)
        if found is None:
            problem = "no preposition of both sentences hangs on another word"
            rows.append(row._replace(values={}, problem=problem))
            continue
        place, former = found
        case = {**_CASE, "expect": f"attaches(word={place},before={former})"}
        rows.append(row._replace(values={**row.values, "id": f"{of}/1", "of": of, **case}))
    return _suite(source, DependencyArcs.name, after.columns, rows)


def _preposition(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[int, int] | None:
    """Numbers in the new and the old sentence of the first preposition that hangs elsewhere."""
    ours, theirs = ([word.lower() for word in one["words"]] for one in (new, old))
    for a, b, size in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        for i, j in zip(range(a, a + size), range(b, b + size), strict=True):
            if new["upos"][i] == old["upos"][j] == "ADP" and _grand_head(new, i) != _grand_head(
                old, j
            ):
                return i + 1, j + 1
    return None


def _grand_head(sentence: Mapping[str, Any], place: int) -> str:
    """Word that the phrase of a preposition hangs on; empty for none."""
    heads, words = sentence["heads"], sentence["words"]
    above = heads[heads[place] - 1] if heads[place] else 0
    return str(words[above - 1]).lower() if above else ""


def _must_have(source: DataSource) -> str:
    """Name of the file of originals.

    Raises
    ------
    DataError
        If none is stated.
    """
    if named := source.option("originals"):
        return named
    raise DataError(f"{source} needs the file of the items that were changed: #originals=FILE.")


def _parsed(source: DataSource) -> Any:
    return parse_json("".join(lines(source)))


def _suite(
    source: DataSource,
    task: str,
    columns: tuple[str, ...],
    rows: Iterable[RawRow],
    *,
    notes: tuple[str, ...] = (),
) -> Table:
    table = corpus_table(source, task, columns, rows, notes=notes)
    return replace(table, defaults={**table.defaults, "id": "id"}, is_suite=True)


def _checked(reader: Callable[[DataSource], Table]) -> Callable[[DataSource], Table]:
    """Reader that says so where a file lacks what its format has."""

    def read(source: DataSource) -> Table:
        try:
            return reader(source)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            said = (reader.__doc__ or "").partition(".")[0]
            raise DataError(
                f"{source.target} is not as published. Expected: {said}. Found: {error!r:.100}"
            ) from None

    return read


#: Readers by name, ending and what stands among the first lines (a pattern).
_READERS: Final = {
    ("BoolQ", ".json", '"perturbed_questions"'): _checked(_boolq),
    ("DROP", ".json", '"qa_pairs"'): _checked(_drop),
    ("MC-TACO", ".tsv", "index\tsentence1\tsentence2\tlabel"): _checked(_mc_taco),
    ("NLVR2", ".jsonl", '"left_url"'): _checked(_nlvr2),
    ("PERSPECTRUM", ".csv", "original_claim,contrast_claim"): _checked(_perspectrum),
    ("UD English, with ids that end in ***", ".conllu", _CHANGED_TREE): _checked(_ud_english),
}
