"""Fine-tuning: learning, seeds, resuming, choosing, families, and what stands in the folder."""

import json
from dataclasses import replace

import pytest
from finetune_toys import QUICK, aspects, job, make_encoder, pairs, sentiment, tagged, weights

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.core.errors import ModelError, PlanError  # noqa: E402 - torch may be missing
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.data.overlap import overlap_with_hashes  # noqa: E402
from scrutiny.models.answers.checked import predict_or_fail  # noqa: E402
from scrutiny.models.strings.model_families import expand  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.training_records import replicates_of  # noqa: E402
from scrutiny.tasks.scores import level_of  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.training.finetuning import finetuning, one_run  # noqa: E402
from scrutiny.training.finetuning.finetuning import FINETUNE  # noqa: E402


class Told:
    """Keeps what it is told, and may interrupt."""

    def __init__(self, stop_after=None):
        self.steps, self.total, self.notes, self._stop = 0, None, [], stop_after

    def start(self, phase, *, total, done):
        assert phase == "train"
        self.total, self.steps = total, done

    def advance(self, phase, *, asked=0, cached=0):
        self.steps += 1
        if self._stop is not None and self.steps >= self._stop:
            raise KeyboardInterrupt

    def passed(self, text):
        self.notes.append(text)

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


@pytest.fixture(scope="module")
def learned(base, tmp_path_factory):
    """Two seeds of the sentiment task, done once for several tests."""
    out = tmp_path_factory.mktemp("learned")
    return (
        job(base, sentiment(), seeds=(1, 2)),
        out,
        FINETUNE.train(job(base, sentiment(), seeds=(1, 2)), out),
    )


@pytest.mark.parametrize(
    ("make", "least"),
    [(sentiment, 0.9), (pairs, 0.9), (aspects, 0.9), (tagged, 0.7)],
    ids=["text", "pair", "aspect", "tag"],
)
def test_a_task_that_can_be_learned_is_learned(base, tmp_path, make, least):
    found = FINETUNE.train(job(base, make(160)), tmp_path)[0]
    losses = [epoch["loss"] for epoch in found.record["epochs"]]
    assert losses[-1] < losses[0] / 3
    rows = make(40, seed=5)
    data = load_dataset(rows)
    model = load_model(f"hf:{found.folder}", load_task(data.task), LoadOptions("cpu"))
    answers = predict_or_fail(model, data.examples)
    score = level_of(load_task(data.task), data.examples, answers, labels=model.labels)
    assert score > least
    assert score > load_task(data.task).chance(data.examples) + 0.3


def test_the_dev_score_is_what_the_checkpoint_scores_on_the_dev_part(learned):
    made, _, found = learned
    task = made.parts.task
    model = load_model(f"hf:{found[0].folder}", task, LoadOptions("cpu"))
    answers = predict_or_fail(model, made.parts.dev)
    score = level_of(task, made.parts.dev, answers, labels=model.labels)
    assert score == found[0].record["dev_score"]


def test_a_family_of_seeds_is_found_by_its_pattern(learned):
    made, out, found = learned
    assert made.pattern == "seed-{seed}"
    family = expand(f"hf:{out}/{made.pattern}", name="m")
    assert [r.random for r in family.replicates] == [{"seed": "1"}, {"seed": "2"}]
    assert weights(found[0].folder) != weights(found[1].folder)
    assert not list(out.glob(".*"))  # nothing is left of the runs in the making


def test_the_same_seed_gives_the_same_weights_whatever_the_state_of_torch(base, tmp_path):
    short = {"epochs": 1, "dropout": 0.1, "augment": ("typos",)}
    first = FINETUNE.train(job(base, sentiment(40), seeds=(3,), **short), tmp_path / "a")
    torch.manual_seed(99)
    torch.rand(7)
    before = torch.get_rng_state()
    again = FINETUNE.train(job(base, sentiment(40), seeds=(2, 3), **short), tmp_path / "b")
    assert weights(first[0].folder) == weights(again[1].folder)
    assert torch.equal(before, torch.get_rng_state())


