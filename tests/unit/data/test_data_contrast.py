"""Contrast sets: changed items beside their originals, from tables and the published formats."""

import json
from collections import Counter

import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset

BEFORE = "id,text,label\nx,Good film.,yes\ny,Dull plot.,no\n"
AFTER = "of,text,label\nx,Bad film.,no\nx,Good? No.,no\ny,Fine plot.,yes\n"


@pytest.fixture
def sets(tmp_path):
    (tmp_path / "before.csv").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "after.csv").write_text(AFTER, encoding="utf-8")
    return f"contrast:{tmp_path / 'after.csv'}#originals=before.csv"


def test_a_column_names_the_original(sets):
    data = load_dataset(f"{sets},of=of")
    assert [(e.id, e.gold, e.case.of if e.case else "") for e in data.examples] == [
        *(("x", "yes", ""), ("y", "no", "")),
        *(("x/1", "no", "x"), ("x/2", "no", "x"), ("y/1", "yes", "y")),
    ]
    (test,) = suite_tests(data.examples)
    assert (test.name, test.n_cases, test.has_base, test.has_groups) == (
        "contrast set",
        3,
        True,
        True,
    )
    assert data.examples[0].source.endswith("before.csv:2")


def test_rows_are_paired_by_place(sets, tmp_path):
    with pytest.raises(DataError, match=r"before.csv ends before row 3.* of=NAME"):
        load_dataset(sets)
    rows = AFTER.splitlines()
    (tmp_path / "after.csv").write_text("\n".join([rows[0], rows[1], rows[3]]), encoding="utf-8")
    assert [e.id for e in load_dataset(sets).examples] == ["1", "1/1", "2", "2/1"]


def test_changes_of_an_unknown_item_are_bad_rows(sets, tmp_path):
    (tmp_path / "after.csv").write_text(AFTER + "z,Who?,no\n", encoding="utf-8")
    data = load_dataset(f"{sets},of=of")
    (bad,) = data.bad_rows
    assert "it changes 'z', which is not in" in bad.reason
    assert bad.source.endswith("after.csv:5")


def test_a_changed_item_may_have_an_id_of_its_own(sets, tmp_path):
    text = "id,of,text,label\na,x,Bad.,no\nb,y,Fine.,yes\n"
    (tmp_path / "after.csv").write_text(text, encoding="utf-8")
    assert [e.id for e in load_dataset(f"{sets},of=of").examples] == ["x", "y", "a", "b"]


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ("", "names two files"),
        ("#originals=before.csv,of=origin", "linked to .* by its column 'origin'"),
        ("#originals=none.csv", "none.csv"),
    ],
)
def test_what_is_no_contrast_set(sets, options, phrase):
    with pytest.raises(DataError, match=phrase):
        load_dataset(sets.partition("#")[0] + options)


@pytest.mark.parametrize(("suffix", "phrase"), [("json", "ROPES"), ("xml", "MATRES")])
def test_files_of_another_format(tmp_path, suffix, phrase):
    (tmp_path / f"a.{suffix}").write_text("[1]", encoding="utf-8")
    with pytest.raises(DataError, match=f"no file of {phrase}"):
        load_dataset(f"contrast:{tmp_path}/a.{suffix}#originals=a.{suffix}")


def test_answers_need_not_stand_in_the_text(tmp_path):
    for name, answer in (("old", "Bob"), ("new", "Sample A")):
        asked = {"id": "7", "question": "Sample A or Bob?", "answers": [{"text": answer}]}
        told = {"background": "Some fade.", "situation": "Bob did.", "qas": [asked]}
        text = json.dumps({"data": [{"paragraphs": [told]}]})
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    old, new = load_dataset(f"contrast:{tmp_path}/new.json#originals=old.json").examples
    assert old.fields["context"] == "Some fade.\nBob did."
    assert old.gold[0] == ("Bob", "context", 11)
    assert new.gold[0] == ("Sample A", "", 0)
    assert (new.id, new.case.of) == ("7/1", "7")


