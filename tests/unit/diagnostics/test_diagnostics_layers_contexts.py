"""Cosines in context by layer, phrases by type, and phrases of trees by hand."""

import numpy as np
import pytest
from preferring_language import without_contrasts
from toy_layers import PlantedLayers, examples, sentences
from toy_runs import estimate, run

from scrutiny.core.answers.words import Words
from scrutiny.core.queries.language import Passage
from scrutiny.diagnostics.layers.contexts import LayerContexts
from scrutiny.diagnostics.layers.layer_charts import CONTEXTS, SPANS
from scrutiny.diagnostics.layers.layer_metrics import (
    CONTEXT_COSINE,
    PHRASE_COSINE,
    SEPARATED_PHRASES,
)
from scrutiny.diagnostics.layers.phrases import Phrase, base_phrases, chunk_tags, constituents
from scrutiny.diagnostics.layers.probe_params import layers_of
from scrutiny.diagnostics.layers.spans import LayerSpans, nearest_centers, span_vectors
from scrutiny.report.load import load_view
from scrutiny.stats.representations.mean_cosines import cosine_matrix
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.testing import check_diagnostic, check_part, check_statistic

PARAMS = {"shortest": 2, "longest": 3}


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    out = tmp_path_factory.mktemp("contexts")
    return run(*("layers.contexts", PlantedLayers(), [*sentences(40)], out), task="dependency-arcs")


@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    out = tmp_path_factory.mktemp("spans")
    return run(
        *("layers.spans", Grouping(), [*trees()], out), task="dependency-arcs", shown=5, **PARAMS
    )


class Grouping(PlantedLayers):
    """Layer 1 knows whether a word stands in the first half of its text: noun phrases do."""

    def representations(self, passages, *, poolings, layers):
        found = super().representations(passages, poolings=poolings, layers=layers)
        for i, one in enumerate(passages):
            place = "first" if one.word[0] < len(one.text) / 2 else "second"
            for j, layer in enumerate(layers):
                found[i, j] = 3 * (layer == 1) * self.drawn(place) + found[i, j] * (layer != 1)
        return found


def trees(count=40):
    """A noun phrase and a prepositional phrase of two words, and a verb between them."""
    rng = np.random.default_rng(2)
    for n in range(count):
        words = [f"w{i}" for i in rng.integers(20, size=5)]
        yield {
            "id": f"t{n}",
            "words": words,
            "heads": [2, 3, 0, 5, 3],
            "relations": ["det", "nsubj", "root", "case", "obl"],
            "upos": ["DET", "NOUN", "VERB", "ADP", "NOUN"],
        }


def test_they_keep_the_promises_of_their_protocol():
    rows, task = examples([*sentences(6)]), DependencyArcs()
    for of in (LayerContexts, LayerSpans):
        own = without_contrasts(of)
        check_diagnostic(own, examples=rows, task=task, model=PlantedLayers())
    for one in (CONTEXT_COSINE, PHRASE_COSINE, SEPARATED_PHRASES):
        check_statistic(one)


def test_without_a_context_one_word_is_always_the_same(contexts):
    assert estimate(contexts, "context_cosine", pairs="word", layer=0).value == pytest.approx(
        1.0, abs=1e-6
    )
    assert 0.3 < estimate(contexts, "context_cosine", pairs="word", layer=1).value < 0.8
    assert abs(estimate(contexts, "context_cosine", pairs="word", layer=2).value) < 0.1


def test_words_of_a_text_are_as_by_hand(contexts):
    """The mean over texts of the mean cosine of all pairs of a text."""
    model, found = PlantedLayers(), []
    for row in sentences(40):
        text = " ".join(row["words"])
        places = np.cumsum([0, *(len(word) + 1 for word in row["words"])])
        passages = [
            Passage(text, (int(a), int(a) + len(w)))
            for a, w in zip(places, row["words"], strict=False)
        ]
        vectors = model.representations(passages, poolings=["word"], layers=[1])[:, 0, 0]
        cosines = cosine_matrix(vectors)
        found.append(cosines[~np.eye(len(cosines), dtype=bool)].mean())
    own = estimate(contexts, "context_cosine", pairs="text", layer=1)
    assert own.value == pytest.approx(np.mean(found), abs=1e-5)
    assert own.counts.n == 40


