"""Tagging of anchored annotations: what is read, what is held out, what is learned and recorded."""

import json
from dataclasses import replace

import pytest
from anchored_toys import LONGEST, frames, job, make_encoder, parts_of, trees
from finetune_toys import weights

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.core.errors import DataError, PlanError  # noqa: E402 - torch may be missing
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.models.hf.checkpoint import load_tokenizer  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.training_records import read_competence  # noqa: E402
from scrutiny.tasks.item_hashes import SHARE, is_held_out, sentence_place  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.training.finetuning.finetuning import FINETUNE  # noqa: E402
from scrutiny.training.finetuning.one_run import target_of  # noqa: E402
from scrutiny.training.finetuning.piece_targets import PieceFrame, label_counts, target_counts  # noqa: E402
from scrutiny.training.finetuning.piece_tasks import anchored_frame, piece_task  # noqa: E402
from scrutiny.training.finetuning.recipe import AnchoredRecipe, ControlRecipe, PieceRecipe  # noqa: E402
from scrutiny.training.finetuning.targets import IGNORED  # noqa: E402


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


@pytest.fixture(scope="module")
def learned(base, tmp_path_factory):
    """The annotation, learned once for several tests."""
    made = job(base, frames(), epochs=3)
    return made, FINETUNE.train(made, tmp_path_factory.mktemp("learned"))[0]


def encoded(made, rows=None, *, longest=LONGEST, run=0):
    """Target of a run, and rows (else the training part) as its network reads them."""
    one = made.runs[run]
    target = target_of(made.parts, one)
    examples = made.parts.train if rows is None else load_dataset(rows).examples
    tokenizer = load_tokenizer(one.base.checkpoint, one.base.parsed)
    return target, target.encode(tokenizer, examples, longest=longest)


def example(words, anchor, target):
    return load_dataset([{"words": words.split(), "anchor": anchor, "target": target}]).examples[0]


# -- what is read ----------------------------------------------------------------------------------


def test_markers_stand_round_every_contiguous_run_of_the_anchor():
    found = anchored_frame(
        example("it was no longer seen nor heard", [2, 3, 5], [0, 4]), ("{", "}")
    )
    assert " ".join(found.words) == "it was { no longer } seen { nor } heard"
    labels = [label or "-" for label in found.labels]
    assert labels == ["I-target", "O", "-", "O", "O", "-", "I-target", "-", "O", "-", "O"]
    assert found.sentence == "it was no longer seen nor heard"


def test_two_annotations_of_a_sentence_are_two_frames():
    one = anchored_frame(example("not seen not heard", [0], [1]), ("<", ">"))
    other = anchored_frame(example("not seen not heard", [2], []), ("<", ">"))
    assert one.words == ("<", "not", ">", "seen", "not", "heard")
    assert (one.sentence == other.sentence, one.marked == other.marked) == (True, False)
    assert "I-target" not in other.labels


def test_only_pieces_of_words_are_in_the_loss(base):
    rows = [{"words": "dogs not seen".split(), "anchor": [1], "target": [0]}]
    target, found = encoded(job(base, frames(40)), rows)
    tokens = "[CLS] dog ##s { not } seen [SEP]".split()
    assert found.lengths == [len(tokens)]
    assert found.targets == [[IGNORED, 1, 1, IGNORED, 0, IGNORED, 0, IGNORED]]
    assert found.frames[0].types == ("dog##s", "dog##s", "not", "seen")
    assert target.names == ("O", "I-target")
    literal = encoded(job(base, frames(40), loss_on="all"), rows)[1]
    assert literal.targets == [[0, 1, 1, 0, 0, 0, 0, 0]]
    assert literal.columns == found.columns


def test_what_does_not_fit_is_cut_and_counts_as_missed(base):
    rows = [{"words": "moor not seen dog hill".split(), "anchor": [1], "target": [2, 3, 4]}]
    _, found = encoded(job(base, frames(40)), rows, longest=7)
    assert found.lengths == [7]  # [CLS] moor { not } seen [SEP]
    assert found.n_cut == 1
    assert found.frames[0].places == (1, 3, 5, -1, -1)
    everything = [[1] * 7]
    assert target_counts(found.frames, everything).tolist() == [[1, 3, 3, 5]]


def test_counts_of_known_answers():
    frame = PieceFrame((1, 2, 3, 4), (0, 1, 1, 0), (1, 1, 0, 0), ("a", "b", "c", "a"), "x")
    row = [9, 1, 1, 0, 0, 9]
    assert target_counts([frame], [row]).tolist() == [[1, 2, 2, 4]]
    assert label_counts([frame], [row], types=None).tolist() == [[4, 2, 4]]
    assert label_counts([frame], [row], types=frozenset("bc")).tolist() == [[2, 1, 2]]


