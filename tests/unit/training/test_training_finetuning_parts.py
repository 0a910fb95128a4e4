"""What fine-tuning trains on: which rows, which targets, which batches, which changes."""

import random
from dataclasses import replace

import numpy as np
import pytest
from finetune_toys import FILLERS, make_tokenizer, sentiment, tagged

from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import letters_hash
from scrutiny.models.hf.batching import by_length
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task
from scrutiny.training.finetuning.epoch import augmented, must_keep_labels
from scrutiny.training.finetuning.recipe import FinetuningRecipe, rate_at, rate_for
from scrutiny.training.finetuning.targets import shuffled
from scrutiny.training.finetuning.training_data import load_parts, refuse_shared, split_off_dev

CLASSES = load_task("text-classification")


def write(path, rows):
    lines = [f"{row['text']}\t{row['label']}" for row in rows]
    path.write_text("\n".join(["text\tlabel", *lines]) + "\n")
    return f"tsv:{path}"


def fields_of(examples):
    return [example.text for example in examples]


# -- rows ----------------------------------------------------------------------------------------


def test_a_share_is_split_off_and_nothing_is_lost(tmp_path):
    source = write(tmp_path / "a.tsv", sentiment(80))
    parts = load_parts(source, FinetuningRecipe(dev_share=0.25))
    assert len(parts.train) + len(parts.dev) == 80
    assert 20 <= len(parts.dev) <= 22
    assert not set(fields_of(parts.train)) & set(fields_of(parts.dev))
    assert parts.labels == ("negative", "positive")
    assert load_parts(source, FinetuningRecipe(dev_share=0.25)).digest == parts.digest
    assert load_parts(source, FinetuningRecipe(dev_share=0.3)).digest != parts.digest


def test_texts_with_the_same_letters_stay_together():
    texts = [f"a film about case {letter}" for letter in "abcdefghij"]
    examples = tuple(
        Example(str(i), {"text": text + mark}, "x")
        for i, (mark, text) in enumerate((m, t) for m in (" !", ".") for t in texts)
    )
    train, dev = split_off_dev(examples, 0.3)
    hashes = [{letters_hash(e.text) for e in part} for part in (train, dev)]
    assert not hashes[0] & hashes[1]
    assert len(dev) == 6


