"""What a search gets from a masked language model: scripted by hand, tiny, and one of the zoo."""

import numpy as np
import pytest

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.document import TextDocument, document_of
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.words.masked_words import (
    MaskedInsert,
    MaskedMerge,
    MaskedReplace,
    ShownReplace,
)
from scrutiny.text.edits import apply_to_text
from scrutiny.text.wordnet import are_antonyms


class Scripted:
    """Answers by what is hidden; remembers what it was asked, a batch at a time."""

    def __init__(self, answers, rewritten=None):
        self.answers = answers
        self.rewritten = rewritten or {}
        self.batches = []

    def guess(self, queries, *, top, script="latin"):
        self.batches.append(list(queries))
        return [self._found(self.answers, q)[:top] for q in queries]

    def rewrite(self, queries, *, top, script="latin"):
        self.batches.append(list(queries))
        return [self._found(self.rewritten, q)[:top] for q in queries]

    @staticmethod
    def _found(answers, query):
        text = answers.get(query.text[query.start : query.end], "")
        words = text.split()
        return tuple(Guess(word, 0.5 / (i + 1)) for i, word in enumerate(words))


def proposals(transformation, text, place, model, language="en"):
    """Texts that the candidates of one place make."""
    example = Example("1", {"text": text}, language=language)
    document = TextDocument(example, resources={"masked_lm": model})
    (site,) = [s for s in transformation.sites(document) if text[s.start : s.end] == place]
    found = transformation.candidates(document, site, np.random.default_rng(0))
    return [apply_to_text(text, edits) for edits in found]


def test_words_come_likeliest_first_and_never_the_same_again():
    model = Scripted({"Good": "good great bad the Great fine"})
    assert isinstance(model, WordGuesser)
    text = "Good film"
    assert proposals(MaskedReplace(), text, "Good", model) == [
        "Great film",
        "Bad film",
        "The film",
        "Fine film",
    ]
    filtered = MaskedReplace(no_stop_words=True, no_antonyms=True)
    assert proposals(filtered, text, "Good", model) == ["Great film", "Fine film"]
    assert proposals(MaskedReplace(top=2), text, "Good", model) == ["Great film"]
    likely = MaskedReplace(least_probability=0.5 / 3)
    assert proposals(likely, text, "Good", model) == ["Great film", "Bad film"]


def test_insertions_ask_about_the_gap_on_either_side():
    model = Scripted({"": "very not"})
    text = "A good film"
    left = ["A very good film", "A not good film"]
    right = ["A good very film", "A good not film"]
    assert proposals(MaskedInsert(side="left"), text, "good", model) == left
    assert proposals(MaskedInsert(side="right"), text, "good", model) == right
    assert proposals(MaskedInsert(), text, "good", model) == left + right
    assert proposals(MaskedInsert(side="left"), text, "A", model)[0] == "very A good film"
    gaps = [(q.start, q.end) for batch in model.batches[:2] for q in batch]
    assert gaps == [(1, 1), (6, 6)]


def test_merges_take_phrases_and_none_of_their_words():
    model = Scripted({"old man": "man elder Old gentleman"})
    text = "An old man saw, ran"
    made = proposals(MaskedMerge(), text, "old man", model)
    assert made == ["An elder saw, ran", "An gentleman saw, ran"]
    sites = MaskedMerge().sites(document_of(text))
    pairs = [text[s.start : s.end] for s in sites]
    assert "old man" in pairs
    assert "saw, ran" not in pairs


def test_words_are_respelled_from_the_text_as_it_is():
    model = Scripted({}, {"movie": "movie film the book"})
    assert proposals(ShownReplace(), "A movie", "movie", model) == ["A film", "A book"]
    kept = ShownReplace(no_stop_words=False)
    assert proposals(kept, "A movie", "movie", model) == ["A film", "A the", "A book"]


def test_chinese_characters_are_places_and_nothing_is_spaced():
    model = Scripted({"好": "坏 大", "": "很"}, {"好": "坏"})
    assert proposals(MaskedReplace(), "我好吗?", "好", model, "zh") == ["我坏吗?", "我大吗?"]
    assert proposals(ShownReplace(), "我好吗?", "好", model, "zh") == ["我坏吗?"]
    assert proposals(MaskedInsert(), "我好吗?", "好", model, "zh") == ["我很好吗?", "我好很吗?"]


@pytest.mark.parametrize(
    ("transformation", "asked"),
    [
        (MaskedReplace(), ["A", "good", "film", "Oh"]),
        (MaskedInsert(side="left"), ["", "", "", ""]),
        (MaskedMerge(), ["A good", "good film"]),
        (ShownReplace(), ["A", "good", "film", "Oh"]),
    ],
)
def test_warming_asks_for_many_places_in_one_batch(transformation, asked):
    model = Scripted({})
    texts, resources = ("A good film", "Oh!"), {"masked_lm": model}
    documents = [document_of(text, resources=resources) for text in texts]
    transformation.warm(documents, [transformation.sites(document) for document in documents])
    assert [[q.text[q.start : q.end] for q in batch] for batch in model.batches] == [asked]
    first = [transformation.sites(document)[:1] for document in documents]
    transformation.warm(documents, first)
    assert len(model.batches[1]) == sum(map(len, first))


