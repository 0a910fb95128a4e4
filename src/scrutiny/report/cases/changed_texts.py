"""Cases: every text that a run changed, with what the models said before and after.

Those of suites have an outcome; of suites of few cases, each is told one by one.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from scrutiny.blocks.cases import SearchedText, changed_words
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.run_view import RunView
from scrutiny.core.answers.answer import answer_of
from scrutiny.core.answers.choices import options_last
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.edit import Edit
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.estimate import Estimate, EstimateKey, says
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.record import grouped
from scrutiny.report.cases.answers import (
    NO_ANSWER,
    AnswersTo,
    Tables,
    answers_to,
    brief_words,
    is_relabeled,
    item_rows,
    tells_parts,
    told,
    variant_rows,
)
from scrutiny.report.cases.evidence import found_texts, is_right
from scrutiny.text.edits import apply_to_text

if TYPE_CHECKING:
    from scrutiny.store.run_folder import RunFolder


_OF_ITEMS: Final = ("gold", "source", "fields")
#: Outcomes of a case of a suite.
FAILED, PASSED, UNANSWERED = "failed", "passed", "no answer"
#: The same, what is to be looked at first.
OUTCOMES: Final = (FAILED, UNANSWERED, PASSED)
#: State of a risk that looks as an outcome does.
STATE_OF: Final = {FAILED: "hurts", PASSED: "holds", UNANSWERED: "can't tell"}
#: Columns of the table of cases.
CASES: Final = pa.schema(
    [
        ("model", pa.string()),
        ("dataset", pa.string()),
        ("item", pa.string()),
        ("change", pa.string()),
        ("draw", pa.int64()),
        ("before", pa.string()),
        ("after", pa.string()),
        ("edits", pa.string()),
        ("label", pa.string()),
        ("said_before", pa.string()),
        ("said_after", pa.string()),
        ("flipped", pa.int64()),
        ("broken", pa.int64()),
        ("mended", pa.int64()),
        ("replicates", pa.int64()),
        ("replicate", pa.string()),
        ("condition", pa.string()),
        ("source", pa.string()),
        ("case", pa.string()),
        ("outcome", pa.string()),
    ]
)


#: Columns of cases whose answers were explained, behind the others.
EXPLAINED: Final = pa.schema(
    [
        ("explained", pa.string()),
        ("explained_by", pa.string()),
        ("words", pa.list_(pa.string())),
        ("scores", pa.list_(pa.float64())),
    ]
)


def cases_of(folder: "RunFolder", name: str | None, found: Iterable[SearchedText] = ()) -> pa.Table:
    """Table of `CASES`: texts of one change, or of all, worst first (`case_rows`)."""
    return pa.Table.from_pylist(case_rows(folder, name, found), schema=CASES)


def case_rows(
    folder: "RunFolder", name: str | None, found: Iterable[SearchedText] = ()
) -> list[dict[str, Any]]:
    """Rows of `CASES`, with what an explanation needs of each.

    That is ``_edits``, and ``_replicate`` and ``_said``: the first replicate whose answer changed,
    in words, and what it says of the changed text.

    Worst are those that most replicates got right before the change and wrong after it; then
    those whose answers changed, in the order of the data. ``broken`` and ``mended`` are nothing
    where no label says what is right, or where the change may have changed the label itself. Of a
    suite, each ``case`` has an ``outcome``: failed, passed, or no answer.

    Parameters
    ----------
    folder
        The run.
    name
        Name of a change, with or without versions, or as reports name it ("PWWS attack"); nothing
        stands for all.
    found
        Texts that searches found, which belong to one replicate each.

    Raises
    ------
    UnknownNameError
        If the run has no change of this name.
    DataError
        If the run kept no variants or outputs.
    """
    tables, searched = Tables.of(folder), list(found)
    made = tables.variants.select(["kind", "dataset", "recipe", "draw", "role"])
    groups = made.group_by(made.column_names).aggregate([]).to_pylist()
    groups = [group for group in groups if group["role"] == "measured"]
    told = [one for one in folder.findings() if one.claim.risk is not None and one.change]
    spoken = {one.claim.risk.what: one.change for one in told if one.claim.risk}
    known = {group["recipe"] for group in groups} | {one.change for one in searched}
    known |= {*spoken.values()}  # a search that ended without a text, too
    wanted = {change for change in known if name is None or says(change, name)}
    wanted = wanted or {change for change in known if says(change, spoken.get(name or "", ""))}
    if name is not None and not wanted:
        names = {*map(without_versions, known), *spoken}
        raise UnknownNameError("change or test in this run", name, names)
    asked = tables.outputs.select(["subject", "condition"]).group_by(["subject", "condition"])
    rows = [
        row
        for group in groups
        if group["recipe"] in wanted
        for of in asked.aggregate([]).to_pylist()  # models, and conditions (a training step)
        for row in _rows(group, of["subject"], json.loads(of["condition"]), tables)
    ]
    own = [one for one in searched if one.change in wanted]
    of_tests = [
        one.estimate.key.condition.get("capability", "")
        for one in told
        if one.claim.risk and one.claim.risk.what == name and one.estimate
    ]
    if of_tests:  # a test of this name may stand in another capability, too
        own = [one for one in own if one.capability in of_tests]
    rows += _rows_of_found(_told_apart(own), tables)
    rows.sort(key=lambda row: (-(row["broken"] or 0), -row["flipped"]))
    return [{**dict.fromkeys(CASES.names), **row} for row in rows]


def shown_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a row that people see, with its explanation if it has one."""
    return {name: row.get(name) for name in CASES.names} | {
        name: row[name] for name in EXPLAINED.names if name in row
    }