def test_a_unit_of_the_data_string_is_never_torn(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{r['text']},{r['label']},d{n // 8}" for n, r in enumerate(sentiment(80))]
    path.write_text("\n".join(["text,label,document", *rows]))
    parts = load_parts(f"csv:{path}#unit=document", FinetuningRecipe(dev_share=0.2))
    units = [{e.attributes["u_document"] for e in part} for part in (parts.train, parts.dev)]
    assert not units[0] & units[1]
    assert len(units[1]) == 2


def test_a_split_that_leaves_nothing_is_refused():
    examples = tuple(Example(str(i), {"text": "same"}, "x") for i in range(5))
    with pytest.raises(DataError, match="leaves none to train on"):
        split_off_dev(examples, 0.2)


def test_the_limit_draws_rows_at_random_and_the_same_each_time(tmp_path):
    source = write(tmp_path / "a.tsv", sorted(sentiment(80), key=lambda row: row["label"]))
    parts = load_parts(source, FinetuningRecipe(limit=40, dev_share=0.0))
    assert len(parts.train) == 40
    assert 10 < sum(e.gold == "positive" for e in parts.train) < 30
    assert parts.notes == ("40 of 80 rows were left out by the limit.",)
    assert load_parts(source, FinetuningRecipe(limit=40, dev_share=0.0)).digest == parts.digest


def test_dev_data_take_the_labels_of_the_training_data(tmp_path):
    train = write(tmp_path / "a.tsv", sentiment(20))
    shouted = [{**row, "label": row["label"].upper()} for row in sentiment(20, seed=1)]
    parts = load_parts(train, FinetuningRecipe(), dev=write(tmp_path / "b.tsv", shouted))
    assert {e.gold for e in parts.dev} == {"negative", "positive"}
    other = [{**row, "label": "odd"} for row in sentiment(4, seed=1)]
    other += [{**row, "label": "even"} for row in sentiment(4, seed=2)]
    with pytest.raises(DataError, match="do not match"):
        load_parts(train, FinetuningRecipe(), dev=write(tmp_path / "c.tsv", other))


def test_what_is_reported_on_is_never_trained_on(tmp_path):
    rows = sentiment(40)
    source = write(tmp_path / "a.tsv", rows)
    whole = load_dataset(source)
    with pytest.raises(PlanError, match=r"The reported data .* 40 of the rows"):
        load_parts(source, FinetuningRecipe(), reported=[whole])
    with pytest.raises(PlanError, match="5 of the rows"):  # the same rows of the same file
        load_parts(source, FinetuningRecipe(), reported=[load_dataset(source, limit="10:15")])
    copied = load_dataset(write(tmp_path / "copy.tsv", rows))
    with pytest.raises(PlanError, match="a score on them says nothing"):
        load_parts(source, FinetuningRecipe(), reported=[copied])
    with pytest.raises(PlanError, match="The dev data"):
        load_parts(source, FinetuningRecipe(), dev=source)
    dev = load_dataset(write(tmp_path / "dev.tsv", sentiment(20, seed=4)))
    with pytest.raises(PlanError, match="20 of the rows"):
        load_parts(source, FinetuningRecipe(), dev=dev, reported=[dev])


def test_other_data_with_the_same_letters_are_noted(tmp_path):
    rows = sentiment(40)
    source = write(tmp_path / "a.tsv", rows)
    changed = [{**row, "text": row["text"].upper() + " !"} for row in rows[:7]]
    other = load_dataset(write(tmp_path / "b.tsv", [*changed, *sentiment(9, seed=8)]))
    parts = load_parts(source, FinetuningRecipe(), reported=[other])
    assert len(parts.notes) == 1
    assert parts.notes[0].startswith("7 of 40 texts")
    mine = load_dataset(source)
    assert refuse_shared(mine.examples, mine, load_dataset(sentiment(9, seed=8)), what="It") == []


def test_rows_without_gold_and_data_without_labels(tmp_path):
    one = [{**row, "label": "same"} for row in sentiment(8)]
    with pytest.raises(DataError, match="has 1 labels"):
        load_parts(write(tmp_path / "a.tsv", one), FinetuningRecipe())


# -- targets -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    pytest.importorskip("transformers")
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("tokenizer")
    make_tokenizer(folder)
    return AutoTokenizer.from_pretrained(folder)


def target(task, labels):
    from scrutiny.training.finetuning.targets import Target

    return Target(load_task(task), labels)


def test_tags_stand_at_the_first_piece_of_each_word(tokenizer):
    made = target("token-tagging", ("LOC", "PER"))
    assert made.names == ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
    text = "the kims new yorks"
    gold = (Span("text", 4, 8, "PER"), Span("text", 9, 18, "LOC"))
    example = Example(
        "1", {"text": text}, gold, tokens={"text": ((0, 3), (4, 8), (9, 12), (13, 18))}
    )
    encoded = made.encode(tokenizer, [example], longest=24)
    pieces = tokenizer.convert_ids_to_tokens(encoded.columns["input_ids"][0])
    assert pieces == ["[CLS]", "the", "kim", "##s", "new", "york", "##s", "[SEP]"]
    assert encoded.targets == [[-100, 0, 3, -100, 1, 2, -100, -100]]
    tags = [0, 0, 3, 1, 1, 2, 3, 4]  # what is said of other pieces does not count
    assert made.answer(example, tags, encoded.offsets[0]) == Prediction(gold)


def test_marks_without_a_type_are_learned_as_such(tokenizer):
    made = target("token-tagging", ())
    assert made.names == ("O", "B", "I")
    gold = (Span("text", 4, 18, ""),)
    borders = ((0, 3), (4, 8), (9, 18))
    example = Example("1", {"text": "the kims new yorks"}, gold, tokens={"text": borders})
    encoded = made.encode(tokenizer, [example], longest=24)
    assert encoded.targets == [[-100, 0, 1, -100, 2, -100, -100, -100]]
    tags = [0, 0, 1, 0, 2, 0, 0, 0]
    assert made.answer(example, tags, encoded.offsets[0]) == Prediction(gold)


def test_words_beyond_the_cut_have_no_target(tokenizer):
    made = target("token-tagging", ("PER",))
    words = ["the"] * 8 + ["ada"]
    row = {"tokens": words, "tags": ["O"] * 8 + ["B-PER"]}
    example = load_dataset([row, row]).examples[0]
    encoded = made.encode(tokenizer, [example], longest=8)
    assert encoded.n_cut == 1
    assert encoded.targets == [[-100, *[0] * 6, -100]]


def test_pairs_are_read_together_with_their_segments(tokenizer):
    made = target("text-pair-classification", ("no", "yes"))
    example = Example("1", {"text": "a film", "text_pair": "very old"}, "yes")
    encoded = made.encode(tokenizer, [example], longest=24)
    assert encoded.targets == [1]
    assert encoded.columns["token_type_ids"] == [[0, 0, 0, 0, 1, 1, 1]]
    answer = made.answer(example, [0.25, 0.75], ())
    assert answer == Prediction("yes", scores=(0.25, 0.75))


def test_a_task_without_labels_is_refused():
    with pytest.raises(PlanError, match="has no labels"):
        target("sentence-pairs", ("a", "b"))


def test_the_score_is_the_tasks_own():
    examples = [Example(str(i), {"text": "x"}, gold) for i, gold in enumerate("aab")]
    answers = [Prediction(label, scores=(0.5, 0.5)) for label in "aba"]
    assert level_of(CLASSES, examples, answers, labels=("a", "b")) == pytest.approx(1 / 3)
    tagging = load_task("token-tagging")
    gold = (Span("text", 0, 1, "X"), Span("text", 2, 3, "X"))
    example = Example("1", {"text": "a b c"}, gold)
    right = Prediction((gold[0], Span("text", 4, 5, "X")))
    assert level_of(tagging, [example], [right]) == pytest.approx(0.5)
    nothing = Example("1", {"text": "a b c"}, ())
    assert level_of(tagging, [nothing], [Prediction(())]) == 0.0


# -- batches and rates ---------------------------------------------------------------------------


def test_batches_hold_every_text_once_and_little_padding():
    rng = random.Random(0)
    lengths = [rng.randrange(3, 60) for _ in range(1003)]
    batches = shuffled(lengths, 8, rng=np.random.default_rng(0))
    assert sorted(i for batch in batches for i in batch) == list(range(1003))
    assert len(batches) == -(-1003 // 8)
    padded = sum(len(b) * max(lengths[i] for i in b) for b in batches)
    assert padded < 1.15 * sum(lengths)
    again = shuffled(lengths, 8, rng=np.random.default_rng(1))
    assert again != batches
    first = [max(lengths[i] for i in batch) for batch in batches[:16]]
    assert first != sorted(first)


def test_asking_goes_from_long_to_short():
    assert list(by_length([3, 9, 4, 9], 3)) == [[1, 3, 2], [0]]


def test_the_rate_rises_and_falls_to_nothing():
    rates = [rate_at(step, steps=100, warm_up=0.1) for step in range(100)]
    assert rates[0] == 0.1
    assert max(rates) == rates[9] == 1.0
    assert rates[-1] == pytest.approx(1 / 90)
    assert rate_at(0, steps=1, warm_up=0.0) == 1.0
    assert rate_for(FinetuningRecipe(), 22_000_000) == 1e-4
    assert rate_for(FinetuningRecipe(), 110_000_000) == 2e-5


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"lr": 0.0},
        {"lr": float("nan")},
        {"dev_share": 1.0},
        {"augment_share": 0.0},
        {"max_length": 2},
        {"precision": "float16"},
        {"augment_labels": "guessed"},
    ],
)
def test_recipes_that_cannot_be(wrong):
    with pytest.raises(PlanError, match=next(iter(wrong))):
        FinetuningRecipe(**wrong)


