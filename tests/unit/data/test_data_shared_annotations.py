"""Counts of published annotated corpora: as their papers and README files state, or counted here
from the raw files in another way.
"""

import re
from collections import Counter
from functools import cache

import pytest

from scrutiny.core.queries.annotation import AnchoredWords, Arcs, Mentions
from scrutiny.data.dataset import load_dataset

STORY = "conandoyle_neg_zhao2020/data_story.json"


@cache
def loaded(shared, source):
    data = load_dataset(f"negation:{shared}/negation/{source}")
    assert data.bad_rows == ()
    assert len({e.id for e in data.examples}) == len(data)
    return data, [AnchoredWords.of(e) for e in data.examples]


def sentences(data):
    return Counter(e.attributes["u_sentence"] for e in data.examples)


@pytest.mark.reproduces
@pytest.mark.data("negation")
def test_zhao_and_bethard(shared):
    data, views = loaded(shared, STORY)
    per_sentence = Counter(sentences(data).values())
    assert (len(data), len(sentences(data))) == (862, 757)
    assert per_sentence == {1: 665, 2: 82, 3: 7, 4: 3}
    assert (sum(v.n_listed for v in views), sum(len(v.targets) for v in views)) == (6382, 6381)
    assert sum(len(v.words) for v in views) == 18_777
    assert sum(not v.targets for v in views) == 103
    assert Counter(len(v.anchors) for v in views) == {1: 845, 2: 8, 3: 8, 4: 1}
    assert sum(bool(set(v.anchors) & set(v.targets)) for v in views) == 9
    words = Counter(w for v in {v.words: v for v in views}.values() for w in v.words)
    assert words["&quot;"] == 94
    assert "n o t" in {e.attributes["a_cue"] for e in data.examples}


@pytest.mark.reproduces
@pytest.mark.data("negation")
@pytest.mark.parametrize(
    ("files", "frames", "empty", "affixal"),
    [
        ("*training*", 825, 97, 159),
        ("*dev*", 140, 5, 33),
        ("*cardboard*", 111, 5, 22),
        ("*circle*", 117, 10, 14),
        ("*training*|*dev*", 965, 102, 192),
        ("*", 1193, 117, 228),
    ],
)
def test_cd_sco(shared, files, frames, empty, affixal):
    data, views = loaded(shared, f"sem2012_cdsco#files={files}")
    assert (len(data), sum(not v.targets for v in views)) == (frames, empty)
    assert f"{affixal} frames whose cue is part of a word" in data.notes[-1]


@pytest.mark.reproduces
@pytest.mark.data("negation")
def test_sfu_reviews(shared):
    # two frames (7 words of scope, 21 words, two-word cues) more than have been reported
    data, views = loaded(shared, "sfu_review_negation")
    raw = [p.read_text("utf-8") for p in (shared / "negation").glob("sfu_review*/*/*.xml")]
    cues = sum(len(re.findall(r'<cue [^>]*type="negation"', text)) for text in raw)
    blocks = [s for t in raw for s in re.findall(r"<SENTENCE>.*?</SENTENCE>", t, flags=re.DOTALL)]
    assert (len(raw), len(blocks)) == (400, 17_263)
    assert len(data) == cues == 3528
    assert len(sentences(data)) == sum('type="negation"' in s for s in blocks) == 3119
    domains = [e.attributes["u_sentence"].partition("/")[0] for e in data.examples]
    texts = {(d, " ".join(v.words).lower()) for d, v in zip(domains, views, strict=True)}
    assert len(texts) == 3116  # what has been reported: three stand twice within a domain
    assert sum(not v.targets for v in views) == 182
    assert sum(len(v.words) for v in views) == 86_282
    assert sum(len(v.targets) for v in views) == sum(v.n_listed for v in views) == 18_909
    assert Counter(len(v.anchors) for v in views) == {1: 2615, 2: 906, 3: 5, 4: 2}


@pytest.mark.data("negation")
def test_sfu_sentences_with_words_that_bert_has_no_piece_for(shared):
    data, views = loaded(shared, "sfu_review_negation")
    controls = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
    lost = [
        (e.attributes["u_sentence"], len(v.targets))
        for e, v in zip(data.examples, views, strict=True)
        if any(controls.fullmatch(w) for w in v.words)
    ]
    assert len({sentence for sentence, _ in lost}) == 62
    assert sum(n for _, n in lost) == 421


@pytest.mark.reproduces
@pytest.mark.data("negation")
@pytest.mark.parametrize(("name", "frames"), [("abstracts", 1719), ("full_papers", 376)])
def test_bioscope(shared, name, frames):
    data, views = loaded(shared, f"bioscope/{name}.xml")
    raw = (shared / "negation" / "bioscope" / f"{name}.xml").read_text("utf-8")
    refs = re.findall(r'<cue type="negation" ref="([^"]+)"', raw)
    assert len(data) == len(set(refs)) == frames
    assert all(v.anchors for v in views)
    assert all(v.targets for v in views)
    outside = sum(not set(v.anchors) <= set(v.targets) for v in views)
    assert outside == (1 if name == "abstracts" else 0)  # a cue that stands beside its scope


@pytest.mark.reproduces
@pytest.mark.data("ud_english_ewt")
@pytest.mark.parametrize(("part", "n", "words"), [("dev", 2001, 25_147), ("test", 2077, 25_094)])
def test_ewt(shared, part, n, words):
    path = shared / "ud_english_ewt" / f"en_ewt-ud-{part}.conllu"
    data = load_dataset(f"conllu:{path}")
    assert (len(data), data.bad_rows) == (n, ())
    views = [Arcs.of(e) for e in data.examples]
    lines = path.read_text("utf-8").splitlines()
    numbered = [line for line in lines if re.match(r"\d+\t", line)]
    assert sum(len(v.words) for v in views) == len(numbered) == words
    assert sum(v.heads.count(-1) for v in views) == n
    relations = Counter(line.split("\t")[7] for line in numbered)
    assert Counter(r for v in views for r in v.relations) == relations
    documents = {e.attributes["u_document"] for e in data.examples}
    assert len(documents) == sum(line.startswith("# newdoc id") for line in lines)


@pytest.mark.reproduces
@pytest.mark.data("gap")
@pytest.mark.parametrize(
    ("part", "n"), [("development", 2000), ("validation", 454), ("test", 2000)]
)
def test_gap(shared, part, n):
    path = shared / "gap" / f"gap-{part}.tsv"
    data = load_dataset(f"gap:{path}")
    assert (len(data), data.bad_rows) == (n, ())
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    genders = Counter(e.attributes["a_gender"] for e in data.examples)
    assert genders == {"feminine": n // 2, "masculine": n // 2}  # GAP is balanced
    coreferent = sum(flag == "TRUE" for row in rows for flag in (row[6], row[9]))
    found = 0
    for example, row in zip(data.examples, rows, strict=True):
        view = Mentions.of(example)
        mentions = view.mentions
        assert len(mentions) == 3
        found += sum(m.cluster == "P" and m.kind == "proper" for m in mentions)
        pronoun = next(m for m in mentions if m.kind == "pronoun")
        assert row[2] in view.words[pronoun.words[0]]
    assert found == coreferent
