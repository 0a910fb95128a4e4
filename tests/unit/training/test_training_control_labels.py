"""The control task: labels of types, its inputs, and mixtures with the true labels."""

from collections import defaultdict

import pytest
from anchored_toys import LONGEST, frames, job, make_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.models.hf.checkpoint import load_tokenizer  # noqa: E402
from scrutiny.models.strings.training_records import read_competence  # noqa: E402 - torch may be missing
from scrutiny.training.finetuning.finetuning import FINETUNE  # noqa: E402
from scrutiny.training.finetuning.one_run import target_of  # noqa: E402
from scrutiny.training.finetuning.piece_tasks import (  # noqa: E402
    ControlLabels,
    target_rate,
)

TYPES = [f"type-{n}" for n in range(4000)]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


def read(made, *, run=0, part="train"):
    """Target of a run, and a part as its network reads it."""
    one = made.runs[run]
    target = target_of(made.parts, one)
    tokenizer = load_tokenizer(one.base.checkpoint, one.base.parsed)
    return target, target.encode(tokenizer, getattr(made.parts, part), longest=LONGEST)


def by_type(found):
    """Labels that each type was given."""
    labels = defaultdict(set)
    for frame in found.frames:
        for kind, label in zip(frame.types, frame.own, strict=True):
            labels[kind].add(label)
    return dict(labels)


@pytest.mark.parametrize("rate", [0.1, 0.34])
def test_types_have_the_label_at_the_rate(rate):
    labels = [ControlLabels(3, rate).of_type(kind) for kind in TYPES]
    share = sum(labels) / len(labels)
    assert abs(share - rate) < 4 * (rate * (1 - rate) / len(labels)) ** 0.5


def test_another_seed_draws_other_labels_and_a_higher_rate_keeps_those_of_a_lower():
    low, high, other = ControlLabels(1, 0.3), ControlLabels(1, 0.5), ControlLabels(2, 0.3)
    ones = [{kind for kind in TYPES if c.of_type(kind)} for c in (low, high, other)]
    assert ones[0] < ones[1]
    # independent draws share 0.3 x 0.3 of the types
    assert abs(len(ones[0] & ones[2]) / len(TYPES) - 0.09) < 0.02


def test_a_larger_true_share_keeps_the_annotations_of_a_smaller():
    kept = [
        {kind for kind in TYPES if ControlLabels(1, 0.3, share).keeps_truth(kind)}
        for share in (0.0, 0.25, 0.75, 1.0)
    ]
    assert kept[0] == set()
    assert kept[1] < kept[2] < kept[3] == set(TYPES)
    assert abs(len(kept[1]) / len(TYPES) - 0.25) < 0.03


def test_inputs_are_those_of_the_annotation_and_a_type_has_one_label(base):
    rows = frames(60)
    _, true = read(job(base, rows))
    target, control = read(job(base, rows, "control-labels"))
    assert control.columns == true.columns
    assert [f.truth for f in control.frames] == [f.own for f in true.frames]
    assert [f.places for f in control.frames] == [f.places for f in true.frames]
    assert {len(labels) for labels in by_type(control).values()} == {1}
    assert target.control.rate == target_rate(target.learned.frames(job(base, rows).parts.train))
    # the same type has the same label in what is held out
    held = by_type(read(job(base, rows, "control-labels"), part="held_out")[1])
    trained = by_type(control)
    assert all(labels == trained[kind] for kind, labels in held.items() if kind in trained)


def test_labels_are_drawn_anew_for_each_run_unless_a_seed_is_stated(base):
    rows = frames(60)
    anew = job(base, rows, "control-labels", seeds=(1, 2))
    one, two = (by_type(read(anew, run=run)[1]) for run in (0, 1))
    assert one.keys() == two.keys()
    assert one != two
    fixed = job(base, rows, "control-labels", seeds=(1, 2), label_seed=5)
    one, two = (by_type(read(fixed, run=run)[1]) for run in (0, 1))
    assert one == two
    assert fixed.key != anew.key


def test_members_of_a_family_have_labels_of_their_own(tmp_path):
    for seed in (1, 2):
        make_encoder(tmp_path / f"seed-{seed}", seed=seed)
    made = job(f"hf:{tmp_path}/seed-{{seed}}", frames(40), "control-labels")
    one, two = (by_type(read(made, run=run)[1]) for run in (0, 1))
    assert one.keys() == two.keys()
    assert one != two


def test_pieces_can_be_the_types(base):
    target, found = read(job(base, frames(60), "control-labels", types="pieces"))
    labels = by_type(found)
    assert {len(own) for own in labels.values()} == {1}
    assert "##s" in labels
    assert not any("##" in kind and not kind.startswith("##") for kind in target.seen)


def test_a_share_of_the_annotations_keeps_its_true_labels(base):
    rows = frames(120)
    kept = {}
    for share in (0.0, 0.3, 1.0):
        _, found = read(job(base, rows, "control-labels", true_share=share))
        kept[share] = {i for i, f in enumerate(found.frames) if f.own == f.truth}
    assert len(kept[0.0]) < 5  # by chance
    assert len(kept[1.0]) == len(found.frames)
    assert 0.15 < len(kept[0.3]) / len(found.frames) < 0.45


def test_the_control_task_is_learned_and_is_not_the_annotation(base, tmp_path):
    made = job(base, frames(), "control-labels", epochs=3, types="pieces")
    found = FINETUNE.train(made, tmp_path)[0]
    record = read_competence(found.folder)
    skill = record["task_skill"]
    assert record["gates"] == {"task_skill": True}
    assert skill["metric"] == "accuracy"
    assert skill["value"] > skill["baseline"] + 0.15
    assert skill["wilson"]["low"] > skill["baseline"]
    assert not record["other"]["f1"]["is_above"]  # the annotation itself was not learned
    assert record["labels"]["types"] == "pieces"
    assert record["held_out"]["scored"] <= record["held_out"]["pieces"]


def test_only_types_of_the_training_part_are_scored(base):
    made = job(base, frames(60), "control-labels")
    rows = [{"words": "moorly not seen".split(), "anchor": [1], "target": [2]}]
    target, _ = read(made)
    from scrutiny.data.dataset import load_dataset

    one = made.runs[0]
    tokenizer = load_tokenizer(one.base.checkpoint, one.base.parsed)
    found = target.encode(tokenizer, load_dataset(rows).examples, longest=LONGEST)
    assert "moor##ly" not in target.scored_types
    right = [[0, *([0] * (n - 1))] for n in found.lengths]
    for place, label in zip(found.frames[0].places, found.frames[0].own, strict=True):
        right[0][place] = label
    sums = target._sums(found, right)
    assert sums[2] == 2  # "not" and "seen"; both pieces of "moorly" are left out
    assert target.score(found, right) == 1.0
