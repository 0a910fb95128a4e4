"""Names that lose form, coverage or contexts: invariants on WNUT-17, and a tagger's scores."""

import random
from collections import Counter, defaultdict
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span, suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.data.name_regularity import (
    CHANGES,
    NamedCorpus,
    NamedSentence,
    NamedSpan,
    context_reduction,
    counts_of,
    mention_permutation,
    mention_reduction,
    name_permutation,
    named_sentence,
)
from scrutiny.data.parts.part_attribute import Surroundings, TextPart, load_part_attribute
from scrutiny.data.parts.part_counts import PartCounts

FILES = {"train": "wnut17train.conll", "test": "emerging.dev.conll"}


@pytest.fixture
def corpus(shared):
    return corpus_in(shared / "wnut17")


@cache
def corpus_in(folder):
    found = load_dataset(f"conll:{folder}/{FILES['train']}").examples
    sentences = [named_sentence(e) for e in found]  # nearly all names of its test sets are new
    return NamedCorpus(sentences[:2200], sentences[2200:])


def names(sentences):
    return [(s.name_of(m), m.type) for s in sentences for m in s.mentions]


def expected_coverage(corpus):
    """Entity coverage ratio of each name, weighted by how often the test set has it (Fu 2020)."""
    train, test = (Counter(names(half)) for half in corpus)
    totals = [Counter(), Counter()]
    for counts, total in zip((train, test), totals, strict=True):
        for (name, _), n in counts.items():
            total[name] += n
    ratios = {
        name: sum(
            (train[name, label] / totals[0][name]) * (n / totals[1][name])
            for (other, label), n in test.items()
            if other == name
        )
        for name in totals[1]
        if totals[0][name]
    }
    return sorted(ratios.values()), sum(r * totals[1][n] for n, r in ratios.items())


@pytest.mark.data("wnut17")
def test_a_permutation_of_names_is_a_bijection_that_keeps_coverage(corpus):
    changed = name_permutation(corpus, random.Random(1))
    pairs = {
        (old.name_of(m), new.name_of(n))
        for half, other in zip(corpus, changed, strict=True)
        for old, new in zip(half, other, strict=True)
        for m, n in zip(old.mentions, new.mentions, strict=True)
    }
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert not {a for a, _ in pairs} & {b for _, b in pairs}
    assert counts_of(changed) == counts_of(corpus)
    for new, old in zip(expected_coverage(changed), expected_coverage(corpus), strict=True):
        assert new == pytest.approx(old)
    for half, other in zip(corpus, changed, strict=True):
        assert [s.tags for s in half] == [s.tags for s in other]
        for old, new in zip(half, other, strict=True):
            kept = [w for w, tag in zip(old.words, old.tags, strict=True) if tag == "O"]
            assert kept == [w for w, tag in zip(new.words, new.tags, strict=True) if tag == "O"]


@pytest.mark.data("wnut17")
def test_a_permutation_of_mentions_leaves_no_coverage(corpus):
    changed = mention_permutation(corpus, random.Random(1))
    counts, before = counts_of(changed), counts_of(corpus)
    assert counts.coverage == 0.0 < before.coverage
    assert counts.names == counts.mentions == before.mentions
    assert [s.tags for half in changed for s in half] == [s.tags for half in corpus for s in half]


@pytest.mark.data("wnut17")
def test_reductions_keep_all_else(corpus):
    before = counts_of(corpus)
    contexts = context_reduction(corpus, random.Random(1), 0.2)
    found = counts_of(contexts)
    assert Counter(names(contexts.train)) == Counter(names(corpus.train))
    assert found._replace(contexts=0) == before._replace(contexts=0)
    assert 0.2 * before.contexts <= found.contexts < 0.27 * before.contexts
    fewer = mention_reduction(corpus, random.Random(1), 0.2)
    found = counts_of(fewer)
    assert found[:3] == before[:3]
    assert found.names == pytest.approx(0.2 * before.names, rel=0.05)
    assert [s.types for s in fewer.train] == [s.types for s in corpus.train]
    assert {*names(fewer.train)} <= {*names(corpus.train)}
    assert fewer.test is contexts.test is corpus.test


def tagged(sentence, known, *, forms):
    """Names of training by heart; with forms, other words with a capital are persons."""
    found, i = [], 0
    while i < len(sentence.words):
        for n in range(min(6, len(sentence.words) - i), 0, -1):
            name = " ".join(sentence.words[i : i + n]).casefold()
            has_form = forms and n == 1 and i and sentence.words[i].istitle()
            if name in known or has_form:
                found.append(NamedSpan(i, i + n, known.get(name, "person")))
                i += n - 1
                break
        i += 1
    return found