@pytest.fixture(scope="module")
def uninterrupted(base, tmp_path_factory):
    """A job of three epochs of four steps, and its run without a stop."""
    made = job(base, sentiment(40), epochs=3, dropout=0.1, augment=("typos",))
    return made, FINETUNE.train(made, tmp_path_factory.mktemp("whole"))[0]


@pytest.mark.parametrize("at", [3, 8, 11])
def test_a_resumed_run_is_the_uninterrupted_one(uninterrupted, tmp_path, at):
    made, whole = uninterrupted
    with pytest.raises(KeyboardInterrupt):
        FINETUNE.train(made, tmp_path / "cut", progress=Told(stop_after=at))
    assert not (tmp_path / "cut" / "seed-1").exists()
    told = Told()
    cut = FINETUNE.train(made, tmp_path / "cut", progress=told)[0]
    assert weights(cut.folder) == weights(whole.folder)
    assert [e["dev"] for e in cut.record["epochs"]] == [e["dev"] for e in whole.record["epochs"]]
    assert told.steps == told.total
    assert len(told.notes) == 3 - (at - 1) // 4  # 30 texts in batches of 8: four steps an epoch


def test_what_is_done_is_not_done_again(learned, monkeypatch):
    made, out, found = learned
    monkeypatch.setattr(finetuning, "FinetuningRun", None)
    again = FINETUNE.train(made, out, progress=Told())
    assert [one.record for one in again] == [json.loads(json.dumps(one.record)) for one in found]
    assert made.is_done(out)


def test_a_folder_with_something_else_is_refused(learned):
    made, out, _ = learned
    other = replace(made, recipe=replace(made.recipe, epochs=2))
    with pytest.raises(PlanError, match=r"seed-1' holds something else.*another folder"):
        FINETUNE.train(other, out)


def test_the_epoch_with_the_best_dev_score_is_kept(base, tmp_path, monkeypatch):
    scores = iter([0.3, 0.8, 0.8, 0.5])
    monkeypatch.setattr(one_run, "dev_score", lambda *_: next(scores))
    made = job(base, sentiment(40), dropout=0.0)
    found = FINETUNE.train(made, tmp_path / "four")[0]
    assert found.record["chosen_epoch"] == 2
    assert found.record["dev_score"] == 0.8
    # its weights are those that a run of the same schedule had after two epochs
    scores = iter([0.1, 0.9, 0.2, 0.3])
    other = FINETUNE.train(made, tmp_path / "again")[0]
    assert weights(other.folder) == weights(found.folder)
    scores = iter([0.1, 0.2, 0.3, 0.4])
    last = FINETUNE.train(made, tmp_path / "last")[0]
    assert weights(last.folder) != weights(found.folder)


def test_training_stops_when_the_dev_score_has_not_grown_for_long(base, tmp_path, monkeypatch):
    scores = iter([0.5, 0.4, 0.4, 0.9])
    monkeypatch.setattr(one_run, "dev_score", lambda *_: next(scores))
    told = Told()
    found = FINETUNE.train(job(base, sentiment(40), patience=2), tmp_path, progress=told)[0]
    assert [epoch["dev"] for epoch in found.record["epochs"]] == [0.5, 0.4, 0.4]
    assert found.record["chosen_epoch"] == 1
    assert told.steps == told.total


def test_without_a_dev_part_the_last_epoch_is_kept(base, tmp_path):
    found = FINETUNE.train(job(base, sentiment(16), epochs=2, dev_share=0.0), tmp_path)[0]
    assert found.record["chosen_epoch"] == 2
    assert found.record["chosen_by"] == "last epoch"
    assert found.record["dev_score"] is None
    assert found.record["data"]["train"]["n"] == 16