# -- what is held out ------------------------------------------------------------------------------


def test_a_fifth_of_the_sentences_is_held_out_whatever_else_is_there():
    texts = [f"sentence {'abcdefghij'[n % 10]} {'klmnopqrst' * (1 + n // 10)}" for n in range(4000)]
    share = sum(map(is_held_out, texts)) / len(texts)
    assert abs(share - SHARE) < 4 * (SHARE * (1 - SHARE) / len(texts)) ** 0.5
    assert sentence_place("It is, he said.") == sentence_place("it is he said")
    assert 0 <= sentence_place("1984 .") < 1
    assert sentence_place("1984 .") != sentence_place("1985 .")


def test_no_sentence_stands_in_two_parts():
    rows = frames(120)
    more = [{**row, "anchor": [0], "target": [1]} for row in rows]  # a second frame of each
    parts = parts_of([*rows, *more], dev_share=0.2)
    texts = [{e.text for e in part} for part in (parts.train, parts.dev, parts.held_out)]
    assert [len(part) for part in texts] == [len({*part}) for part in texts]
    assert not texts[0] & texts[1]
    assert not texts[0] & texts[2]
    assert not texts[1] & texts[2]
    assert sum(map(len, texts)) == 120
    assert len(parts.train) + len(parts.dev) + len(parts.held_out) == 240
    assert all(is_held_out(text) for text in texts[2])


def test_the_datas_own_column_decides_what_is_held_out():
    rows = [{**row, "heldout": "yes" if n < 30 else "no"} for n, row in enumerate(frames(120))]
    data = load_dataset(rows, columns={"group": "heldout"})
    found = piece_task("anchored-tagging")
    from scrutiny.training.finetuning.held_out_sentences import piece_parts, split_sentences

    parts = piece_parts(found, AnchoredRecipe(dev_share=0.2), data=data)
    assert [e.id for e in parts.held_out] == [e.id for e in data.examples[:30]]
    torn = [*data.examples, replace(data.examples[0], attributes={"a_heldout": "no"})]
    with pytest.raises(DataError, match="held out in one row and not in another"):
        split_sentences(torn, 0.1)


def test_probed_sentences_are_counted_and_scored_ones_are_refused():
    rows = frames(60)
    probed = load_dataset(rows[:20], name="cd")
    parts = parts_of(rows, reported=[probed])
    held = sum(is_held_out(e.text) for e in probed.examples)
    note = next(note for note in parts.notes if note.startswith("cd: all 20 items are probed"))
    assert f"{held} on those held out (a_heldout = yes)" in note
    scored = load_dataset(
        [{"text": " ".join(row["words"]), "label": "xy"[n % 2]} for n, row in enumerate(rows)]
    )
    with pytest.raises(PlanError, match="The reported data"):
        parts_of(rows, reported=[scored])


def test_data_without_two_labels_are_refused():
    with pytest.raises(DataError, match="have O only"):
        parts_of([{**row, "target": []} for row in frames(20)])


# -- what is learned -------------------------------------------------------------------------------


def test_a_planted_rule_is_learned_and_recorded(learned):
    made, found = learned
    record = read_competence(found.folder)
    skill = record["task_skill"]
    assert record["gates"] == {"task_skill": True}
    assert skill["value"] > 0.9
    assert skill["baseline"] < 0.75
    assert skill["low"] < skill["value"] <= skill["high"]
    both = skill["precision"], skill["recall"]
    assert skill["value"] == pytest.approx(2 * both[0] * both[1] / sum(both))
    gain = skill["gain"]
    assert gain["value"] == pytest.approx(skill["value"] - skill["baseline"])
    assert record["held_out"]["frames"] == len(made.parts.held_out)
    assert found.record["task"] == "anchored-tagging@1"
    assert found.record["chosen_by"] == "best dev f1"
    assert 0 < found.record["dev_chance"] < found.record["dev_score"]
    assert found.record["data"]["held_out"] == {"n": len(made.parts.held_out)}


def test_the_attention_of_the_checkpoint_is_read_without_markers(learned):
    _, found = learned
    model = load_model(f"hf:{found.folder}", load_task("anchored-spans"), LoadOptions("cpu"))
    assert "attentions" in model.capabilities
    assert model.attention_shape == (2, 2)
    one = next(model.attentions([("it", "was", "not", "seen")]))
    assert one.words == (None, 0, 1, 2, 3, None)
    assert one.weights.sum(axis=-1) == pytest.approx(1.0, abs=1e-5)


