"""Labels exchanged at random: what moves, what stays, and that it is a fair null."""

from collections import Counter, defaultdict

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.opening import iter_examples


def pairs(n):
    return [
        {
            "more": f"The old clerk saw {i}.",
            "less": f"The young clerk saw {i}.",
            "direction": "stereo" if i % 4 else "antistereo",
            "set": "original" if i % 2 else "negated",
            "pair": str(i // 2),
        }
        for i in range(n)
    ]


def permuted(rows, seed, **options):
    return load_dataset(rows, columns={"permute": str(seed)}, **options)


def test_pairs_are_exchanged_with_their_direction():
    plain, changed = load_dataset(pairs(40)), permuted(pairs(40), 1)
    other = {"stereo": "antistereo", "antistereo": "stereo"}
    moved = []
    for a, b in zip(plain.examples, changed.examples, strict=True):
        assert (a.id, a.source) == (b.id, b.source)
        if a.fields != b.fields:
            moved.append(a.attributes["u_pair"])
            assert b.fields == {"more": a.fields["less"], "less": a.fields["more"]}
            assert b.attributes["a_direction"] == other[a.attributes["a_direction"]]
        else:
            assert a.attributes == b.attributes
    assert set(Counter(moved).values()) == {2}  # a pair and its control share a coin
    assert f"which changed {len(moved)} of 40 items" in changed.notes[0]
    assert "permute=1" in changed.source
    assert changed.name == "list-permuted-1"
    assert changed.fingerprint != plain.fingerprint


def test_the_same_seed_gives_the_same_and_another_does_not():
    one, again, other = (permuted(pairs(40), seed) for seed in (1, 1, 2))
    assert (one.examples, one.fingerprint) == (again.examples, again.fingerprint)
    assert one.examples != other.examples


def test_a_limit_takes_of_what_was_exchanged():
    whole = permuted(pairs(40), 1)
    assert permuted(pairs(40), 1, limit="10:20").examples == whole.examples[10:20]
    assert tuple(iter_examples(pairs(40), columns={"permute": "1"})) == whole.examples


def test_classified_texts_exchange_their_labels_and_nothing_else():
    rows = [{"text": f"case {n}", "label": "yes" if n < 10 else "no"} for n in range(40)]
    plain, changed = load_dataset(rows), permuted(rows, 1)
    assert Counter(changed.golds) == Counter(plain.golds) == {"yes": 10, "no": 30}
    assert changed.golds != plain.golds
    assert [e.fields for e in changed.examples] == [e.fields for e in plain.examples]
    pairs_of = [{**row, "text_pair": "so"} for row in rows]
    assert Counter(permuted(pairs_of, 2).golds) == {"yes": 10, "no": 30}


def test_coins_are_fair():
    plain = load_dataset(pairs(2)).examples[0]
    heads = sum(permuted(pairs(2), s).examples[0].fields != plain.fields for s in range(400))
    assert abs(heads - 200) < 4 * 10  # four standard errors


def test_triples_are_exchanged_with_their_identifiers():
    rows = [
        {
            "context": "The clerk was BLANK.",
            "stereotype": f"The clerk was dull {i}.",
            "antistereotype": f"The clerk was wild {i}.",
            "unrelated": f"The clerk was tin {i}.",
            "stereotype_id": f"s{i}",
            "antistereotype_id": f"a{i}",
            "unrelated_id": f"u{i}",
            "term": "clerk",
        }
        for i in range(40)
    ]
    n = 0
    for a, b in zip(load_dataset(rows).examples, permuted(rows, 1).examples, strict=True):
        assert b.fields["unrelated"] == a.fields["unrelated"]
        is_moved = b.fields["stereotype"] == a.fields["antistereotype"]
        n += is_moved
        letter = "a" if is_moved else "s"
        assert str(b.attributes["a_stereotype_id"]).startswith(letter)
        assert {b.fields["stereotype"], b.fields["antistereotype"]} == {
            a.fields["stereotype"],
            a.fields["antistereotype"],
        }
    assert 8 < n < 32  # the term does not tie coins


def association(sizes):
    """Sentences of words by set; ``sizes`` are texts of each word."""
    return [
        {"text": f"{s}{w} {k}", "test": test, "set": s, "category": f"set {s}", "word": f"{s}{w}"}
        for test in ("t1", "t2")
        for s, counts in sizes.items()
        for w, n in enumerate(counts)
        for k in range(n)
    ]


SIZES = {"X": [4, 4, 14, 2], "Y": [4, 12, 4, 4], "A": [3, 4], "B": [4, 3, 3]}


def test_words_change_sets_with_their_sentences():
    rows = association(SIZES)
    plain = load_dataset(rows, task="association-test")
    for seed in range(20):
        data = permuted(rows, seed, task="association-test")
        places = defaultdict(set)
        texts, words = Counter(), defaultdict(set)
        for before, after in zip(plain.examples, data.examples, strict=True):
            a, b = before.attributes, after.attributes
            assert (before.id, before.fields) == (after.id, after.fields)
            assert {a["a_set"], b["a_set"]} in ({"X"}, {"Y"}, {"A"}, {"B"}, {"X", "Y"}, {"A", "B"})
            assert b["a_category"] == f"set {b['a_set']}"
            places[b["a_test"], b["u_word"]].add(b["a_set"])
            texts[b["a_test"], b["a_set"]] += 1
            words[b["a_test"], b["a_set"]].add(b["u_word"])
        assert all(len(found) == 1 for found in places.values())
        for s, counts in SIZES.items():
            assert texts["t1", s] == texts["t2", s] == sum(counts)
            assert len(words["t1", s]) == len(words["t2", s]) == len(counts)


def test_all_balanced_assignments_are_equally_likely():
    rows = association({"X": [1, 1], "Y": [1, 1]})
    seen = Counter()
    for seed in range(300):
        data = permuted(rows, seed, task="association-test")
        seen[
            frozenset(
                e.attributes["u_word"]
                for e in data.examples
                if e.attributes["a_set"] == "X" and e.attributes["a_test"] == "t1"
            )
        ] += 1
    assert len(seen) == 6
    assert all(abs(n - 50) < 4 * 6.5 for n in seen.values())


def test_without_luck_words_keep_their_number_and_texts_come_near(monkeypatch):
    monkeypatch.setattr("scrutiny.tasks.stereotypes._TRIES", 3)
    rows = association({"X": [1, 20, 3, 50], "Y": [2, 9, 7, 4]})
    moved = 0
    for seed in range(10):
        data = permuted(rows, seed, task="association-test")
        inside = [e.attributes for e in data.examples if e.attributes["a_test"] == "t1"]
        words = {s: {a["u_word"] for a in inside if a["a_set"] == s} for s in "XY"}
        assert len(words["X"]) == len(words["Y"]) == 4
        moved += words["X"] != {"X0", "X1", "X2", "X3"}
    assert moved > 5


@pytest.mark.parametrize(
    ("columns", "phrase"),
    [
        ({"permute": "yes"}, "a whole number from 0"),
        ({"permute": "-1"}, "a whole number from 0"),
    ],
)
def test_seeds_that_do_not_read(failure, columns, phrase):
    assert phrase in failure(pairs(2), columns=columns)


def test_tasks_without_anything_to_exchange(failure):
    message = failure("builtin:agreement#permute=1")
    assert "items of minimal-pairs have no labels that could be exchanged" in message
