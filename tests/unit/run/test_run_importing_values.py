"""Numbers and texts of single lines, as both tools write them."""

import json
import zipfile
from types import SimpleNamespace

import pytest
from tool_logs import imported, line, write_lines

from scrutiny.core.errors import DataError
from scrutiny.run.importing.inspect_log import (
    completion_of,
    read_member,
    scores_of,
    target_of,
    text_of,
)
from scrutiny.run.importing.lm_eval import choice_of, distinct, score_of
from scrutiny.run.importing.logs import number_of


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, 1.0),
        (True, 1.0),
        ("False", 0.0),
        ("0.25", 0.25),
        ("N/A", None),
        (float("inf"), None),
        (None, None),
    ],
)
def test_numbers_of_lm_eval(value, number):
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("metric", "value", "found"),
    [
        ("acc", 0.0, ("acc", 0.0)),
        ("acc", None, ("acc", None)),
        ("perplexity", -3.5, ("loglik", -3.5)),
        ("bits_per_byte", [-20.0, 10], ("loglik_per_byte", -2.0)),
        ("byte_perplexity", [-20.0, 0], ("loglik_per_byte", None)),
        ("brier_score", [1, "[0.25 0.75]"], ("brier_score", 0.125)),
        ("brier_score", [0, [0.25, 0.75]], ("brier_score", 1.125)),
        ("brier_score", [5, [0.25, 0.75]], ("brier_score", None)),
        ("brier_score", [1, "[0.1 0.2 ... 0.1]"], ("brier_score", None)),
        ("mcc", [1, 0], None),
        ("rouge", {"a": 1}, None),
    ],
)
def test_scores_of_lm_eval(metric, value, found):
    assert score_of(metric, value) == found


def test_choices_that_cannot_be_ranked():
    assert choice_of([["-1.0", "False"]], ["a", "b"]) is None
    assert choice_of([["nan", "False"], ["-1", "False"]], ["a", "b"]) is None
    assert choice_of([["-inf", "False"], ["-inf", "False"]], ["a", "b"]) is None
    assert choice_of(["x", ["-1", "True"]], ["a", "b"]) is None
    found = choice_of([["-inf", "False"], [-700.0, True]], ["a", "b"])
    assert (found.answer, found.scores) == ("b", (0.0, 1.0))


def test_likelihoods_of_the_choices_alone_are_no_choices(tmp_path):
    asked = line(0)["arguments"]
    alone = {
        f"gen_args_{2 + k}": {"arg_0": "", "arg_1": w} for k, w in enumerate((" bad", " good"))
    }
    more = {
        "arguments": {**asked, **alone},
        "filtered_resps": [[-2.0, False], [-0.5, True], [-0.1, True], [-9.0, False]],
    }
    path = write_lines(tmp_path / "m" / "samples_t.jsonl", [line(0, **more)])
    run = imported("lm-eval", [path], tmp_path / "run")
    (answer,) = run.outputs().to_pylist()
    assert answer["answer"] == "good"
    assert len(answer["scores"]) == 2


def test_a_blank_prompt_gives_way_to_the_items_own_text(tmp_path):
    more = {f"gen_args_{k}": {"arg_0": "", "arg_1": w} for k, w in enumerate(("It is.", "It are."))}
    made = [line(0, arguments=more), line(1, arguments=more, doc={"n": 1})]
    run = imported("lm-eval", [write_lines(tmp_path / "samples_t.jsonl", made)], tmp_path / "run")
    texts = [json.loads(row["fields"])["text"] for row in run.items().to_pylist()]
    assert texts == ["Sentence 0 is here.", "It is."]


def test_files_that_are_no_logs(tmp_path):
    with pytest.raises(DataError, match="is no file of samples"):
        imported("lm-eval", [write_lines(tmp_path / "other.jsonl", [line(0)])], tmp_path / "run")
    path = write_lines(tmp_path / "samples_t_2026-01-01T00-00-00.jsonl", [line(0)])
    (tmp_path / "results_2026-01-01T00-00-00.json").write_text("{")
    with pytest.raises(DataError, match=r"results_.*\.json cannot be read"):
        imported("lm-eval", [path], tmp_path / "run")
    (tmp_path / "log.json").write_text('{"version": 2, "eval": {}}')
    with pytest.raises(DataError, match="is no log of inspect"):
        imported("inspect", [tmp_path / "log.json"], tmp_path / "run")
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as made:
        made.writestr("other.txt", "")
    with pytest.raises(DataError, match="the archive has no header"):
        imported("inspect", [tmp_path / "log.eval"], tmp_path / "run")


def test_choices_are_told_apart():
    assert distinct([" a", "b "]) == ("a", "b")
    assert distinct(["a", " a"]) == ("1: a", "2: a")


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), ("0.7", 0.7), ("maybe", None), ([1], None)],
)
def test_scores_of_inspect(value, number):
    assert dict(scores_of("s", value)) == {"s": number}


def test_texts_of_inspect():
    assert text_of([], {}) == ""
    assert text_of([{"role": "assistant", "content": "Yes."}], {}) == "Yes."
    parts = [{"type": "image"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert text_of([{"role": "user", "content": parts}], {}) == "a\nb"
    assert text_of("attachment://k", {"k": "long"}) == "long"
    assert text_of("attachment://k", ["long"]) == "attachment://k"
    assert completion_of(None) is None
    assert completion_of({"completion": "", "choices": []}) is None
    assert completion_of({"completion": "so"}) == "so"
    assert target_of([]) is None
    assert target_of("") is None


def test_a_member_that_is_not_where_the_archive_says(tmp_path):
    path = tmp_path / "short.eval"
    path.write_bytes(b"PK\x03\x04")
    info = SimpleNamespace(compress_type=93, header_offset=0, filename="x", compress_size=4)
    with pytest.raises(zipfile.BadZipFile, match="does not stand where"):
        read_member(None, info, path)
