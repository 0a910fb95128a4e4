import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.model import KnowsTrainingText, Model
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.compared_answers import check_determinism
from scrutiny.models.builtin import builtin_network
from scrutiny.models.builtin.builtin_families import targets
from scrutiny.models.strings.model_loading import load_model

TEXTS = ["A wonderful, moving film.", "Dull and a waste of time.", "", "it", "not good " * 99]


@pytest.fixture
def model(classification):
    return load_model("builtin:sentiment", classification)


def test_it_is_a_model_that_knows_its_training_text(model):
    assert isinstance(model, Model)
    assert isinstance(model, KnowsTrainingText)
    assert "training_hashes" in model.capabilities
    assert (model.labels, model.task) == (("negative", "positive"), "text-classification")


def test_answers(model, make):
    answers = predict_or_fail(model, make(*TEXTS))
    assert [a.answer for a in answers[:2]] == ["positive", "negative"]
    assert model.predict([]) == []


def test_every_batch_and_order_gives_the_same_bits(model, make):
    report = check_determinism(model, make(*TEXTS))
    assert report.promises_bits
    assert report.is_kept, str(report)


def test_replicates_differ(classification, make):
    models = [load_model(f"builtin:{t}", classification) for t in targets()]
    assert len({m.fingerprint() for m in models}) == 11
    assert len({tuple(p.scores for p in m.predict(make(*TEXTS))) for m in models}) == 11


def test_the_bare_name_is_the_first_replicate(model, classification):
    assert (
        load_model("builtin:sentiment/seed-1", classification).fingerprint() == model.fingerprint()
    )


def test_stated_labels_rename_and_are_part_of_the_fingerprint(model, classification):
    renamed = load_model("builtin:sentiment#labels=bad|good", classification)
    assert renamed.labels == ("bad", "good")
    assert renamed.fingerprint() != model.fingerprint()
    with pytest.raises(ModelError, match=r"2 labels, in the order negative\|positive"):
        load_model("builtin:sentiment#labels=a|b|c", classification)


@pytest.mark.parametrize("target", ["sentiment/seed-6", "sentiment/seed-0", "topics"])
def test_unknown_targets_list_the_known(target, classification):
    with pytest.raises(ModelError, match="There are: sentiment/seed-1, "):
        load_model(f"builtin:{target}", classification)


def test_other_tasks_are_refused(tagging, pairs):
    for task in (tagging, pairs):
        with pytest.raises(ModelError, match="it gives labels of one text"):
            load_model("builtin:sentiment", task)


def test_unknown_options_are_refused(classification):
    with pytest.raises(ModelError, match="no option 'dtype'"):
        load_model("builtin:sentiment#dtype=float16", classification)


def test_texts_are_read_anew_if_others_were_asked_about_since(monkeypatch, model, make):
    read = []
    find_rows = builtin_network._known_rows

    def known_rows(features, vocabulary):
        read.append(len(features[0][0]))  # words
        return find_rows(features, vocabulary)

    monkeypatch.setattr(builtin_network, "_READ_KEPT", 2)
    monkeypatch.setattr(builtin_network, "_READ", builtin_network._Read())
    monkeypatch.setattr(builtin_network, "_known_rows", known_rows)
    for text in ("one", "one two", "one", "one two three", "one", "one two"):
        model.predict(make(text))
    assert read == [1, 2, 3, 2]