def _told_apart(found: Sequence[SearchedText]) -> list[SearchedText]:
    """Cases with the capability before the name of their test, where several have one name."""
    capabilities = grouped((one.change, one.capability) for one in found)
    several = {name for name, own in capabilities.items() if len(set(own)) > 1}
    return [
        one._replace(change=f"{one.capability}: {one.change}") if one.change in several else one
        for one in found
    ]


def suite_cases(folder: "RunFolder", found: Iterable[SearchedText]) -> list[dict[str, Any]]:
    """Rows of `CASES` for the cases of suites, in the order in which they were asked."""
    own = [one for one in found if one.name]
    return [*_rows_of_found(own, Tables.of(folder))] if own else []


def _rows(
    group: Mapping[str, Any], subject: str, rest: Mapping[str, Any], tables: Tables
) -> Iterator[dict[str, Any]]:
    """Cases of one change, draw, dataset and model; ``rest`` is the condition of its answers."""
    named = {"transformation": group["recipe"], "draw": group["draw"], **rest}
    key = EstimateKey(group["kind"], "", subject, group["dataset"], condition=named)
    variants = variant_rows(key, tables.variants)
    if variants.size == 0:
        return
    names = tables.variants["item"].take(variants)
    own = tables.variants["variant"].take(variants)
    answers = answers_to(key, names, own, tables.outputs)
    asked = np.flatnonzero(((answers.before >= 0) & (answers.after >= 0)).any(axis=1))
    made = tables.at("variants", variants[asked].tolist(), ["item", "edits", "gold"])
    places = item_rows(names.take(asked), key.dataset, tables.items)
    items = tables.at("items", places.tolist(), _OF_ITEMS)
    of = {
        "model": key.subject,
        "dataset": key.dataset,
        "change": without_versions(group["recipe"]),
        "draw": group["draw"],
        "condition": canonical_json(rest),
    }
    is_long = any(tells_parts(answer_of(item["gold"])) for item in items[:1])
    stored = answers.stored(asked, tables) if is_long else [()] * len(made)
    for at, variant, item, whole in zip(asked.tolist(), made, items, stored, strict=True):
        own = {**of, "item": variant["item"], "source": item["source"]}
        edits = json.loads(variant["edits"])
        texts = _texts(options_last(json.loads(item["fields"])), edits)
        asked_of = _first_changed(answers, at)
        yield {
            **own,
            **texts,
            **_answered(answers.pairs(at), item["gold"], variant["gold"]),
            **(_by_parts(told(whole, item, variant["edits"], answers.read)) if whole else {}),
            "_edits": edits,
            **asked_of,
        }


def _first_changed(answers: AnswersTo, at: int) -> dict[str, str]:
    """The first replicate whose answer changed, or the first that answered, and what it says."""
    both = [
        (before, after, name)
        for before, after, name in zip(
            answers.before[at].tolist(), answers.after[at].tolist(), answers.replicates, strict=True
        )
        if before >= 0 and after >= 0
    ]
    _, after, name = next((one for one in both if one[0] != one[1]), both[0])
    return {"_replicate": replicate_words(name), "_said": answers.words[after]}


def _rows_of_found(found: Sequence[SearchedText], tables: Tables) -> Iterator[dict[str, Any]]:
    """Cases of the texts that searches found, by dataset."""
    for name in dict.fromkeys(one.dataset for one in found):
        own = [one for one in found if one.dataset == name]
        places = item_rows(pa.chunked_array([[one.item for one in own]]), name, tables.items)
        for one, item in zip(own, tables.at("items", places.tolist(), _OF_ITEMS), strict=True):
            gold = item["gold"]
            of_suite = {}
            if one.name:  # a case of a suite fails or passes whether or not its answer changed
                fails = int(one.is_success)
                of_suite = {
                    "label": one.right or brief_words(gold),
                    "case": one.name,
                    "outcome": UNANSWERED if one.after is None else FAILED if fails else PASSED,
                    **{"flipped": fails, "broken": fails, "mended": 0},
                }
            yield {
                **{n: getattr(one, n) for n in ("model", "dataset", "item", "draw")},
                "change": without_versions(one.change),
                "replicate": replicate_words(one.replicate),
                "source": item["source"],
                "condition": "{}",
                **_texts(options_last(json.loads(item["fields"])), one.edits),
                **_answered([(one.before or NO_ANSWER, one.after or NO_ANSWER)], gold, gold),
                **of_suite,
                "_edits": one.edits,
                "_replicate": replicate_words(one.replicate),
                "_said": one.after or NO_ANSWER,
            }


