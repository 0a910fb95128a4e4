"""CoNLL-U, on sentences of our own."""

from scrutiny.core.queries.annotation import Arcs, WordClasses
from scrutiny.data.dataset import load_dataset

ROWS = """\
# newdoc id = letters
# sent_id = one
# text = Don't sing.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tsing\tsing\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
3.1\tsing\tsing\tVERB\tVB\t_\t_\t_\t3:conj\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# a remark
1\tMy\tI\tPRON\t_\t_\t2\tnmod:poss\t_\t_
2\thouse\thouse\tNOUN\tNN\t_\t0\troot\t_\t_

# newdoc id = notes
# sent_id = three
1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_
"""


def test_words_and_their_heads(write):
    write("t.conllu", ROWS)
    data = load_dataset("conllu:t.conllu")
    assert (data.task, data.notes, data.bad_rows) == ("dependency-arcs", (), ())
    views = [Arcs.of(e) for e in data.examples]
    assert views[0].words == ("Do", "n't", "sing", ".")
    assert views[0].heads == (2, 2, -1, 2)
    assert views[1].relations == ("nmod:poss", "root")
    assert [e.id for e in data.examples] == ["one", "t/2", "three"]
    assert [e.attributes["u_document"] for e in data.examples] == ["letters", "letters", "notes"]
    assert [e.attributes["u_sentence"] for e in data.examples] == ["one", "t/2", "three"]
    assert [e.source for e in data.examples] == ["t.conllu:5", "t.conllu:12", "t.conllu:17"]


def test_relations_without_subtypes(write):
    write("t.conllu", ROWS)
    data = load_dataset("conllu:t.conllu#subtypes=drop")
    assert Arcs.of(data.examples[1]).relations == ("nmod", "root")


def test_tags_are_layers_of_the_gold_answer(write):
    write("t.conllu", ROWS)
    first, second, third = (e.gold for e in load_dataset("conllu:t.conllu").examples)
    assert first.upos == ("AUX", "PART", "VERB", "PUNCT")
    assert (second.upos, second.xpos) == (("PRON", "NOUN"), ("", "NN"))
    assert (third.upos, third.xpos) == (("SYM",), None)


def test_sentences_as_they_were_written(write):
    write("t.conllu", ROWS)
    first, second, third = load_dataset("conllu:t.conllu#spacing=raw").examples
    assert (first.text, first.gold.borders) == ("Don't sing.", ((0, 2), (2, 5), (6, 10), (10, 11)))
    assert first.tokens == {"text": first.gold.borders}
    assert (second.text, third.text) == ("My house", "#")  # nothing says how they were written
    write("t.conllu", ROWS.replace("# text = Don't sing.", "# text = Do not sing."))
    assert load_dataset("conllu:t.conllu#spacing=raw").examples[0].text == "Do n't sing ."


def test_classes_of_words(write):
    write("t.conllu", ROWS)
    upos = load_dataset("conllu:t.conllu#annotation=upos")
    assert upos.task == "token-classes"
    assert WordClasses.of(upos.examples[0]).classes == ("AUX", "PART", "VERB", "PUNCT")
    xpos = load_dataset("conllu:t.conllu#annotation=xpos")
    assert WordClasses.of(xpos.examples[1]).classes == ("", "NN")


def test_options_with_other_values(write, failure):
    write("t.conllu", ROWS)
    assert "it is arcs or upos or xpos" in failure("conllu:t.conllu#annotation=lemma")
    assert "it is keep or drop" in failure("conllu:t.conllu#subtypes=no")


def test_sentences_that_do_not_read(write):
    bad = ROWS.replace("2\thouse", "3\thouse") + "\n1\tOh\t_\n\n1\tOh\t_\t_\t_\t_\tx\t_\t_\t_\n"
    write("t.conllu", bad)
    data = load_dataset("conllu:t.conllu")
    assert [e.id for e in data.examples] == ["one", "three"]
    assert [(b.source, b.reason) for b in data.bad_rows] == [
        ("t.conllu:12", "word 2 bears the number '3'"),
        ("t.conllu:19", "word 1 has 3 columns, not the 10 of CoNLL-U"),
        ("t.conllu:21", "word 1 has the head 'x', which is no number"),
    ]


def test_heads_beyond_the_sentence(write, failure):
    write("t.conllu", "1\tOh\t_\t_\t_\t_\t4\tdep\t_\t_\n")
    assert "heads[0] is 4; heads are counted from 1 to 1" in failure("conllu:t.conllu")


def test_a_file_of_another_kind(write, failure):
    write("t.txt", "Nothing here has columns.\n")
    assert "word 1 has 1 columns" in failure("conllu:t.txt")
    write("t.txt", "# only = remarks\n")
    assert "holds no rows" in failure("conllu:t.txt")


def test_tags_of_entities_in_the_last_column_are_told(write):
    row = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t{}\n"
    finn = row.format(1, "Finn", 2, "SpaceAfter=No|name=B-PER")
    write("d.conllu", finn + row.format(2, "a", 0, "_"))
    (note,) = load_dataset("d.conllu").notes
    assert note.endswith("conll:d.conllu#token=1,key=name reads them.")
    write("e.conllu", row.format(1, "Finn", 0, "SpaceAfter=No|Gloss=B"))
    assert load_dataset("e.conllu").notes == ()
