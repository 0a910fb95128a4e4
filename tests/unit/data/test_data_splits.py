"""Splits: sizes, groups and labels; the released one is one by length; the far ones are far."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr, wasserstein_distance, wasserstein_distance_nd

from scrutiny.cli import main
from scrutiny.cli.verbs import split as split_verb
from scrutiny.core.errors import DataError, PlanError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.splits.adversarial import as_released, farthest, released_distances
from scrutiny.data.splits.bags import (
    Bags,
    JensenShannon,
    TotalVariation,
    along_lines,
    beside_random,
    latent_vectors,
    random_parts,
    text_bags,
    word_bags,
)
from scrutiny.data.splits.split import SplitWanted, split_dataset
from scrutiny.data.splits.ways import WAYS, Texts
from scrutiny.data.splits.written import write_split


def sst2(shared):
    with (shared / "sst2" / "dev.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row["sentence"] for row in rows]


def rows_of(texts, **columns):
    return [
        {"text": text, "label": "ab"[i % 2], **{k: v[i] for k, v in columns.items()}}
        for i, text in enumerate(texts)
    ]


def parts(by, texts, dev, test, seed=0, **known):
    data = Texts(texts, word_bags(texts), **known)
    return WAYS[by](data, dev, test, np.random.default_rng(seed))


def test_the_released_distance_is_scipys_and_blind_to_which_word_it_is():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, size=(20, 9))
    center = rng.integers(0, 4, size=9)
    expected = [wasserstein_distance(row, center) for row in counts]
    assert np.allclose(released_distances(csr_matrix(counts), center), expected, atol=1e-12)
    shuffled = np.array([rng.permutation(row) for row in counts])
    assert np.allclose(released_distances(csr_matrix(shuffled), center), expected, atol=1e-12)
    # the worked example: two texts without a common word
    one, other = [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]
    assert released_distances(csr_matrix([one]), np.array(other)) == [0.0]
    assert wasserstein_distance(one, other) == 0


@pytest.mark.data("sst2")
def test_as_released_on_sst2_is_the_documented_split_by_length(shared):
    from sklearn.feature_extraction.text import CountVectorizer

    texts = sst2(shared)
    examples = shared / "survey_worked_examples" / "worked_examples.json"
    wanted = json.loads(examples.read_text())["sogaard_sst2_dev"]
    trials = [as_released(texts, 87, np.random.default_rng(seed)) for seed in range(3)]
    assert (trials[0] == trials[1]).all()
    assert (trials[0] == trials[2]).all()
    words = np.array([len(text.split()) for text in texts])
    chosen = trials[0]
    released = wanted["as_released"]
    assert words[chosen].mean() == pytest.approx(released["mean_words_test"], abs=0.1)
    assert words[~chosen].mean() == pytest.approx(released["mean_words_train"], abs=0.05)
    counts = CountVectorizer(min_df=2).fit_transform(texts)
    assert counts.shape == (872, 1457)
    center = np.random.default_rng(0).integers(0, int(counts.max()) + 1, size=1457)
    tokens = np.asarray(counts.sum(axis=1)).ravel()
    rho = spearmanr(released_distances(counts, center), -tokens).statistic
    assert rho > released["spearman_distance_vs_minus_token_count_min"]
    bags = Bags(counts.astype(float), tokens)
    rng = np.random.default_rng(0)
    random = [rng.permutation(872) < 87 for _ in range(1000)]
    (found,) = beside_random([TotalVariation()], bags, chosen, random)
    assert found.reached == pytest.approx(released["tv_train_test"], abs=2e-3)  # ties at the border
    assert found.mean == pytest.approx(wanted["random_splits_1000"]["tv_mean"], abs=2e-3)
    assert found.exceeds == 0  # below all of them


def test_words_that_stand_often_do_not_wrap():
    texts = ["the " * 200, "the end", "the cat", "the end of the cat"]
    chosen = as_released(texts, 1, np.random.default_rng(0))
    assert chosen.tolist() == [True, False, False, False]


@pytest.mark.parametrize("by", ["word-wasserstein", "total-variation", "jensen-shannon"])
@pytest.mark.data("sst2")
def test_word_aware_ways_exceed_every_random_split_of_as_many_words(shared, by):
    texts = sst2(shared)
    made = parts(by, texts, 87, 87)
    chosen, bags = made.parts == 2, word_bags(texts)
    total = int(bags.tokens[chosen].sum())
    assert chosen.sum() == 87
    assert total == pytest.approx(87 * bags.tokens.mean(), rel=0.02)
    others = random_parts(bags.tokens, 87, total, 300, np.random.default_rng(1))
    assert len(others) == 300
    assert all(abs(bags.tokens[one].sum() - total) <= 0.01 * total for one in others)
    for found in beside_random([TotalVariation(), made.far[0]], bags, chosen, others):
        assert found.exceeds == 300


def test_vectors_of_texts_are_split_where_they_are_far():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 4))
    vectors[:30] += 6  # a cluster of its own
    texts = ["a b c"] * 300
    made = parts("sliced-wasserstein", texts, 0, 30, vectors=vectors)
    assert (np.flatnonzero(made.parts == 2) == np.arange(30)).all()


@pytest.mark.parametrize("of", [TotalVariation(), JensenShannon(), None])
def test_slopes_are_those_of_the_distances(of):
    rng = np.random.default_rng(0)
    of = of or along_lines(rng.normal(size=(6, 3)), rng)
    p, q, step = (*rng.dirichlet(np.full(6, 5.0), size=2), 1e-7)
    for side, slope in enumerate(of.slopes(p, q)):
        gained = np.zeros(6)
        for i in range(6):
            moved = [p.copy(), q.copy()]
            moved[side][i] += step
            gained[i] = float(np.squeeze(of.value(*moved) - of.value(p, q))) / step
        # mass stays 1: what all features gain alike moves nothing
        assert np.allclose(gained - gained[0], slope - slope[0], atol=0.005)


def test_sliced_distance_along_one_line_is_wassersteins():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(40, 1))
    of = along_lines(places, rng)
    p, q = rng.dirichlet(np.ones(40), size=2)
    expected = wasserstein_distance(places.ravel(), places.ravel(), p, q)
    assert float(of.value(p, q)) == pytest.approx(expected, rel=0.02)


def test_sliced_distance_orders_bags_as_the_exact_one_and_lies_below_it():
    """Along a line, no mass moves farther than it does in space (but for the width of bins)."""
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(25, 4))
    of = along_lines(vectors, rng)
    exact, sliced = [], []
    for _ in range(25):
        p, q = rng.dirichlet(np.full(25, rng.choice([0.1, 1.0, 10.0])), size=2)
        exact.append(wasserstein_distance_nd(vectors, vectors, p, q))
        sliced.append(float(of.value(p, q)))
    assert (np.array(sliced) <= np.array(exact) + of.widths.max()).all()
    assert spearmanr(exact, sliced).statistic > 0.97


def test_thresholds_of_length_are_walked_from_the_longest():
    texts = [f"{i} " * i for i in range(1, 101)]
    made = parts("length", texts, 10, 10)
    assert sorted(np.flatnonzero(made.parts == 2) + 1) == list(range(91, 101))
    assert made.says == "test texts have more than 90 words"
    assert (made.parts == 1).sum() == 10
    with pytest.raises(DataError, match="5 texts have the largest length, 3 words"):
        parts("length", ["a b c"] * 5 + ["a"] * 20, 0, 4)


def test_random_parts_that_are_the_split_itself_say_nothing_of_it():
    bags = word_bags([f"{i} " * (i % 5 + 1 + 100 * (i > 89)) for i in range(100)])
    longest = np.arange(100) > 89
    total = int(bags.tokens[longest].sum())
    others = random_parts(bags.tokens, 10, total, 20, np.random.default_rng(0))
    (far,) = beside_random([TotalVariation()], bags, longest, others)
    assert far.overlap > 0.9
    assert far.mean is far.exceeds is None
    assert "nearly this split" in split_verb._beside(far)


def test_random_lengths_hold_all_texts_of_a_length():
    texts = [f"{i} " * (1 + i % 20) for i in range(400)]
    made = parts("random-lengths", texts, 40, 40)
    tokens = np.array([1 + i % 20 for i in range(400)])
    inside, outside = set(tokens[made.parts == 2]), set(tokens[made.parts != 2])
    assert not inside & outside
    assert (made.parts == 2).sum() == 40
    with pytest.raises(DataError, match="No 100 draws"):
        parts("random-lengths", ["a"] * 10 + ["b c"] * 10, 0, 5)


def test_random_parts_keep_groups_together_and_labels_in_their_shares():
    labels = ["x"] * 80 + ["y"] * 20
    made = parts("random", ["t"] * 100, 10, 20, labels=labels)
    assert np.bincount(made.parts).tolist() == [70, 10, 20]
    assert sum(label == "y" for label, p in zip(labels, made.parts, strict=True) if p == 2) == 4
    groups = [i // 4 for i in range(100)]
    made = parts("random", ["t"] * 100, 20, 20, groups=groups, labels=labels)
    assert all(len(set(made.parts[g * 4 : g * 4 + 4])) == 1 for g in range(25))
    assert np.abs(np.bincount(made.parts) - [60, 20, 20]).max() <= 4
    assert not (parts("random", ["t"] * 100, 0, 20, groups=groups).parts == 1).any()
    again = parts("random", ["t"] * 100, 10, 20)
    assert (again.parts == parts("random", ["t"] * 100, 10, 20).parts).all()
    assert (again.parts != parts("random", ["t"] * 100, 10, 20, seed=1).parts).any()


def test_groups_go_where_there_is_room():
    groups = [*np.repeat(["a", "b", "c"], (20, 15, 12)), *range(53)]
    made = parts("random", ["t"] * 100, 10, 10, groups=groups)
    assert np.bincount(made.parts).tolist() == [80, 10, 10]
    assert not made.says
    made = parts("random", ["t"] * 27, 3, 10, groups=[i // 9 for i in range(27)])
    assert np.bincount(made.parts).tolist() == [18, 0, 9]
    assert made.says == "14, 3 and 10 items were asked, and groups allowed 18, 0 and 9"


def test_a_column_states_the_standard_parts_and_else_the_file_does():
    assert parts("standard", ["t"] * 10, 2, 3).parts.tolist() == [0] * 5 + [1] * 2 + [2] * 3
    made = parts("standard", ["t"] * 3, 1, 1, stated=["test", "train", "validation"])
    assert made.parts.tolist() == [2, 0, 1]
    with pytest.raises(DataError, match="says 'tset'"):
        parts("standard", ["t"] * 2, 1, 1, stated=["tset", "train"])


def test_words_of_one_kind_are_near_one_another():
    texts = ["cat dog", "dog cat", "sun moon", "moon sun"] * 10
    bags = word_bags(texts)
    _, words = latent_vectors(bags, np.random.default_rng(0), dimensions=2)
    cat, dog, sun, _ = words
    assert np.linalg.norm(cat - dog) < 0.1 < np.linalg.norm(cat - sun)
    assert latent_vectors(word_bags(["a"]), np.random.default_rng(0))[1].shape == (1, 1)
    chosen = farthest(TotalVariation(), bags, 20, np.random.default_rng(0))
    assert {texts[i] for i in np.flatnonzero(chosen)} in (
        {"cat dog", "dog cat"},
        {"sun moon", "moon sun"},
    )
    assert text_bags(np.ones((3, 2)), bags.tokens[:3]).counts.shape == (3, 3)


def test_the_parts_are_the_rows_of_the_file_and_the_record_says_what_shifted(tmp_path):
    lines = ["text\tlabel\tsource"]
    lines += [f"word{i} and {'more ' * (i % 7)}\t{'ab'[i % 2]}\tgroup{i % 10}" for i in range(60)]
    file = tmp_path / "x.tsv"
    file.write_text("\n".join([*lines, lines[5]]) + "\n")  # the last one repeats a row
    data = load_dataset(f"tsv:{file}#text=text,label=label,group=source")
    wanted = SplitWanted(group_by="source", is_stratified=True, test=0.2)
    split = split_dataset(data, wanted, n_random=50)
    strings = write_split(split, data, tmp_path / "out")
    written = [
        line
        for one in strings.values()
        for line in Path(one[4:].split("#")[0]).read_text().splitlines()[1:]
    ]
    assert sorted(written) == sorted([*lines[1:], lines[5]])
    again = {name: load_dataset(one) for name, one in strings.items()}
    assert [len(again[name].examples) for name in again] == [one.n_items for one in split.records]
    assert not {e.attributes["a_source"] for e in again["test"].examples} & {
        e.attributes["a_source"] for e in again["train"].examples
    }
    record = json.loads((tmp_path / "out" / "split.json").read_text())
    assert record["by"] == "random"
    assert record["distances"][0]["n_random"] <= 50
    assert set(record["copies"]) == {"exact", "contained", "near"}
    assert record["label_shift"] == pytest.approx(split.label_shift)


def test_sentences_of_trees_keep_what_is_said_of_them(tmp_path):
    tree = "# sent_id = {0}\n# text = w{0}\n1-1\tw{0}" + "\t_" * 8 + "\n"
    tree += "1\tw{0}\tw\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
    file = tmp_path / "x.conllu"
    file.write_text("".join(tree.format(i) for i in range(12)))
    data = load_dataset(f"conllu:{file}")
    split = split_dataset(data, SplitWanted(by="standard", dev=3, test=4), n_random=0)
    strings = write_split(split, data, tmp_path / "out")
    assert (tmp_path / "out" / "test.conllu").read_text() == "".join(
        tree.format(i) for i in range(8, 12)
    )
    assert len(load_dataset(strings["train"]).examples) == 5
    assert split.label_shift is None
    assert split.distances[0].mean is None


@pytest.mark.parametrize("how", ["utf-8", "utf-16", "latin-1", "gzip"])
def test_lines_end_where_the_readers_end_them_in_any_encoding(tmp_path, how):
    # these end a line for str.splitlines, and none for a reader
    odd = "\x0b\x0c\x85\x1c" + ("" if how == "latin-1" else "\u2028")
    rows = [f"é{odd[i % len(odd)]}word{i}\t{'ab'[i % 2]}" for i in range(30)]
    text = "\n".join(["text\tlabel", *rows]) + "\n"
    packed, encoding = how == "gzip", "utf-8" if how == "gzip" else how
    file = tmp_path / ("x.tsv.gz" if packed else "x.tsv")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode(encoding))
    data = load_dataset(f"tsv:{file}#encoding={encoding}")
    split = split_dataset(data, SplitWanted(test=5), n_random=0)
    for name, string in write_split(split, data, tmp_path / "out").items():
        wanted = [data.examples[i] for i in split.parts[name]]
        again = load_dataset(string).examples
        assert [(e.text, e.gold) for e in again] == [(e.text, e.gold) for e in wanted]


def test_no_source_is_overwritten_and_no_earlier_part_stays(tmp_path):
    file, out = tmp_path / "train.tsv", tmp_path / "out"
    file.write_text("text\tlabel\n" + "".join(f"w{i}\tx\n" for i in range(30)))
    data = load_dataset(f"tsv:{file}")
    split = split_dataset(data, SplitWanted(), n_random=0)
    with pytest.raises(PlanError, match="would be overwritten"):
        write_split(split, data, tmp_path)
    assert file.read_text().count("\n") == 31
    write_split(split, data, out)
    without = split_dataset(data, SplitWanted(dev=0), n_random=0)
    write_split(without, data, out)
    assert sorted(one.name for one in out.iterdir()) == ["split.json", "test.tsv", "train.tsv"]
    (out / "split.json").unlink()
    with pytest.raises(PlanError, match=r"no split\.json says"):
        write_split(split, data, out)


def test_what_is_not_in_lines_is_written_as_json(tmp_path):
    data = load_dataset("builtin:reviews", limit="40")
    split = split_dataset(data, SplitWanted(), n_random=0)
    strings = write_split(split, data, tmp_path)
    found = load_dataset(strings["test"])
    assert [(e.text, e.gold, e.attributes) for e in found.examples] == [
        (e.text, e.gold, e.attributes) for e in (data.examples[i] for i in split.parts["test"])
    ]
    assert found.examples[0].attributes["a_topic"]


def test_items_that_json_does_not_hold_are_refused(tmp_path):
    data = load_dataset("builtin:entities")
    split = split_dataset(data, SplitWanted(), n_random=0)
    with pytest.raises(DataError, match="cannot be split into files of items of token-tagging"):
        write_split(split, data, tmp_path)


def test_what_cannot_be_split_is_said():
    for wanted, said in (
        ({"by": "luck"}, "not by 'luck'"),
        ({"by": "length", "group_by": "x"}, "group-by is for splits by random"),
        ({"is_stratified": True, "by": "length"}, "stratify is for splits by random"),
        ({"column": "x"}, "column is for splits by standard"),
        ({"vectors": np.ones((3, 2))}, "vectors is for splits by sliced-wasserstein"),
        ({"min_df": 3}, "min-df is for splits by released-wasserstein"),
        ({"test": 0}, "has to hold something"),
    ):
        with pytest.raises(PlanError, match=said):
            SplitWanted(**wanted)
    data = load_dataset("builtin:reviews", limit="10")
    with pytest.raises(DataError, match="each part needs some"):
        split_dataset(data, SplitWanted(dev=5, test=5))
    with pytest.raises(DataError, match="has no 'author'; it has text, topic"):
        split_dataset(data, SplitWanted(group_by="author"))
    with pytest.raises(DataError, match="vectors of the shape"):
        split_dataset(data, SplitWanted(by="sliced-wasserstein", vectors=np.ones((3, 2))))
    with pytest.raises(DataError, match="No word stands in 99"):
        as_released(["a b"], 1, np.random.default_rng(0), min_df=99)


def test_the_command_knows_every_way():
    assert set(split_verb._WAYS) == set(WAYS)


def test_the_command_takes_vectors_and_prints_the_record(tmp_path, capsys):
    vectors = tmp_path / "v.npy"
    np.save(vectors, np.random.default_rng(0).normal(size=(640, 3)))
    command = ["split", "builtin:reviews", "--by", "sliced-wasserstein", "--json"]
    with pytest.raises(SystemExit) as left:
        main([*command, "--vectors", str(vectors), "--out", str(tmp_path / "out")])
    assert left.value.code == 0
    record = json.loads(capsys.readouterr().out)
    assert record["distances"][1]["says"] == "sliced Wasserstein distance of texts"
    assert record["data"]["test"].endswith("test.jsonl#group=topic")
    vectors.write_text("no array")
    with pytest.raises(SystemExit) as left:
        main([*command, "--vectors", str(vectors), "--out", str(tmp_path / "out")])
    assert left.value.code == 2
    assert "no array of numbers" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--times", "3"], "times is for --study"),
        (["--study", "linear", "--json"], "json is for one split"),
        (["--study", "linear", "--by", "length"], "same test part whatever the seed"),
    ],
)
def test_options_that_a_study_has_alone(tmp_path, capsys, options, said):
    with pytest.raises(SystemExit) as left:
        main(["split", "builtin:reviews", "--out", str(tmp_path), *options])
    assert left.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_column_needs_no_sizes(tmp_path):
    file = tmp_path / "x.tsv"
    file.write_text("text\tlabel\tpart\na\tx\ttrain\nb\ty\ttest\nc\tx\ttrain\n")
    wanted = SplitWanted(by="standard", column="part")  # a tenth of 3 items would be none
    split = split_dataset(load_dataset(f"tsv:{file}#group=part"), wanted, n_random=0)
    assert split.parts == {"train": (0, 2), "dev": (), "test": (1,)}


def test_a_study_counts_each_test_part_once(tmp_path, capsys):
    file = tmp_path / "x.tsv"
    rows = "".join(f"w{i}\tx\t{p}\n" for i, p in enumerate(("train", "test", "train")))
    file.write_text("text\tlabel\tpart\n" + rows)
    command = ["split", f"tsv:{file}#group=part", "--study", "linear", "--column", "part"]
    with pytest.raises(SystemExit) as left:
        main([*command, "--dev", "0", "--test", "1", "--out", str(tmp_path / "o")])
    assert left.value.code == 0
    assert "18 more had the test part of another" in capsys.readouterr().out
    assert len(list((tmp_path / "o").glob("split-*"))) == 3
    # a study of fewer splits leaves none of these, and nothing that a person put there goes
    rows = [json.loads((tmp_path / "o" / f"split-{i}" / "split.json").read_text()) for i in (1, 2)]
    first = rows[0]["seed"] - 1
    (tmp_path / "o" / "split-2" / "notes.txt").write_text("mine")
    (tmp_path / "o" / "split-9").mkdir()
    with pytest.raises(SystemExit):
        main(
            [
                *command,
                "--dev",
                "0",
                "--test",
                "1",
                "--times",
                "1",
                "--seed",
                str(first),
                "--out",
                str(tmp_path / "o"),
            ]
        )
    left_over = sorted(str(p.relative_to(tmp_path / "o")) for p in (tmp_path / "o").rglob("*"))
    kept = [one for one in left_over if one.startswith(("split-2", "split-9"))]
    assert kept == ["split-2", "split-2/notes.txt", "split-9"]