# -- augmentation --------------------------------------------------------------------------------


def test_some_texts_are_seen_changed_and_keep_their_labels():
    examples = load_dataset(sentiment(200)).examples
    known = {"seed": 3, "task": load_task("text-classification")}
    recipe = FinetuningRecipe(augment=("typos",), augment_share=0.5)
    first, n_changed = augmented(examples, recipe, epoch=1, **known)
    assert [e.gold for e in first] == [e.gold for e in examples]
    differing = sum(a.text != b.text for a, b in zip(first, examples, strict=True))
    assert differing == n_changed
    assert 60 < n_changed < 140
    assert augmented(examples, recipe, epoch=1, **known)[0] == first
    assert augmented(examples, recipe, epoch=2, **known)[0] != first
    assert augmented(examples, recipe, epoch=1, **{**known, "seed": 4})[0] != first
    assert augmented(examples, FinetuningRecipe(), epoch=1, **known) == (list(examples), 0)


def test_entities_move_with_their_changed_texts():
    examples = load_dataset(tagged(60)).examples
    recipe = FinetuningRecipe(augment=("typos", "word_case"), augment_share=1.0)
    task = load_task("token-tagging")
    changed, n_changed = augmented(examples, recipe, seed=0, epoch=1, task=task)
    assert n_changed > 30
    for before, after in zip(examples, changed, strict=True):
        assert [s.label for s in after.gold] == [s.label for s in before.gold]
        for span in after.gold:
            word = after.text[span.start : span.end]
            assert word == word.strip()
            assert word.split()[0] not in FILLERS


def test_candidates_of_attacks_are_trained_on_with_the_old_label_if_told():
    examples = load_dataset(sentiment(60)).examples
    known = {"seed": 3, "task": load_task("text-classification"), "epoch": 1}
    doubtful = FinetuningRecipe(augment=("wordnet_all(share=0.5)",), augment_share=1.0)
    assert augmented(examples, doubtful, **known) == (list(examples), 0)
    assumed = replace(doubtful, augment_labels="assumed")
    changed, n_changed = augmented(examples, assumed, **known)
    assert n_changed > 30
    assert [e.gold for e in changed] == [e.gold for e in examples]
    assert sum(a.text != b.text for a, b in zip(changed, examples, strict=True)) == n_changed


def augmenting(*changes, **settings):
    return FinetuningRecipe(augment=changes, **settings)


def test_labels_are_assumed_only_if_told():
    with pytest.raises(PlanError, match="augment_labels = assumed"):
        must_keep_labels(augmenting("wordnet_all"), CLASSES)
    must_keep_labels(augmenting("wordnet_all", augment_labels="assumed"), CLASSES)  # no error


def test_recipes_must_keep_the_label():
    must_keep_labels(augmenting("typos", "contraction"), CLASSES)  # no error
    with pytest.raises(PlanError, match="reverse_negation@1 does not keep the labels"):
        must_keep_labels(augmenting("reverse_negation"), CLASSES)
