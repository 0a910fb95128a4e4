"""From a run folder to the view: items behind a claim, flips, notes, overlap."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import report_sample

from scrutiny.blocks.cases import SearchedText, stretches, visible
from scrutiny.core.answers.answer import answer_json
from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.report.cases import evidence
from scrutiny.report.cases.answers import Tables
from scrutiny.report.cases.evidence import MOST_CASES, evidence_found, evidence_of
from scrutiny.report.formats import FORMATS, render
from scrutiny.report.load import load_view
from scrutiny.stats.agreement.flips import COIN, MARGIN, count_flips
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import OUTPUTS, VARIANTS

KIND, SUBJECT, DATASET = report_sample.KIND, report_sample.SUBJECT, report_sample.DATASET
SEEDS = report_sample.REPLICATES[:2]
ITEMS = {"a": "A fine room.", "b": "A bad room.", "c": "Rooms."}


def items_table():
    return pa.table(
        {
            "dataset": [DATASET] * 3,
            "item": list(ITEMS),
            "position": [0, 1, 2],
            "gold": ['"positive"', '"negative"', "null"],
            "source": [f"reviews.tsv:{i}" for i in (2, 3, 4)],
            "fields": [json.dumps({"text": text}) for text in ITEMS.values()],
            "language": ["en"] * 3,
        }
    )


def variant(item, *, role="measured", status="ok", recipe="typos@1", draw=0):
    name = f"{recipe}/{draw}/{role}"
    gold = '"negative"' if item == "b" else '"positive"'
    edits = '[["text",0,1,"An",[],false]]'
    row = (KIND, DATASET, item, name, role, None, recipe, draw, edits, gold)
    return (*row, status, None if status == "ok" else "no_site")


def variants_table():
    rows = [variant(item) for item in "ab"]
    rows += [variant("c", status="skipped"), variant("a", role="control")]
    rows += [variant("a", draw=1), variant("a", recipe="tense@1", status="refused")]
    return pa.Table.from_pylist(
        [dict(zip(VARIANTS.names, row, strict=True)) for row in rows], schema=VARIANTS
    )


def outputs_table():
    """Item a flips in both replicates, item b in none."""
    rows = []
    for seed in SEEDS:
        for item, before, after in (("a", "positive", "negative"), ("b", "negative", "negative")):
            for name, label in ((None, before), ("typos@1/0/measured", after)):
                scores = [0.9, 0.1] if label == "positive" else [0.3, 0.7]
                place = (SUBJECT, seed, DATASET, "{}", item, name)
                rows.append((*place, label, scores, None))
    return pa.Table.from_pylist(
        [dict(zip(OUTPUTS.names, row, strict=True)) for row in rows], schema=OUTPUTS
    )


def finding(**condition):
    base = report_sample.sample().findings[1]
    condition = {"transformation": "typos@1", "draw": 0} | condition
    return replace(
        base, estimate=replace(base.estimate, key=replace(base.estimate.key, condition=condition))
    )


TABLES = Tables(items_table(), variants_table(), outputs_table())
MANIFEST = {
    "status": "done",
    "command": "scrutiny audit",
    "plan": {"seed": 7, "resampling": {"draws": 500, "level": 0.9, "method": "crossed"}},
    "promise": "records are byte-identical",
    "environment": {"scrutiny": "0.1.0", "python": "3.11"},
    "data": {
        DATASET: {
            "source": "builtin:reviews",
            "items": 3,
            "fingerprint": "0123" * 8,
            "doubts": ["2 rows hold x"],
        }
    },
    "models": {SUBJECT: {"source": "builtin:sentiment", "role": "measured"}},
    "measure": {
        "robustness": {
            "diagnostic": "robustness@1",
            "kind": KIND,
            "summary": "Score before and after.",
            "doc": "X.\n\n    **Measures**: y.\n\n    **Misleads when**: a is\n    b; c.\n\n    Z.",
            "notes": ["Note."],
        }
    },
}


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path)
    made.write_manifest(MANIFEST)
    made.write_table("items", [TABLES.items], schema=TABLES.items.schema)
    made.write_table("variants", [TABLES.variants], schema=VARIANTS)
    made.write_table("outputs", [TABLES.outputs], schema=OUTPUTS)
    made.write_estimates(report_sample.sample().estimates)
    made.write_findings([finding()])
    return made


def many(count):
    """Tables of many items whose answers change in one replicate, or two in every tenth."""
    names = [f"i{n:04d}" for n in range(count)]
    items = pa.concat_tables([items_table().slice(0, 1)] * count)
    items = items.set_column(1, "item", pa.array(names))
    variants = [dict(zip(VARIANTS.names, variant(name), strict=True)) for name in names]
    rows = []
    for name, n in ((name, n) for n, name in enumerate(names)):
        for number, seed in enumerate(SEEDS):
            after = "negative" if number == 0 or n % 10 == 0 else "positive"
            for which, label in ((None, "positive"), ("typos@1/0/measured", after)):
                place = (SUBJECT, seed, DATASET, "{}", name, which)
                rows.append((*place, label, [0.6, 0.4], None))
    outputs = [dict(zip(OUTPUTS.names, row, strict=True)) for row in rows]
    return Tables(
        items,
        pa.Table.from_pylist(variants, schema=VARIANTS),
        pa.Table.from_pylist(outputs, schema=OUTPUTS),
    )


def test_cases_are_built_of_the_items_that_are_shown(monkeypatch):
    built, case = [], evidence._changed_case

    def counted(*arguments, **more):
        built.append(1)
        return case(*arguments, **more)

    monkeypatch.setattr(evidence, "_changed_case", counted)
    found = evidence_of(finding(), many(600))
    assert len(built) == len(found.cases) == MOST_CASES
    assert found.n_cases == 600
    assert [c.item for c in found.cases] == [f"i{10 * n:04d}" for n in range(MOST_CASES)]
    assert {c.n_flipped for c in found.cases} == {2}
    assert found.flips.observed == (0, 540, 60)
    assert found.n_turned == {"broken": 600, "fixed": 0, "changed": 0, "failed": 0}


def test_a_folder_gives_what_its_tables_give(folder):
    assert evidence_of(finding(), Tables.of(folder)) == evidence_of(finding(), TABLES)


def test_items_behind_a_claim_are_those_that_flipped():
    found = evidence_of(finding(), TABLES)
    assert [case.item for case in found.cases] == ["a"]
    case = found.cases[0]
    assert (case.n_flipped, case.gold, case.source) == (2, "positive", "reviews.tsv:2")
    assert [a.replicate for a in case.answers] == ["seed 1", "seed 2"]
    assert found.n_cases == 1
    assert found.flips.observed == (1, 0, 1)
    assert (case.turn, found.n_turned["broken"]) == ("broken", 1)


def test_what_is_fixed_stands_apart_and_what_has_no_label_is_judged_by_nobody():
    was = TABLES.items.column_names.index("gold")
    for gold, turn in (('"negative"', "fixed"), ("null", "changed"), ("[]", "changed")):
        items = TABLES.items.set_column(was, "gold", pa.array([gold] * TABLES.items.num_rows))
        place = TABLES.variants.column_names.index("gold")
        column = pa.array([gold] * TABLES.variants.num_rows)
        variants = TABLES.variants.set_column(place, "gold", column)
        found = evidence_of(finding(), replace(TABLES, items=items, variants=variants))
        assert found.n_turned[turn] == found.n_cases == 1
        assert found.cases[0].turn == turn


@pytest.mark.parametrize(
    ("gold", "before", "after", "turn"),
    [
        (["Rome"], "the Rome!", "Paris", "broken"),
        (["Rome", "Paris"], "Ostia", "paris", "fixed"),
        (["Rome", "Paris"], "Rome", "Paris", "changed"),  # right both times
        (["Rome"], "Ostia", "Paris", "changed"),
    ],
)
def test_words_of_a_text_are_judged_as_they_are_scored(gold, before, after, turn):
    was = TABLES.items.column_names.index("gold")
    place = TABLES.variants.column_names.index("gold")
    right = answer_json(AnyOf(Extract(word) for word in gold))
    items = TABLES.items.set_column(was, "gold", pa.array([right] * TABLES.items.num_rows))
    column = pa.array([right] * TABLES.variants.num_rows)
    variants = TABLES.variants.set_column(place, "gold", column)
    rows = [
        row | {"answer": answer_json(Extract(before if row["variant"] is None else after))}
        for row in TABLES.outputs.to_pylist()
    ]
    outputs = pa.Table.from_pylist(rows, schema=OUTPUTS)
    found = evidence_of(finding(), Tables(items, variants, outputs))
    assert found.n_turned[turn] == found.n_cases == 2
    assert [case.turn for case in found.cases] == [turn, turn]


def test_texts_that_a_search_found_are_cases_each_item_once():
    long, short = ([["text", 0, 1, "x"], ["text", 2, 3, "y"]], [["text", 0, 1, "x"]])
    of = {"model": SUBJECT, "dataset": DATASET, "item": "a", "change": "typos@1", "draw": 0}
    one = SearchedText(**of, replicate=SEEDS[0], edits=long, before="positive", after="negative")
    other = one._replace(replicate=SEEDS[1], edits=short)
    lost = one._replace(item="b", is_success=False)
    found = evidence_found(finding(), [one, other, lost], TABLES)
    assert (found.n_cases, found.n_turned) == (1, {"broken": 1})
    (case,) = found.cases
    assert len(case.edits) == 1
    assert case.note == "fools 2 of 5 models, each by a text of its own"
    assert evidence_found(finding(), [one._replace(change="pwws@1")], TABLES) is None


def test_other_draws_and_recipes_stand_behind_other_claims():
    assert evidence_of(finding(draw=1), TABLES) is None
    assert evidence_of(finding(transformation="unknown@1"), TABLES) is None
    assert evidence_of(replace(finding(), estimate=None), TABLES) is None


def test_outputs_of_another_training_step_stand_behind_another_claim():
    rows = TABLES.outputs.to_pylist()
    early = [row | {"condition": '{"step":"100"}', "answer": "x"} for row in rows]
    late = [row | {"condition": '{"step":"200"}'} for row in rows]
    outputs = pa.Table.from_pylist(early + late, schema=OUTPUTS)
    tables = replace(TABLES, outputs=outputs)
    assert [case.item for case in evidence_of(finding(step="200"), tables).cases] == ["a"]
    assert evidence_of(finding(step="100"), tables).cases == ()
    assert evidence_of(finding(step="300"), tables) is None


def test_one_replicate_has_cases_and_no_histogram():
    single = TABLES.outputs.filter(pa.compute.equal(TABLES.outputs.column("replicate"), SEEDS[0]))
    found = evidence_of(finding(), replace(TABLES, outputs=single))
    assert len(found.cases) == 1
    assert found.flips is None


def test_items_that_a_replicate_did_not_answer_are_left_out():
    rows = [
        r for r in TABLES.outputs.to_pylist() if not (r["replicate"] == SEEDS[1] and r["variant"])
    ]
    outputs = pa.Table.from_pylist(rows, schema=OUTPUTS)
    assert evidence_of(finding(), replace(TABLES, outputs=outputs)) is None


def test_tags_and_texts_are_compared_in_words():
    rows = TABLES.outputs.to_pylist()
    for row in rows:
        kinds = ["PER", "LOC"] if row["variant"] else ["PER"]
        spans = tuple(Span("text", 0, 1, kind) for kind in kinds)
        row["answer"], row["scores"] = answer_json(spans), None
    outputs = pa.Table.from_pylist(rows, schema=OUTPUTS)
    found = evidence_of(finding(), replace(TABLES, outputs=outputs))
    answer = found.cases[0].answers[0]
    assert (answer.before, answer.after) == ("1 PER", "1 LOC, 1 PER")
    assert MARGIN not in found.flips.baselines


def test_view_of_a_folder(folder):
    view = load_view(folder.path)
    facts = view.facts
    assert (facts.seed, facts.draws, facts.level) == (7, 500, 0.9)
    assert facts.title == "sentiment on reviews"
    assert facts.replicates == tuple(f"seed {i}" for i in range(1, 6))
    assert facts.status == "complete"
    assert view.estimates == report_sample.sample().estimates
    assert view.notes["robustness"].summary == "Score before and after."
    assert view.notes["robustness"].misleads == ("Misleads when a is b.", "Misleads when c.")
    assert view.datasets[0].overlap.startswith("sentiment: 0.000 [0.000, 0.003] of the items")
    assert view.datasets[0].doubts == ("2 rows hold x",)
    assert [(m.recipe, m.status, m.count) for m in view.missing] == [
        ("typos@1", "skipped", 1),
        ("tense@1", "refused", 1),
    ]
    assert [case.item for case in view.evidence["typos"].cases] == ["a"]
    assert len(view.evidence) == 1


# those of Every Eval Ever hold numbers of the whole data alone
@pytest.mark.parametrize("name", [name for name in FORMATS if not name.startswith("eee")])
def test_every_format_of_a_folder(folder, name):
    text = render(load_view(folder.path), name)
    assert "typos" in text
    declares = name in ("model-card", "evidence")  # scores; others have every number
    assert ("0.861" if declares else "0.081") in text


def test_run_without_outputs_still_has_a_report(folder):
    (folder.path / "outputs.parquet").unlink()
    (folder.path / "variants.parquet").unlink()
    view = load_view(folder.path)
    assert view.evidence["typos"].cases == ()
    assert view.missing == ()
    assert "0.081" in render(view, "html")


def test_unfinished_runs_say_so(folder):
    folder.write_manifest(MANIFEST | {"status": "running"})
    with pytest.raises(DataError, match="holds a run that is not finished"):
        load_view(folder.path)  # its tables may be those of another start
    folder.write_manifest(MANIFEST)
    (folder.path / "estimates.parquet").unlink()
    with pytest.raises(DataError, match="the run is not finished"):
        load_view(folder.path)


def test_manifest_of_a_stranger_is_read_as_far_as_it_goes(folder):
    folder.write_manifest({"written_by": "a stranger"})
    view = load_view(folder.path)
    assert view.notes == {}
    assert view.datasets == ()
    assert "0.081" in render(view, "text")


def test_counts_of_flips_by_hand():
    flipped = np.array([[1, 1], [1, 0], [0, 0], [0, 0]], dtype=bool)  # rates 1/2 and 1/4
    counts = count_flips(flipped)
    assert counts.observed == (2, 1, 1)
    assert counts.baselines[COIN] == pytest.approx((4 * 3 / 8, 4 * 4 / 8, 4 * 1 / 8))


def test_margin_explains_flips_that_the_margin_makes():
    rng = np.random.default_rng(0)
    margins = np.repeat(rng.uniform(size=(400, 1)), 5, axis=1)
    flipped = margins < 0.1  # the same items flip, and the margin says which
    counts = count_flips(flipped, margins)
    observed, coin, margin = counts.observed, counts.baselines[COIN], counts.baselines[MARGIN]
    assert sum(observed) == round(sum(coin)) == round(sum(margin)) == 400
    assert coin[5] < 0.1
    assert margin[5] > 0.8 * observed[5]


def test_expected_counts_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(1)
    flipped, margins = rng.uniform(size=(100, 3)) < 0.3, rng.uniform(size=(100, 3))
    order = rng.permutation(100)
    a, b = count_flips(flipped, margins), count_flips(flipped[order], margins[order])
    assert a.observed == b.observed
    assert a.baselines[MARGIN] == pytest.approx(b.baselines[MARGIN])


def test_changes_are_shown_in_reading_order():
    text = "one two three"
    edits = [SimpleNamespace(start=8, end=13, text="3"), SimpleNamespace(start=4, end=4, text="+")]
    found = [(s.kind, s.text) for s in stretches(text, edits)]
    assert found == [
        ("kept", "one "),
        ("inserted", "+"),
        ("kept", "two "),
        ("removed", "three"),
        ("inserted", "3"),
    ]
    kept = "".join(t for kind, t in found if kind in {"kept", "removed"})
    assert kept == text


def test_long_texts_keep_the_neighborhood_of_the_change():
    text = "x" * 1000 + "OLD" + "y" * 1000
    found = stretches(text, [SimpleNamespace(start=1000, end=1003, text="NEW")], context=10)
    assert [s.kind for s in found] == ["gap", "kept", "removed", "inserted", "kept", "gap"]
    assert found[1].text == "x" * 10
    far = [SimpleNamespace(start=i, end=i, text="!") for i in (0, 2000)]
    assert [s.kind for s in stretches(text, far, context=10)] == [
        "inserted",
        "kept",
        "gap",
        "kept",
        "inserted",
        "kept",
    ]
    assert [s.kind for s in stretches(text, [], context=10)] == ["kept", "gap"]


def test_edits_that_do_not_fit_are_left_out():
    edits = [SimpleNamespace(start=90, end=99, text="x"), SimpleNamespace(start=0, end=2, text="")]
    overlapping = [*edits, SimpleNamespace(start=1, end=3, text="z")]
    assert [s.kind for s in stretches("abcdef", overlapping)] == ["removed", "kept"]


def test_changes_without_a_shape_are_spelled_out():
    assert visible("a\u200b\u202e\nb") == "a⟨U+200B⟩⟨U+202E⟩\nb"


def test_controls_are_not_what_a_run_examines(folder):
    models = {SUBJECT: {"role": "measured"}, f"{SUBJECT} untrained": {"role": "null"}}
    folder.write_manifest(MANIFEST | {"models": models})
    estimates = list(report_sample.sample().estimates)
    null = next(e for e in estimates if e.key.role == "null")
    many = {f'{{"seed":{i}}}': 0.5 for i in range(20)}
    folder.write_estimates([*estimates, replace(null, by_replicate=many)])
    facts = load_view(folder.path).facts
    assert facts.subjects == (SUBJECT,)
    assert facts.title == "sentiment on reviews"
    assert facts.replicates == tuple(f"seed {i}" for i in range(1, 6))