def test_what_has_learned_nothing_is_below_the_gate(base, tmp_path):
    found = FINETUNE.train(job(base, frames(80), epochs=1, lr=1e-9), tmp_path)[0]
    record = read_competence(found.folder)
    assert record["gates"] == {"task_skill": False}
    assert not record["task_skill"]["is_above"]


def test_too_little_held_out_is_below_the_gate(base, tmp_path):
    rows = [row for row in frames(60) if not is_held_out(" ".join(row["words"]))]
    found = FINETUNE.train(job(base, rows, epochs=1), tmp_path)[0]
    record = read_competence(found.folder)
    assert record["gates"] == {"task_skill": False}
    assert record["task_skill"]["reason"] == "too little is held out"


def test_neither_weights_nor_choice_depend_on_what_is_held_out(base, tmp_path):
    rows = frames(60)
    other = [
        {**row, "target": [0] if is_held_out(" ".join(row["words"])) else row["target"]}
        for row in rows
    ]
    one, two = (
        FINETUNE.train(job(base, given, epochs=2), tmp_path / str(n))[0]
        for n, given in enumerate((rows, other))
    )
    assert weights(one.folder) == weights(two.folder)
    assert [e["dev"] for e in one.record["epochs"]] == [e["dev"] for e in two.record["epochs"]]
    assert one.record["identity"] != two.record["identity"]  # the record is another one
    skills = [read_competence(f.folder)["task_skill"]["value"] for f in (one, two)]
    assert skills[0] != skills[1]


def test_a_resumed_run_is_the_uninterrupted_one(base, tmp_path):
    class Stop:
        left = 9

        def start(self, *_, **__):
            pass

        def passed(self, _):
            pass

        def note(self, _):
            pass

        def advance(self, *_, **__):
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    made = job(base, frames(60), "control-labels", epochs=3)
    whole = FINETUNE.train(made, tmp_path / "whole")[0]
    with pytest.raises(KeyboardInterrupt):
        FINETUNE.train(made, tmp_path / "cut", progress=Stop())
    cut = FINETUNE.train(made, tmp_path / "cut")[0]
    assert weights(cut.folder) == weights(whole.folder)
    files = [(one.folder / "competence.json").read_bytes() for one in (cut, whole)]
    assert files[0] == files[1]


def test_relations_are_learned_from_trees(base, tmp_path):
    found = FINETUNE.train(job(base, trees(), "relation-tagging", epochs=2), tmp_path)[0]
    assert found.record["labels"] == ["det", "nsubj", "obj", "root"]
    record = json.loads((found.folder / "competence.json").read_text())
    assert record["gates"] == {"task_skill": True}
    assert record["task_skill"]["metric"] == "accuracy"
    assert record["other"] == {}


# -- choices ---------------------------------------------------------------------------------------


def test_the_rate_stays_unless_it_is_to_fall():
    recipe = PieceRecipe()
    assert [recipe.share_at(step, steps=10) for step in (0, 9)] == [1.0, 1.0]
    assert PieceRecipe(warm_up=0.5).share_at(0, steps=10) == 0.2
    assert PieceRecipe(schedule="linear").share_at(9, steps=10) == pytest.approx(0.1, abs=0.02)
    assert (recipe.lr, recipe.batch, recipe.epochs) == (4e-5, 8, 3)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (PieceRecipe, {"augment": ("typos",)}, "augment would separate"),
        (PieceRecipe, {"dev_share": 0.8}, "dev_share must be below 0.8"),
        (PieceRecipe, {"schedule": "cosine"}, "schedule is one of constant, linear, not 'cosine'"),
        (PieceRecipe, {"loss_on": "none"}, "loss_on is one of words, all, not 'none'"),
        (AnchoredRecipe, {"markers": ("{", " ")}, "markers are two words"),
        (ControlRecipe, {"types": "lemmas"}, "types is one of words, pieces"),
        (ControlRecipe, {"true_share": 1.5}, "true_share must lie between 0 and 1"),
        (ControlRecipe, {"label_seed": -1}, "label_seed must be at least 0"),
        (ControlRecipe, {"epochs": 0}, "epochs must be at least 1"),
    ],
)
def test_choices_that_make_no_sense_are_refused(kind, given, said):
    with pytest.raises(PlanError, match=said):
        kind(**given)


def test_tasks_of_pieces_have_names_with_and_without_version():
    assert piece_task("control-labels") is piece_task("control-labels@1")
    assert piece_task("control-labels@2") is None
    assert piece_task("text-classification") is None
