"""The spam filters and their sample: apart from each other, and as good as is written."""

import json
import os
import re
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import ModelError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.near_duplicates import find_near
from scrutiny.data.overlap import overlap, overlap_with_hashes
from scrutiny.models.builtin.builtin_families import FAMILIES, builtin_target
from scrutiny.models.builtin.builtin_features import of_pieces, of_words
from scrutiny.models.builtin.builtin_network import BuiltinNetwork
from scrutiny.text.letters import letters

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
SPAM = ("spam", "spam-v2")
SAMPLE = [(e.text, e.gold) for e in load_dataset("builtin:messages").examples]
TEXTS = [text for text, _ in SAMPLE]
IS_SPAM = np.array([label == "spam" for _, label in SAMPLE])


def said(family: str, seed: int, texts: list[str]) -> np.ndarray:
    return BuiltinNetwork(family, seed).predict_proba(texts).argmax(axis=1) == 1


# --- the sample ------------------------------------------------------------------------------


def test_the_sample_has_two_thousand_messages_each_once():
    assert len(SAMPLE) == 2000
    assert IS_SPAM.sum() == 183
    assert len({letters(text) or text for text in TEXTS}) == 2000
    found = find_near(TEXTS[1000:], TEXTS[:1000], least=0.8)
    assert found == {}


def test_no_number_of_a_person_is_in_it():
    ham = [text for text, label in SAMPLE if label == "ham"]
    assert [text for text in ham if re.search(r"\d{7}|\w@\w+\.\w", text)] == []


def test_its_notice_names_the_authors_and_the_license():
    notice = (files("scrutiny.data") / "samples" / "NOTICE.md").read_text(encoding="utf-8")
    assert "messages.tsv" in notice
    assert "Almeida" in notice
    assert "creativecommons.org/licenses/by/4.0" in notice


# --- the models ------------------------------------------------------------------------------


@pytest.mark.parametrize("family", SPAM)
def test_they_are_as_good_as_they_say(family):
    written = BuiltinNetwork(family, 1).training()["measured"]["builtin:messages"]
    for i, seed in enumerate(FAMILIES[family].replicates):
        answers = said(family, seed, TEXTS)
        assert round(float(np.mean(answers == IS_SPAM)), 4) == written["accuracy"][i] > 0.98
        assert round(float(answers[IS_SPAM].mean()), 4) == written["recall"][i] > 0.9


@pytest.mark.parametrize("family", SPAM)
def test_fingerprints_are_those_that_the_training_wrote_down(family):
    models = [BuiltinNetwork(family, seed) for seed in FAMILIES[family].replicates]
    assert [m.fingerprint() for m in models] == models[0].training()["fingerprints"]


@pytest.mark.parametrize("family", SPAM)
def test_nothing_of_the_sample_was_trained_on(family):
    report = overlap_with_hashes(TEXTS, BuiltinNetwork(family, 1).training_hashes())
    assert (report.exact, report.contained) == (0, 0)


def test_both_were_trained_on_the_same_texts():
    first, second = (BuiltinNetwork(name, 1).training_hashes() for name in SPAM)
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize("family", SPAM)
def test_files_are_small_and_bear_their_notice(family):
    folder = FAMILIES[family].folder
    assert sum(f.stat().st_size for f in folder.iterdir()) < 400_000
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    assert "Almeida" in notice
    assert "creativecommons.org/licenses/by/4.0" in notice
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert record["name"] == f"builtin:{family}"


@pytest.mark.parametrize("wrong", [0, 4, True, "1"])
def test_other_replicates_are_refused(wrong):
    with pytest.raises(ModelError, match=r"builtin:spam has no replicate .* numbered from 1 to 3"):
        BuiltinNetwork("spam", wrong)


def test_targets_name_a_family_and_a_seed():
    assert builtin_target("spam-v2/seed-3") == ("spam-v2", 3)
    assert builtin_target("spam") == ("spam", 1)
    with pytest.raises(ModelError, match="There is no built-in model 'spam/seed-4'"):
        builtin_target("spam/seed-4")


# --- pieces ----------------------------------------------------------------------------------


def pieces(text: str) -> list[int]:
    return of_pieces([text])[2][0].tolist()


def test_a_piece_is_four_characters_in_a_row_borders_among_them():
    assert len(pieces("abc")) == 2  # the ends of the text are characters, too
    assert pieces("abcd")[1] == pieces("xabcdx")[2]


def test_case_and_which_digit_make_no_difference():
    assert pieces("Call 0906") == pieces("cALL 1234")


def test_a_misspelled_word_keeps_some_pieces_and_no_word():
    right, wrong = "congratulations", "congratulatoins"
    assert len(set(pieces(right)) & set(pieces(wrong))) >= 8
    words = [of_words([text])[0][0].tolist() for text in (right, wrong)]
    assert not set(words[0]) & set(words[1])


@given(st.lists(st.text(st.characters(exclude_categories=[])), max_size=5))
def test_texts_that_are_read_together_have_the_pieces_of_each(texts):
    hashes, owner = of_pieces(texts)[2]
    apart = [pieces(text) for text in texts]
    assert hashes.tolist() == [one for own in apart for one in own]
    assert owner.tolist() == [n for n, own in enumerate(apart) for _ in own]


def test_families_with_one_vocabulary_each_do_not_read_for_one_another():
    first = BuiltinNetwork("spam", 1).logits(TEXTS[:50])
    BuiltinNetwork("spam-v2", 1).logits(TEXTS[:50])
    BuiltinNetwork("sentiment", 1).logits(TEXTS[:50])
    assert (BuiltinNetwork("spam", 1).logits(TEXTS[:50]) == first).all()


# --- rebuilding ------------------------------------------------------------------------------


@pytest.mark.data("sms_spam")
def test_the_sample_is_made_from_the_collection_again(monkeypatch):
    if not (DATA / "sms_spam").exists():
        pytest.skip("sms_spam is not under SCRUTINY_DATA")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    sys.modules.pop("spam_messages", None)
    import spam_messages

    sample, training, left_out = spam_messages.both(DATA)
    assert [(m.text, m.label) for m in sample] == SAMPLE
    record = BuiltinNetwork("spam", 1).training()
    assert record["data"] == left_out
    assert record["texts"] == {
        label: sum(m.label == label for m in training) for label in ("ham", "spam")
    }
    hashes = {h for m in training for h in spam_messages.all_hashes(m.text)}
    assert sorted(hashes) == BuiltinNetwork("spam", 1).training_hashes().tolist()
    assert overlap(TEXTS, [m.text for m in training], near=0.5).pairs == ()


@pytest.mark.parametrize(
    ("ham", "masked"),
    [
        ("RING 0125698789 NOW", "RING &lt;#&gt; NOW"),
        ("It's me@mail.com", "It's &lt;EMAIL&gt;"),
        ("bus 8,22 at 1830", "bus 8,22 at 1830"),
    ],
)
def test_numbers_and_addresses_of_people_are_masked(ham, masked, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import spam_messages

    message = spam_messages.Message("ham", ham)
    assert spam_messages.masked(message).text == masked
    assert spam_messages.masked(message._replace(label="spam")).text == ham
