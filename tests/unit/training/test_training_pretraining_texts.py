import hashlib
import subprocess
import sys

import pytest
from pretraining_texts import SMALL, write_texts

from scrutiny.core.errors import DataError
from scrutiny.training.pretraining.corpus import (
    SPECIAL,
    encode,
    load_vocabulary,
    read_texts,
    save_tokenizer,
    train_vocabulary,
)

pytest.importorskip("tokenizers")


@pytest.fixture
def files(tmp_path):
    return read_texts([write_texts(tmp_path)])


def tokenizer_of(files, size=SMALL.vocabulary):
    return train_vocabulary((s for f in files for d in f.documents for s in d), size)


def test_documents_are_split_at_blank_lines_and_sentences(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One day. Then two.\nA new line.\n\n\n  \nNext document.\n", encoding="utf-8")
    [file] = read_texts([path])
    assert file.documents == (("One day.", "Then two.", "A new line."), ("Next document.",))
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xff\xfe bad"])
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_texts([path])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"gone\.txt"):
        read_texts([tmp_path / "gone.txt"])


def test_special_pieces_come_first(files):
    tokenizer = tokenizer_of(files)
    assert [tokenizer.id_to_token(i) for i in range(5)] == list(SPECIAL)
    assert tokenizer.get_vocab_size() <= SMALL.vocabulary
    assert tokenizer.encode("The CAT", "sat").tokens[0] == "[CLS]"
    assert tokenizer.encode("[UNK] cat", add_special_tokens=False).ids[0] == 1


def test_transformers_reads_the_vocabulary(files, tmp_path):
    transformers = pytest.importorskip("transformers")
    tokenizer = tokenizer_of(files)
    save_tokenizer(tokenizer, tmp_path / "t", 24)
    # a folder of its own, as a checkpoint has it
    (tmp_path / "t" / "config.json").write_text('{"model_type": "bert"}')
    read = transformers.AutoTokenizer.from_pretrained(tmp_path / "t")
    text = "The Cat sat, and nobody was glad."
    assert read(text)["input_ids"] == tokenizer.encode(text).ids
    assert read("a", "b")["token_type_ids"] == [0, 0, 0, 1, 1]
    assert (read.model_max_length, read.mask_token_id, read.pad_token_id) == (24, 4, 0)


def test_the_vocabulary_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from scrutiny.training.pretraining.corpus import read_texts\n"
        "from scrutiny.training.pretraining.corpus import train_vocabulary\n"
        "texts = [s for f in read_texts([Path(sys.argv[1])]) for d in f.documents for s in d]\n"
        "print(train_vocabulary(texts, 70).to_str())"
    )
    path = str(write_texts(tmp_path))
    found = {
        subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True).stdout
        for _ in range(4)
    }
    assert len(found) == 1


def test_pieces_are_those_of_the_library_where_there_are_no_ties():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    words = ["hug"] * 10 + ["pug"] * 5 + ["pun"] * 12 + ["bun"] * 4 + ["hugs"] * 7
    theirs = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=19, special_tokens=list(SPECIAL), show_progress=False
    )
    theirs.train_from_iterator(words, trainer)
    assert train_vocabulary(words, 19).get_vocab().keys() == theirs.get_vocab().keys()


def test_letters_of_rare_planes_do_no_harm():
    text = "a\U0001f600b \U00010330\U00010331 plain words"
    tokenizer = train_vocabulary([text] * 3, 60)
    assert "plain" in tokenizer.get_vocab()
    assert tokenizer.encode(text).ids


def test_a_saved_vocabulary_is_the_same(files, tmp_path):
    tokenizer = tokenizer_of(files)
    save_tokenizer(tokenizer, tmp_path, 24)
    assert load_vocabulary(tmp_path).to_str() == tokenizer.to_str()


def test_another_vocabulary_is_refused(tmp_path):
    with pytest.raises(DataError, match="not there"):
        load_vocabulary(tmp_path)
    from tokenizers import Tokenizer, models

    Tokenizer(models.WordPiece({"a": 0, "[UNK]": 1}, unk_token="[UNK]")).save(
        str(tmp_path / "tokenizer.json")
    )
    with pytest.raises(DataError, match="first five"):
        load_vocabulary(tmp_path)


def test_the_corpus_keeps_borders(files):
    tokenizer = tokenizer_of(files)
    corpus = encode(files, tokenizer)
    sentences = [s for d in files[0].documents for s in d]
    assert len(corpus.document) == len(sentences)
    for i, sentence in enumerate(sentences):
        own = corpus.pieces[corpus.starts[i] : corpus.starts[i + 1]]
        assert own.tolist() == tokenizer.encode(sentence, add_special_tokens=False).ids
    assert corpus.is_alone().tolist() == [False] * (len(sentences) - 2) + [True, True]
    assert corpus.document_ends()[-1] == len(corpus.pieces) == corpus.starts[-1]
    assert corpus.document_ends()[0] == corpus.starts[len(files[0].documents[0])]