def test_layers_with_context_are_claimed(contexts):
    verdicts = {"/".join(f.claim.id.split("/")[-2:]): f.verdict for f in contexts.findings()}
    assert verdicts["context/1"] == "supported"
    assert verdicts["phrases/2"] != "supported"


def test_phrases_lie_together_where_planted_and_nowhere_else(spans):
    values = [estimate(spans, "separated_phrases", layer=k).value for k in range(3)]
    assert values[1] == 1.0
    assert values[0] < 0.7
    assert values[2] < 0.7
    shuffled = estimate(spans, "separated_phrases", role="control", layer=1).value
    assert 0.35 < shuffled < 0.65
    verdicts = [f.verdict for f in spans.findings() if f.claim.id.endswith("separated/1")]
    assert verdicts == ["supported"]


def test_the_page_shows_cosines_separation_and_a_map(contexts, spans):
    view = load_view(contexts.path)
    check_part(CONTEXTS, view)
    (chart,) = CONTEXTS.make(view).charts
    assert chart.table.header[1:] == (
        *("words of one text", "words and their text's mean", "neighbors"),
        *("one word, other texts", "neighbors in a phrase"),
    )
    view = load_view(spans.path)
    check_part(SPANS, view)
    separated, shown = SPANS.make(view).charts
    assert [row[0] for row in separated.table.rows] == ["0", "1", "2"]
    assert [row[:2] for row in shown.table.rows] == [("NP", "5"), ("PP", "5")]
    assert "Layer 1" in shown.caption


def test_span_vectors_have_four_parts_of_length_one():
    first, last = np.array([3.0, 4.0], np.float32), np.array([0.0, 2.0], np.float32)
    found = span_vectors(first, last).reshape(4, 2)
    np.testing.assert_allclose(found[0], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(found[2], [0.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-6)


def test_centers_are_those_of_the_other_half():
    vectors = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=np.float32)
    is_first = np.array([True, True, False, False])
    assert nearest_centers(vectors, np.array([0, 1, 0, 1]), is_first).tolist() == [1, 0, 1, 0]


def tree(words, heads, relations, upos):
    borders = tuple((2 * i, 2 * i + 1) for i in range(len(words)))
    return Words("text", borders, heads, relations, upos)


#: "the very big dog has eaten in Rome ."
DOG = tree(
    "the very big dog has eaten in Rome .".split(),
    (3, 2, 3, 5, 5, -1, 7, 5, 5),
    ("det", "advmod", "amod", "nsubj", "aux", "root", "case", "obl", "punct"),
    ("DET", "ADV", "ADJ", "NOUN", "AUX", "VERB", "ADP", "PROPN", "PUNCT"),
)


def test_base_phrases_of_a_tree():
    assert chunk_tags(DOG) == "B-NP I-NP I-NP I-NP B-VP I-VP B-PP B-NP O".split()
    assert base_phrases(DOG)[0] == Phrase(0, 4, "NP")
    assert base_phrases(Words("text", DOG.borders)) == []


def test_constituents_of_a_tree():
    found = constituents(DOG, shortest=2, longest=8)
    assert found == [Phrase(1, 3, "ADJP"), Phrase(0, 4, "NP"), Phrase(6, 8, "PP")]
    assert constituents(DOG, shortest=1, longest=1) == [Phrase(1, 2, "ADVP")]


def test_a_phrase_with_a_gap_is_none_and_a_base_phrase_ends_there():
    crossing = tree("a b c".split(), (2, -1, 1), ("det", "root", "obj"), ("DET", "VERB", "NOUN"))
    assert constituents(crossing, shortest=2, longest=3) == []
    assert chunk_tags(crossing) == ["B-NP", "B-VP", "B-NP"]


def test_few_layers_of_a_shallow_model_are_all():
    assert layers_of("few", 0) == (0,)
    assert layers_of("all", 0) == (0,)
