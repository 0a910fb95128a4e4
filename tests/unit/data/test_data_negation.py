"""Readers of negation corpora, on sentences of our own in each format."""

import json

import pytest

from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.data.dataset import load_dataset
from scrutiny.data.opening import iter_examples


def frames(data):
    """Anchor and target of each item, as text."""
    found = []
    for example in data.examples:
        view = AnchoredWords.of(example)
        texts = [" ".join(view.words[i] for i in part) for part in (view.anchors, view.targets)]
        found.append(tuple(texts))
    return found


# --- the JSON of Zhao & Bethard ----------------------------------------------------------------

RAIN = {f"ch1_s1_{i}": w for i, w in enumerate("&quot; It never rains here .".split())}
NOR = {f"s2_{i}": w for i, w in enumerate("No one came and nobody wrote".split())}
STORY = [
    {
        "sent": RAIN,
        "negframe": [
            {
                "neg_cue": ["ch1_s1_2"],
                "neg_scopes": ["ch1_s1_3", "ch1_s1_1", "ch1_s1_4", "ch1_s1_3"],
            }
        ],
    },
    {"sent": {"s2_0": "Nothing", "s2_1": "here"}, "negframe": []},
    {
        "sent": NOR,
        "negframe": [
            {"neg_cue": ["s2_1", "s2_0"], "neg_scopes": ["s2_2"]},
            {"neg_cue": ["s2_4"], "neg_scopes": []},
        ],
    },
]


def test_story(write):
    write("story.json", json.dumps(STORY, indent=1))
    data = load_dataset("negation:story.json")
    assert (data.task, data.bad_rows, data.notes) == ("anchored-spans", (), ())
    assert frames(data) == [("never", "It rains here"), ("No one", "came"), ("nobody", "")]
    assert [e.id for e in data.examples] == ["story/1/1", "story/3/1", "story/3/2"]
    assert [e.attributes["u_sentence"] for e in data.examples] == ["story/1", "story/3", "story/3"]
    assert [e.attributes["a_cue"] for e in data.examples] == ["never", "no one", "nobody"]
    assert data.examples[0].text.startswith("&quot; It")  # as the file has it
    assert AnchoredWords.of(data.examples[0]).n_listed == 4  # one token is listed twice
    assert len({e.attributes["a_half"] for e in data.examples[1:]}) == 1


def test_story_names_the_line_of_what_does_not_read(write):
    broken = [
        *STORY,
        {"sent": {"a": "No"}, "negframe": [{"neg_cue": ["b"], "neg_scopes": []}]},
        {"negframe": []},
        {"sent": {"a": "No"}, "negframe": [{"neg_cue": ["a"]}]},
    ]
    write("story.json", "[" + ",\n".join(json.dumps(one) for one in broken) + "]")
    data = load_dataset("negation:story.json")
    assert len(data) == 3
    assert [(bad.source, bad.reason) for bad in data.bad_rows] == [
        ("story.json:4", "a frame names 'b', which is not there"),
        ("story.json:5", "the sentence lacks sent or negframe"),
        ("story.json:6", "a frame names 'neg_scopes', which is not there"),
    ]


def test_story_that_is_no_list(write, failure):
    write("story.json", '{"sent": {}}')
    assert "is no list of sentences" in failure("negation:story.json")
    write("story.json", '[{"sent": ')
    assert "no valid JSON" in failure("negation:story.json")


# --- CD-SCO ------------------------------------------------------------------------------------


def tokens(chapter, number, words, *columns):
    """Lines of a sentence; each further column is a mapping of places to cells."""
    lines = []
    for i, word in enumerate(words.split()):
        cells = [chapter, str(number), str(i), word, word.lower(), "X", "*"]
        cells += [column.get(i, "_") for column in columns] if columns else ["***"]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


PLAIN = tokens("garden01", 0, "The gate was open .")
TWO = tokens(
    *("garden01", 1, "Nobody saw the unhappy cat , nor the dog"),
    *({0: "nobody"}, {1: "saw", 2: "the", 3: "unhappy", 4: "cat"}, {1: "saw"}),
    *({3: "un"}, {3: "happy", 4: "cat"}, {}),
    *({6: "nor"}, {7: "the", 8: "dog"}, {}),
)


def test_cd_sco(write):
    write("train.txt", PLAIN + TWO)
    data = load_dataset("negation:train.txt")
    assert frames(data) == [("Nobody", "saw the unhappy cat"), ("nor", "the dog")]
    assert [e.id for e in data.examples] == ["train/2/1", "train/2/2"]
    assert {e.attributes["u_document"] for e in data.examples} == {"garden01"}
    assert [e.source for e in data.examples] == ["train.txt:7"] * 2
    assert data.notes == ("1 frames whose cue is part of a word (an affix) were left out.",)


def test_cd_sco_of_several_files(write, tmp_path):
    write("a-dev.txt", TWO)
    write("b-train.txt", PLAIN + TWO + TWO)
    write("readme.txt", "Columns of the corpus:\tnone of them\n")
    data = load_dataset(f"negation:{tmp_path}")
    assert [e.id.rpartition("/")[0] for e in data.examples[::2]] == [
        *("a-dev/1", "b-train/2", "b-train/3"),
    ]
    assert data.notes == (
        "Read: 2 files of the columns of CD-SCO.",
        "Left out, as no corpus of negation: readme.txt.",
        "3 frames whose cue is part of a word (an affix) were left out.",
    )
    some = load_dataset(f"negation:{tmp_path}#files=*dev*")
    assert len(some) == 2
    both = load_dataset(f"negation:{tmp_path}#files=*dev*|b-*")
    assert len(both) == 6


