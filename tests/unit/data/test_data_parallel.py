"""Parallel files: plain text and CoNLL-U."""

from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.data.dataset import load_dataset

WORD = "1\tx\tx\tX\tX\t_\t0\troot\t_\t_\n\n"
ENGLISH = (
    "# newdoc id = d1\n# sent_id = s1\n# text = It rains.\n" + WORD
    + "# sent_id = s2\n# text = It does not = stop.\n" + WORD
    + "# newdoc id = d2\n# sent_id = s3\n# text = Good.\n" + WORD
)  # fmt: skip


def portuguese(last="s3"):
    return (
        "# sent_id = s1\n# text = Chove.\n# text_en = It rains.\n" + WORD
        + "# sent_id = s2\n# text = Não para.\n" + WORD
        + f"# sent_id = {last}\n# text = Bom.\n" + WORD
    )  # fmt: skip


def test_sentences_of_conllu(write):
    write("en.conllu", ENGLISH)
    write("pt.conllu", portuguese())
    data = load_dataset("parallel:en.conllu#to=pt.conllu")
    assert (data.task, data.bad_rows, data.doubts) == ("translation", (), ())
    assert [(e.id, e.text, e.gold) for e in data.examples] == [
        ("s1", "It rains.", Text("Chove.")),
        ("s2", "It does not = stop.", Text("Não para.")),
        ("s3", "Good.", Text("Bom.")),
    ]
    assert [e.attributes["u_document"] for e in data.examples] == ["d1", "d1", "d2"]


def test_another_sentence_is_a_bad_row(write):
    write("en.conllu", ENGLISH)
    write("pt.conllu", portuguese(last="s9"))
    (bad,) = load_dataset("parallel:en.conllu#to=pt.conllu").bad_rows
    assert bad.reason == "its translation is of s9"


def test_lines_with_several_references(write, tmp_path):
    (tmp_path / "in").mkdir()
    write("in/en.txt", "One.\nTwo.\n\nThree.\n")
    write("in/a.txt", "Um.\nDois.\n\nTrês.\n")
    write("in/b.txt", "Uma.\nDuas.\n\n\n")
    data = load_dataset("parallel:in/en.txt#to=a.txt|in/b.txt")
    assert [e.id for e in data.examples] == ["en/1", "en/2"]
    assert data.examples[1].gold == AnyOf((Text("Dois."), Text("Duas.")))
    assert "u_document" not in data.examples[0].attributes
    assert [bad.reason for bad in data.bad_rows] == ["text is empty", "reference is empty"]


def test_files_that_do_not_go_together(write, failure):
    write("en.txt", "One.\nTwo.\n")
    write("pt.txt", "Um.\n")
    assert "pt.txt ends before its sentence 2" in failure("parallel:en.txt#to=pt.txt")
    assert "pt.txt ends before its sentence 2" in failure("parallel:pt.txt#to=en.txt")
    assert "names no translations" in failure("parallel:en.txt")