def questions(*asked):
    """A file of Quoref's contrast set: questions ``(id, original, spans)`` on one paragraph."""
    qas = [
        {"id": name, "question": f"Who is {name}?", "original_id": of,
         "answers": [{"text": word, "answer_start": "Ada met Bo".find(word)} for word in words]}
        for name, of, words in asked
    ]  # fmt: skip
    told = {"context": "Ada met Bo", "context_id": "c", "qas": qas}
    return json.dumps({"data": [{"paragraphs": [told]}]})


def test_questions_in_squads_format_name_their_original(tmp_path):
    before = questions(("a", "", ["Ada"]), ("b", "", ["Ada", "Bo"]))
    (tmp_path / "old.json").write_text(before.replace('"original_id": "", ', ""))
    changed = questions(("c", "a", ["Bo"]), ("d", "a", ["Ada", "Bo"]), ("e", "b", ["Bo"]))
    (tmp_path / "new.json").write_text(changed)
    data = load_dataset(f"contrast:{tmp_path}/new.json#originals=old.json")
    assert [(e.id, e.case.of if e.case else "") for e in data.examples] == [
        *(("a", ""), ("b", ""), ("c", "a"), ("d", "a"), ("e", "b")),
    ]
    assert (data.task, data.bad_rows) == ("multi-span-questions", ())
    golds = [(e.gold[0].text, e.gold[0].field) for e in data.examples]
    assert golds[1:4] == [("Ada|Bo", ""), ("Bo", "context"), ("Ada|Bo", "")]
    assert data.examples[2].case.expect == "gold(least=0.800001,metric=answer_f1)"


@pytest.mark.data("contrast_sets")
def test_imdb(shared):
    folder = shared / "contrast_sets" / "IMDb" / "data"
    for half, n in (("test", 488), ("dev", 100)):
        data = load_dataset(
            f"contrast:{folder}/{half}_contrast.tsv#originals={half}_original.tsv,label=Sentiment"
        )
        golds = {e.id: e.gold for e in data.examples}
        assert (len(golds), data.bad_rows) == (2 * n, ())
        assert all(
            {golds[str(k)], golds[f"{k}/1"]} == {"Positive", "Negative"} for k in range(1, n + 1)
        )


@pytest.mark.reproduces
@pytest.mark.data("contrast_sets")
def test_counts_of_matres_and_ropes(shared):
    folder = shared / "contrast_sets"
    matres = load_dataset(
        f"contrast:{folder}/MATRES/Platinum_subset_perturbed.xml"
        "#originals=Platinum_subset_original.xml"
    )
    cases = [e for e in matres.examples if e.case]
    assert (len(matres) - len(cases), len(cases), matres.bad_rows) == (239, 401, ())
    assert Counter(e.attributes["a_perturbation"] for e in cases) == {
        "order": 161, "tense": 69, "indicator": 55, "other": 116,
    }  # fmt: skip
    assert all(e.text.count("[E1 ") == e.text.count("[E2 ") == 1 for e in matres.examples)
    ropes = load_dataset(
        f"contrast:{folder}/ropes/data/ropes_contrast_set_032820.json"
        "#originals=ropes_contrast_set_original_032820.json"
    )
    assert (sum(e.case is not None for e in ropes.examples), len(ropes), ropes.bad_rows) == (
        974,
        1948,
        (),
    )
    assert sum(not e.gold[0].field for e in ropes.examples) == 697


PUBLISHED = {
    "BoolQ/boolq_perturbed.json": ("text-pair-classification", 69, 335, 5),
    "DROP/drop_contrast_sets_test.json": ("multi-span-questions", 0, 947, 0),
    "MCTACO/changed.tsv#originals=original.tsv": ("text-pair-classification", 751, 646, 0),
    "nlvr2/contrast_set_nlvr2.jsonl": ("text-classification", 0, 994, 0),
    "perspectrum/perspectrum_contrast_sets.csv": ("text-pair-classification", 217, 217, 0),
    "quoref/quoref_test_perturbations_20191206_merged.json"
    "#originals=quoref_original_subset_20191206_merged.json": ("multi-span-questions", 415, 698, 2),
    "UD_English/en_combo-ud-test.altered_only.noun-to-verb.conllu"
    "#originals=en_combo-ud-test.original_only.noun-to-verb.conllu": ("dependency-arcs", 75, 69, 6),
    "UD_English/en_combo-ud-test.altered_only.verb-to-noun.conllu"
    "#originals=en_combo-ud-test.original_only.verb-to-noun.conllu": ("dependency-arcs", 75, 70, 5),
}