def by_dictionary(corpus, *, forms):
    """Counts ``(sentence, group, found / given / right)`` of names in the dictionary, and out."""
    known = dict(names(corpus.train))
    group_of, beside = load_part_attribute("dictionary"), Surroundings(PartCounts(()))
    labels = defaultdict(Counter)
    for words, label in names(corpus.train):
        labels[words][label] += 1
    beside.__dict__["counts"] = SimpleNamespace(parts=labels)
    counts = np.zeros((len(corpus.test), 2, 3))
    for row, sentence in zip(counts, corpus.test, strict=True):
        text, at = " ".join(sentence.words), [0]
        for word in sentence.words:
            at.append(at[-1] + len(word) + 1)
        example = Example("x", {"tokens": text})
        said = tagged(sentence, known, forms=forms)
        for place, mentions in enumerate((sentence.mentions, said)):
            for one in mentions:
                span = Span("tokens", at[one.first], at[one.end] - 1, one.type)
                group = group_of.function(TextPart(example, span, beside))
                row[group_of.groups.index(group), place] += 1
                row[group_of.groups.index(group), 2] += place * (one in sentence.mentions)
    return counts


def recall(counts):
    """Share of the names that are found, of both groups of summed counts."""
    return counts[..., 2] / np.maximum(counts[..., 0], 1)


@pytest.mark.data("wnut17")
def test_a_tagger_that_knows_names_by_heart_needs_no_form(corpus):
    permuted = name_permutation(corpus, random.Random(0))
    fresh = mention_permutation(corpus, random.Random(0))
    before, after = (by_dictionary(one, forms=False).sum(0) for one in (corpus, permuted))
    assert recall(before)[0] > 0.95
    assert recall(before).tolist() == recall(after).tolist() == [recall(before)[0], 0.0]
    assert by_dictionary(fresh, forms=False)[..., 2].sum() == 0.0


@pytest.mark.data("wnut17")
def test_forms_find_the_names_that_no_one_has_seen(corpus):
    permuted = name_permutation(corpus, random.Random(0))
    before, after = (by_dictionary(one, forms=True) for one in (corpus, permuted))
    draws = np.random.default_rng(0).integers(0, len(before), (400, len(before)))
    lost = recall(before[draws].sum(1)) - recall(after[draws].sum(1))  # (draw, in / out)
    assert np.quantile(lost[:, 1] - lost[:, 0], 0.025) > 0.05
    assert recall(before.sum(0))[1] > 0.1 > recall(after.sum(0))[1] == 0.0


@pytest.mark.data("wnut17")
def test_the_command_writes_data_and_a_suite(shared, tmp_path):
    places = [f"conll:{shared}/wnut17/{name}" for name in FILES.values()]
    done = CliRunner().invoke(group, ["data", "names", *places, "-o", str(tmp_path / "n")])
    assert done.exit_code == 0, done.output
    assert "mention permutation      3,394     3,302     1,975     1,975     0.0 %" in done.output
    again = load_dataset(f"conll:{tmp_path}/n/name_permutation.train.conll")
    assert (len(again), again.bad_rows) == (3394, ())
    suite = load_dataset(f"suite:{tmp_path}/n/names.jsonl")
    tests = suite_tests(suite.examples)
    assert [(test.name, test.has_level) for test in tests] == [
        ("name permutation", True),
        ("mention permutation", True),
    ]
    assert len({test.n_cases for test in tests}) == 1
    case = next(e for e in suite.examples if e.case and len(e.gold) > 1)
    base = next(e for e in suite.examples if e.id == case.case.of)
    assert [one.label for one in case.gold] == [one.label for one in base.gold]


def sentence(text, *mentions):
    return NamedSentence(text, tuple(text.split()), tuple(NamedSpan(*m, "PER") for m in mentions))


def test_longer_names_than_the_words_can_make_are_refused():
    ada = [sentence("Ada Lovelace saw it there", (0, 2))] * 10
    with pytest.raises(DataError, match=r"has 3 .* make 9 names of 2 words, and 10 are needed"):
        mention_permutation(NamedCorpus(ada, []), random.Random(0))
    made = mention_permutation(NamedCorpus(ada[:9], []), random.Random(0))  # each of the nine
    assert len({s.words[:2] for s in made.train}) == 9


def test_words_keep_marks_and_their_most_frequent_written_form():
    text = "Ida Straße STRASSE Straße नहीं 5G aus Ida"
    corpus = NamedCorpus([sentence(text, (0, 1)), sentence("Bo Bo2 !", (0, 1), (1, 2))], [])
    made = name_permutation(corpus, random.Random(0))
    put = {s.words[m.first] for s in made.train for m in s.mentions}
    assert put == {"Straße", "नहीं", "aus"}
    ada = NamedCorpus([sentence("Ada Berlins Häuser sind alt", (0, 1))] * 2, [])
    words = {name_permutation(ada, random.Random(n)).train[0].words[0] for n in range(20)}
    assert words == {"Berlins", "Häuser", "sind", "alt"}


def test_data_without_tags_or_with_few_words_is_refused():
    with pytest.raises(DataError, match="has no tagged words"):
        named_sentence(Example("a", {"text": "Ada"}, "good", source="f:1"))
    few = named_sentence(load_dataset("builtin:entities").examples[0])
    crowd = NamedCorpus(
        [few._replace(words=("Ada",), mentions=(few.mentions[0]._replace(first=0, end=1),))], []
    )
    for change in (CHANGES["name permutation"], mention_permutation):
        with pytest.raises(DataError, match="different words outside of names"):
            change(crowd, random.Random(0))