def test_each_member_of_a_family_gets_runs_of_its_own(tmp_path):
    for seed in (1, 2):
        make_encoder(tmp_path / "bases" / f"seed-{seed}", seed=seed)
    pattern = f"hf:{tmp_path}/bases/seed-{{seed}}"
    one = job(pattern, sentiment(16), epochs=1)
    assert (one.pattern, one.random) == ("seed-{seed}", ("seed",))
    nested = job(pattern, sentiment(16), epochs=1, seeds=(1, 2))
    assert (nested.pattern, nested.random) == ("seed-{seed}/run-{run}", ("seed", "run"))
    found = FINETUNE.train(nested, tmp_path / "out")
    places = [one.run.place.as_posix() for one in found]
    assert places == ["seed-1/run-1", "seed-1/run-2", "seed-2/run-1", "seed-2/run-2"]
    assert len({weights(one.folder) for one in found}) == 4
    family = expand(f"hf:{tmp_path}/out/{nested.pattern}", random=nested.random, name="m")
    assert [dict(r.random) for r in family.replicates][2] == {"seed": "2", "run": "1"}


def test_steps_of_a_family_stay_conditions(tmp_path):
    for step in (10, 20):
        make_encoder(tmp_path / "bases" / "seed-1" / f"step-{step}", seed=step)
    from scrutiny.training.finetuning.encoders import bases_of

    bases = bases_of(f"hf:{tmp_path}/bases/seed-{{seed}}/step-{{step}}", random=("seed",))
    made = replace(job(bases[0].source, sentiment(16)), bases=bases)
    assert (made.pattern, made.random) == ("seed-{seed}/step-{step}", ("seed",))
    assert [run.place.as_posix() for run in made.runs] == ["seed-1/step-10", "seed-1/step-20"]


def test_an_untrained_base_is_another_network_for_each_of_its_seeds(tmp_path):
    from scrutiny.training.finetuning.encoders import bases_of

    trained = make_encoder(tmp_path / "base", maker="BertForPreTraining")
    bases = bases_of(f"untrained:{trained}", seeds=(0, 1))
    made = replace(job(trained, sentiment(16), epochs=1), bases=bases)
    found = FINETUNE.train(made, tmp_path / "out")
    assert [one.run.place.as_posix() for one in found] == ["seed-0", "seed-1"]
    assert weights(found[0].folder) != weights(found[1].folder)
    assert found[1].record["base"]["untrained_seed"] == "1"
    assert (
        len({run.identity for run in made.runs} | {job(trained, sentiment(16)).runs[0].identity})
        == 3
    )


def test_a_head_that_is_there_already_is_made_anew(base, tmp_path):
    from scrutiny.training.finetuning.encoders import build
    from scrutiny.training.finetuning.targets import Target

    headed = make_encoder(tmp_path / "headed", maker="BertForSequenceClassification")
    made = job(headed, sentiment(16))
    target = Target(made.parts.task, made.parts.labels)
    first, second = (build(made.bases[0], target, QUICK, seed=seed) for seed in (1, 2))
    assert first.head == {"classifier.weight", "classifier.bias"}
    ours, others = (dict(p.network.named_parameters()) for p in (first, second))
    differing = {name for name in ours if not torch.equal(ours[name], others[name])}
    assert differing == {"classifier.weight"}
    assert not ours["classifier.bias"].any()


def test_only_encoders_can_be_fine_tuned(tmp_path):
    with pytest.raises(ModelError, match="no checkpoint of transformers"):
        job("builtin:sentiment/seed-1", sentiment(16))
    broken = make_encoder(tmp_path / "broken")
    from safetensors.torch import load_file, save_file

    path = tmp_path / "broken" / "model.safetensors"
    kept = {k: v for k, v in load_file(path).items() if "layer.1" not in k}
    save_file(kept, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match="lacks weights of its encoder"):
        FINETUNE.train(job(broken, sentiment(16)), tmp_path / "out")


