"""Words are cut by themselves, as the tokenizer cuts them in running text."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from scrutiny.core.diagnostic import Failure
from scrutiny.models.hf.word_pieces import WordCutter

TEXTS = [
    "the man of the house saw a dog of the town",
    "he did not see it , nor did he hear it",
    "a word of the other , and the dog left",
] * 5
SENTENCES = [
    ("the", "dog", "did", "not", "see", "it"),
    ("unhearing", ",", "he", "left", "Übermut"),
    ("dog",),
]


def trained(inner, trainer, *, special=()):
    """Tokenizer trained on a few sentences, of a kind."""
    inner.train_from_iterator(TEXTS, trainer)
    if special:
        first, last = special
        inner.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}",
            special_tokens=[(name, inner.token_to_id(name)) for name in special],
        )
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>")


def byte_level(*, prefix=False, special=()):
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<pad>", *special], initial_alphabet=alphabet
    )
    return trained(inner, trainer, special=special)


def metaspace(scheme):
    inner = Tokenizer(models.BPE(unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=["<pad>", "<unk>"])
    return trained(inner, trainer)


TOKENIZERS = {
    "gpt2": lambda: byte_level(),
    "roberta": lambda: byte_level(special=("<s>", "</s>")),
    "prefix": lambda: byte_level(prefix=True),
    "sentencepiece": lambda: metaspace("always"),
    "sentencepiece, none in front": lambda: metaspace("never"),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_words_are_cut_as_in_words_joined_by_spaces(kind):
    tokenizer = TOKENIZERS[kind]()
    for words, one in zip(SENTENCES, WordCutter(tokenizer).cut(SENTENCES), strict=True):
        assert list(one.ids) == tokenizer(" ".join(words))["input_ids"]
        inner = [word for word in one.words if word is not None]
        assert inner == sorted(inner)
        assert set(inner) == set(range(len(words)))


def test_each_piece_knows_its_word():
    tokenizer = byte_level(special=("<s>", "</s>"))
    (one,) = WordCutter(tokenizer).cut([("the", "zzz", "dog")])
    names = tokenizer.convert_ids_to_tokens(list(one.ids))
    assert names == ["<s>", "the", "Ġ", "z", "z", "z", "Ġdog", "</s>"]
    assert one.words == (None, 0, 1, 1, 1, 1, 2, None)


def test_blank_words_have_no_piece_even_where_spaces_have_one():
    (one,) = WordCutter(byte_level()).cut([("the", "", " ", "dog")])
    assert set(one.words) == {0, 3}


def test_half_a_character_is_no_word():
    good, bad = WordCutter(byte_level()).cut([("dog",), ("dog", "\udc00")])
    assert good.words
    assert isinstance(bad, Failure)


def test_a_tokenizer_that_pads_and_cuts_by_itself_does_neither_here():
    tokenizer = byte_level(special=("<s>", "</s>"))
    inner = tokenizer.backend_tokenizer
    inner.enable_truncation(2)
    inner.enable_padding(length=16)
    (one,) = WordCutter(PreTrainedTokenizerFast(tokenizer_object=inner)).cut(SENTENCES[:1])
    assert one.words == (None, 0, 1, 2, 3, 4, 5, None)