def test_cd_sco_whose_lines_differ(write):
    broken = TWO.replace("\t***", "").splitlines()
    broken[2] += "\t_"
    lacking = tokens("garden01", 2, "Not so", {}, {0: "Not"}, {})
    short = "garden01\t3\t0\tNo\tno\tX\n\n"
    write("train.txt", TWO + "\n".join(broken) + "\n\n" + lacking + short)
    data = load_dataset("negation:train.txt")
    assert len(data) == 2
    assert [bad.reason for bad in data.bad_rows] == [
        "its lines have 16 and 17 columns",
        "its negation 1 has no cue",
        "its lines are no tokens of CD-SCO: 6 columns",
    ]


# --- SFU Review --------------------------------------------------------------------------------

REVIEW = """<?xml version="1.0" encoding="UTF-8"?>
<DOCUMENT><P/><P><SENTENCE><W>Fine</W><W>.</W></SENTENCE><SENTENCE><W>I</W>\
<cue ID="1" type="negation"><W>do</W><W>n't</W></cue><xcope ID="2"><ref ID="3" SRC="1"/>\
<C><W>mind</W></C><xcope ID="4"><ref ID="5" SRC="6"/><W>the</W><W>noise</W></xcope></xcope>\
<cue ID="6" type="speculation"><W>perhaps</W></cue><W>&#150;</W>\
<C><cue ID="7" type="negation"><W>never</W></cue></C></SENTENCE></P></DOCUMENT>
"""


def test_sfu_reviews(write, tmp_path):
    for folder in ("LAMPS", "SHOES"):
        (tmp_path / folder).mkdir()
        write(f"{folder}/no1.xml", REVIEW)
    data = load_dataset(f"negation:{tmp_path}")
    assert frames(data) == [("do n't", "mind the noise"), ("never", "")] * 2
    assert AnchoredWords.of(data.examples[0]).words[7] == "\x96"
    assert [e.attributes["u_sentence"] for e in data.examples] == [
        *("LAMPS/no1/2", "LAMPS/no1/2", "SHOES/no1/2", "SHOES/no1/2"),
    ]
    assert {e.attributes["u_document"] for e in data.examples} == {"LAMPS/no1", "SHOES/no1"}
    one = load_dataset(f"negation:{tmp_path}/SHOES/no1.xml")
    assert [e.id for e in one.examples] == [e.id for e in data.examples[2:]]


def test_xml_that_is_not_well_formed(write, failure):
    write("no1.xml", REVIEW.replace("</P>", ""))
    assert "no1.xml is no well-formed XML: mismatched tag" in failure("negation:no1.xml")
    write("bio.xml", BIO.replace("</DocumentSet>", ""))
    assert "bio.xml is no well-formed XML: mismatched tag" in failure("negation:bio.xml")


# --- BioScope ----------------------------------------------------------------------------------

BIO = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE Annotation PUBLIC "-//BIOSCOPE//DTD" "BioScope.dtd">
<Annotation><DocumentSet><Document type="Biological_abstract"><DocID type="PMID">17</DocID>
<DocumentPart type="Title"><sentence id="S1.1">Moss <xcope id="X1"><cue type="speculation"
ref="X1">may</cue> grow, <xcope id="X2"><cue type="negation" ref="X2">not</cue> (as often said) \
freeze</xcope></xcope>.</sentence></DocumentPart></Document>
<Document><DocID>18</DocID><DocumentPart><sentence id="S1.1">It was <xcope id="X3">\
<cue type="negation" ref="X3">neither</cue> dry <cue type="negation" ref="X3">nor</cue> \
cold</xcope></sentence></DocumentPart></Document></DocumentSet></Annotation>
"""


def test_bioscope(write):
    write("bio.xml", BIO)
    data = load_dataset("negation:bio.xml")
    assert frames(data) == [
        ("not", "not ( as often said ) freeze"),
        ("neither nor", "neither dry nor cold"),
    ]
    assert [e.id for e in data.examples] == ["bio/1/1", "bio/2/1"]
    assert [e.attributes["u_document"] for e in data.examples] == ["17", "18"]
    assert data.examples[0].text == "Moss may grow , not ( as often said ) freeze ."
    assert data.examples[1].source == "bio.xml:2"


# --- which of them -----------------------------------------------------------------------------


def test_files_of_no_known_corpus(write, failure, tmp_path):
    write("other.txt", "No tabs here.\n")
    assert "is not a known corpus of negation" in failure("negation:other.txt")
    write("other.xml", "<html></html>")
    assert "is not a known corpus of negation" in failure("negation:other.xml")
    (tmp_path / "corpora").mkdir()
    write("corpora/other.txt", "a\tb\n")
    assert "holds none" in failure("negation:corpora")
    write("corpora/train.txt", TWO)
    write("corpora/bio.xml", BIO)
    message = failure("negation:corpora")
    assert "files of BioScope XML and the columns of CD-SCO" in message
    assert len(load_dataset("negation:corpora#files=bio.xml")) == 2
    assert "holds no such file" in failure("negation:corpora#files=*.json")


def test_other_schemes_have_no_files(failure):
    assert "no option 'files'" in failure("jsonl:x.jsonl#files=a")


def test_the_sentences_after_the_limit_are_not_read(write):
    write("bio.xml", BIO.replace("</DocumentSet></Annotation>", ""))  # broken at its end
    assert next(iter_examples("negation:bio.xml", limit=1)).id == "bio/1/1"


@pytest.mark.parametrize("name", ["story.json", "train.txt"])
def test_a_corpus_without_frames(write, failure, name):
    write(name, PLAIN if name.endswith("txt") else json.dumps([STORY[1]]))
    assert "holds no rows" in failure(f"negation:{name}")
