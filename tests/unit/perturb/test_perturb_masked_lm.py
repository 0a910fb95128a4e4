"""A masked language model's proposals: with a scripted model by hand, with a tiny one for form."""

import numpy as np
import pytest

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.resources.mask_filler import words_for_all
from scrutiny.perturb.words.masked_words import MaskedLm
from scrutiny.text.edits import apply_to_text

ANSWERS = {
    "movie": "movie film book movies read",
    "good": "good great bad quickly",
    "walked": "walked ran drive drove walks",
    "dogs": "dogs cats cat",
    "old": "young ancient",
    "quickly": "slowly quick quickly",
    "loves": "likes hates love",
    "house": "home houses",
    "she": "he",
    "honest": "sincere wise",
    "an": "the",
}


class Scripted:
    """Fills by the hidden word, whatever stands around it."""

    def __init__(self):
        self.asked = []

    def guess(self, queries, *, top, script="latin"):
        self.asked += queries
        words = [q.text[q.start : q.end].lower() for q in queries]
        found = [ANSWERS.get(word, "").split()[:top] for word in words]
        return [tuple(Guess(word, 0.1) for word in one) for one in found]


CASES = [
    ("The movie ended.", {"The film ended.", "The book ended."}, "the same number, not itself"),
    ("It was good.", {"It was great.", "It was bad."}, "an adverb is of another kind"),
    ("He walked home.", {"He ran home.", "He drove home."}, "the same tense"),
    ("The dogs barked.", {"The cats barked."}, "the same number"),
    ("An old man", {"A young man", "An ancient man"}, "the article follows the sound"),
    ("He ran quickly.", {"He ran slowly."}, "an adverb for an adverb"),
    ("He loves NLP.", {"He likes NLP.", "He hates NLP."}, "an inflection"),
    ("THE HOUSE FELL.", {"THE HOME FELL."}, "capitals are kept"),
    ("Movie!", {"Film!", "Book!"}, "and a capital letter"),
    ("She is an honest man.", {"She is a sincere man.", "She is a wise man."}, "no pronoun"),
    ("Of the and.", {"Of the and."}, "function words stay"),
]


@pytest.mark.parametrize(("text", "allowed", "why"), CASES)
def test_a_text_turns_into_one_of_those_written_down(text, allowed, why):
    made = set()
    for seed in range(10):
        resources = {"masked_lm": Scripted()}
        variant = perturb(
            Example("1", {"text": text}), "masked_lm(most=1)", seed=seed, resources=resources
        )
        made.add(apply_to_text(text, variant.edits))
    assert made <= allowed, why


def test_fewer_are_looked_at_where_that_is_asked():
    made = set()
    for seed in range(10):
        variant = perturb(
            Example("1", {"text": "It was good."}),
            parse_recipe("masked_lm(top=2)"),
            seed=seed,
            resources={"masked_lm": Scripted()},
        )
        made |= {e.text for e in variant.edits}
    assert made == {"great"}


def test_warming_asks_for_every_site_of_every_document():
    filler = Scripted()
    texts, resources = ("The movie ended.", "It was good."), {"masked_lm": filler}
    documents = [document_of(text, resources=resources) for text in texts]
    MaskedLm().warm(documents, [MaskedLm().sites(document) for document in documents])
    assert [q.text[q.start : q.end] for q in filler.asked] == ["movie", "ended", "good"]
    filler.asked.clear()
    sites = [MaskedLm().sites(document)[:1] for document in documents]
    MaskedLm().warm(documents, sites)
    assert [q.text[q.start : q.end] for q in filler.asked] == ["movie", "good"]


WORDS = "the a movie film book was good great bad he she went home ##s ##ed dog cat ran [ .".split()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
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
    with_head, without = folder / "with", folder / "without"
    transformers.BertForMaskedLM(config).save_pretrained(with_head)
    transformers.BertModel(config).save_pretrained(without)
    for place in (with_head, without):
        tokenizer.save_pretrained(place)
    return with_head, without


