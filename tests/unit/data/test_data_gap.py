"""GAP, on texts of our own."""

from scrutiny.core.queries.annotation import Mentions
from scrutiny.data.dataset import load_dataset

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
TEXT = "Vera Stone met Olga's niece before she left for Bern."


def row(name, *, text=TEXT, pronoun="she", a="Vera Stone", b="Olga", flags="TRUE FALSE"):
    first, second = flags.split()
    cells = [name, text, pronoun, str(text.index(f" {pronoun} ") + 1)]
    cells += [a, str(text.index(a)), first, b, str(text.index(b)), second, "http://x.example"]
    return "\t".join(cells) + "\n"


def test_pronoun_and_names(write):
    write("gap-own.tsv", HEADER + row("one") + row("two", flags="FALSE FALSE"))
    data = load_dataset("gap:gap-own.tsv")
    assert (data.task, data.bad_rows) == ("mention-clusters", ())
    view = Mentions.of(data.examples[0])
    texts = [" ".join(view.words[i] for i in m.words) for m in view.mentions]
    found = [(t, m.cluster, m.kind) for t, m in zip(texts, view.mentions, strict=True)]
    assert found == [
        ("Vera Stone", "P", "proper"),
        ("Olga's", "B", "proper"),  # the word that the name has a character in
        ("she", "P", "pronoun"),
    ]
    other = Mentions.of(data.examples[1])
    assert [m.cluster for m in other.mentions] == ["A", "B", "P"]
    assert data.examples[0].attributes == {
        "u_sentence": "gap-own/one",
        "a_half": data.examples[0].attributes["a_half"],
        "a_pronoun": "she",
        "a_gender": "feminine",
    }


def test_gender_of_the_pronoun(write):
    write("gap.tsv", HEADER + row("one", text="Karl saw Max when his boat sank.", pronoun="his",
                                  a="Karl", b="Max", flags="false true"))  # fmt: skip
    (one,) = load_dataset("gap:gap.tsv").examples
    assert one.attributes["a_gender"] == "masculine"
    assert [m.cluster for m in Mentions.of(one).mentions] == ["A", "P", "P"]


def test_rows_that_do_not_read(write):
    rows = [
        row("one"),
        row("two").replace("\tOlga\t", "\tOlgas\t"),
        row("three").replace("TRUE", "yes"),
        row("four").replace(f"\tshe\t{TEXT.index('she')}\t", "\tshe\tx\t"),
        "five\tshort\n",
    ]
    write("gap.tsv", HEADER + "".join(rows))
    data = load_dataset("gap:gap.tsv")
    assert [e.id for e in data.examples] == ["one"]
    assert [bad.reason for bad in data.bad_rows] == [
        "B 'Olgas' is not at character 15 of the text",
        "A-coref is 'YES', neither TRUE nor FALSE",
        "Pronoun-offset is 'x', no number",
        "the row has 2 columns, the header 11",
    ]


def test_a_file_of_other_columns(write, failure):
    write("gap.tsv", "ID\tText\nx\ty\n")
    assert "is no file of GAP: it lacks Pronoun, Pronoun-offset" in failure("gap:gap.tsv")
