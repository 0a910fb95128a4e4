"""Coreference heads: questions on paper, a planted resolver, and noise."""

import json

import numpy as np
import pytest
from linked_heads import LinkedHead
from preferring_language import without_contrasts
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.queries.annotation import Mention, Mentions
from scrutiny.diagnostics.attention.coreference import (
    CoreferenceParams,
    HeadCoreference,
    baselines_of,
    head_of_mention,
    pointed_right,
    questions_of,
)
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap
from scrutiny.tasks.annotated import MentionClusters
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead, UniformHead

WORDS = tuple("Ann met the king of France and she told Ann of the king".split())
VIEW = Mentions(
    WORDS,
    (
        Mention((0,), "1", "proper"),
        Mention((2, 3, 4, 5), "2", "nominal"),
        Mention((5,), "3", "proper"),
        Mention((7,), "1", "pronoun"),
        Mention((9,), "1", "proper"),
        Mention((11, 12), "2", "nominal"),
    ),
)


def test_questions_are_mentions_that_go_back_to_one():
    found = questions_of(VIEW)
    assert [(q.word, q.kind) for q in found] == [(7, "pronoun"), (9, "proper"), (12, "nominal")]
    she, ann, king = found
    assert she.candidates.tolist() == [0, 3, 5]
    assert she.is_right.tolist() == [True, False, False]
    assert ann.is_right.tolist() == [True, False, False, True]
    assert king.candidates[king.is_right].tolist() == [3]


def test_all_candidates_may_follow():
    found = questions_of(VIEW, candidates="all")
    assert [q.word for q in found] == [0, 3, 7, 9, 12]
    assert found[0].candidates.tolist() == [3, 5, 7, 9, 12]


@pytest.mark.parametrize(("how", "word"), [("rule", 3), ("last", 5), ("first", 2)])
def test_head_words(how, word):
    assert head_of_mention(WORDS, VIEW.mentions[1], how) == word


def test_names_end_in_their_head_whatever_they_hold():
    words = ("the", "Bank", "of", "England")
    assert head_of_mention(words, Mention((0, 1, 2, 3), "1", "proper")) == 3
    assert head_of_mention(words, Mention((0, 1, 2, 3), "1", "nominal")) == 1


def test_baselines_by_hand():
    she, ann, king = questions_of(VIEW)
    assert baselines_of(WORDS, she).tolist() == [0, 0, pytest.approx(1 / 3)]
    assert baselines_of(WORDS, ann).tolist() == [1, 1, 0.5]  # she is nearest, and Ann matches
    assert baselines_of(WORDS, king).tolist() == [0, 1, pytest.approx(1 / 5)]


def test_only_candidates_are_rivals():
    (she, *_) = questions_of(VIEW)
    weights = np.zeros((1, 3, 14, 14), dtype=np.float32)
    weights[0, 0, 8, [0, 1, 2]] = 0.5, 0.2, 0.3  # [CLS], Ann, met
    weights[0, 1, 8, [1, 4]] = 0.2, 0.3  # Ann, king
    found = WordMap(weights, np.array([SPECIAL, *range(13)]), 13)
    assert pointed_right(found, she).tolist() == [[True, False, False]]
    without = WordMap(weights[..., :8, :8], np.array([SPECIAL, *range(7)]), 13)
    assert not pointed_right(without, she).any()  # she has no piece


def texts(count=50, *, seed=2):
    """Two people, and one of them again, in random places among other words."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(count):
        words = [f"w{number}x{i}" for i in range(10)]
        places = sorted(rng.choice(10, 4, replace=False).tolist())
        clusters = ["a", "b", "c", "abc"[int(rng.integers(3))]]
        kinds = ["proper", "proper", "nominal", "pronoun"]
        mentions = [
            {"words": [p], "cluster": c, "kind": k}
            for p, c, k in zip(places, clusters, kinds, strict=True)
        ]
        rows.append({"id": str(number), "words": words, "mentions": mentions})
    return rows


ROWS = texts()


def resolver(fidelity):
    links = []
    for row in ROWS:
        targets = [None] * 10
        *others, last = row["mentions"]
        right = next(m for m in others if m["cluster"] == last["cluster"])
        targets[last["words"][0]] = right["words"][0]
        links.append((tuple(row["words"]), tuple(targets)))
    return LinkedHead(tuple(links), fidelity)


def planted():
    return ToyAttention([[NoiseHead(), UniformHead()], [resolver(0.9), NoiseHead()]])


def examples(rows):
    return [MentionClusters().parse(row, source=f"x:{i}") for i, row in enumerate(rows, 1)]


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(HeadCoreference),
        examples=examples(ROWS[:6]),
        task=MentionClusters(),
        model=planted(),
    )


def test_a_planted_resolver_is_found_among_pronouns(tmp_path):
    folder = run("attention.coreference", planted(), ROWS, tmp_path, task="mention-clusters")
    found = estimate(folder, "selected_head(accuracy)", kind="pronoun")
    assert found.value == pytest.approx(0.92, abs=0.09)
    assert found.counts.n == len(ROWS)
    head = estimate(folder, "head(accuracy)", kind="pronoun", layer=2, head=1)
    assert head.value == estimate(folder, "best_head(accuracy)", kind="pronoun").value
    assert estimate(folder, "selected_head_over_baseline(accuracy)", kind="pronoun").low > 0.2
    uniform = estimate(folder, "baseline(accuracy)", kind="pronoun", baseline=3)
    assert uniform.value == pytest.approx(1 / 3)
    proper = estimate(folder, "best_head(accuracy)", kind="proper")
    assert (proper.status, proper.counts.skipped) == ("undefined", len(ROWS))


def test_nothing_is_found_in_noise(tmp_path):
    model = ToyAttention([[NoiseHead(), NoiseHead()]])
    rows = texts(240, seed=6)
    folder = run("attention.coreference", model, rows, tmp_path, task="mention-clusters")
    found = estimate(folder, "selected_head_over_baseline(accuracy)", kind="all")
    assert found.low < 0.02
    assert estimate(folder, "mean_head(accuracy)", kind="all").value == pytest.approx(
        1 / 3, abs=0.06
    )


def test_rows_by_kind_and_preset():
    batch = Batch(tuple(examples(ROWS[:2])))
    params = CoreferenceParams(presets=("default", "as_released"), candidates="all")
    context = ToyContext(MentionClusters(), planted())
    rows = list(HeadCoreference().measure(params, Cell("m", None, "x"), batch, context))
    assert len(rows) == 2 * 2 * 4
    kinds = [json.loads(row.condition)["kind"] for row in rows[:4]]
    assert kinds == ["all", "pronoun", "proper", "nominal"]
    by_kind = {json.loads(row.condition)["kind"]: row.values for row in rows[:4]}
    gold = {k: v[8] for k, v in by_kind.items() if v}
    assert gold["all"] == sum(v for k, v in gold.items() if k != "all") == 2


def test_unknown_choices_are_refused():
    with pytest.raises(UnknownNameError, match="preceding"):
        CoreferenceParams(candidates="precedin")
    with pytest.raises(UnknownNameError, match="rule"):
        CoreferenceParams(head_word="rul")
