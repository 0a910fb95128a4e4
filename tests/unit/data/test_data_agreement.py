"""Agreement items from trees made by hand: which verb, which number, which attractors."""

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.text.agreement import agreements

SING, PLUR = "Number=Sing", "Number=Plur"
IS = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
ARE = IS.replace("Sing", "Plur")


def tree(*words):
    """Cells of CoNLL-U: form, lemma, class, features, head, relation."""
    return [
        [str(i), form, lemma, upos, "_", feats, str(head), relation, "_", "_"]
        for i, (form, lemma, upos, feats, head, relation) in enumerate(words, 1)
    ]


#: "The keys to the cabinet near the doors are red": two nouns between, one of the other number.
KEYS = tree(
    ("The", "the", "DET", "_", 2, "det"),
    ("keys", "key", "NOUN", PLUR, 10, "nsubj"),
    ("to", "to", "ADP", "_", 5, "case"),
    ("the", "the", "DET", "_", 5, "det"),
    ("cabinet", "cabinet", "NOUN", SING, 2, "nmod"),
    ("near", "near", "ADP", "_", 8, "case"),
    ("the", "the", "DET", "_", 8, "det"),
    ("doors", "door", "NOUN", PLUR, 5, "nmod"),
    ("are", "be", "AUX", ARE, 10, "cop"),
    ("red", "red", "ADJ", "_", 0, "root"),
)


def pair(verb, lemma, feats, *, subject=("He", "he", "PRON", SING), relation="nsubj"):
    return tree((*subject, 2, relation), (verb, lemma, "VERB", feats, 0, "root"))


def test_the_copula_agrees_and_nouns_between_are_counted():
    (one,) = agreements(KEYS)
    assert one == (1, 8, "plural", "noun", 1)


def test_the_first_auxiliary_agrees_and_not_the_participle():
    words = tree(
        ("Ann", "Ann", "PROPN", SING, 4, "nsubj:pass"),
        ("has", "have", "AUX", IS, 4, "aux"),
        ("been", "be", "AUX", "VerbForm=Part", 4, "aux:pass"),
        ("seen", "see", "VERB", "VerbForm=Part", 0, "root"),
    )
    assert [tuple(one) for one in agreements(words)] == [(0, 1, "singular", "name", 0)]


def test_two_subjects_are_two_items():
    words = tree(
        ("He", "he", "PRON", SING, 2, "nsubj"),
        ("says", "say", "VERB", IS, 0, "root"),
        ("they", "they", "PRON", PLUR, 4, "nsubj"),
        ("know", "know", "VERB", ARE, 2, "ccomp"),
    )
    assert [(one.verb, one.number) for one in agreements(words)] == [(1, "singular"), (3, "plural")]


@pytest.mark.parametrize(
    "words",
    [
        pair("saw", "see", IS.replace("Pres", "Past")),  # any subject has the same form
        pair("am", "be", IS.replace("Person=3", "Person=1")),
        pair("go", "go", ARE.replace("Ind", "Sub")),
        pair("going", "go", "VerbForm=Ger"),
        pair("is", "be", IS, relation="obj"),
        pair("is", "be", IS, subject=("Good", "good", "ADJ", "_")),
        tree(("is", "be", "AUX", IS, 0, "root"), ("he", "he", "PRON", SING, 1, "nsubj")),
        tree(  # a modal has no number, and what follows it none either
            ("He", "he", "PRON", SING, 3, "nsubj"),
            ("can", "can", "AUX", "VerbForm=Fin", 3, "aux"),
            ("run", "run", "VERB", "VerbForm=Inf", 0, "root"),
        ),
    ],
)
def test_verbs_that_show_no_number_before_a_subject_make_no_item(words):
    assert list(agreements(words)) == []


def test_was_and_were_show_it():
    (one,) = agreements(pair("were", "be", ARE.replace("Pres", "Past")))
    assert one.number == "plural"


def written(folder, name, *sentences):
    lines = [
        "\n".join([f"# sent_id = {name}-{i}", *("\t".join(word) for word in words)])
        for i, words in enumerate(sentences, 1)
    ]
    (folder / f"{name}.conllu").write_text("\n\n".join(lines) + "\n")
    return folder / f"{name}.conllu"


def test_items_are_the_words_before_the_verb(tmp_path):
    path = written(tmp_path, "a", KEYS, pair("runs", "run", IS))
    data = load_dataset(f"agreement:{path}")
    first, second = data.examples
    assert (data.task, data.labels) == ("text-classification", ("plural", "singular"))
    assert (first.text, first.gold) == ("The keys to the cabinet near the doors", "plural")
    assert (second.text, second.gold) == ("He", "singular")
    assert first.attributes == {
        "u_sentence": "a-1",
        "a_attractors": 1.0,
        "a_distance": 7.0,
        "a_subject": "noun",
    }
    (noun,) = load_dataset(f"agreement:{path}#subjects=nouns").examples
    assert noun.id == first.id == "a-1/2"


def test_files_of_a_folder(tmp_path):
    for name in ("dev", "test", "train"):
        written(tmp_path, name, KEYS)
    both = load_dataset(f"agreement:{tmp_path}#files=*dev*|*test*").examples
    assert [one.id for one in both] == ["dev-1/2", "test-1/2"]
    assert both[1].source == f"{tmp_path}/test.conllu:2"
    with pytest.raises(DataError, match=r"files=\*x\*: .* holds no such file"):
        load_dataset(f"agreement:{tmp_path}#files=*x*")


def test_rows_that_do_not_read(tmp_path):
    words = pair("runs", "run", IS)
    words[0][6] = "9"
    path = written(tmp_path, "a", words, KEYS)
    with pytest.raises(DataError, match="word 1 has a head beyond the 2 words"):
        load_dataset(f"agreement:{path}", on_bad_row="fail")
    assert len(load_dataset(f"agreement:{path}").examples) == 1
    with pytest.raises(DataError, match=r"subjects=verbs .* it is all or nouns"):
        load_dataset(f"agreement:{path}#subjects=verbs")