def test_antonyms_are_found_by_any_part_of_speech():
    assert are_antonyms("loved", "hates")
    assert not are_antonyms("film", "movie")


WORDS = "the a movie film book was good bad she went play ##s ##ed ##ing 好 坏 很 [ . 7".split()


@pytest.fixture(scope="module")
def filler(tmp_path_factory):
    """A BERT with random weights and a vocabulary of two dozen pieces."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=24,
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return load_resource("masked_lm", f"hf:{folder}")


def query(text, word):
    return MaskQuery(text, text.index(word), text.index(word) + len(word))


def forward(filler, pieces):
    """Log-probabilities at each position of a sequence of pieces."""
    import torch

    ids = filler._tokenizer.convert_tokens_to_ids(["[CLS]", *pieces, "[SEP]"])
    with torch.inference_mode():
        return filler._model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1).numpy()


def test_probabilities_are_those_of_the_hidden_place(filler):
    assert isinstance(filler, WordGuesser)
    (found,) = filler.guess([query("she went .", "went")], top=50)
    scores = forward(filler, ["she", "[MASK]", "."])[2]
    ids = filler._tokenizer.convert_tokens_to_ids([g.word for g in found])
    assert np.allclose([g.value for g in found], np.exp(scores[ids]), atol=1e-6)
    assert sorted(g.word for g in found) == sorted(w for w in WORDS if w.isascii() and w.isalpha())
    (chinese,) = filler.guess([query("she went .", "went")], top=50, script="han")
    assert {g.word for g in chinese} == {"好", "坏", "很"}


def test_words_of_several_pieces_are_respelled_from_one_pass(filler):
    (found,) = filler.rewrite([query("she plays .", "plays")], top=50)
    scores = forward(filler, ["she", "play", "##s", "."])
    starts = [w for w in WORDS if w.isascii() and w.isalpha()]
    rests = ["##s", "##ed", "##ing"]
    assert len(found) == len(starts) * len(rests)
    to_id = filler._tokenizer.convert_tokens_to_ids
    expected = {
        a + b[2:]: np.exp(-(scores[2, to_id(a)] + scores[3, to_id(b)]) / 2)
        for a in starts
        for b in rests
    }
    assert {g.word for g in found} == set(expected)
    assert np.allclose([g.value for g in found], [expected[g.word] for g in found], rtol=1e-5)
    assert [g.value for g in found] == sorted(g.value for g in found)


def test_all_words_of_a_text_share_one_pass(filler, monkeypatch):
    rows = []
    whole = type(filler)._logits
    monkeypatch.setattr(
        type(filler), "_logits", lambda self, ids: rows.extend(ids) or whole(self, ids)
    )
    text = "the good book was bad ."
    together = filler.rewrite([query(text, w) for w in ("good", "book", "bad")], top=4)
    assert len(rows) == 1
    fresh = type(filler)(filler._model, filler._tokenizer)
    alone = [fresh.rewrite([query(text, w)], top=4)[0] for w in ("good", "book", "bad")]
    assert [[g.word for g in one] for one in alone] == [[g.word for g in one] for one in together]


def test_a_long_text_is_read_around_the_word(filler):
    text = "the movie was good . " * 40
    start = text.index("good", 400)
    row = filler._shown(MaskQuery(text, start, start + 4))
    assert len(row.ids) <= 24
    (place,) = row.places
    assert row.ids[place] == filler._tokenizer.convert_tokens_to_ids("good")
    assert 6 < place < 18


def test_a_place_without_pieces_has_no_words(filler):
    assert filler.rewrite([MaskQuery("she  went", 4, 4), query("she went", "went")], top=2)[0] == ()


def test_a_model_is_named_by_hand_or_by_family():
    with pytest.raises(PlanError, match="zoo:FAMILY"):
        load_resource("masked_lm", "bert-base-uncased")
    with pytest.raises(PlanError, match="minilm"):
        load_resource("encoder", "ftp:x")


def zoo():
    """A small BERT of the zoo, where it is installed."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    try:
        return load_resource("masked_lm", "zoo:bert-4x128/seed-1")
    except ModelError as error:
        pytest.skip(f"the zoo is not here: {error}")


@pytest.mark.slow
def test_a_bert_of_the_zoo_proposes_words_that_fit():
    guesser = zoo()
    text = "he opened the door and walked into the room ."
    (found,) = guesser.guess([query(text, "door")], top=50)
    assert {"door", "window"} & {g.word for g in found[:10]}
    assert 0.5 < sum(g.value for g in found) <= 1
    (kept,) = guesser.rewrite([query(text, "door")], top=8)
    assert kept[0].word == "door"  # it sees the word
    longer = text.replace("door", "doorkeepers")
    (respelled,) = guesser.rewrite([query(longer, "doorkeepers")], top=48)
    assert len(respelled) == 48
    assert len({g.word for g in respelled}) == 48
    assert [g.value for g in respelled] == sorted(g.value for g in respelled)
    made = proposals(MaskedReplace(top=20), text, "door", guesser)
    assert 10 <= len(made) <= 20
    assert all(m.startswith("he opened the ") for m in made)