@pytest.fixture(scope="module")
def filler(checkpoint):
    return load_resource("masked_lm", f"hf:{checkpoint[0]}")


def queries():
    texts = ["the movie was good .", "she went home .", "a dog ran home . " * 9]
    return [MaskQuery(t, t.index(w), t.index(w) + len(w)) for t in texts for w in t.split()[:3]]


def test_a_checkpoint_fills_with_whole_words_only(filler):
    assert isinstance(filler, WordGuesser)
    whole = {w for w in WORDS if w.isalpha()}
    for found in filler.guess(queries(), top=5):
        assert len(found) == 5
        assert {guess.word for guess in found} <= whole


class Fixed:
    """A guesser with the same few words for every frame, each with probabilities of its own."""

    def guess(self, queries, *, top, script="latin"):
        shares = {"the ___ .": {"dog": 0.5, "cat": 0.3, "sun": 0.1}}
        other = {"dog": 0.02, "cat": 0.2, "car": 0.7}
        return [tuple(Guess(*one) for one in shares.get(q.text, other).items()) for q in queries]


def test_words_for_all_frames_are_likely_in_each(filler):
    found = words_for_all(Fixed(), ["the ___ .", "a ___ !"], n=5)
    assert [guess.word for guess in found] == ["cat", "dog"]  # by the geometric mean
    assert [guess.value for guess in found] == pytest.approx([0.06**0.5, 0.01**0.5])
    (first,) = words_for_all(filler, ["the ___ was good ."], n=1)
    query = MaskQuery("the ___ was good .", 4, 7)
    assert first == pytest.approx(filler.guess([query], top=1)[0][0])
    for frames, said in ((["a"], "no blanks"), (["___ ___"], "2 blanks"), ([], "are no frames")):
        with pytest.raises(PlanError, match=said):
            words_for_all(filler, frames, n=1)


def test_its_answers_do_not_depend_on_the_batch(checkpoint, filler):
    together = filler.guess(queries(), top=6)
    fresh = type(filler)(filler._model, filler._tokenizer)
    assert [fresh.guess([query], top=6)[0] for query in queries()] == together


def test_a_long_text_is_read_around_its_mask(filler):
    text = "the movie was good . " * 40
    start = text.index("good", 400)
    ids = list(filler._hidden(MaskQuery(text, start, start + 4)).ids)
    assert len(ids) <= 24
    assert filler._tokenizer.mask_token_id in ids[8:16]


def test_a_checkpoint_without_the_head_is_refused(checkpoint):
    with pytest.raises(ModelError, match=r"lacks \d+ weights .*cls\.predictions"):
        load_resource("masked_lm", f"hf:{checkpoint[1]}")


def test_what_is_no_checkpoint_is_named(tmp_path):
    with pytest.raises(ModelError, match="MaskedLM"):
        load_resource("masked_lm", f"hf:{tmp_path}")


def test_input_embeddings_serve_as_vectors(checkpoint):
    vectors = load_resource("vectors", f"hf:{checkpoint[0]}")
    near = vectors.neighbors("movie", most=3)
    assert len(near) == 3
    assert all(w in WORDS and w.isalpha() and -1 <= c <= 1 for w, c in near)


def test_an_encoder_gives_one_row_a_text(checkpoint):
    encoder = load_resource("encoder", f"hf:{checkpoint[1]}")
    rows = encoder.encode(["the movie", "she went home .", "the movie"])
    assert rows.shape == (3, 16)
    assert np.allclose(rows[0], rows[2], atol=1e-6)
    assert not np.allclose(rows[0], rows[1])


def test_the_engine_runs_with_a_checkpoint(filler):
    example = Example("1", {"text": "the movie was good ."})
    made = perturb(example, "masked_lm(share=1.0)", seed=0, resources={"masked_lm": filler})
    assert made.status in ("ok", "skipped")
    again = perturb(example, "masked_lm(share=1.0)", seed=0, resources={"masked_lm": filler})
    assert made.edits == again.edits