@pytest.mark.reproduces
@pytest.mark.data("contrast_sets")
def test_counts_of_the_other_published_sets(shared):
    for place, wanted in PUBLISHED.items():
        data = load_dataset(f"contrast:{shared}/contrast_sets/{place}")
        n_cases = sum(e.case is not None for e in data.examples)
        found = (data.task, len(data) - n_cases, n_cases, len(data.bad_rows))
        assert found == wanted, place
        assert all(e.gold is not None for e in data.examples)
        sets = Counter(e.attributes["u_group"] for e in data.examples)
        if "nlvr2" in place:
            assert len(sets) == 479
        if "MCTACO" in place:
            assert len(sets) == 100


def test_a_file_that_is_almost_as_published_says_what_was_expected(tmp_path):
    (tmp_path / "a.json").write_text('{"data": [{"perturbed_questions": []}]}', encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.json is not as published.*TRUE or FALSE.*'paragraph'"):
        load_dataset(f"contrast:{tmp_path}/a.json")
    (tmp_path / "b.tsv").write_text("index\tsentence1\tsentence2\tlabel\n", encoding="utf-8")
    with pytest.raises(DataError, match="#originals=FILE"):
        load_dataset(f"contrast:{tmp_path}/b.tsv")


def test_changed_questions_of_drop_are_linked_to_their_originals(tmp_path):
    def passage(name, question, **answer):
        given = {"number": "", "spans": [], "date": {"day": "", "month": "", "year": ""}, **answer}
        asked = {"query_id": name, "question": question, "answer": given}
        return json.dumps({"p": {"passage": "Ada and Bo ran 5 miles.", "qa_pairs": [asked]}})

    (tmp_path / "old.json").write_text(passage("q", "How far?", number="5"), encoding="utf-8")
    changed = passage("q_1", "Who ran?", spans=["Ada", "Bo"])
    (tmp_path / "new.json").write_text(changed, encoding="utf-8")
    data = load_dataset(f"contrast:{tmp_path}/new.json#originals=old.json")
    old, new = data.examples
    assert (old.case, new.case.of) == (None, "q")
    assert (new.gold[0].text, new.case.expect) == ("Ada|Bo", "gold(least=0.8,metric=answer_f1)")
    (alone,) = load_dataset(f"contrast:{tmp_path}/new.json").examples
    assert (alone.case.of, alone.attributes["u_group"]) == ("", "q")
    (tmp_path / "none.json").write_text(passage("q_2", "Who sat?", spans=[""]), encoding="utf-8")
    data = load_dataset(f"contrast:{tmp_path}/none.json#originals=old.json")
    assert [e.id for e in data.examples] == ["q"]
    assert [bad.reason for bad in data.bad_rows] == [
        "its answer has no number, no span and no date"
    ]
    with pytest.raises(
        DataError, match=r"changes 'q', which is not in none\.json or has no answer"
    ):
        load_dataset(f"contrast:{tmp_path}/new.json#originals=none.json")


def test_trees_without_the_marks_of_the_published_ones_are_refused(tmp_path):
    tree = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(f"# sent_id = a\n{tree}", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"\.xml\. As published.*DROP \(\.json\).*\*\*\* \(\.conllu"
    ):
        load_dataset(f"contrast:{tmp_path}/a.conllu#originals=a.conllu")


def test_rows_of_perspectrum_are_left_out_with_a_note_where_there_are_any(tmp_path):
    names = ("original_claim", "contrast_claim", "original_stance_label", "contrast_stance_label")
    for stance, notes in (("neg", 0), ("unk", 1)):
        rows = [f"{','.join(names)},perspective", "a,b,pos,neg,c", f"a,b,pos,{stance},d"]
        (tmp_path / "p.csv").write_text("\n".join(rows), encoding="utf-8")
        data = load_dataset(f"contrast:{tmp_path}/p.csv")
        assert (len(data), len(data.notes)) == (4 - 2 * notes, notes)