def _texts(fields: Mapping[str, str], edits: Iterable[Sequence[Any]]) -> dict[str, str]:
    """Texts before and after, and the words that differ between them."""
    own = [Edit(*edit[:4]) for edit in edits]
    by_field = {name: [edit for edit in own if edit.field == name] for name in fields}
    words = [pair for name, text in fields.items() for pair in changed_words(text, by_field[name])]
    return {
        "before": _joined(fields),
        "after": _joined({n: apply_to_text(text, by_field[n]) for n, text in fields.items()}),
        "edits": "; ".join(f"{old} → {new}" for old, new in words),
    }


def _by_parts(found: tuple[list[tuple[str, str]], str]) -> dict[str, Any]:
    """Answers of the replicates, as far as they changed, and the right ones, in words."""
    pairs, right = found
    return {
        "label": right,
        "said_before": _counted(before for before, _ in pairs),
        "said_after": _counted(after for _, after in pairs),
        "flipped": sum(before != after for before, after in pairs),
    }


def _joined(fields: Mapping[str, str]) -> str:
    """Text of an item; several fields are shown with their names."""
    if len(fields) == 1:
        return next(iter(fields.values()))
    return "\n".join(f"{name}: {text}" for name, text in fields.items())


def _answered(pairs: Sequence[tuple[str, str]], before: str, after: str) -> dict[str, Any]:
    """Answers of the replicates, and how many of them changed.

    ``before`` and ``after`` are the stored gold answers; the label is the one that is right now.
    """
    right = [(is_right(before, was), is_right(after, now)) for was, now in pairs]
    is_known = all(None not in both for both in right)
    return {
        "label": brief_words(after if is_relabeled(before, after) else before),
        "said_before": _counted(before for before, _ in pairs),
        "said_after": _counted(after for _, after in pairs),
        "flipped": sum(before != after for before, after in pairs),
        "broken": right.count((True, False)) if is_known else None,
        "mended": right.count((False, True)) if is_known else None,
        "replicates": len(pairs),
    }


def _counted(answers: Iterable[str]) -> str:
    """Answers, most frequent first, with counts if they differ."""
    found = Counter(answers).most_common()
    return found[0][0] if len(found) == 1 else ", ".join(f"{said} ({n})" for said, n in found)


#: Cases of suites that are told one by one without being asked for.
MOST_TOLD: Final = 24
#: What the tests of such a suite are judged by, beside the outcomes of their cases.
OTHERS: Final = (
    "Each case is one text. Below, test by test: how often would other texts like its cases fail? "
    "To tell that takes many more cases."
)
#: Rows of each case, by the test and its name.
CasesByTest = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]


@lru_cache(maxsize=1)
def few_cases(view: RunView) -> CasesByTest:
    """Rows of each case, by test and name, of suites that are small enough to be read whole."""
    folder = view.records.folder
    has_tests = any("test" in e.key.condition for e in view.estimates)
    if not has_tests or folder is None or not view.has_texts:
        return {}
    rows = suite_cases(folder, found_texts(folder.path, view.estimates))
    if len({(row["dataset"], row["case"]) for row in rows}) > MOST_TOLD:
        return {}
    tests = grouped((row["change"], row) for row in rows)
    return {test: grouped((row["case"], row) for row in own) for test, own in tests.items()}


def suite_sizes(estimates: Iterable[Estimate]) -> dict[str, int]:
    """Number of cases of each suite, without controls, by the name of its data."""
    tests = {
        (e.key.dataset, e.key.subject, str(e.key.condition["test"])): e.counts.planned
        for e in estimates
        if "test" in e.key.condition and e.key.metric_name == "share(failed)"
        if (e.key.role, e.key.replicate, e.key.group) == ("measured", None, "all")
    }
    by_suite = grouped(((data, subject), n) for (data, subject, _), n in tests.items())
    return {data: sum(sizes) for (data, _), sizes in by_suite.items()}


def outcome_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Outcome of a case over models: failed where any of them fails it."""
    told = {row["outcome"] for row in rows}
    return next(outcome for outcome in OUTCOMES if outcome in told)


def outcomes_in_words(outcomes: Iterable[str]) -> str:
    """How many cases failed, or have no answer.

    Examples
    --------
    >>> outcomes_in_words(["failed", "passed", "no answer"])
    '1 of 3 cases failed, 1 without an answer'
    """
    count = Counter(outcomes)
    said = [f"{count[FAILED]:,} of {count.total():,} cases failed"]
    said += [f"{count[UNANSWERED]:,} without an answer"] * bool(count[UNANSWERED])
    return ", ".join(said)


def rule_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """When a case counts as failed that several models were asked; empty for a single model."""
    n = len(rows)
    return f"A case failed if any of the {n} models fails it." if n > 1 else ""