def test_what_the_members_of_a_family_differ_in_is_what_tuned_ones_differ_in(tmp_path):
    from scrutiny.training.finetuning.encoders import bases_of

    for seed in (1, 2):
        make_encoder(tmp_path / "bases" / f"seed-{seed}", seed=seed)
    pattern = f"hf:{tmp_path}/bases/seed-{{seed}}"
    assert [one.replicates_of for one in bases_of(pattern)] == [None, None]  # no record says it
    (found,) = FINETUNE.train(
        replace(job(pattern, sentiment(16), epochs=1), bases=bases_of(pattern)[:1]), tmp_path / "a"
    )
    assert "replicates_of" not in found.record
    for seed in (1, 2):
        stated = json.dumps({"replicates_of": "pre-training"})
        (tmp_path / "bases" / f"seed-{seed}" / "training.json").write_text(stated)
    assert [one.replicates_of for one in bases_of(pattern)] == ["pre-training"] * 2
    one = bases_of(f"hf:{tmp_path}/bases/seed-1")
    assert one[0].replicates_of == "fine-tuning"
    new = bases_of(f"untrained:hf:{tmp_path}/bases/seed-1", seeds=(0, 1))
    assert [base.replicates_of for base in new] == ["pre-training"] * 2
    found = FINETUNE.train(job(pattern, sentiment(16), epochs=1), tmp_path / "b")
    assert {run.record["replicates_of"] for run in found} == {"pre-training"}
    assert replicates_of(f"hf:{found[0].folder}") == "pre-training"


def test_a_training_that_falls_apart_says_so(base, tmp_path, monkeypatch):
    monkeypatch.setattr(
        torch.nn.functional, "cross_entropy", lambda logits, *_, **__: logits.sum() * float("nan")
    )
    with pytest.raises(ModelError, match="The loss is nan at step 1"):
        FINETUNE.train(job(base, sentiment(16)), tmp_path)


def test_the_folder_says_what_was_trained_on_what(learned):
    made, _, found = learned
    record = json.loads((found[0].folder / "training.json").read_text())
    assert record["data"]["digest"] == made.parts.digest
    assert record["data"]["fingerprints"] == list(made.parts.fingerprints)
    assert record["base"]["fingerprint"] == made.bases[0].fingerprint
    assert record["recipe"]["lr"] == 2e-2
    assert record["replicates_of"] == "fine-tuning"  # they share the base
    assert record["chosen_by"] == "best dev accuracy"
    assert record["dev_chance"] == made.parts.task.chance(made.parts.dev)
    config = json.loads((found[0].folder / "config.json").read_text())
    assert config["id2label"] == {"0": "negative", "1": "positive"}
    card = (found[0].folder / "README.md").read_text()
    assert card.startswith(f"# text-classification from {made.bases[0].source}, seed 1\n")
    assert f"| chosen on | {len(made.parts.dev)} texts" in card
    assert made.bases[0].fingerprint in card


def test_the_training_texts_are_known_to_the_leakage_diagnostic(learned):
    import numpy as np

    from scrutiny.models.strings.training_records import HASHES, with_training_text

    made, _, found = learned
    hashes = np.load(found[0].folder / HASHES, allow_pickle=False)
    texts = [made.parts.train[0].text.upper() + "!", "something else that nobody has ever said"]
    assert [pair.a for pair in overlap_with_hashes(texts, hashes).pairs] == [0]
    model = load_model(f"hf:{found[0].folder}", made.parts.task, LoadOptions("cpu"))
    assert "training_hashes" in with_training_text(model, lambda: hashes).capabilities


def test_two_processes_do_not_train_the_same_run(base, tmp_path):
    pytest.importorskip("fcntl")
    from scrutiny.core.errors import StorageError
    from scrutiny.training.job import held

    made = job(base, sentiment(16), epochs=1)
    with held(tmp_path / "seed-1"), pytest.raises(StorageError, match="is in use: process"):
        FINETUNE.train(made, tmp_path)
    assert FINETUNE.train(made, tmp_path)[0].folder.is_dir()


def test_seeds_are_different_whole_numbers(base):
    for seeds in ((), (1, 1), (-1,)):
        with pytest.raises(PlanError, match="seeds are different whole numbers"):
            job(base, sentiment(16), seeds=seeds)
